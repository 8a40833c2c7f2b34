"""Runs the scripts of job_specs/scripts as a pod does: a Python process each, with no way to the network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    process = subprocess.run(
        [python, str(SCRIPTS / name), *words],
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
