"""The platform stack of the smallest environment, bent by a few lines of YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import cdktf
from ruamel.yaml import YAML

from settings.environment import Environment
from stacks.platform import PlatformStack
from tests.constructs.one_stack import app
from tests.support import MINIMAL, environment

#: A `${` or `%{` that Terraform evaluates: one that no second `$` or `%` escapes.
LIVE = re.compile(r"(?<!\$)\$\{|(?<!%)%\{")


def site(text: str = "") -> Environment:
    """The smallest good environment, called prod, with further lines."""
    return environment(f"name: prod\n{MINIMAL}{text}")


def platform(text: str = "", *, scripts: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The Terraform JSON of its platform stack."""
    stack = PlatformStack(app(), site(text), scripts=scripts or {})
    return json.loads(cdktf.Testing.synth(stack))


def yaml(text: str) -> Any:
    """The content of a YAML text."""
    return YAML(typ="safe", pure=True).load(text)  # pyright: ignore[reportUnknownMemberType] # ruamel says too little


def texts(node: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text in JSON, with its path."""
    match node:
        case str():
            yield path, node
        case dict():
            for key, inner in node.items():  # pyright: ignore[reportUnknownVariableType] # JSON
                yield from texts(inner, f"{path}.{key}" if path else str(key))  # pyright: ignore[reportUnknownArgumentType]
        case list():
            for index, inner in enumerate(node):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
                yield from texts(inner, f"{path}[{index}]")  # pyright: ignore[reportUnknownArgumentType]
        case _:
            pass


def addresses(stack: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Address -> configuration of each resource."""
    return {
        f"{kind}.{name}": configuration
        for kind, named in stack["resource"].items()
        for name, configuration in named.items()
    }


def needs(stack: Mapping[str, Any], address: str) -> set[str]:
    """The resources that Terraform makes before `address` and destroys after it: all it names, and all those name."""
    resources, found = addresses(stack), set[str]()
    waiting = [address]
    while waiting:
        configuration = resources[waiting.pop()]
        named = set(configuration.get("depends_on", []))
        named |= {other for other in resources for _, text in texts(configuration) if f"${{{other}." in text}
        waiting += named - found
        found |= named
    return found
