"""Says what a plan does, by address, and on top what is dangerous about it.

    terraform show -json plan | python -m tools.plan_summary STACK [--markdown]
    python -m tools.plan_summary STACK --failed plan.log [--markdown]

Reads the JSON of one plan on standard input. `--markdown` writes a comment for a pull request, which begins with a
hidden marker of the stack, so that the next push can replace it. With `--failed` it reads what a failed `terraform
plan` printed, and tells a stack that waits for another one from a real failure.

Exit status: 0 no changes, or the stack waits for another one; 2 changes; 3 changes of which one is dangerous; 1 no
plan, or a failed one. Sensitive values are never written.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, cast

#: GitHub takes comments of 65,536 characters.
LIMIT = 60_000

Json = dict[str, Any]


@dataclass(frozen=True)
class Change:
    """One resource that the plan touches. `action` is create, update, replace, destroy, forget, import or move."""

    address: str
    type: str
    action: str
    before: Json
    after: Json
    edits: tuple[str, ...] = ()

    @property
    def goes(self) -> bool:
        """Whether what exists is taken away."""
        return self.action in ("replace", "destroy")


@dataclass(frozen=True)
class Summary:
    """What a plan does: its changes, what is dangerous about them, and the checks that failed."""

    changes: tuple[Change, ...]
    dangers: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def status(self) -> int:
        """The exit status."""
        return 3 if self.dangers else 2 if self.changes else 0


def summarize(plan: Json) -> Summary:
    """The summary of a plan, as `terraform show -json` describes it."""
    changes = tuple(change for resource in plan.get("resource_changes", ()) if (change := _change(resource)))
    return Summary(
        changes=changes,
        dangers=tuple(danger for change in changes if (danger := _danger(change))),
        warnings=tuple(_failed_checks(plan)),
    )


# What is dangerous here ----------------------------------------------------------------------------------------------

_NETWORKS = {
    "google_compute_network": "network",
    "google_compute_subnetwork": "subnet",
    "google_service_networking_connection": "private services connection",
    "google_compute_global_address": "private services range",
}


def _danger(change: Change) -> str | None:
    """In plain words, why somebody should look twice; None for a harmless change."""
    verb = "REPLACES" if change.action == "replace" else "DESTROYS"
    match change.type:
        case "google_lustre_instance" if change.goes:
            return f"{verb} the Lustre instance, with all data on it: {change.address}"
        case "google_container_cluster" if change.goes:
            return f"{verb} the cluster, with all that runs in it: {change.address}"
        case "google_container_node_pool" if change.goes:
            gpu = bool(_first(change.before.get("node_config")).get("guest_accelerator"))
            lost = "every GPU node and what runs there" if gpu else "every CPU node, the Ray head's too"
            return f"{verb} the {'GPU' if gpu else 'CPU'} pool: {lost}: {change.address}"
        case kind if kind in _NETWORKS and change.goes:
            return f"{verb} a {_NETWORKS[kind]}, and whatever stands in it with it: {change.address}"
        case "kubernetes_namespace_v1" | "kubernetes_persistent_volume_claim_v1" if change.goes:
            return f"{verb} what the Ray pods live on: {change.address}"
        case "kubernetes_manifest" if change.goes and _first(change.before.get("manifest")).get("kind") == "RayJob":
            return f"{verb} a RayJob, which stops it if it still runs: {change.address}"
        case "helm_release" if change.before.get("chart") == "ray-cluster" and change.goes:
            return f"{verb} the RayCluster: all Ray pods go, and a running job ends: {change.address}"
        case _:
            return None


# Reading the plan ----------------------------------------------------------------------------------------------------


def _change(resource: Json) -> Change | None:
    if resource.get("mode", "managed") != "managed":
        return None
    change: Json = resource["change"]
    actions = tuple(change["actions"])
    action = {
        ("create",): "create",
        ("update",): "update",
        ("delete",): "destroy",
        ("forget",): "forget",
        ("delete", "create"): "replace",
        ("create", "delete"): "replace",
    }.get(actions)
    if change.get("importing") and action in (None, "update"):
        action = "import"
    if action is None and resource.get("previous_address"):
        action = "move"
    if action is None:
        return None
    before = _masked(change.get("before"), change.get("before_sensitive"))
    after = _masked(change.get("after"), change.get("after_sensitive"))
    return Change(
        address=resource["address"],
        type=resource["type"],
        action=action,
        before=before or {},
        after=after or {},
        edits=tuple(_edits(before or {}, after or {}, change)) if action in ("update", "replace", "import") else (),
    )


def _masked(value: Any, sensitive: Any) -> Any:
    """The value with every part that the plan marks as sensitive replaced."""
    if sensitive is True:
        return "(sensitive)"
    plain: Any = value
    if isinstance(value, dict) and isinstance(sensitive, dict):
        items, marks = cast("Json", value), cast("Json", sensitive)
        return {key: _masked(item, marks.get(key)) for key, item in items.items()}
    if isinstance(value, list) and isinstance(sensitive, list):
        pairs = zip_longest(cast("list[Any]", value), cast("list[Any]", sensitive)[: len(cast("list[Any]", value))])
        return [_masked(item, mark) for item, mark in pairs]
    return plain


def _edits(before: Json, after: Json, change: Json) -> Iterator[str]:
    """One line for each attribute that changes: old and new value, and whether it forces a replacement."""
    forced = {str(path[0]) for path in change.get("replace_paths", ()) if path}
    unknown: Json = change.get("after_unknown") or {}
    for key in sorted({*before, *after, *unknown}):
        coming = unknown.get(key)
        old, new = before.get(key), after.get(key)
        if coming is True:
            text = f"{_short(old)} -> (known after apply)"
        elif old != new:
            text = f"{_short(old)} -> {_short(new)}"
        else:
            continue
        if coming is not True or key in forced:
            yield f"{key}: {text}{' (forces replacement)' if key in forced else ''}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= 120 else f"{text[:117]}..."


def _first(block: Any) -> Json:
    """The one block of a kind: the plan has a list of one where the configuration has a block."""
    blocks = cast("list[Any]", block) if isinstance(block, list) else [block]
    return cast("Json", blocks[0]) if blocks and isinstance(blocks[0], dict) else {}


def _failed_checks(plan: Json) -> Iterator[str]:
    for check in plan.get("checks", ()):
        for instance in check.get("instances", ()):
            if instance.get("status") == "fail":
                for problem in instance.get("problems", ()) or ({"message": check["address"]["to_display"]},):
                    yield problem["message"]


# A plan that failed --------------------------------------------------------------------------------------------------

#: How the providers say that what an upstream stack makes is not there yet.
_ABSENT = re.compile(
    r"(projects/\S+ (was )?not found|googleapi: Error 404|\bnot found\b.*\bdata\.|data\.\S+.*\bnot found\b"
    r"|There is no RayCluster|no matches for kind|API did not recognize GroupVersionKind)",
    re.IGNORECASE | re.DOTALL,
)


def upstream(stack: str, log: str, dependencies: Iterable[str]) -> str | None:
    """What a failed plan waits for, in words; None when it failed for another reason."""
    errors = re.split(r"(?m)^.*\bError: ", log)[1:]
    if not errors or not all(_ABSENT.search(error) for error in errors):
        return None
    waits = " and ".join(dependencies) or ("its platform" if stack.startswith("job_") else "what it reads")
    return f"waits for {waits}, which does not exist yet"


def manifest_dependencies(stack: str, output: Path) -> tuple[str, ...]:
    """The stacks below one, from the manifest of a synth."""
    manifest = json.loads((output / "manifest.json").read_text(encoding="utf-8"))
    return tuple(manifest["stacks"].get(stack, {}).get("dependencies", ()))


# Writing it ----------------------------------------------------------------------------------------------------------

_VERBS = {
    "destroy": "destroyed",
    "replace": "replaced",
    "update": "changed",
    "create": "created",
    "import": "imported",
    "move": "moved",
    "forget": "forgotten, and left alone",
}


def as_text(stack: str, summary: Summary) -> str:
    """For a terminal."""
    return "\n".join(_lines(stack, summary, bullet="  ", heading="", code="")) + "\n"


def as_markdown(stack: str, summary: Summary) -> str:
    """For a pull request."""
    return _comment(stack, "\n".join(_lines(stack, summary, bullet="- ", heading="**", code="`")))


def note_as_markdown(stack: str, note: str) -> str:
    """A comment that says one thing of a stack."""
    return _comment(stack, f"**{stack}** {note}")


def marker(stack: str) -> str:
    """The hidden first line of a stack's comment."""
    return f"<!-- plan of {stack} -->"


def _comment(stack: str, body: str) -> str:
    text = f"{marker(stack)}\n{body}\n"
    if len(text) <= LIMIT:
        return text
    return f"{text[:LIMIT]}\n\n... and more: see the job's log.\n"


def _lines(stack: str, summary: Summary, *, bullet: str, heading: str, code: str) -> Iterator[str]:
    counts = {verb: sum(change.action == action for change in summary.changes) for action, verb in _VERBS.items()}
    told = ", ".join(f"{count} {verb}" for verb, count in counts.items() if count) or "no changes"
    yield f"{heading}{stack}{heading}: {told}"
    for title, lines in (("Look twice", summary.dangers), ("Checks that failed", summary.warnings)):
        if lines:
            yield ""
            yield f"{heading}{title}{heading}"
            yield from (f"{bullet}{line}" for line in lines)
    for action, verb in _VERBS.items():
        changes = [change for change in summary.changes if change.action == action]
        if changes:
            yield ""
            yield f"{heading}{verb.capitalize()}{heading}"
        for change in changes:
            yield f"{bullet}{code}{change.address}{code}"
            yield from (f"  {bullet}{code}{edit.replace(code, '') if code else edit}{code}" for edit in change.edits)


def main(arguments: list[str]) -> int:
    """See above."""
    markdown = "--markdown" in arguments
    match [argument for argument in arguments if argument != "--markdown"]:
        case [stack, "--failed", log]:
            text = Path(log).read_text(encoding="utf-8", errors="replace")
            note = upstream(stack, text, manifest_dependencies(stack, Path("cdktf.out")))
            told = note or "could not be planned: see the job's log"
            print(note_as_markdown(stack, told) if markdown else f"{stack}: {told}", end="" if markdown else "\n")
            return 0 if note else 1
        case [stack] if not stack.startswith("-"):
            try:
                summary = summarize(json.load(sys.stdin))
            except (ValueError, KeyError, AttributeError) as error:
                print(f"standard input is no plan of `terraform show -json`: {error}", file=sys.stderr)
                return 1
            print(as_markdown(stack, summary) if markdown else as_text(stack, summary), end="")
            return summary.status
        case _:
            print(__doc__, file=sys.stderr)
            return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
