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


def test_every_command_ends_alike() -> None:
    modules = [path for path in (ROOT / "tools").rglob("*.py") if "\ndef main(arguments" in path.read_text("utf-8")]
    assert len(modules) > 5
    assert [path.name for path in modules if not path.read_text("utf-8").endswith("    run(main)\n")] == []
