"""What the scripts of a job share: failures in one line, and files that are there whole or not at all.

The folder is mounted read-only in the pods as /opt/ray-job-scripts. Each script runs with the Python of NeMo RL's image
(3.12 in v0.5.0, 3.13 in v0.6.0 and v0.7.0) and imports nothing of this repository but what lies beside it.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TextIO


class StepError(Exception):
    """What ends a step: lines, as a rule one, that say what is wrong and what to do about it."""


def run(main: Callable[[], int]) -> NoReturn:
    """Ends the process with the status that `main` returns; a `StepError` is its lines on stderr and status 1."""
    try:
        status = main()
    except StepError as error:
        for line in error.args:
            print(f"{Path(sys.argv[0]).name}: {one_line(line)}", file=sys.stderr, flush=True)
        status = 1
    sys.exit(status)


def image_module(name: str) -> Any:
    """A module of NeMo RL's image, of whose types nothing is known here."""
    return importlib.import_module(name)


def say(text: str) -> None:
    """Prints a line to the job's log, at once."""
    print(text, flush=True)


def one_line(text: str, limit: int = 2000) -> str:
    """The text without line ends, cut where nobody reads on."""
    joined = " ".join(text.split())
    return joined if len(joined) <= limit else f"{joined[: limit - 3]}..."


@contextmanager
def whole_file(path: Path) -> Generator[TextIO, None, None]:
    """A file to write. It gets its name, on the same file system, when all of it is on disk; after an error, never."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two jobs may write the same file at once; process ids of two pods may be equal, their host names are not.
    partial = path.with_name(f".{path.name}.{os.uname().nodename}.{os.getpid()}.tmp")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
