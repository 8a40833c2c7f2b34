"""How the commands under tools/ end when nobody wants to hear more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT, copy_checkout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_checkout(tmp_path_factory.mktemp("command") / "site")


@pytest.mark.parametrize("command", [["jobs"], ["estimate", "example-b200"], ["leftovers", "example-b200"]])
def test_a_command_whose_reader_goes_away_ends_without_a_traceback(command: list[str], checkout: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)  # as that of `python -m tools.jobs | head`
    name, *arguments = command
    done = subprocess.run(
        [sys.executable, "-m", f"tools.{name}", *arguments],
        cwd=checkout,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, "")


MODULES = sorted(path for path in (ROOT / "tools").rglob("*.py") if "\ndef main(arguments" in path.read_text("utf-8"))
COMMANDS = [path.parent.name if path.name == "__main__.py" else path.stem for path in MODULES]


def test_every_command_ends_alike() -> None:
    assert len(MODULES) > 12
    assert [path.name for path in MODULES if not path.read_text("utf-8").endswith("    run(main)\n")] == []


def run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", f"tools.{name}", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does_and_how_it_is_called(name: str) -> None:
    done = run(name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"python -m tools.{name}" in done.stdout


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "plan_summary"])
def test_a_command_that_is_called_wrongly_says_what_to_write_in_a_line(name: str) -> None:
    done = run(name, "--no-such-option", "it", "is", "not", "so")
    assert (done.returncode, done.stdout) == (2, "")
    line = done.stderr.splitlines()[0]
    assert line.startswith(f"write: python -m tools.{name}")


@pytest.mark.parametrize("runs", ["x", "0", "-1", "1.5"])
def test_the_benchmark_takes_a_number_of_runs(runs: str) -> None:
    done = run("bench", runs)
    assert (done.returncode, done.stderr) == (2, "write: python -m tools.bench [RUNS], with 1 run or more\n")
