"""KubeRay's custom resource definitions, as the API server applies them and stricter.

The files are the structural schemas of `ray.io/v1` at each release, without descriptions. The API server drops a field
that a schema does not name; here that is a fault.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from jsonschema import Draft202012Validator

_FOLDER = Path(__file__).parent


@cache
def schema(kind: Literal["rayclusters", "rayjobs"], minor: str) -> dict[str, Any]:
    """The schema of one kind in one KubeRay minor ("1.4")."""
    (path,) = _FOLDER.glob(f"{kind}-v{minor}.*.json.gz")
    return _closed(json.loads(gzip.decompress(path.read_bytes())))


def schema_faults(kind: Literal["rayclusters", "rayjobs"], minor: str, document: object) -> list[str]:
    """What that KubeRay minor would refuse or drop of a document, one line a fault."""
    validator = Draft202012Validator(schema(kind, minor))
    errors = cast("Any", validator).iter_errors(document)
    return [f"{error.json_path}: {error.message}" for error in errors]


def _closed(node: Any) -> Any:
    """The schema with unknown fields refused, everywhere but in the object's own metadata, which the API checks."""
    if isinstance(node, list):
        return [_closed(item) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    closed = {key: _closed(value) for key, value in cast("dict[str, Any]", node).items()}
    if isinstance(closed.get("properties"), dict) and closed.get("type") == "object":
        closed.setdefault("additionalProperties", False)
    return closed
