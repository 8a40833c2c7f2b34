"""Nested dicts and lists by their leaves."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, cast

#: Where a leaf stands.
Leaf = tuple[str | int, ...]


def leaves(tree: object, path: Leaf = ()) -> Iterator[tuple[Leaf, object]]:
    """Every leaf with its path; an empty dict or list counts as a leaf."""
    if isinstance(tree, dict) and tree:
        for key, value in cast("dict[str, object]", tree).items():
            yield from leaves(value, (*path, key))
    elif isinstance(tree, list) and tree:
        for index, value in enumerate(cast("list[object]", tree)):
            yield from leaves(value, (*path, index))
    else:
        yield path, tree


def replaced(tree: Any, path: Leaf, value: object) -> Any:
    """A copy of the tree with another value at a path; missing dicts on the way are made."""
    copied = copy.deepcopy(tree)
    node: Any = copied
    for key in path[:-1]:
        if isinstance(key, str):
            node.setdefault(key, {})
        node = node[key]
    node[path[-1]] = value
    return copied


def changed_paths(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[str]:
    """The dotted paths of all leaves that two renders do not share, each below the kind of its document."""
    one, other = _by_kind(before), _by_kind(after)
    missing = object()
    return sorted(path for path in {*one, *other} if one.get(path, missing) != other.get(path, missing))


def _by_kind(documents: list[dict[str, Any]]) -> dict[str, object]:
    return {
        ".".join(map(str, (document["kind"], *path))): value
        for document in documents
        for path, value in leaves(document)
    }
