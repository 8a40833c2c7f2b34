"""What the expressions of a stack name, and whether it is there.

Much of what we name stands inside `try`, where Terraform itself would say nothing of a wrong word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.provider_schemas.schemas import SECTIONS, Json, provider_schemas, schema_of, steps, what_is_at

_REFERENCE = re.compile(
    r"(?<![\w.\"-])(?P<data>data\.)?(?P<kind>[a-z]+_[a-z0-9_]+)\.(?P<name>[A-Za-z_][\w-]*)"
    r"(?P<path>(\.[A-Za-z_][\w-]*|\[\d+\])*)"
)
_VARIABLE = re.compile(r"(?<![\w.\"-])var\.([A-Za-z_]\w*)")


def missing_references(stack: Json) -> Iterator[str]:
    """A line for each expression that names a block, an attribute or a variable that is not there."""
    for where, text in _expressions(stack, ""):
        for found in _REFERENCE.finditer(text):
            section = "data" if found["data"] else "resource"
            if found["kind"].partition("_")[0] not in provider_schemas():
                continue
            address = f"{found['data'] or ''}{found['kind']}.{found['name']}"
            if found["name"] not in stack.get(section, {}).get(found["kind"], {}):
                yield f"{where}: {address} is not in the stack"
            elif fault := what_is_at(schema_of(section, found["kind"]) or {}, steps(found["path"])):
                yield f"{where}: {address}{found['path']}: {fault}"
        for name in _VARIABLE.findall(text):
            if name not in stack.get("variable", {}):
                yield f"{where}: var.{name} is not in the stack"


def _expressions(node: Any, where: str) -> Iterator[tuple[str, str]]:
    match node:
        case str():
            if re.search(r"\.(depends_on|replace_triggered_by)\.\d+$", where):
                yield where, node
            for inside in _live(node):
                yield where, _without_self(inside, where)
        case dict():
            for key, value in node.items():  # pyright: ignore[reportUnknownVariableType] # JSON
                yield from _expressions(value, f"{where}.{key}" if where else str(key))  # pyright: ignore[reportUnknownArgumentType] # JSON
        case list():
            for index, value in enumerate(node):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] # JSON
                yield from _expressions(value, f"{where}.{index}")
        case _:
            pass


def _live(text: str) -> Iterator[str]:
    """What stands between `${` and its `}`; `$${` is only text."""
    for start in re.finditer(r"(?<!\$)\$\{", text):
        depth = 1
        for position in range(start.end(), len(text)):
            depth += {"{": 1, "}": -1}.get(text[position], 0)
            if depth == 0:
                yield text[start.end() : position]
                break


def _without_self(text: str, where: str) -> str:
    """The expression with the address of its own block for `self`."""
    section, kind, name = [*where.split("."), "", ""][:3]
    if section not in SECTIONS:
        return text
    return re.sub(r"(?<![\w.\"-])self\.", f"{'data.' if section == 'data' else ''}{kind}.{name}.", text)
