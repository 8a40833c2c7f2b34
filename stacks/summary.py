"""The table that a synth prints."""

from __future__ import annotations

from collections.abc import Iterable

from settings.columns import in_columns
from stacks.synthesis import StackSummary


def table(stacks: Iterable[StackSummary]) -> str:
    """One row a stack, in columns: its id, the resources it manages, what it depends on, where its state lies."""
    rows = [("stack", "resources", "depends on", "state")]
    rows += [(one.stack, str(one.resources), ", ".join(one.depends_on) or "-", one.state) for one in stacks]
    return "\n".join(in_columns(rows))
