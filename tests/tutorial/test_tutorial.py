"""Every gcloud command of the tutorial, up to the Lustre instance, has a resource with the same meaning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, cast

import pytest

from tests.support import ROOT, Stacks

FOLDER = Path(__file__).parent
EXAMPLES = ("example-b200", "example-h200")

#: The tutorial's commands that make something, in its order, in the words of its variables.
COMMANDS = (
    "services enable",
    "projects add-iam-policy-binding",
    "networks create NETWORK",
    "networks create GVNIC-net",
    "subnets create GVNIC-sub",
    "firewall-rules create GVNIC-internal",
    "networks create RDMA-net",
    "subnets create RDMA-sub-0",
    "clusters create",
    "clusters get-credentials",
    "node-pools create gpu-pool",
    "addresses create LUSTRE-range",
    "vpc-peerings connect",
    "lustre instances create",
)


@dataclass(frozen=True)
class Row:
    """One flag of a gcloud command, or in parentheses why we go beyond one or leave it, and what must stand where."""

    environment: str
    flag: str
    layer: str
    path: str
    value: Any

    def __str__(self) -> str:
        return f"{self.environment}-{self.path}"


def rows() -> Iterator[Row]:
    """The rows of both tables, which people typed."""
    for table in sorted(FOLDER.glob("*.txt")):
        for line in table.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                flag, layer, path, value = line.split(" | ")
                yield Row(table.stem, flag, layer, path, json.loads(value))


def find(stack: dict[str, Any], path: str) -> Any:
    """What stands at `type.name.attribute...` (or `data.type.name...`); a number picks from a list.

    Raises `LookupError` that says how far the path leads and what there is.
    """
    section, rest = ("data", path.removeprefix("data.")) if path.startswith("data.") else ("resource", path)
    here: Any = stack[section]
    gone: list[str] = [section]
    for step in rest.split("."):
        there = _inside(here)
        if step not in there:
            raise LookupError(f"{'.'.join(gone)} has no {step}; it has {', '.join(sorted(there)) or repr(here)}")
        here = there[step]
        gone.append(step)
    return here


def _inside(node: Any) -> dict[str, Any]:
    """What a step from here may lead to."""
    if isinstance(node, list):
        return {str(index): item for index, item in enumerate(cast("list[Any]", node))}
    return cast("dict[str, Any]", node) if isinstance(node, dict) else {}


@pytest.mark.parametrize("row", tuple(rows()), ids=str)
def test_a_flag_of_the_tutorial_stands_in_the_json(row: Row, examples: Stacks) -> None:
    assert find(examples[f"{row.environment}_{row.layer}"], row.path) == row.value, row.flag


def test_both_examples_have_a_row_for_each_command_and_the_same_flags() -> None:
    flags = {name: [row.flag for row in rows() if row.environment == name] for name in EXAMPLES}
    assert flags["example-b200"] == flags["example-h200"]
    assert len(flags["example-b200"]) >= 60
    without = [one for one in COMMANDS if not any(flag.startswith(one) for flag in flags["example-b200"])]
    assert without == ["projects add-iam-policy-binding", "clusters get-credentials"], "they make nothing of a site"


def test_no_row_stands_twice() -> None:
    seen = [str(row) for row in rows()]
    assert sorted({row for row in seen if seen.count(row) > 1}) == []


def test_nothing_of_the_tutorials_own_faults_is_taken_over(examples: Stacks) -> None:
    for name in EXAMPLES:
        network = json.dumps(examples[f"{name}_network"])
        assert "192.168.0.0/16" not in network, "the gVNIC firewall would take the RDMA ranges too"
        pools = examples[f"{name}_cluster"]["resource"]["google_container_node_pool"].values()
        counts = {key for pool in pools for key in pool["autoscaling"] if key.endswith("_count")}
        assert counts == {"total_min_node_count", "total_max_node_count"}, "--max-nodes=5 alone is 15 machines"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a.b.c", "resource.a has no b; it has n"),
        ("a.n.list.2", "resource.a.n.list has no 2; it has 0, 1"),
        ("a.n.list.0.deep", "resource.a.n.list.0 has no deep; it has 'x'"),
        ("data.d.n", "data has no d; it has a"),
    ],
)
def test_a_path_that_leads_nowhere_says_how_far_it_leads(path: str, message: str) -> None:
    stack: dict[str, Any] = {"resource": {"a": {"n": {"list": ["x", "y"]}}}, "data": {"a": {}}}
    with pytest.raises(LookupError, match=f"^{re.escape(message)}$"):
        find(stack, path)


def readme_rows() -> list[tuple[str, str, str]]:
    """The table of README: gcloud command, stack, addresses."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("| gcloud command | stack | resource |\n|---|---|---|\n")[2].partition("\n\n")[0]
    lines = [line.strip("|").split(" | ") for line in table.splitlines()]
    return [(command.strip(" `"), stack.strip(), resource.strip()) for command, stack, resource in lines]


def test_the_readme_names_an_address_that_exists_for_each_command(examples: Stacks) -> None:
    table = readme_rows()
    commands = [command for command, _, _ in table]
    assert [one for one in COMMANDS if not any(one in command for command in commands)] == []
    for command, layer, resource in table:
        if layer == "-":
            assert resource.startswith("none: "), command
            continue
        stack = examples[f"example-b200_{layer}"]
        made = {f"{kind}.{name}" for kind, named in stack["resource"].items() for name in named}
        named = re.findall(r"`(google_[^`]+)`", resource)
        assert named or re.fullmatch(r"the output `(\w+)`", resource), command
        assert [one for one in named if not any(fnmatch(address, one) for address in made)] == [], command
