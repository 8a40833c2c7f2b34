"""Holds Terraform JSON to the schemas of the real providers, as `terraform validate` would."""

from __future__ import annotations

import functools
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: Made with `terraform providers schema -json` from google 6.50.0, kubernetes 2.38.0 and helm 3.1.1; cut to the types
#: that matter here, descriptions removed.
FILE = Path(__file__).with_name("google-6.50.0_kubernetes-2.38.0_helm-3.1.1.json.gz")

_META = {
    "resource": {"depends_on", "lifecycle", "provider", "count", "for_each", "provisioner", "connection", "//"},
    "data": {"depends_on", "lifecycle", "provider", "count", "for_each", "//"},
    "provider": {"alias", "//"},
}
_REFERENCE = re.compile(r"(?<![\w.\"])(data\.)?([a-z]+_[a-z0-9_]+)\.([A-Za-z_][\w-]*)")

Json = dict[str, Any]


@functools.cache
def provider_schemas() -> dict[str, Json]:
    """Provider name -> its schemas."""
    content = json.loads(gzip.decompress(FILE.read_bytes()))["provider_schemas"]
    return {address.rpartition("/")[2]: schema for address, schema in content.items()}


def faults(stack: Json) -> list[str]:
    """What the providers would not take in a stack, a line each: where, and what is wrong."""
    return [*_blocks(stack), *_references(stack)]


def _blocks(stack: Json) -> Iterator[str]:
    for section, schemas in (("resource", "resource_schemas"), ("data", "data_source_schemas")):
        for kind, named in stack.get(section, {}).items():
            schema = provider_schemas()[kind.partition("_")[0]].get(schemas, {}).get(kind)
            for name, block in named.items():
                where = f"{'data.' if section == 'data' else ''}{kind}.{name}"
                if schema is None:
                    yield f"{where}: the provider has no such type"
                else:
                    own = {key: value for key, value in block.items() if key not in _META[section]}
                    yield from _block(where, schema["block"], own)
    for name, blocks in stack.get("provider", {}).items():
        for block in blocks:
            own = {key: value for key, value in block.items() if key not in _META["provider"]}
            yield from _block(f"provider.{name}", provider_schemas()[name]["provider"]["block"], own)


def _block(where: str, schema: Json, block: Json) -> Iterator[str]:
    attributes, nested = schema.get("attributes", {}), schema.get("block_types", {})
    for key in sorted(block.keys() - attributes.keys() - nested.keys()):
        yield f"{where}.{key}: unknown"
    for key, attribute in attributes.items():
        if key in block:
            yield from _attribute(f"{where}.{key}", attribute, block[key])
        elif attribute.get("required"):
            yield f"{where}.{key}: missing"
    for key, kind in nested.items():
        yield from _nested(f"{where}.{key}", kind, block.get(key))


def _nested(where: str, kind: Json, value: Any) -> Iterator[str]:
    blocks = [] if value is None else value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType] # JSON
    least, most = kind.get("min_items", 0), kind.get("max_items", 0)
    if kind["nesting_mode"] == "single":
        most = 1
    if len(blocks) < least:  # pyright: ignore[reportUnknownArgumentType] # JSON
        yield f"{where}: {len(blocks)} blocks, at least {least}"  # pyright: ignore[reportUnknownArgumentType] # JSON
    if most and len(blocks) > most:  # pyright: ignore[reportUnknownArgumentType] # JSON
        yield f"{where}: {len(blocks)} blocks, at most {most}"  # pyright: ignore[reportUnknownArgumentType] # JSON
    for block in blocks:  # pyright: ignore[reportUnknownVariableType] # JSON
        yield from _block(where, kind["block"], block)  # pyright: ignore[reportUnknownArgumentType] # JSON


def _attribute(where: str, attribute: Json, value: Any) -> Iterator[str]:
    if not attribute.get("required") and not attribute.get("optional"):
        yield f"{where}: computed only"
    elif "nested_type" in attribute:
        yield from _object(where, attribute["nested_type"], value)
    elif not _is(attribute["type"], value):
        yield f"{where}: {value!r} is no {attribute['type']}"


def _object(where: str, schema: Json, value: Any) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:  # pyright: ignore[reportUnknownVariableType] # JSON
        yield from _block(where, schema, one)  # pyright: ignore[reportUnknownArgumentType] # JSON


def _is(kind: Any, value: Any) -> bool:
    """Whether Terraform takes the value, written in JSON, for a type; an expression may be of any."""
    if isinstance(value, str) and value.startswith("${"):
        return True
    match kind:
        case "dynamic":
            return True
        case "string":
            return isinstance(value, str)
        case "bool":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case ["list" | "set", inner]:
            return isinstance(value, list) and all(_is(inner, one) for one in value)  # pyright: ignore[reportUnknownVariableType] # JSON
        case ["map", inner]:
            return isinstance(value, dict) and all(_is(inner, one) for one in value.values())  # pyright: ignore[reportUnknownVariableType] # JSON
        case _:
            return isinstance(value, dict)


def _references(stack: Json) -> Iterator[str]:
    for where, text in _expressions(stack, ""):
        for data, kind, name in _REFERENCE.findall(text):
            section = "data" if data else "resource"
            schemas = provider_schemas().get(kind.partition("_")[0])
            if schemas and name not in stack.get(section, {}).get(kind, {}):
                yield f"{where}: {data}{kind}.{name} is not in the stack"


def _expressions(node: Any, where: str) -> Iterator[tuple[str, str]]:
    match node:
        case str():
            if where.rpartition(".")[0].endswith(".depends_on"):
                yield where, node
            for inside in re.findall(r"(?<!\$)\$\{(.*?)\}", node, re.DOTALL):
                yield where, inside
        case dict():
            for key, value in node.items():  # pyright: ignore[reportUnknownVariableType] # JSON
                yield from _expressions(value, f"{where}.{key}" if where else str(key))  # pyright: ignore[reportUnknownArgumentType] # JSON
        case list():
            for index, value in enumerate(node):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] # JSON
                yield from _expressions(value, f"{where}.{index}")
        case _:
            pass
