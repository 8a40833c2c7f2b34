"""Turns environments/*.yaml into Terraform JSON under cdktf.out/. Takes no arguments: all settings are in the files."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path

from settings.faults import SettingsError, shown
from training.checkout import read_checkout

ROOT = Path(__file__).resolve().parent


def _stop(number: int, _frame: object) -> None:
    sys.exit(128 + number)


def main(arguments: list[str]) -> int:
    """Exit status: 0 when the JSON is written, 1 when it cannot be, 2 when the files have faults (one line each on
    standard error), 128 and the signal's number when a signal stops it."""
    if arguments:
        print(
            f"main.py takes no arguments, got {shown(arguments[0])}; settings are in environments/*.yaml",
            file=sys.stderr,
        )
        return 2
    if os.environ.get("SYNTH_HCL_OUTPUT") == "true":
        print("cdktf synth --hcl is not supported: cdktf garbles what it writes as HCL; use the JSON", file=sys.stderr)
        return 2
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, _stop)
    try:
        checkout = read_checkout(ROOT)
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2

    # Only now the provider bindings, which are slow: a wrong file is reported before they are loaded.
    import stacks.bindings  # noqa: F401 # pyright: ignore[reportUnusedImport] # isort: skip # prepares the import of cdktf
    from stacks.summary import table
    from stacks.synthesis import synthesize

    output = ROOT / (os.environ.get("CDKTF_OUTDIR") or "cdktf.out")
    try:
        summaries = synthesize(checkout, output)
    except OSError as error:
        print(f"{output} cannot be written: {error.strerror} ({error.filename})", file=sys.stderr)
        return 1
    try:
        print("\n".join((table(summaries), *(f"note: {doubt}" for doubt in checkout.doubts))), flush=True)
    except BrokenPipeError:  # the reader, as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    status = main(sys.argv[1:])
    gc.freeze()  # the interpreter would search all of the bindings for garbage while it ends: half a second
    sys.exit(status)
