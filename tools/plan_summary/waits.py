"""Tells a stack that waits for another one from a plan that failed.

A stack reads what the layers below it made, by data sources. As long as one of those is not there, its plan fails, and
that is no fault of the pull request. The errors come from `terraform plan -json`, whose messages name the resource:
https://developer.hashicorp.com/terraform/internals/machine-readable-ui
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tools.synthesized import LAYERS, site_of

#: Data source -> the layer that makes what it reads.
_MADE_BY = {
    "google_compute_network": "network",
    "google_compute_network_peering": "network",
    "google_container_cluster": "cluster",
    "google_lustre_instance": "storage",
    "kubernetes_resources": "platform",
}

_API_CODE = re.compile(r"googleapi: Error (\d+)")

#: No such object, no such kind of object (Ray's come with the operator), or ours: the postcondition of a job's stack.
_ABSENT = re.compile(r"not found$|no matches for kind|^There is no RayCluster", re.MULTILINE)


@dataclass(frozen=True)
class Problem:
    """One error of a plan: the resource that has it (empty where it has none), and what it says."""

    address: str
    text: str


def problems(log: str) -> tuple[Problem, ...]:
    """The errors in what `terraform plan -json` printed."""
    return tuple(_problems(log.splitlines()))


def _problems(lines: Iterable[str]) -> Iterator[Problem]:
    for line in lines:
        try:
            message: dict[str, Any] = json.loads(line) if line.startswith("{") else {}
        except (ValueError, RecursionError):  # a line cut short, where terraform was killed, or none of its own
            continue
        it: dict[str, Any] = message.get("diagnostic") or {}
        if message.get("type") == "diagnostic" and it.get("severity") == "error":
            parts = (str(it.get(key) or "").strip() for key in ("summary", "detail"))
            yield Problem(str(it.get("address") or ""), "\n".join(part for part in parts if part))


def waits_for(stack: str, found: Iterable[Problem]) -> tuple[str, ...]:
    """The stacks that a stack waits for; none where its plan failed for any other reason."""
    layers: set[str] = set()
    for problem in found:
        kind = problem.address.removeprefix("data.").partition(".")[0]
        if not problem.address.startswith("data.") or not _absent(problem.text):
            return ()
        # What nobody here makes, such as a reservation, is absent only while the project's APIs are off.
        layers |= {_MADE_BY[kind]} if kind in _MADE_BY else set()
    return tuple(f"{site_of(stack)}_{layer}" for layer in LAYERS if layer in layers)


def _absent(text: str) -> bool:
    # The provider's texts begin with "Network Not Found" whatever the API answered, a lack of rights too.
    if code := _API_CODE.search(text):
        return code[1] == "404" or "SERVICE_DISABLED" in text
    return bool(_ABSENT.search(text))
