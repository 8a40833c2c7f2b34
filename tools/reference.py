"""Writes what follows from the models of the settings: JSON Schemas for editors, and docs/settings.md for people.

    python -m tools.reference

A test holds the files to the models.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, TypeAdapter

from settings.environment import Environment
from settings.job import KINDS, Job
from tools.command import ROOT, run

Schema = dict[str, Any]


def files() -> dict[Path, str]:
    """Each file that follows from the models, and its text."""
    environment = Environment.model_json_schema()
    environment["required"].remove("name")  # it follows from the file's name
    return {
        ROOT / "environments" / "schema.json": _schema(environment, "Environment of a NeMo RL training site"),
        ROOT / "job_specs" / "schema.json": _schema(TypeAdapter[Job](Job).json_schema(), "Job of a training site"),
        ROOT / "docs" / "settings.md": "\n".join(_settings(environment)) + "\n",
    }


def _schema(schema: Schema, title: str) -> str:
    described = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": title}
    return json.dumps(described, indent=2, ensure_ascii=False) + "\n"


def _settings(environment: Schema) -> Iterator[str]:
    yield "# Settings"
    yield ""
    yield "Made from the models in settings/ by `make reference`. A key without a default must be written."
    yield ""
    yield "## environments/NAME.yaml"
    yield from _section(environment, environment, "")
    for kind, model in KINDS.items():
        schema = cast("type[BaseModel]", model).model_json_schema()
        yield ""
        yield f"## job_specs/NAME.yaml, kind: {kind}"
        yield from _section(schema, schema, "")


def _section(root: Schema, section: Schema, path: str) -> Iterator[str]:
    """A table of the keys of one mapping, then the mappings below it."""
    properties: dict[str, Schema] = section["properties"]
    if path:
        yield ""
        yield f"### {path}"
    if description := section.get("description"):
        yield ""
        yield _line(description)
    rows = [(key, schema) for key, schema in properties.items() if not _inner(root, schema) or _short(root, schema)]
    if rows:
        yield ""
        yield "| key | value | default | meaning |"
        yield "|---|---|---|---|"
    for key, schema in rows:
        default = "-" if key in section.get("required", ()) else _default(schema)
        yield f"| `{key}` | {_kind(root, schema)} | {default} | {_line(schema.get('description', ''))} |"
    for key, schema in properties.items():
        if inner := _inner(root, schema):
            below = f"{path}.{key}" if path else key
            yield from _section(root, inner, f"{below}[]" if _is_list(schema) else below)


def _inner(root: Schema, schema: Schema) -> Schema | None:
    """The mapping with keys of its own that a value is, may be, or is a list of."""
    for candidate in (schema, schema.get("items", {}), *schema.get("anyOf", ()), *schema.get("allOf", ())):
        if "$ref" in candidate:
            found: Schema = root["$defs"][candidate["$ref"].rpartition("/")[2]]
            return found if "properties" in found else None
    return None


def _short(root: Schema, schema: Schema) -> list[Schema]:
    """What may stand in place of a mapping with keys of its own, as the name of one."""
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    return [option for option in options if not _inner(root, option)]


def _is_list(schema: Schema) -> bool:
    return schema.get("type") == "array"


def _kind(root: Schema, schema: Schema) -> str:
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if "anyOf" in schema:
        kinds = [_kind(root, option) for option in schema["anyOf"] if option.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "$ref" in schema:
        return _kind(root, root["$defs"][schema["$ref"].rpartition("/")[2]])
    match schema.get("type"):
        case "array":
            return f"list of {_kind(root, schema.get('items', {}))}"
        case "integer":
            return f"whole number{_bounds(schema)}"
        case "number":
            return f"number{_bounds(schema)}"
        case "boolean":
            return "true or false"
        case "object":
            return "mapping"
        case _:
            return "text"


def _bounds(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f", {low} to {high}"
    if low is not None:
        return f", {low} or more"
    return f", at most {high}" if high is not None else ""


def _default(schema: Schema) -> str:
    default = schema.get("default")
    match default:
        case None:
            return "left out"
        case [] | {}:
            return "none"
        case bool():
            return f"`{str(default).lower()}`"
        case list():
            return ", ".join(f"`{item}`" for item in cast("list[object]", default))
        case _:
            return f"`{default}`"


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main(arguments: list[str]) -> int:
    """Exit status: 0 when the files are written, or 2 with a reason on standard error."""
    if arguments:
        print("write: python -m tools.reference", file=sys.stderr)
        return 2
    for file, text in files().items():
        file.write_text(text, encoding="utf-8")
        print(file.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    run(main)
