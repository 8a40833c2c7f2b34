"""Prints the HCP Terraform workspaces of a site: a row a stack, in the order of their runs.

    python -m tools.workspaces SITE [--json]

Reads cdktf.out, so run `make synth` first. A workspace is called as its stack. Those of one order may run side by side.
The working directory and the run triggers are for runs driven by version control: a workspace is triggered by those
of the order before it, except a job's, which starts when somebody starts it. Variables are Terraform variables, all
of them sensitive.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from settings.columns import in_columns
from tools.command import run
from tools.synthesized import NotSynthesizedError, Stack, stacks_of


@dataclass(frozen=True, kw_only=True)
class Workspace:
    """One workspace. `triggered_by` are the workspaces whose applies start a run of it."""

    order: int
    name: str
    working_directory: str
    triggered_by: tuple[str, ...]
    sensitive_variables: tuple[str, ...]


def workspaces(own: Sequence[Stack]) -> tuple[Workspace, ...]:
    """The workspaces of a site's stacks."""
    return tuple(
        Workspace(
            order=stack.order,
            name=stack.name,
            working_directory=stack.folder,
            triggered_by=tuple(
                other.name for other in own if other.order == stack.order - 1 and not stack.name.startswith("job_")
            ),
            sensitive_variables=tuple(sorted(stack.content.get("variable", {}))),
        )
        for stack in own
    )


def table(found: Iterable[Workspace]) -> str:
    """The workspaces for a terminal."""
    rows = [
        (
            str(one.order),
            one.name,
            one.working_directory,
            ", ".join(one.triggered_by) or "-",
            ", ".join(one.sensitive_variables) or "-",
        )
        for one in found
    ]
    return "\n".join(
        in_columns([("order", "workspace", "working directory", "triggered by", "sensitive variables"), *rows])
    )


def main(arguments: list[str]) -> int:
    """Exit status: 0, or 2 with a reason on standard error."""
    sites = [argument for argument in arguments if argument != "--json"]
    if len(sites) != 1 or sites[0].startswith("-"):
        print("write: python -m tools.workspaces SITE [--json]", file=sys.stderr)
        return 2
    try:
        found = workspaces(stacks_of(sites[0]))
    except NotSynthesizedError as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps([asdict(one) for one in found], indent=2) if "--json" in arguments else table(found))
    return 0


if __name__ == "__main__":
    run(main)
