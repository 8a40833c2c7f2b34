"""Holds Terraform JSON to the schemas of the real providers, as `terraform validate` would."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from tests.provider_schemas.references import missing_references
from tests.provider_schemas.schemas import (
    BUILT_IN,
    SECTIONS,
    Json,
    provider_of,
    provider_schemas,
    schema_of,
    steps,
    what_is_at,
)

#: What Terraform itself takes in each block, besides what its provider does. `//` is cdktf's note.
META = {
    "resource": {"depends_on", "lifecycle", "provider", "count", "for_each", "provisioner", "connection", "//"},
    "data": {"depends_on", "lifecycle", "provider", "count", "for_each", "//"},
    "provider": {"alias", "//"},
}
CONDITIONS = {"precondition", "postcondition"}
LIFECYCLE = {
    "resource": {"create_before_destroy", "prevent_destroy", "ignore_changes", "replace_triggered_by", *CONDITIONS},
    "data": CONDITIONS,
}


def faults(stack: Json) -> list[str]:
    """What Terraform and the providers would not take in a stack, a line each: where, and what is wrong."""
    return [*_blocks(stack), *_providers(stack), *missing_references(stack)]


def _blocks(stack: Json) -> Iterator[str]:
    for section in SECTIONS:
        for kind, named in stack.get(section, {}).items():
            schema = schema_of(section, kind)
            for name, block in named.items():
                where = f"{'data.' if section == 'data' else ''}{kind}.{name}"
                if schema is None:
                    yield f"{where}: the provider has no such type"
                    continue
                own = {key: value for key, value in block.items() if key not in META[section]}
                yield from _block(where, schema, own)
                yield from _lifecycle(f"{where}.lifecycle", section, schema, block.get("lifecycle", {}))


def _providers(stack: Json) -> Iterator[str]:
    pinned = stack["terraform"]["required_providers"]
    kinds = {kind for section in SECTIONS for kind in stack.get(section, {})}
    for name in sorted({provider_of(kind) for kind in kinds} - {*pinned, BUILT_IN}):
        yield f"terraform.required_providers.{name}: missing"
    for name, blocks in stack.get("provider", {}).items():
        for block in blocks:
            own = {key: value for key, value in block.items() if key not in META["provider"]}
            yield from _block(f"provider.{name}", provider_schemas()[name]["provider"]["block"], own)


def _lifecycle(where: str, section: str, schema: Json, lifecycle: Json) -> Iterator[str]:
    for key in sorted(lifecycle.keys() - LIFECYCLE[section]):
        yield f"{where}.{key}: unknown"
    for path in lifecycle.get("ignore_changes", []):
        if fault := what_is_at(schema, steps(f".{path}")):
            yield f"{where}.ignore_changes: {path}: {fault}"
    for key in sorted(CONDITIONS & lifecycle.keys()):
        for index, condition in enumerate(lifecycle[key]):
            if condition.keys() != {"condition", "error_message"}:
                yield f"{where}.{key}[{index}]: not just condition and error_message"


def _block(where: str, schema: Json, block: Any) -> Iterator[str]:
    if not isinstance(block, dict):
        yield f"{where}: {block!r} is no block"
        return
    # To Terraform null is the same as nothing.
    given: Json = {key: value for key, value in block.items() if value is not None}  # pyright: ignore[reportUnknownVariableType] # JSON
    attributes, nested = schema.get("attributes", {}), schema.get("block_types", {})
    for key in sorted(given.keys() - attributes.keys() - nested.keys()):
        yield f"{where}.{key}: unknown"
    for key, attribute in attributes.items():
        if key in given:
            yield from _attribute(f"{where}.{key}", attribute, given[key])
        elif attribute.get("required"):
            yield f"{where}.{key}: missing"
    for key, kind in nested.items():
        yield from _nested(f"{where}.{key}", kind, given.get(key))


def _nested(where: str, kind: Json, value: Any) -> Iterator[str]:
    several = isinstance(value, list)
    blocks = cast("list[Any]", value) if several else [] if value is None else [value]
    least, most = kind.get("min_items", 0), kind.get("max_items", 0)
    if kind["nesting_mode"] == "single":
        most = 1
    if len(blocks) < least:
        yield f"{where}: {len(blocks)} blocks, at least {least}"
    if most and len(blocks) > most:
        yield f"{where}: {len(blocks)} blocks, at most {most}"
    yield from _each(where, kind["block"], blocks, several)


def _attribute(where: str, attribute: Json, value: Any) -> Iterator[str]:
    if not attribute.get("required") and not attribute.get("optional"):
        yield f"{where}: computed only"
    elif "nested_type" in attribute:
        schema, several = attribute["nested_type"], isinstance(value, list)
        if several is not (schema["nesting_mode"] in ("list", "set")):
            yield f"{where}: {'a list of objects' if several else 'one object'}, not {schema['nesting_mode']}"
        else:
            yield from _each(where, schema, value if several else [value], several)
    elif not _is(attribute["type"], value):
        yield f"{where}: {value!r} is no {attribute['type']}"


def _each(where: str, schema: Json, blocks: list[Any], several: bool) -> Iterator[str]:
    for index, block in enumerate(blocks):
        yield from _block(f"{where}[{index}]" if several else where, schema, block)


def _is(kind: Any, value: Any) -> bool:
    """Whether Terraform takes the value, written in JSON, for a type; an expression may be of any."""
    if isinstance(value, str) and value.startswith("${"):
        return True
    match kind:
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
        case ["object", fields]:
            return (
                isinstance(value, dict)
                and value.keys() == fields.keys()
                and all(_is(fields[key], one) for key, one in value.items())  # pyright: ignore[reportUnknownVariableType] # JSON
            )
        case _:
            return kind == "dynamic"
