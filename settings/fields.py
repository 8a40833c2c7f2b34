"""The kinds of values that settings are made of, each with its check and the words for a wrong one."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from ipaddress import IPv4Network
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticKnownError


def matching(pattern: str, meaning: str) -> AfterValidator:
    """A check that the whole text matches; `meaning` says what it is not, and after the semicolon what to write.

    Digits and letters in the pattern are those of ASCII: `\\d` takes no Arabic digit.
    """
    compiled = re.compile(pattern, re.ASCII)

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
        wider = IPv4Network(f"{text}/24", strict=False)
        raise ValueError(f", an address without a length; write {network} for it alone, or a range like {wider}")
    if text.rpartition("/")[2] != str(network.prefixlen):
        raise ValueError(f", a range whose length is no plain number; write {network}")
    if str(network) != text:
        raise ValueError(f", not the first address of its range; write {network}")
    return text


def _timestamp(text: str) -> str:
    try:
        # strptime alone takes 2027-1-5T0:0:0Z, which is neither RFC 3339 nor sorts by time.
        if len(text) != len("2027-01-15T00:00:00Z") or not text.isascii():
            raise ValueError
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


def _whole(value: object) -> object:
    # A choice of numbers compares by equality, so that it would take 988.0 for 988.
    if isinstance(value, float):
        raise PydanticKnownError("int_type")
    return value


def _own_project(text: str) -> str:
    if ":" in text:
        raise ValueError(
            ", a project of a domain, whose accounts and identities are named otherwise and which is not supported;"
            " write the id of a project without a domain"
        )
    return text


_LABEL = r"[a-z]([-a-z0-9]*[a-z0-9])?"
_LETTERS = "write lower-case letters, digits and -, a letter first and no - last"
DNS_LABEL = matching(_LABEL, f"not a DNS label; {_LETTERS}")
CLOUD_NAME = matching(_LABEL, f"not a cloud name; {_LETTERS}")

DnsLabel = Annotated[str, DNS_LABEL, AfterValidator(longest(63))]
#: A namespace of Kubernetes, which may begin with a digit (RFC 1123).
NamespaceName = Annotated[
    str,
    matching(
        r"[a-z0-9]([-a-z0-9]*[a-z0-9])?",
        "not a namespace; write lower-case letters, digits and -, no - first or last",
    ),
    AfterValidator(longest(63)),
]
#: Compute Engine's names: networks, subnets, firewall rules, addresses (RFC 1035, 1 to 63 characters).
CloudName = Annotated[str, CLOUD_NAME, AfterValidator(longest(63))]
#: GKE's cluster names: 40 characters, checked by the provider at plan.
ClusterName = Annotated[str, CLOUD_NAME, AfterValidator(longest(40))]
ServiceAccountId = Annotated[
    str, matching(r"[a-z][-a-z0-9]{4,28}[a-z0-9]", "not a service account id; write 6 to 30 of a-z, 0-9 and -")
]
ProjectId = Annotated[
    str,
    AfterValidator(_own_project),
    matching(
        r"[a-z][-a-z0-9]{4,28}[a-z0-9]",
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
#: Beside a `Literal` of whole numbers: takes no decimal number for one of them.
WHOLE = BeforeValidator(_whole)
Count = Annotated[int, Field(ge=0)]
#: The largest disk of Compute Engine: 64 TiB.
MOST_DISK_GIB = 65_536
