"""The schemas of the pinned providers, and how a path leads through one."""

from __future__ import annotations

import functools
import gzip
import json
import re
from pathlib import Path
from typing import Any, cast

#: Made with `terraform providers schema -json` from google 6.50.0, kubernetes 2.38.0 and helm 3.1.1; cut to the types
#: that matter here, descriptions removed.
FILE = Path(__file__).with_name("google-6.50.0_kubernetes-2.38.0_helm-3.1.1.json.gz")

Json = dict[str, Any]

#: Section of Terraform JSON -> where its schemas are.
SECTIONS = {"resource": "resource_schemas", "data": "data_source_schemas"}


#: The provider that Terraform itself holds, and nobody pins. Typed from its documentation of terraform_data.
BUILT_IN = "terraform"
_TERRAFORM_DATA: Json = {
    "attributes": {
        "id": {"type": "string", "computed": True},
        "input": {"type": "dynamic", "optional": True},
        "output": {"type": "dynamic", "computed": True},
        "triggers_replace": {"type": "dynamic", "optional": True},
    }
}


@functools.cache
def provider_schemas() -> dict[str, Json]:
    """Provider name -> its schemas."""
    content = json.loads(gzip.decompress(FILE.read_bytes()))["provider_schemas"]
    pinned = {address.rpartition("/")[2]: schema for address, schema in content.items()}
    return {**pinned, BUILT_IN: {"resource_schemas": {"terraform_data": {"block": _TERRAFORM_DATA}}}}


def provider_of(kind: str) -> str:
    """The provider that a type is of: google_lustre_instance -> google."""
    return kind.partition("_")[0]


def schema_of(section: str, kind: str) -> Json | None:
    """The block that a type's schema describes; None for a type that no pinned provider has."""
    found = provider_schemas().get(provider_of(kind), {}).get(SECTIONS[section], {}).get(kind)
    return found and found["block"]


def steps(path: str) -> list[str | int]:
    """`.metadata[0].name` as ["metadata", 0, "name"]."""
    return [int(index) if index else name for name, index in re.findall(r"\.([A-Za-z_][\w-]*)|\[(\d+)\]", path)]


def what_is_at(block: Json, path: list[str | int]) -> str:
    """What is wrong with a path into a block: the step that leads nowhere; empty when all is well."""
    kind: Any = ["object", block]
    for step in path:
        match kind, step:
            case "dynamic", _:
                return ""
            case ["list", inner], int():
                kind = inner
            case ["map", inner], str():
                kind = inner
            case ["object", fields], str() if (inner := _field(fields, step)) is not None:
                kind = inner
            case _:
                return f"no {step} there"
    return ""


def _field(fields: Json, name: str) -> Any:
    """The type of a field of a block, of a nested attribute, or of a plain object type."""
    if name in fields.get("block_types", {}):
        nested = fields["block_types"][name]
        return _in_its_mode(nested["nesting_mode"], nested["block"])
    attribute: Any = fields.get("attributes", fields).get(name)
    if not isinstance(attribute, dict):
        return attribute
    described = cast("Json", attribute)
    if "nested_type" in described:
        return _in_its_mode(described["nested_type"]["nesting_mode"], described["nested_type"])
    return described["type"]


def _in_its_mode(mode: str, block: Json) -> Any:
    return ["object", block] if mode == "single" else [mode, ["object", block]]
