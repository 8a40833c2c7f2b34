"""What the commands under tools/ share: where the project lies, their help, and how they end."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path

#: The project's folder.
ROOT = Path(__file__).resolve().parents[1]


def run(main: Callable[[list[str]], int]) -> None:
    """Ends the process with the status that `main` gives for the command line; `--help` alone prints its module's text.

    Where the reader of its output goes away, as `head` does, or the user presses Ctrl-C, it ends as other commands do:
    by the signal, without a traceback.
    """
    for number in (signal.SIGPIPE, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    if sys.argv[1:] in (["--help"], ["-h"]):
        print((sys.modules["__main__"].__doc__ or "").strip())
        sys.exit(0)
    sys.exit(main(sys.argv[1:]))
