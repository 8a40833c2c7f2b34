"""The cdktf command line works on this project as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT, copy_checkout, files_in

CLI = ROOT / "node_modules" / ".bin" / "cdktf"

pytestmark = pytest.mark.skipif(not CLI.exists(), reason="the cdktf command line is not installed: make node_modules")


def cdktf(checkout: Path, *arguments: str) -> list[str]:
    """Runs the command line offline, with the Node that came with the virtual environment; the lines that it prints."""
    environment = {
        **os.environ,
        "PATH": f"{Path(os.environ['JSII_NODE']).parent}{os.pathsep}{os.environ['PATH']}",
        "CI": "1",
        "CHECKPOINT_DISABLE": "1",
    }
    done = subprocess.run(
        [str(CLI), *arguments], cwd=checkout, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def synthesized(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A copy of the project with one example, after `cdktf synth`, and what that printed."""
    root = copy_checkout(tmp_path_factory.mktemp("cdktf") / "site")
    (root / "environments" / "example-h200.yaml").unlink()
    (root / ".venv").symlink_to(sys.prefix)
    return root, cdktf(root, "synth")


def test_synth_writes_what_main_writes_and_leaves_its_own_file_alone(
    synthesized: tuple[Path, list[str]], examples_folder: Path
) -> None:
    checkout, lines = synthesized
    assert any("Generated Terraform code for the stacks: example-b200_cluster" in line for line in lines)
    assert (checkout / "cdktf.json").read_bytes() == (ROOT / "cdktf.json").read_bytes()
    written = files_in(checkout / "cdktf.out")
    expected = files_in(examples_folder)
    stacks = [name for name in expected if name.startswith(("stacks/example-b200", "stacks/job_example-b200"))]
    assert {name: written[name] for name in stacks} == {name: expected[name] for name in stacks}
    assert set(written) == {*stacks, "manifest.json"}


def test_list_names_the_stacks_and_their_folders(synthesized: tuple[Path, list[str]]) -> None:
    checkout, _ = synthesized
    # `list` synthesizes again; what that gives is the matter of the test above.
    rows = [line.split() for line in cdktf(checkout, "list", "--app=true") if "example-b200" in line]
    assert ["example-b200_network", "cdktf.out/stacks/example-b200_network"] in rows
    layers = ("network", "storage", "cluster", "platform")
    assert {row[0] for row in rows} >= {f"example-b200_{layer}" for layer in layers}
