"""Lustre's tiers as Google's pages have them, and the nearest capacities that a tier has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.lustre import LUSTRE_TIERS, LustreTier

# MB/s for each TiB, least, small step, up to, large step, most: typed from the pages "Performance tiers" and "Increase
# capacity".
TIERS = [
    (1000, 9_000, 9_000, 1_530_000, 72_000, 10_008_000),
    (500, 18_000, 18_000, 3_060_000, 144_000, 20_016_000),
    (250, 36_000, 36_000, 6_120_000, 288_000, 40_032_000),
    (125, 72_000, 72_000, 12_240_000, 72_000, 12_240_000),
]


def test_the_tiers_are_those_of_the_documentation() -> None:
    rows = [(t.throughput, t.minimum, t.step, t.threshold, t.large_step, t.maximum) for t in LUSTRE_TIERS.values()]
    assert rows == TIERS
    assert list(LUSTRE_TIERS) == [1000, 500, 250, 125]


NEAREST = [
    (500, -1, (18_000, 18_000)),
    (500, 0, (18_000, 18_000)),
    (500, 17_999, (18_000, 18_000)),
    (500, 18_000, (18_000, 18_000)),
    (500, 18_001, (18_000, 36_000)),
    (500, 20_000, (18_000, 36_000)),
    (500, 3_060_000, (3_060_000, 3_060_000)),
    (500, 3_060_001, (3_060_000, 3_168_000)),
    (500, 3_168_000, (3_168_000, 3_168_000)),
    (500, 3_200_000, (3_168_000, 3_312_000)),
    (500, 20_015_999, (19_872_000, 20_016_000)),
    (500, 20_016_001, (20_016_000, 20_016_000)),
    (1000, 10_000, (9_000, 18_000)),
    (125, 18_000, (72_000, 72_000)),
]


@pytest.mark.parametrize(("throughput", "capacity", "nearest"), NEAREST)
def test_the_nearest_capacities_are_those_that_one_counts_by_hand(
    throughput: int, capacity: int, nearest: tuple[int, int]
) -> None:
    tier = next(tier for tier in LUSTRE_TIERS.values() if tier.throughput == throughput)
    assert tier.nearest(capacity) == nearest


def ladder(tier: LustreTier) -> list[int]:
    """Every capacity that a tier has, counted one by one."""
    small = range(tier.minimum, tier.threshold + 1, tier.step)
    large = range(0, tier.maximum + 1, tier.large_step)
    return sorted({*small, *(capacity for capacity in large if capacity > tier.threshold)})


LADDERS = {tier.throughput: ladder(tier) for tier in LUSTRE_TIERS.values()}


@given(st.sampled_from(list(LUSTRE_TIERS.values())), st.integers(min_value=-100_000, max_value=45_000_000))
def test_no_capacity_that_a_tier_has_is_nearer_than_the_two_that_are_named(tier: LustreTier, capacity: int) -> None:
    rungs = LADDERS[tier.throughput]
    below = max((rung for rung in rungs if rung <= capacity), default=rungs[0])
    above = min((rung for rung in rungs if rung >= capacity), default=rungs[-1])
    assert tier.nearest(capacity) == (below, above)
