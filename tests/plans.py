"""Plan JSON of the documented format, made by hand."""

from __future__ import annotations

from typing import Any

from tools.plan_summary.changes import Plan, read_plan

Json = dict[str, Any]


def entry(
    address: str, actions: str | list[str], before: Json | None = None, after: Json | None = None, **more: Any
) -> Json:
    """One entry of `resource_changes`. `more` goes where the format has it: into the entry or into its `change`."""
    of_entry = {"previous_address", "deposed", "action_reason"}
    return {
        "address": address,
        "mode": "data" if address.startswith("data.") else "managed",
        "type": address.removeprefix("data.").partition(".")[0],
        "change": {
            "actions": [actions] if isinstance(actions, str) else actions,
            "before": before,
            "after": after,
            **{key: value for key, value in more.items() if key not in of_entry},
        },
        **{key: value for key, value in more.items() if key in of_entry},
    }


def plan(*entries: Json, **more: Any) -> Plan:
    """The plan with these entries; `more` are keys at the top."""
    return read_plan({"format_version": "1.2", "resource_changes": list(entries), **more})


REPLACE = ["delete", "create"]
