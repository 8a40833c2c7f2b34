"""Every gcloud command of the tutorial, up to the Lustre instance, has a resource with the same meaning."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support import Stacks

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Row:
    """One flag of a gcloud command, and where it must stand."""

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
    """What stands at `type.name.attribute...` (or `data.type.name...`); a number picks from a list."""
    kind, rest = ("data", path.removeprefix("data.")) if path.startswith("data.") else ("resource", path)
    here: Any = stack[kind]
    for step in rest.split("."):
        here = here[int(step)] if step.isdecimal() else here[step]
    return here


@pytest.mark.parametrize("row", tuple(rows()), ids=str)
def test_a_flag_of_the_tutorial_stands_in_the_json(row: Row, examples: Stacks) -> None:
    assert find(examples[f"{row.environment}_{row.layer}"], row.path) == row.value, row.flag


def test_both_examples_have_a_table_of_the_same_flags() -> None:
    flags = {name: [row.flag for row in rows() if row.environment == name] for name in ("example-b200", "example-h200")}
    assert flags["example-b200"] == flags["example-h200"]
    assert len(flags["example-b200"]) >= 60


def test_nothing_of_the_tutorials_own_faults_is_taken_over(examples: Stacks) -> None:
    network = examples["example-b200_network"]["resource"]
    assert {rule["network"] for rule in network["google_compute_firewall"].values()} == {
        "${google_compute_network.gvnic.name}",
        "${google_compute_network.main.name}",
    }, "a VPC with a RoCE profile takes no firewall rule"
    assert "192.168.0.0/16" not in json.dumps(network)
