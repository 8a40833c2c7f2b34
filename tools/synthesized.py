"""Reads the stacks of a synth from cdktf.out, in the order in which they can be applied."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from settings.faults import one_line
from tools.command import ROOT

OUTPUT = ROOT / "cdktf.out"

#: The layers of a site, each after what it stands on.
LAYERS = ("network", "storage", "cluster", "platform")


class NotSynthesizedError(Exception):
    """cdktf.out lacks what was asked for; the text is one line, and says what to do."""


@dataclass(frozen=True, kw_only=True)
class Stack:
    """One stack: its id, its folder below the project's, the Terraform JSON in it, and when it can be applied.

    Stacks of one `order`, counted from 1 in each site, can be applied side by side; jobs come last.
    """

    name: str
    folder: str
    order: int
    content: Mapping[str, Any]

    @property
    def site(self) -> str:
        """The name of the site: `prod` of `prod_network` and of `job_prod_smoke`."""
        return site_of(self.name)

    @property
    def backend(self) -> str:
        """Where its state lies: `local`, `gcs` or `cloud`."""
        terraform = self.content["terraform"]
        return "cloud" if "cloud" in terraform else next(iter(terraform.get("backend", {"local": {}})))


def site_of(stack: str) -> str:
    """The name of a stack's site; no site's name has an underscore, and none is `job`."""
    return stack.removeprefix("job_").partition("_")[0]


def stacks_of(site: str, output: Path = OUTPUT) -> tuple[Stack, ...]:
    """The stacks of one site, by order. Raises `NotSynthesizedError` where it has none."""
    stacks = synthesized_stacks(output)
    own = tuple(stack for stack in stacks if stack.site == site)
    if not own:
        known = ", ".join(sorted({stack.site for stack in stacks})) or "none at all"
        raise NotSynthesizedError(
            f"{output.name} has no stack of a site called {one_line(site)}; there are {known} (`make synth` writes"
            " others)"
        )
    return own


def synthesized_stacks(output: Path = OUTPUT) -> tuple[Stack, ...]:
    """Every stack, by site and order. Raises `NotSynthesizedError` where nothing was synthesized, or not all of it."""
    if not output.exists():
        raise NotSynthesizedError(f"{output.name} does not exist: run `make synth` first")
    try:
        return _read(output)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise NotSynthesizedError(f"{output.name} is half-written: run `make synth`") from None


def _read(output: Path) -> tuple[Stack, ...]:
    manifest = json.loads((output / "manifest.json").read_text(encoding="utf-8"))
    below = {name: stack["dependencies"] for name, stack in manifest["stacks"].items()}
    orders = stack_orders(below)
    stacks = (
        Stack(
            name=name,
            folder=f"{output.name}/{stack['workingDirectory']}",
            order=orders[name],
            content=_content(output / stack["synthesizedStackPath"]),
        )
        for name, stack in manifest["stacks"].items()
    )
    return tuple(sorted(stacks, key=lambda stack: (stack.site, stack.order, stack.name)))


def _content(path: Path) -> Mapping[str, Any]:
    content = json.loads(path.read_text(encoding="utf-8"))
    if not {"terraform", "provider"} <= content.keys():
        raise ValueError(path)
    return content


def stack_orders(below: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """Stack -> its order, from each stack's dependencies. A job has none, and comes after all layers of its site."""

    def order(name: str) -> int:
        return 1 + max(map(order, below[name]), default=0)

    layers = {name: order(name) for name in below if not name.startswith("job_")}
    return layers | {
        name: 1 + max((at for layer, at in layers.items() if site_of(layer) == site_of(name)), default=0)
        for name in below
        if name.startswith("job_")
    }
