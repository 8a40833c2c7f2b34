"""Each kind of value takes what the cloud takes, and says of anything else what it is not and what to write."""

from __future__ import annotations

from ipaddress import IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from settings.fields import (
    CloudName,
    ClusterName,
    DnsLabel,
    Ipv4Range,
    ProjectId,
    Region,
    ServiceAccountId,
    Timestamp,
    Zone,
)

_LETTERS = "write lower-case letters, digits and -, a letter first and no - last"
_ID = "not a project id; write the id (6 to 30 of a-z, 0-9 and -), not the name or the number"
_UTC = "not a UTC time; write one like 2027-01-15T00:00:00Z"

GOOD: dict[str, tuple[object, list[str]]] = {
    "DNS label": (DnsLabel, ["a", "prod-eu", "b200", "a-1-b", "n" * 63]),
    "cloud name": (CloudName, ["my-net", "n" * 63]),
    "cluster name": (ClusterName, ["c" * 40]),
    "service account": (ServiceAccountId, ["abcdef", "a" * 30]),
    "project": (ProjectId, ["my-project", "abc123", "p" * 30]),
    "region": (Region, ["us-central1", "europe-west12", "northamerica-northeast1"]),
    "zone": (Zone, ["us-central1-b", "us-south1-ai1b", "us-central1-ai1"]),
    "range": (Ipv4Range, ["10.0.0.0/8", "192.168.1.0/24", "203.0.113.7/32", "0.0.0.0/0"]),
    "time": (Timestamp, ["2027-01-15T00:00:00Z", "2028-02-29T23:59:59Z"]),
}


@pytest.mark.parametrize(("kind", "texts"), GOOD.values(), ids=GOOD)
def test_a_good_value_is_taken_as_it_is(kind: type[str], texts: list[str]) -> None:
    assert [TypeAdapter[str](kind).validate_python(text) for text in texts] == texts


BAD: list[tuple[object, str, str]] = [
    (DnsLabel, "", f"not a DNS label; {_LETTERS}"),
    (DnsLabel, "Prod", f"not a DNS label; {_LETTERS}"),
    (DnsLabel, "1prod", f"not a DNS label; {_LETTERS}"),
    (DnsLabel, "prod-", f"not a DNS label; {_LETTERS}"),
    (DnsLabel, "prod_1", f"not a DNS label; {_LETTERS}"),
    (DnsLabel, "prod\n", f"not a DNS label; {_LETTERS}"),
    (DnsLabel, "prod.eu", f"not a DNS label; {_LETTERS}"),
    (DnsLabel, "größe", f"not a DNS label; {_LETTERS}"),
    (DnsLabel, "n" * 64, "64 characters; write at most 63"),
    (CloudName, "n" * 64, "64 characters; write at most 63"),
    (ClusterName, "c" * 41, "41 characters; write at most 40"),
    (ServiceAccountId, "abcde", "not a service account id; write 6 to 30 of a-z, 0-9 and -"),
    (ServiceAccountId, "a" * 31, "not a service account id; write 6 to 30 of a-z, 0-9 and -"),
    (ProjectId, "My-Project", _ID),
    (ProjectId, "abc", _ID),
    (ProjectId, "projects/my-project", _ID),
    (ProjectId, "123456789012", _ID),
    (
        ProjectId,
        "example.com:my-project",
        "a project of a domain, whose accounts and identities are named otherwise and which is not supported; write the"
        " id of a project without a domain",
    ),
    (Region, "us-central1-b", "not a region; write one like us-central1"),
    (Region, "us", "not a region; write one like us-central1"),
    (Zone, "us-central1", "not a zone; write one like us-central1-b"),
    (Zone, "us-central1-B", "not a zone; write one like us-central1-b"),
    (Zone, "us-central1-bb", "not a zone; write one like us-central1-b"),
    (Zone, "us-central١-b", "not a zone; write one like us-central1-b"),
    (Ipv4Range, "10.0.0.0/33", "not an IPv4 range; write one like 10.0.0.0/20"),
    (Ipv4Range, "fd00::/20", "not an IPv4 range; write one like 10.0.0.0/20"),
    (Ipv4Range, "10.0.0/20", "not an IPv4 range; write one like 10.0.0.0/20"),
    (Ipv4Range, "010.0.0.0/20", "not an IPv4 range; write one like 10.0.0.0/20"),
    (Ipv4Range, " 10.0.0.0/20", "not an IPv4 range; write one like 10.0.0.0/20"),
    (Ipv4Range, "10.0.0.0/255.255.240.0", "a range whose length is no plain number; write 10.0.0.0/20"),
    (Ipv4Range, "10.0.0.0/020", "a range whose length is no plain number; write 10.0.0.0/20"),
    (Ipv4Range, "192.168.1.5/24", "not the first address of its range; write 192.168.1.0/24"),
    (
        Ipv4Range,
        "203.0.113.7",
        "an address without a length; write 203.0.113.7/32 for it alone, or a range like 203.0.113.0/24",
    ),
    (Timestamp, "2027-01-15", _UTC),
    (Timestamp, "2027-02-30T00:00:00Z", _UTC),
    (Timestamp, "2027-01-15T00:00:00", _UTC),
    (Timestamp, "2027-01-15T00:00:00+01:00", _UTC),
    (Timestamp, "2027-1-5T0:0:0Z", _UTC),
    (Timestamp, "2027-01-15T24:00:00Z", _UTC),
    (Timestamp, "2027-01-15 00:00:00Z", _UTC),
    (Timestamp, "2027-01-15T00:00:0٠Z", _UTC),
]


@pytest.mark.parametrize(("kind", "text", "words"), BAD, ids=[repr(text)[:30] for _, text, _ in BAD])
def test_a_bad_value_says_what_it_is_not_and_what_to_write(kind: type[str], text: str, words: str) -> None:
    with pytest.raises(ValidationError) as raised:
        TypeAdapter[str](kind).validate_python(text)
    assert [str(error["ctx"]["error"]) for error in raised.value.errors() if "ctx" in error] == [f", {words}"]


@given(
    st.integers(min_value=0, max_value=2**32 - 1),
    st.integers(min_value=0, max_value=32),
)
def test_a_range_is_refused_exactly_when_its_address_is_not_its_first(address: int, length: int) -> None:
    network = IPv4Network((address, length), strict=False)
    text = f"{IPv4Network(address).network_address}/{length}"
    check = TypeAdapter[str](Ipv4Range).validate_python
    if address % 2 ** (32 - length) == 0:
        assert check(text) == text
    else:
        with pytest.raises(ValidationError, match=f"not the first address of its range; write {network}"):
            check(text)
