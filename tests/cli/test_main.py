"""main.py as a person runs it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import MINIMAL, copy_checkout, files_in, write_environments


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with an earlier output, which no faulty run may touch."""
    root = copy_checkout(tmp_path_factory.mktemp("checkout") / "site")
    for name, text in {
        "manifest.json": "{}",
        "stacks/old_network/cdk.tf.json": "old",
        "stacks/old_network/terraform.tfstate": "state",
    }.items():
        path = root / "cdktf.out" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "main.py"), *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def test_an_argument_is_refused(checkout: Path) -> None:
    done = run(checkout, "--env=prod")
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        'main.py takes no arguments, got "--env=prod"; settings are in environments/*.yaml\n',
    )


def test_faults_of_all_files_come_in_one_second_with_status_2_and_nothing_touched(checkout: Path) -> None:
    before = files_in(checkout / "cdktf.out")
    write_environments(
        checkout, faulty=MINIMAL + "luster: {}\n", doubtful=MINIMAL.replace("us-central1-b", "us-east4-b")
    )
    start = time.monotonic()
    done = run(checkout)
    seconds = time.monotonic() - start
    (checkout / "environments" / "faulty.yaml").unlink()
    (checkout / "environments" / "doubtful.yaml").unlink()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "environments/faulty.yaml: luster is unknown; did you mean cluster or lustre?",
        "environments/doubtful.yaml: zone is us-east4-b, but region is us-central1; write a zone of that region, or"
        " its region",
    ]
    assert files_in(checkout / "cdktf.out") == before
    assert seconds < 3, "a refused file takes half a second; it never waits for the provider bindings"


def test_a_missing_environments_folder_is_one_line(tmp_path: Path) -> None:
    root = copy_checkout(tmp_path / "site")
    shutil.rmtree(root / "environments")
    done = run(root)
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "environments: holds no .yaml file; copy one of the examples into it\n",
    )


def test_a_refused_file_is_reported_before_any_binding_is_imported(checkout: Path) -> None:
    write_environments(checkout, faulty="project: 1\n")
    command = [sys.executable, "-X", "importtime", str(checkout / "main.py")]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    (checkout / "environments" / "faulty.yaml").unlink()
    assert done.returncode == 2
    assert "pydantic" in done.stderr
    assert "cdktf" not in done.stderr.replace(str(checkout), "")
    assert "jsii" not in done.stderr
