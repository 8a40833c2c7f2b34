"""Reads what `terraform show -json` says of a plan, with every sensitive value masked.

The format: https://developer.hashicorp.com/terraform/internals/json-format (versions 1.x).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

Json = dict[str, Any]
Path = tuple[str | int, ...]

MASK = "(sensitive)"

_ACTIONS = {
    ("no-op",): "none",
    ("create",): "create",
    ("read",): "read",
    ("update",): "update",
    ("delete",): "destroy",
    ("forget",): "forget",
    ("delete", "create"): "replace",
    ("create", "delete"): "replace",
    ("create", "forget"): "replace",
    ("forget", "create"): "replace",
}

#: Codes of `action_reason`, as one would say them. Others may come: they are left out, as the format asks.
_REASONS = {
    "replace_because_tainted": "tainted",
    "replace_by_request": "asked for by -replace",
    "replace_by_triggers": "asked for by replace_triggered_by",
    "delete_because_no_resource_config": "no longer in the code",
    "delete_because_no_module": "no longer in the code",
    "delete_because_no_move_target": "no longer in the code",
}

#: The one type whose values are what a user wrote: in others null and the zero value of a type are the same.
_VERBATIM = "kubernetes_manifest"

#: A part of a path that stands in it as it is.
_WORD = re.compile(r"[\w-]+")

#: The attribute of that type in which the provider repeats the one that a user wrote.
_COPY = "object"


class PlanFormatError(ValueError):
    """What was read is no plan in a version of the format that this module knows."""


@dataclass(frozen=True, kw_only=True)
class Edit:
    """One value that changes, at its path in the resource. What is sensitive in it is masked.

    With `items`, a list gets shorter or longer: `old` are the members that go, `new` those that come. With `unknown`,
    the new value is known only after the apply.
    """

    path: Path
    old: Any
    new: Any
    unknown: bool = False
    items: bool = False
    forces: bool = False

    @property
    def place(self) -> str:
        """The path as Terraform writes it: `node_config[0].machine_type`, `data["a.py"]`."""
        parts = (
            f".{part}" if _WORD.fullmatch(str(part)) and isinstance(part, str) else f"[{json.dumps(part)}]"
            for part in self.path
        )
        return "".join(parts).removeprefix(".") or "all of it"


@dataclass(frozen=True, kw_only=True)
class Change:
    """What the plan does to one object: `action` is none, create, read, update, replace, destroy or forget.

    `before` and `after` are its attributes, masked; empty where it does not exist, or is secret as a whole. `imported`
    is the id that it is imported by, `moved` the address that it comes from. `deposed`: what an interrupted replacement
    left over.
    """

    address: str
    type: str
    action: str
    before: Json
    after: Json
    edits: tuple[Edit, ...]
    reason: str = ""
    imported: str | None = None
    moved: str | None = None
    deposed: bool = False

    @property
    def gone(self) -> bool:
        """Whether what exists is taken away."""
        return self.action in ("replace", "destroy")

    @property
    def quiet(self) -> bool:
        """Whether nothing is done at all."""
        return self.action == "none" and not self.imported and not self.moved

    def edit(self, *path: str | int) -> Edit | None:
        """The change of one attribute; None when it stays."""
        return next((edit for edit in self.edits if edit.path == path), None)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that a plan does. `drift` is what was changed outside of Terraform and has a part in it.

    `deferred` is what cannot be planned before other things exist. Without `complete` there is more to plan after the
    apply: that, or what -target left out.
    """

    changes: tuple[Change, ...]
    outputs: tuple[Edit, ...]
    drift: tuple[Change, ...]
    deferred: tuple[Change, ...]
    failed_checks: tuple[str, ...]
    complete: bool
    errored: bool


def read_plan(plan: object) -> Plan:
    """The plan that the JSON describes. Raises `PlanFormatError`."""
    if not isinstance(plan, dict) or "format_version" not in plan:
        raise PlanFormatError("it has no format_version; make it with: terraform show -json PLAN")
    it = cast("Json", plan)
    version = str(it["format_version"])
    if version.partition(".")[0] != "1":
        raise PlanFormatError(f"its format_version is {version}, and only 1.x is known here")
    if "resource_changes" not in it and "planned_values" not in it:
        raise PlanFormatError("it is a state and no plan; write: terraform show -json PLAN")
    relevant = {one["resource"] for one in it.get("relevant_attributes") or ()}
    drift = (_change(one) for one in it.get("resource_drift") or ())
    return Plan(
        changes=tuple(one for entry in it.get("resource_changes") or () if not (one := _change(entry)).quiet),
        outputs=tuple(_output_edits(it.get("output_changes") or {})),
        # The rest of what providers saw differently, such as a status, changes nothing.
        drift=tuple(one for one in drift if one.action == "destroy" or one.address in relevant),
        deferred=tuple(_change(one["resource_change"]) for one in it.get("deferred_changes") or ()),
        failed_checks=tuple(_failed_checks(it.get("checks") or ())),
        complete=it.get("complete") is not False,
        errored=bool(it.get("errored")),
    )


def _change(entry: Json) -> Change:
    change: Json = entry["change"]
    marks = (change.get("before_sensitive"), change.get("after_sensitive"))
    before: Json = change.get("before") or {}
    after: Json = change.get("after") or {}
    action = _ACTIONS.get(tuple(change["actions"]), "/".join(change["actions"]))
    edits: tuple[Edit, ...] = ()
    if action in ("update", "replace"):
        forced = tuple(tuple(path) for path in change.get("replace_paths") or ())
        found = _edits((), before, after, change.get("after_unknown") or {}, marks, forced)
        edits = _telling(entry["type"], tuple(found))
    importing = change.get("importing")
    return Change(
        address=entry["address"],
        type=entry["type"],
        action=action,
        before=_attributes(before, marks),
        after=_attributes(after, marks),
        edits=edits,
        reason=_REASONS.get(entry.get("action_reason", ""), ""),
        imported=(importing.get("id") or "an identity") if importing else None,
        moved=entry.get("previous_address"),
        deposed="deposed" in entry,
    )


def _attributes(value: Any, marks: Sequence[Any]) -> Json:
    masked = _masked(value, marks)
    return cast("Json", masked) if isinstance(masked, dict) else {}


def _telling(kind: str, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The edits without those that say nothing: what only follows from others, and null for an empty value."""
    if kind == _VERBATIM:
        found = tuple(edit for edit in edits if edit.path[:1] != (_COPY,) and not edit.unknown)
    else:
        found = tuple(edit for edit in edits if edit.forces or not (edit.unknown or _empty(edit.old, edit.new)))
    return found or edits


def _empty(old: Any, new: Any) -> bool:
    return not old and not new


# Masking and comparing -----------------------------------------------------------------------------------------------

# `marks` are what before_sensitive and after_sensitive say of a value. Both count for both sides: a value that is no
# longer marked may be the same secret still. In a list the marks of all members count for each: members move.


def _secret(value: Any, marks: Sequence[Any]) -> bool:
    """Whether the whole value is masked: it is marked, or it is a plain value where the other side has marked parts."""
    plain = value is not None and not isinstance(value, dict | list)
    return any(mark is True or (plain and _marked(mark)) for mark in marks)


def _marked(mark: Any) -> bool:
    """Whether anything in a value is marked."""
    match mark:
        case dict():
            return any(map(_marked, cast("Json", mark).values()))
        case list():
            return any(map(_marked, cast("list[Any]", mark)))
        case _:
            return mark is True


def _below(marks: Sequence[Any], key: str | int) -> tuple[Any, ...]:
    found: list[Any] = []
    for mark in marks:
        if isinstance(mark, dict) and isinstance(key, str):
            found.append(cast("Json", mark).get(key))
        elif isinstance(mark, dict):
            found += cast("Json", mark).values()
        elif isinstance(mark, list):
            found += cast("list[Any]", mark)
    return tuple(mark for mark in found if mark)


def _masked(value: Any, marks: Sequence[Any]) -> Any:
    if _secret(value, marks):
        return MASK
    if isinstance(value, dict):
        return {key: _masked(item, _below(marks, key)) for key, item in cast("Json", value).items()}
    if isinstance(value, list):
        below = _below(marks, 0)
        return [_masked(item, below) for item in cast("list[Any]", value)]
    return value


def _text(value: Any) -> str:
    """The value as JSON, in which true is not 1."""
    return json.dumps(value, sort_keys=True)


def _edits(
    path: Path, old: Any, new: Any, coming: Any, marks: Sequence[Any], forced: tuple[Path, ...]
) -> Iterator[Edit]:
    """Each value below `path` that changes; `coming` is what after_unknown says of it."""
    forces = any(path and (path[: len(one)] == one or one[: len(path)] == path) for one in forced)
    if _secret(old, marks) or _secret(new, marks):
        if _text(old) != _text(new) or coming is True:
            yield Edit(path=path, old=MASK, new=MASK, forces=forces)
    elif coming is True:
        yield Edit(path=path, old=_masked(old, marks), new=None, unknown=True, forces=forces)
    elif isinstance(old, dict) and isinstance(new, dict):
        was, will = cast("Json", old), cast("Json", new)
        unknown: Json = cast("Json", coming) if isinstance(coming, dict) else {}
        for key in sorted({*was, *will, *unknown}):
            below = _below(marks, key)
            yield from _edits((*path, key), was.get(key), will.get(key), unknown.get(key), below, forced)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _list_edits(path, cast("list[Any]", old), cast("list[Any]", new), coming, marks, forced, forces)
    elif _text(old) != _text(new):
        parsed = _parsed(old), _parsed(new)
        if parsed[0] is not None and parsed[1] is not None:
            yield from _edits(path, *parsed, None, (), forced)
        else:
            yield Edit(path=path, old=_masked(old, marks), new=_masked(new, marks), forces=forces)


def _list_edits(
    path: Path,
    old: list[Any],
    new: list[Any],
    coming: Any,
    marks: Sequence[Any],
    forced: tuple[Path, ...],
    forces: bool,
) -> Iterator[Edit]:
    below = _below(marks, 0)
    if len(old) == len(new):
        unknown = cast("list[Any]", coming) if isinstance(coming, list) else []
        for at, (was, will) in enumerate(zip(old, new, strict=True)):
            later = unknown[at] if at < len(unknown) else None
            yield from _edits((*path, at), was, will, later, below, forced)
    else:
        gone = [_masked(one, below) for one in _lacking(old, new)]
        come = [_masked(one, below) for one in _lacking(new, old)]
        yield Edit(path=path, old=gone, new=come, items=True, forces=forces)


def _lacking(some: Sequence[Any], others: Sequence[Any]) -> Iterator[Any]:
    """The members that the others lack, or have less often."""
    there = Counter(map(_text, others))
    for one in some:
        if there[_text(one)]:
            there[_text(one)] -= 1
        else:
            yield one


def _parsed(value: Any) -> Any:
    """The object or list that a text holds as JSON, such as a dashboard or Helm's manifest; None for other texts."""
    if not isinstance(value, str) or not value.startswith(("{", "[")):
        return None
    try:
        return json.loads(value)
    except ValueError:
        return None


def _output_edits(outputs: Json) -> Iterator[Edit]:
    for name, change in sorted(outputs.items()):
        marks = (change.get("before_sensitive"), change.get("after_sensitive"))
        if tuple(change["actions"]) != ("no-op",):
            yield Edit(
                path=(name,),
                old=_masked(change.get("before"), marks),
                new=_masked(change.get("after"), marks),
                unknown=change.get("after_unknown") is True,
            )


def _failed_checks(checks: Sequence[Json]) -> Iterator[str]:
    for check in checks:
        for instance in check.get("instances") or ():
            problems = [problem["message"] for problem in instance.get("problems") or ()]
            named: Json = instance.get("address") or check.get("address") or {}
            address = named.get("to_display", "a check")
            match instance.get("status"):
                case "fail":
                    yield from problems or [f"{address} failed"]
                case "error":
                    yield f"{address} could not be evaluated"
                case _:
                    pass
