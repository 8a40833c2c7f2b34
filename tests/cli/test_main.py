"""main.py as a person runs it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import main
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


def run(root: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "main.py"), *arguments]
    environment = {**os.environ, **variables}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def test_hcl_which_cdktf_garbles_is_refused(checkout: Path) -> None:
    done = run(checkout, SYNTH_HCL_OUTPUT="true")  # as `cdktf synth --hcl` does
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "cdktf synth --hcl is not supported: cdktf garbles what it writes as HCL; use the JSON\n",
    )


def test_an_output_that_cannot_be_written_is_one_line_with_status_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In this process, where the bindings are loaded already."""
    write_environments(tmp_path, prod=MINIMAL)
    (tmp_path / "taken").touch()
    monkeypatch.setattr(main, "ROOT", tmp_path)
    monkeypatch.setattr(main, "_stop", signal.SIG_IGN)
    monkeypatch.setenv("CDKTF_OUTDIR", "taken/cdktf.out")
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        assert main.main([]) == 1
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert capsys.readouterr() == (
        "",
        f"{tmp_path}/taken/cdktf.out cannot be written: File exists ({tmp_path}/taken)\n",
    )


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    root = copy_checkout(tmp_path / "site")
    shutil.rmtree(root / "environments")
    write_environments(root, prod=MINIMAL)
    reader, writer = os.pipe()
    os.close(reader)  # as that of `python main.py | head`
    command = [sys.executable, str(root / "main.py")]
    done = subprocess.run(command, cwd=root, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")
    assert (root / "cdktf.out" / "manifest.json").exists()


@pytest.mark.parametrize("argument", ["--env=prod", "--help", "environments/prod.yaml", "", "a\nb"])
def test_an_argument_is_refused(argument: str, checkout: Path) -> None:
    done = run(checkout, argument)
    shown = argument.replace("\n", "\\n")
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        f'main.py takes no arguments, got "{shown}"; settings are in environments/*.yaml\n',
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
