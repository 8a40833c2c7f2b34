"""Lustre's capacity, tier, name and port, as a person writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import MINIMAL, faults


def line(capacity: int, throughput: int, why: str, write: str) -> str:
    return f"lustre.capacity_gib is {capacity}, but lustre.throughput is {throughput}, where {why}; write {write}"


def _name(name: str) -> str:
    return f'lustre.filesystem is "{name}", not a file system name; write at most 8 of a-z and 0-9, a letter first'


REFUSED: dict[str, str] = {
    "{capacity_gib: 0}": line(0, 500, "the least of that tier is 18000", "18000"),
    "{capacity_gib: -18000}": line(-18000, 500, "the least of that tier is 18000", "18000"),
    "{capacity_gib: 3060001}": line(3060001, 500, "steps are 144000", "3060000 or 3168000"),
    "{capacity_gib: 20016001}": line(20016001, 500, "the most of that tier is 20016000", "20016000"),
    "{throughput: 250}": line(18000, 250, "the least of that tier is 36000", "36000"),
    "{throughput: 1000, capacity_gib: 10000}": line(10000, 1000, "steps are 9000", "9000 or 18000"),
    "{throughput: 125, capacity_gib: 100000}": line(100000, 125, "steps are 72000", "72000 or 144000"),
    "{throughput: 200}": "lustre.throughput is 200; write one of 125, 250, 500 or 1000",
    "{port: 989}": "lustre.port is 989; write one of 988 or 6988",
    "{filesystem: LustreFS}": _name("LustreFS"),
    "{filesystem: lustrefs9}": _name("lustrefs9"),
    "{filesystem: lustre٣}": _name("lustre٣"),
}


@pytest.mark.parametrize(("lustre", "words"), REFUSED.items(), ids=REFUSED)
def test_what_a_tier_does_not_have_is_refused_with_the_nearest(lustre: str, words: str, tmp_path: Path) -> None:
    assert faults(tmp_path, prod=f"{MINIMAL}lustre: {lustre}\n") == [f"environments/prod.yaml: {words}"]


@pytest.mark.parametrize(
    "lustre",
    [
        "{}",
        "{capacity_gib: 36000}",
        "{capacity_gib: 3060000}",
        "{capacity_gib: 3168000}",
        "{capacity_gib: 9000, throughput: 1000}",
        "{capacity_gib: 12240000, throughput: 125}",
        "{port: 988, filesystem: a}",
    ],
)
def test_what_a_tier_has_is_taken(lustre: str, tmp_path: Path) -> None:
    assert faults(tmp_path, prod=f"{MINIMAL}lustre: {lustre}\n") == []
