"""What we write is what the pinned providers take."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.provider_schemas.check import faults
from tests.support import ROOT, Stacks

STACKS = sorted(path.stem for path in (ROOT / "tests" / "golden").glob("*.json"))


@pytest.mark.parametrize("name", STACKS)
def test_a_stack_holds_nothing_that_the_providers_lack_and_lacks_nothing_that_they_need(
    name: str, examples: Stacks
) -> None:
    assert faults(examples[name]) == []


GOOD: dict[str, Any] = {
    "resource": {
        "google_compute_network": {"main": {"name": "net", "auto_create_subnetworks": False}},
        "google_compute_router_nat": {
            "nat": {
                "name": "nat",
                "router": "router",
                "source_subnetwork_ip_ranges_to_nat": "ALL_SUBNETWORKS_ALL_IP_RANGES",
                "depends_on": ["google_compute_network.main"],
            }
        },
        "google_container_cluster": {
            "cluster": {
                "name": "c",
                "network": "${google_compute_network.main.name}",
                "addons_config": {"lustre_csi_driver_config": {"enabled": True}},
            }
        },
        "helm_release": {"ray": {"name": "r", "chart": "c", "set": [{"name": "a", "value": "b"}]}},
    }
}


def test_a_good_stack_has_no_faults() -> None:
    assert faults(GOOD) == []


BROKEN: list[tuple[list[str], Any, str]] = [
    (
        ["google_compute_network", "main", "accelerator_profile"],
        "x",
        "google_compute_network.main.accelerator_profile: unknown",
    ),
    (
        ["google_container_cluster", "cluster", "addons_config", "lustre_csi_driver_config", "disable_multi_nic"],
        True,
        "google_container_cluster.cluster.addons_config.lustre_csi_driver_config.disable_multi_nic: unknown",
    ),
    (["google_compute_network", "main", "self_link"], "x", "google_compute_network.main.self_link: computed only"),
    (["google_compute_network", "main", "mtu"], "8896", "google_compute_network.main.mtu: '8896' is no number"),
    (["google_compute_network", "main", "name"], None, "google_compute_network.main.name: missing"),
    (
        ["google_container_cluster", "cluster", "addons_config", "lustre_csi_driver_config"],
        {},
        "google_container_cluster.cluster.addons_config.lustre_csi_driver_config.enabled: missing",
    ),
    (
        ["google_container_cluster", "cluster", "addons_config"],
        [{}, {}],
        "google_container_cluster.cluster.addons_config: 2 blocks, at most 1",
    ),
    (
        ["helm_release", "ray", "set"],
        [{"name": "a", "valeu": "b"}],
        "helm_release.ray.set.valeu: unknown",
    ),
    (["google_lustre_file_system", "x"], {}, "google_lustre_file_system.x: the provider has no such type"),
    (
        ["google_container_cluster", "cluster", "network"],
        "${google_compute_network.mian.name}",
        "resource.google_container_cluster.cluster.network: google_compute_network.mian is not in the stack",
    ),
    (
        ["google_compute_router_nat", "nat", "depends_on"],
        ["google_compute_router.router"],
        "resource.google_compute_router_nat.nat.depends_on.0: google_compute_router.router is not in the stack",
    ),
]


@pytest.mark.parametrize(("path", "value", "fault"), BROKEN, ids=[fault for _, _, fault in BROKEN])
def test_each_kind_of_fault_is_found(path: list[str], value: object, fault: str) -> None:
    stack = copy.deepcopy(GOOD)
    owner = stack["resource"]
    for step in path[:-1]:
        owner = owner.setdefault(step, {})
    if value is None:
        del owner[path[-1]]
    else:
        owner[path[-1]] = value
    assert fault in faults(stack)
