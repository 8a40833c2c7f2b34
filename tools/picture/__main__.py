"""Draws a site as its synthesized JSON describes it: networks, interfaces, node pools, Ray, Lustre, jobs.

    python -m tools.picture SITE [FILE]

Reads cdktf.out as the last `make synth` left it, and writes an SVG to FILE, or to docs/SITE.svg. It is 900 pixels wide,
as a page of GitHub shows it, follows the reader's light or dark colours on a ground of its own, and its bytes depend on
the JSON alone. Needs kiwisolver, one of the development requirements.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tools.command import run
from tools.picture.facts import read_site
from tools.synthesized import ROOT, NotSynthesizedError, stacks_of


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
        stacks = stacks_of(site)
    except NotSynthesizedError as error:
        print(error, file=sys.stderr)
        return 2
    file.write_text(draw(read_site(site, {stack.name: stack.content for stack in stacks})), encoding="utf-8")
    print(file)
    return 0


if __name__ == "__main__":
    run(main)
