"""The kinds of values that settings are made of, each with its check and the words for a wrong one."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from ipaddress import IPv4Network
from typing import Annotated

from pydantic import AfterValidator, Field


def matching(pattern: str, meaning: str) -> AfterValidator:
    """A check that the whole text matches; `meaning` says what it is not, and after the semicolon what to write."""
    compiled = re.compile(pattern)

    def check(text: str) -> str:
        if not compiled.fullmatch(text):
            raise ValueError(f", {meaning}")
        return text

    return AfterValidator(check)


def _ipv4_range(text: str) -> str:
    try:
        network = IPv4Network(text, strict=False)
    except ValueError:
        raise ValueError(", not an IPv4 range; write one like 10.0.0.0/20") from None
    if "/" not in text:
        raise ValueError(f', an address without a length; write a range like "{network.network_address}/24"')
    if str(network) != text:
        raise ValueError(f", not the first address of its range; write {network}")
    return text


def _timestamp(text: str) -> str:
    try:
        datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        raise ValueError(", not a UTC time; write one like 2027-01-15T00:00:00Z") from None
    return text


def longest(limit: int) -> Callable[[str], str]:
    """A check that a cloud name has at most `limit` characters."""

    def check(text: str) -> str:
        if len(text) > limit:
            raise ValueError(f", {len(text)} characters; write at most {limit}")
        return text

    return check


_LABEL = r"[a-z]([-a-z0-9]*[a-z0-9])?"
DNS_LABEL = matching(_LABEL, "not a DNS label; write lower-case letters, digits and -, a letter first")
CLOUD_NAME = matching(_LABEL, "not a cloud name; write lower-case letters, digits and -, a letter first")

DnsLabel = Annotated[str, DNS_LABEL, AfterValidator(longest(63))]
#: Compute Engine's names: networks, subnets, firewall rules, addresses (RFC 1035, 1 to 63 characters).
CloudName = Annotated[str, CLOUD_NAME, AfterValidator(longest(63))]
#: GKE's cluster names: 40 characters, checked by the provider at plan.
ClusterName = Annotated[str, CLOUD_NAME, AfterValidator(longest(40))]
ServiceAccountId = Annotated[
    str, matching(r"[a-z][-a-z0-9]{4,28}[a-z0-9]", "not a service account id; write 6 to 30 of a-z, 0-9 and -")
]
ProjectId = Annotated[
    str,
    matching(
        r"([a-z0-9.-]+:)?[a-z][-a-z0-9]{4,28}[a-z0-9]",
        "not a project id; write the id (6 to 30 of a-z, 0-9 and -), not the name or the number",
    ),
]
Region = Annotated[str, matching(r"[a-z]+-[a-z]+[0-9]+", "not a region; write one like us-central1")]
#: A zone is a region with a letter, or one of the AI zones (us-central1-ai1a).
Zone = Annotated[
    str, matching(r"[a-z]+-[a-z]+[0-9]+-([a-z]|ai[0-9]+[a-z]?)", "not a zone; write one like us-central1-b")
]
Ipv4Range = Annotated[str, AfterValidator(_ipv4_range)]
Timestamp = Annotated[str, AfterValidator(_timestamp)]
Count = Annotated[int, Field(ge=0)]
