"""Prints the HCP Terraform workspaces of a site: a row a stack, in the order of their runs.

    python -m tools.workspaces SITE

Reads cdktf.out, so run `make synth` first. A workspace is called as its stack; its working directory is the stack's
folder; stacks of one order may run side by side; the variables are those that the stack declares, all sensitive.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from settings.columns import in_columns

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Workspace:
    """One workspace: its name, its working directory, when it runs, and the variables that it needs."""

    name: str
    folder: str
    order: int
    variables: tuple[str, ...]


def workspaces(
    site: str, manifest: Mapping[str, Any], stacks: Mapping[str, Mapping[str, Any]]
) -> tuple[Workspace, ...]:
    """The workspaces of a site, from the manifest of a synth and the JSON of its stacks; jobs come last."""
    below = {name: tuple(stack["dependencies"]) for name, stack in manifest["stacks"].items()}
    own = [name for name in below if name.startswith((f"{site}_", f"job_{site}_"))]

    def order(name: str) -> int:
        return 1 + max((order(one) for one in below[name]), default=0)

    last = max((order(name) for name in own if not name.startswith("job_")), default=0)
    found = (
        Workspace(
            name=name,
            folder=f"cdktf.out/stacks/{name}",
            order=last + 1 if name.startswith("job_") else order(name),
            variables=tuple(sorted(stacks[name].get("variable", {}))),
        )
        for name in own
    )
    return tuple(sorted(found, key=lambda one: (one.order, one.name)))


def main(arguments: list[str]) -> int:
    """See above."""
    output = ROOT / "cdktf.out"
    if len(arguments) != 1 or not (output / "manifest.json").exists():
        print("write: python -m tools.workspaces SITE, after `make synth`", file=sys.stderr)
        return 2
    manifest = json.loads((output / "manifest.json").read_text(encoding="utf-8"))
    stacks = {
        name: json.loads((output / stack["synthesizedStackPath"]).read_text(encoding="utf-8"))
        for name, stack in manifest["stacks"].items()
    }
    found = workspaces(arguments[0], manifest, stacks)
    if not found:
        print(f"cdktf.out has no stack of a site called {arguments[0]}", file=sys.stderr)
        return 2
    rows = [(str(one.order), one.name, one.folder, ", ".join(one.variables) or "-") for one in found]
    print("\n".join(in_columns([("run", "workspace", "working directory", "sensitive variables"), *rows])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
