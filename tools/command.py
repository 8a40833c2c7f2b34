"""How the commands under tools/ end."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable


def run(main: Callable[[list[str]], int]) -> None:
    """Ends the process with the status that `main` gives for the command line.

    Where the reader of its output goes away, as `head` does, or the user presses Ctrl-C, it ends as other commands do:
    by the signal, without a traceback.
    """
    for number in (signal.SIGPIPE, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    sys.exit(main(sys.argv[1:]))
