"""Draws a site as its synthesized JSON describes it: networks, interfaces, node pools, Ray, Lustre, jobs.

    python -m tools.picture SITE [FILE]

Reads cdktf.out as the last `make synth` left it, and writes an SVG to FILE, or to docs/SITE.svg. It is 900 pixels wide,
as a page of GitHub shows it, follows the reader's light or dark colours on a ground of its own, and its bytes depend on
the JSON alone. Needs kiwisolver, one of the development requirements.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tools.command import ROOT, run
from tools.picture.facts import read_site
from tools.synthesized import LAYERS, NotSynthesizedError, stacks_of


def main(arguments: list[str]) -> int:
    """Exit status: 0, or 2 with a reason on standard error."""
    match arguments:
        case [site] if not site.startswith("-"):
            file = ROOT / "docs" / f"{site}.svg"
        case [site, path] if not site.startswith("-"):
            file = Path(path)
        case _:
            print("write: python -m tools.picture SITE [FILE]", file=sys.stderr)
            return 2
    try:
        from tools.picture.svg import draw
    except ModuleNotFoundError as error:
        print(f"a picture needs {error.name}, a development requirement: make .venv/development", file=sys.stderr)
        return 2
    try:
        stacks = {stack.name: stack.content for stack in stacks_of(site)}
    except NotSynthesizedError as error:
        print(error, file=sys.stderr)
        return 2
    if missing := [name for layer in LAYERS if (name := f"{site}_{layer}") not in stacks]:
        print(f"cdktf.out has no {' and no '.join(missing)}: run `make synth`", file=sys.stderr)
        return 2
    try:
        file.write_text(draw(read_site(site, stacks)), encoding="utf-8")
    except OSError as error:
        print(f"{file} cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    print(file)
    return 0


if __name__ == "__main__":
    run(main)
