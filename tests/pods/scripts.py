"""Runs the scripts of job_specs/scripts as a pod does: a Python process each, with no way to the network."""

from __future__ import annotations

import io
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.support import ROOT

SCRIPTS = ROOT / "job_specs" / "scripts"


@dataclass(frozen=True)
class Result:
    """How a script ended and what it said."""

    status: int
    out: str
    err: str

    @property
    def fault(self) -> str:
        """The one line that a script says about what is wrong; asserts that it is one line, and no traceback."""
        assert self.err.count("\n") == 1, self.err
        return self.err.rstrip("\n")


def run_script(
    name: str,
    *words: str,
    cwd: Path,
    modules: Path | None = None,
    python: str = sys.executable,
    env: Mapping[str, str] | None = None,
) -> Result:
    """Runs a script in the folder `cwd`, also its home; `modules` holds stand-ins for what only the image has."""
    return _run([python, str(SCRIPTS / name), *words], cwd, modules, env)


#: Runs a script once for each list of words on its command line, and prints how each ended.
_OFTEN = """\
import io, json, runpy, sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
script, cases = sys.argv[1], json.loads(sys.argv[2])
sys.path.insert(0, str(Path(script).parent))
ends = []
for words in cases:
    sys.argv = [script, *words]
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as end:
            ends.append([end.code, out.getvalue(), err.getvalue()])
print(json.dumps(ends))
"""


def run_script_often(name: str, *cases: Iterable[str], cwd: Path) -> list[Result]:
    """Runs a script for each case in one process, which imports the libraries once: that takes seconds."""
    words = json.dumps([list(case) for case in cases])
    result = _run([sys.executable, "-c", _OFTEN, str(SCRIPTS / name), words], cwd, None, None)
    assert result.status == 0, result.err
    return [Result(*end) for end in json.loads(result.out)]


def _run(command: list[str], cwd: Path, modules: Path | None, env: Mapping[str, str] | None) -> Result:
    process = subprocess.run(
        command,
        cwd=cwd,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(cwd),
            "HF_HOME": str(cwd / "hf"),
            "HF_HUB_OFFLINE": "1",  # read by huggingface_hub and datasets: a local folder is all that there is
            "PYTHONDONTWRITEBYTECODE": "1",  # as in the pods, where the folder is read-only
            **({"PYTHONPATH": str(modules)} if modules else {}),
            **(env or {}),
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    return Result(process.returncode, process.stdout, process.stderr)


def write_jsonl(path: Path, rows: Iterable[Any]) -> Path:
    """A file with one JSON value a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def read_jsonl(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def call_script(name: str, *words: str) -> Result:
    """Runs a script in this process, as `run_script` does in its own: for tables of cases that need no libraries."""
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.object(sys, "argv", [str(SCRIPTS / name), *words]),
        patch.object(sys, "path", [str(SCRIPTS), *sys.path]),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as end,
    ):
        runpy.run_path(str(SCRIPTS / name), run_name="__main__")
    return Result(int(end.value.code or 0), out.getvalue(), err.getvalue())
