"""Properties that hold for any range, capacity, reservation and text, not only for those that we thought of."""

from __future__ import annotations

import json
import re
import tempfile
from ipaddress import IPv4Network
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from catalog.lustre import LUSTRE_TIERS, LustreTier
from settings.fields import Ipv4Range
from settings.gpu_pool import Reservation
from settings.yaml_file import read_yaml
from tests.support import MINIMAL, faults


def range_around(address: int, length: int) -> IPv4Network:
    """The range of that prefix length that an address is in."""
    return IPv4Network((address, length), strict=False)


networks = st.builds(
    range_around,
    st.integers(min_value=0, max_value=2**32 - 1),
    st.integers(min_value=8, max_value=30),
)
tiers = st.sampled_from(list(LUSTRE_TIERS.values()))
names = st.from_regex(r"[a-z]([-a-z0-9]{0,20}[a-z0-9])?", fullmatch=True)
projects = st.from_regex(r"[a-z][-a-z0-9]{4,20}[a-z0-9]", fullmatch=True)


def is_good(tier: LustreTier, capacity: int) -> bool:
    """Written again from the documentation: multiples of the small step up to the threshold, of the large one above."""
    step = tier.step if capacity <= tier.threshold else tier.large_step
    return tier.minimum <= capacity <= tier.maximum and (capacity % step == 0 or capacity == tier.threshold)


@given(tiers, st.integers(min_value=0, max_value=50_000_000))
def test_the_two_nearest_lustre_capacities_are_good_and_none_is_nearer(tier: LustreTier, capacity: int) -> None:
    below, above = tier.nearest(capacity)
    assert is_good(tier, below)
    assert is_good(tier, above)
    if tier.minimum <= capacity <= tier.maximum:
        assert below <= capacity <= above
        steps = range(below + 9_000, above, 9_000)  # every step is a multiple of 9,000
        assert not any(is_good(tier, between) for between in steps)
        assert (below == above) == is_good(tier, capacity)
    else:
        assert below == above


@given(networks)
def test_a_range_is_taken_as_it_is_and_with_host_bits_refused(network: IPv4Network) -> None:
    check = TypeAdapter[str](Ipv4Range).validate_python
    assert check(str(network)) == str(network)
    with pytest.raises(ValueError, match=re.escape(f"write {network}")):
        check(f"{network[1]}/{network.prefixlen}")


@given(networks, networks)
@settings(max_examples=60)
def test_two_ranges_are_refused_exactly_when_they_share_an_address(one: IPv4Network, other: IPv4Network) -> None:
    share = one[0] <= other[-1] and other[0] <= one[-1]
    text = MINIMAL + (
        f"network: {{nodes_range: {one}, pods_range: {other}, services_range: 0.0.0.0/24,"
        " private_services_range: 0.0.2.0/23, gvnic_range: 0.0.1.0/25, rdma_ranges: [0.0.4.0/24, 0.0.5.0/24,"
        " 0.0.6.0/24, 0.0.7.0/24, 0.0.8.0/24, 0.0.9.0/24, 0.0.10.0/24, 0.0.11.0/24]}\n"
    )
    with tempfile.TemporaryDirectory() as root:
        lines = faults(Path(root), prod=text)
    clash = (
        f"environments/prod.yaml: network.pods_range is {other}, but network.nodes_range is {one}; write ranges that"
        " do not overlap"
    )
    assert (clash in lines) == share


@given(names, st.none() | projects, st.none() | names, st.none() | names, projects)
def test_a_reservation_is_named_in_the_one_form_that_the_api_takes(
    name: str, owner: str | None, block: str | None, sub_block: str | None, own: str
) -> None:
    text = f"projects/{owner}/reservations/{name}" if owner else name
    text += f"/reservationBlocks/{block}" if block else ""
    text += f"/reservationSubBlocks/{sub_block}" if block and sub_block else ""
    reservation = Reservation(name=text)
    assert (reservation.short_name(), reservation.project(own)) == (name, owner or own)
    affinity = reservation.affinity(own)
    if block is None and owner in (None, own):
        assert affinity == name
    else:
        assert affinity.startswith(f"projects/{owner or own}/reservations/{name}")
        assert affinity.removeprefix(f"projects/{owner or own}/reservations/") == text.rpartition("reservations/")[2]
    assert reservation.verified(own) == (owner in (None, own))


@given(st.text(max_size=200) | st.binary(max_size=100))
def test_no_file_makes_the_reader_fail(content: str | bytes) -> None:
    with tempfile.TemporaryDirectory() as root:
        path = Path(root) / "prod.yaml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
        read = read_yaml(path, "prod.yaml")
        assert len(str(read).splitlines()) == 1


@given(
    st.sampled_from(["project", "zone", "gpu_pool", "network", "lustre", "cluster", "ray", "tokens", "jobs", "names"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=5,
    ),
)
def test_no_value_of_any_key_gives_anything_but_lines(key: str, value: object) -> None:
    with tempfile.TemporaryDirectory() as root:
        text = "\n".join(line for line in MINIMAL.splitlines() if not line.startswith((key, "  ")) or key != "gpu_pool")
        lines = faults(Path(root), prod=f"{text}\n{json.dumps(key)}: {json.dumps(value)}\n")
    assert all(line.startswith("environments/prod.yaml: ") for line in lines)
