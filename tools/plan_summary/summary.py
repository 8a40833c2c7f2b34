"""The summary of a plan: counts, dangers, failed checks, and every change by address.

As a comment it has at most 60,000 characters, and its hidden first line marks it as that of its stack.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tools.plan_summary.changes import MASK, Change, Edit, Plan
from tools.plan_summary.dangers import dangers
from tools.plan_summary.waits import problems, waits_for

#: GitHub takes comments of 65,536 characters.
LIMIT = 60_000

#: A value in a line is cut after so many characters, and a text that changes after so many lines.
VALUE_LENGTH = 160
TEXT_LINES = 40

#: The sections, in this order: action, its title.
_SECTIONS = {
    "destroy": "Destroyed",
    "replace": "Replaced",
    "update": "Changed",
    "create": "Created",
    "import": "Imported",
    "move": "Moved",
    "forget": "Forgotten, and left as it is",
    "read": "Read during the apply",
}


@dataclass(frozen=True)
class Danger:
    """Why somebody should look twice, and at what."""

    text: str
    address: str


def found_dangers(plan: Plan) -> tuple[Danger, ...]:
    """Everything that is dangerous about a plan, in its order."""
    return tuple(Danger(text, change.address) for change in plan.changes for text in dangers(change))


def status(plan: Plan) -> int:
    """The exit status of a summary."""
    if plan.errored:
        return 1
    if found_dangers(plan):
        return 3
    some = plan.outputs or not plan.complete or plan.deferred
    return 2 if some or any(change.action != "read" for change in plan.changes) else 0


def marker(stack: str) -> str:
    """The hidden first line of a stack's comment."""
    return f"<!-- plan of {stack} -->"


# For a terminal ------------------------------------------------------------------------------------------------------


def as_text(stack: str, plan: Plan) -> str:
    """The summary for a terminal."""
    return "".join(f"{line}\n" for line in _text(stack, plan))


def _text(stack: str, plan: Plan) -> Iterator[str]:
    yield f"{stack}: {_counts(plan)}"
    if found := found_dangers(plan):
        yield from ("", "Look twice", *(f"  {danger.text}: {danger.address}" for danger in found))
    if plan.failed_checks:
        yield from ("", "Checks that fail", *(f"  {line}" for text in plan.failed_checks for line in text.splitlines()))
    for title, changes in _sections(plan):
        yield from ("", title)
        for change in changes:
            yield f"  {change.address}{_notes(change)}"
            yield from (f"    {line}" for edit in change.edits for line in edit_lines(edit))
    if plan.outputs:
        yield from ("", "Outputs", *(f"  {line}" for edit in plan.outputs for line in edit_lines(edit)))


# For a pull request --------------------------------------------------------------------------------------------------


def as_markdown(stack: str, plan: Plan) -> str:
    """The summary as a comment."""
    found = found_dangers(plan)
    top = [f"**{stack}**: {_counts(plan)}"]
    if found:
        top += ["", "> [!CAUTION]", *(f"> - {danger.text}: {code(danger.address)}" for danger in found)]
    if plan.failed_checks:
        top += ["", "> [!WARNING]", *(f"> - {code(' '.join(text.split()))}" for text in plan.failed_checks)]
    blocks = [block for title, changes in _sections(plan) for block in _blocks(title, changes)]
    if plan.outputs:
        blocks.append(_title("Outputs"))
        blocks += [_Block(f"- {code(line)}") for edit in plan.outputs for line in edit_lines(edit)]
    return _comment(stack, top, blocks)


def note_as_markdown(stack: str, note: str, blocks: Iterable[str] = ()) -> str:
    """A comment that says one thing of a stack, with more on request."""
    return _comment(stack, [f"**{stack}** {note}"], [_Block(text) for text in blocks])


@dataclass(frozen=True)
class _Block:
    """A part of a comment that is kept whole or not at all; `short` may stand for it."""

    text: str
    short: str = ""
    entries: int = 1


def _title(text: str) -> _Block:
    return _Block(f"\n**{text}**\n", entries=0)


def _blocks(title: str, changes: Sequence[Change]) -> Iterator[_Block]:
    yield _title(title)
    for change in changes:
        lines = [line for edit in change.edits for line in edit_lines(edit)]
        head = f"- {code(change.address)}{_notes(change, code)}"
        yield _Block(f"{head}\n{fenced(lines)}", f"{head}: see the job's log") if lines else _Block(head)


def _comment(stack: str, top: Sequence[str], blocks: Sequence[_Block]) -> str:
    """The comment; blocks that do not fit are cut to their address or left out, so that no markup stays open."""
    room = LIMIT - len(marker(stack)) - 200  # for what stands around the blocks
    head = "\n".join(top)
    if len(head) > room:
        return f"{marker(stack)}\n{head[:room]}\n\n... and more: see the job's log.\n"
    room -= len(head)
    kept: list[str] = []
    missing = 0
    for block in blocks:
        fitting = next((text for text in (block.text, block.short) if text and len(text) < room), None)
        if fitting is None:
            missing += block.entries
        else:
            kept.append(fitting)
            room -= len(fitting) + 1
    if missing:
        kept.append(f"\n{missing} more entries do not fit here: see the job's log.")
    below = ["", "<details><summary>By address</summary>", "", *kept, "", "</details>"] if kept else []
    return "\n".join([marker(stack), head, *below]) + "\n"


def code(text: str) -> str:
    """Inline code on one line, whatever backticks the text has."""
    text = " ".join(text.splitlines())
    ticks = "`" * (1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return f"{ticks}{text}{ticks}" if len(ticks) == 1 else f"{ticks} {text} {ticks}"


def fenced(lines: Sequence[str]) -> str:
    """A block of code below a list entry, whatever backticks and line breaks the lines have."""
    body = "\n".join(f"  {part}" for line in lines for part in line.splitlines())
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", body)), default=0))
    return f"  {ticks}diff\n{body}\n  {ticks}"


# What both have ------------------------------------------------------------------------------------------------------


def _counts(plan: Plan) -> str:
    titles = ((title.partition(",")[0], len(changes)) for title, changes in _sections(plan))
    told = [f"{count} {title[0].lower()}{title[1:]}" for title, count in titles]
    if plan.outputs:
        told.append("1 output" if len(plan.outputs) == 1 else f"{len(plan.outputs)} outputs")
    if plan.errored:
        told.insert(0, "the plan failed part-way")
    elif not plan.complete:
        told.append("not all of it is planned yet")
    return ", ".join(told) or "no changes"


def _sections(plan: Plan) -> list[tuple[str, list[Change]]]:
    """Title and changes of each section that has any; a change stands in one of them."""
    found = [
        (title, [change for change in plan.changes if _section(change) == key]) for key, title in _SECTIONS.items()
    ]
    known = [(title, changes) for title, changes in found if changes]
    other = [change for change in plan.changes if _section(change) not in _SECTIONS]
    drift = [("Changed outside of Terraform", list(plan.drift))] if plan.drift else []
    deferred = [("Put off to a later plan", list(plan.deferred))] if plan.deferred else []
    return known + ([("Other", other)] if other else []) + deferred + drift


def _section(change: Change) -> str:
    if change.action == "none":
        return "import" if change.imported else "move"
    return change.action


def _notes(change: Change, quoted: Callable[[str], str] = str) -> str:
    notes = [
        change.reason,
        f"imported by {quoted(change.imported)}" if change.imported else "",
        f"was {quoted(change.moved)}" if change.moved else "",
        "left over from an interrupted replacement" if change.deposed else "",
    ]
    told = "; ".join(note for note in notes if note)
    return f" ({told})" if told else ""


def edit_lines(edit: Edit) -> list[str]:
    """What changes, a line for a value, and a line each for the lines of a text."""
    forces = " (forces replacement)" if edit.forces else ""
    if edit.items:
        gone = [f"- {edit.place}: {_short(one)}{forces}" for one in edit.old]
        return gone + [f"+ {edit.place}: {_short(one)}{forces}" for one in edit.new]
    if edit.unknown:
        return [f"{edit.place}: {_short(edit.old)} -> (known after apply){forces}"]
    if isinstance(edit.old, str) and isinstance(edit.new, str) and ("\n" in edit.old or "\n" in edit.new):
        _, _, *diff = difflib.unified_diff(_lines(edit.old), _lines(edit.new), lineterm="", n=0)  # after two headers
        lines = [line for line in diff if not line.startswith("@@")]
        more = [f"... {len(lines) - TEXT_LINES} more lines"] if len(lines) > TEXT_LINES else []
        return [f"{edit.place}:{forces}", *(_cut(line) for line in lines[:TEXT_LINES]), *more]
    if _short(edit.old) == _short(edit.new):  # both are masked, or alike as far as a line goes
        return [f"{edit.place}: {_short(edit.old)} changes{forces}"]
    return [f"{edit.place}: {_short(edit.old)} -> {_short(edit.new)}{forces}"]


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []


def _short(value: Any) -> str:
    return MASK if value == MASK else _cut(json.dumps(value, ensure_ascii=False, sort_keys=True))


def _cut(text: str) -> str:
    return text if len(text) <= VALUE_LENGTH else f"{text[: VALUE_LENGTH - 3]}..."


# Of a plan that failed --------------------------------------------------------------------------------------------


def summarize_failure(stack: str, log: str, *, markdown: bool) -> tuple[int, str]:
    """Exit status and summary of a plan that failed."""
    found = problems(log)
    if waiting := waits_for(stack, found):
        do = "does" if len(waiting) == 1 else "do"
        note = f"waits for {' and '.join(waiting)}, which {do} not exist yet"
        return 0, note_as_markdown(stack, note) if markdown else f"{stack} {note}\n"
    lines = [f"{problem.address}: {problem.text}" if problem.address else problem.text for problem in found]
    if markdown:
        blocks = [fenced(line.splitlines()) for line in lines]
        return 1, note_as_markdown(stack, "could not be planned: see the job's log", blocks)
    told = "".join(f"  {line}\n" for text in lines for line in text.splitlines())
    return 1, f"{stack} could not be planned\n{told}"
