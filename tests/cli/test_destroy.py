"""`make destroy` through the real cdktf and terraform, on a site of small stacks without a cloud."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support import MINIMAL, ROOT, write_environments
from tools.teardown import main

CLI = ROOT / "node_modules" / ".bin" / "cdktf"
pytestmark = pytest.mark.skipif(
    not CLI.exists() or not shutil.which("terraform"), reason="needs terraform, and the cdktf command line: make test"
)

JOB = "job_prod_gemma3-1b-smoke"
DEPENDENCIES: dict[str, list[str]] = {
    "prod_network": [],
    "prod_storage": ["prod_network"],
    "prod_cluster": ["prod_network"],
    "prod_platform": ["prod_storage", "prod_cluster"],
    JOB: [],
    "prod-eu_network": [],
}
FILE = MINIMAL + (
    "lustre: {deletion_protection: false}\n"
    "cluster: {deletion_protection: false}\n"
    "jobs: [gemma3-1b-smoke, gemma3-27b-gsm8k]\n"
)


def stack(name: str) -> dict[str, Any]:
    """A stack of one resource, which leaves its stack's name in a log when it is destroyed."""
    mark = {"local-exec": {"when": "destroy", "command": f"echo {name} >> ../../../destroyed"}}
    return {
        "//": {"metadata": {"backend": "local", "stackName": name, "version": "0.21.0"}, "outputs": {}},
        "terraform": {"backend": {"local": {"path": f"../../../state/{name}.tfstate"}}},
        "resource": {"terraform_data": {"it": {"provisioner": [mark]}}},
    }


def write_output(root: Path) -> None:
    """A cdktf.out as a synth would leave it, and a main.py that leaves it alone."""
    stacks: dict[str, Any] = {}
    for name, dependencies in DEPENDENCIES.items():
        folder = root / "cdktf.out" / "stacks" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cdk.tf.json").write_text(json.dumps(stack(name)), encoding="utf-8")
        stacks[name] = {
            "annotations": [],
            "constructPath": name,
            "dependencies": dependencies,
            "name": name,
            "synthesizedStackPath": f"stacks/{name}/cdk.tf.json",
            "workingDirectory": f"stacks/{name}",
        }
    (root / "cdktf.out" / "manifest.json").write_text(json.dumps({"stacks": stacks, "version": "0.21.0"}))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A deployed site with one job that runs, and one that was never started."""
    monkeypatch.setenv("PATH", f"{Path(os.environ['JSII_NODE']).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CI", "1")
    monkeypatch.setenv("CHECKPOINT_DISABLE", "1")
    (tmp_path / "empty").touch()
    monkeypatch.setenv("TF_CLI_CONFIG_FILE", str(tmp_path / "empty"))
    write_environments(tmp_path, prod=FILE)
    (tmp_path / "job_specs").symlink_to(ROOT / "job_specs")
    (tmp_path / "main.py").touch()
    (tmp_path / "cdktf.json").write_text(json.dumps({"language": "python", "app": "true", "projectId": "it"}))
    write_output(tmp_path)
    for name in DEPENDENCIES:
        for command in (["init"], ["apply", "-auto-approve"]):
            subprocess.run(
                ["terraform", f"-chdir={tmp_path / 'cdktf.out' / 'stacks' / name}", *command],
                check=True,
                capture_output=True,
            )
    return tmp_path


def test_jobs_go_first_then_the_layers_from_the_top_and_nothing_of_another_site(
    site: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["prod", str(CLI), "--yes"], site) == 0, capfd.readouterr()
    order = (site / "destroyed").read_text(encoding="utf-8").split()
    assert order[:2] == [JOB, "prod_platform"]
    assert sorted(order[2:4]) == ["prod_cluster", "prod_storage"]
    assert order[4:] == ["prod_network"]
    assert capfd.readouterr().out.splitlines()[-1] == (
        "prod is gone. What Google may have left behind: python -m tools.leftovers prod"
    )
