"""Turns environments/*.yaml into Terraform JSON under cdktf.out/. Takes no arguments: all settings are in the files."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from settings.faults import SettingsError, shown
from training.checkout import read_checkout

ROOT = Path(__file__).resolve().parent


def _stop(_signal: int, _frame: object) -> None:
    sys.exit(143)


def main(arguments: list[str]) -> int:
    """Exit status: 0 when the JSON is written, 2 when the files have faults (one line each on standard error)."""
    if arguments:
        print(
            f"main.py takes no arguments, got {shown(arguments[0])}; settings are in environments/*.yaml",
            file=sys.stderr,
        )
        return 2
    signal.signal(signal.SIGTERM, _stop)
    try:
        checkout = read_checkout(ROOT)
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2

    # Only now the provider bindings, which are slow: a wrong file is reported before they are loaded.
    import stacks.bindings  # noqa: F401 # pyright: ignore[reportUnusedImport] # isort: skip # prepares the import of cdktf
    from stacks.summary import table
    from stacks.synthesis import synthesize

    print(table(synthesize(checkout, ROOT / os.environ.get("CDKTF_OUTDIR", "cdktf.out"))))
    for doubt in checkout.doubts:
        print(f"note: {doubt}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
