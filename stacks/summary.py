"""The table that a synth prints."""

from __future__ import annotations

from collections.abc import Iterable

from stacks.synthesis import StackSummary


def table(stacks: Iterable[StackSummary]) -> str:
    """One row a stack, in columns: its id, the resources it manages, what it depends on, where its state lies."""
    rows = [("stack", "resources", "depends on", "state")]
    rows += [(one.stack, str(one.resources), ", ".join(one.depends_on) or "-", one.state) for one in stacks]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
