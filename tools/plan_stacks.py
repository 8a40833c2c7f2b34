"""Prints, as a list in JSON, the stacks that a workflow can plan, lower layers first.

    python -m tools.plan_stacks [--in-cluster]

They are those whose state lies in a bucket: a local state is on somebody's machine, and HCP Terraform plans pull
requests itself. Those that look into a cluster, the platform and jobs, are in the list only with `--in-cluster`,
because their plans need more rights than to read (docs/pull-requests.md). Reads cdktf.out, so run `make synth` first.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable

from tools.command import run
from tools.synthesized import NotSynthesizedError, Stack, synthesized_stacks


def plannable(stacks: Iterable[Stack], *, in_cluster: bool) -> list[str]:
    """The ids of the stacks to plan; the lowest layers of all sites first."""
    shared = [stack for stack in stacks if stack.backend == "gcs" and (in_cluster or not _looks_into_a_cluster(stack))]
    return [stack.name for stack in sorted(shared, key=lambda stack: (stack.order, stack.name))]


def _looks_into_a_cluster(stack: Stack) -> bool:
    return "kubernetes" in stack.content["provider"]


def main(arguments: list[str]) -> int:
    """Exit status: 0, or 2 with a reason on standard error."""
    if arguments not in ([], ["--in-cluster"]):
        print("write: python -m tools.plan_stacks [--in-cluster]", file=sys.stderr)
        return 2
    try:
        print(json.dumps(plannable(synthesized_stacks(), in_cluster=bool(arguments))))
    except NotSynthesizedError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    run(main)
