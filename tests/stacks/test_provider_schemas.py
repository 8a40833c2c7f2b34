"""What we write is what the pinned providers take."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.provider_schemas.check import faults
from tests.support import Stacks


def test_no_stack_holds_what_the_providers_lack_or_lacks_what_they_need(examples: Stacks, alternatives: Stacks) -> None:
    found = {name: faults(stack) for name, stack in (examples | alternatives).items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


GOOD: dict[str, Any] = {
    "terraform": {"required_providers": {"google": {}, "helm": {}, "kubernetes": {}}},
    "provider": {"helm": [{"kubernetes": {"host": "https://h"}}]},
    "variable": {"token": {"type": "string"}},
    "data": {
        "google_container_cluster": {
            "cluster": {
                "name": "c",
                "lifecycle": {
                    "postcondition": [{"condition": "${self.master_version != null}", "error_message": "None."}]
                },
            }
        }
    },
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
                "lifecycle": {"ignore_changes": ["node_config[0].metadata"], "prevent_destroy": True},
            }
        },
        "kubernetes_manifest": {"job": {"manifest": {"kind": "Job", "spec": {"any": [None, 1, "$${x.y}"]}}}},
        "helm_release": {
            "ray": {
                "name": "r",
                "chart": "c",
                "set": [{"name": "a", "value": "b"}],
                "values": ['${try(data.google_container_cluster.cluster.addons_config[0].ray_operator_config[0], "")}'],
            }
        },
    },
}


def test_a_good_stack_has_no_faults() -> None:
    assert faults(GOOD) == []


CLUSTER = "resource google_container_cluster cluster"
BROKEN: list[tuple[str, Any, str]] = [
    # Types and their arguments
    ("resource google_lustre_file_system x", {}, "google_lustre_file_system.x: the provider has no such type"),
    (
        "resource google_compute_network main accelerator_network_profile",
        "x",
        "google_compute_network.main.accelerator_network_profile: unknown",
    ),
    (
        f"{CLUSTER} addons_config lustre_csi_driver_config disable_multi_nic",
        True,
        "google_container_cluster.cluster.addons_config.lustre_csi_driver_config.disable_multi_nic: unknown",
    ),
    ("data google_container_cluster cluster locaton", "x", "data.google_container_cluster.cluster.locaton: unknown"),
    ("resource google_compute_network main name", None, "google_compute_network.main.name: missing"),
    (
        f"{CLUSTER} addons_config lustre_csi_driver_config",
        {},
        "google_container_cluster.cluster.addons_config.lustre_csi_driver_config.enabled: missing",
    ),
    (
        "resource google_compute_network main self_link",
        "x",
        "google_compute_network.main.self_link: computed only",
    ),
    ("resource google_compute_network main mtu", "8896", "google_compute_network.main.mtu: '8896' is no number"),
    (
        "resource google_container_cluster cluster node_locations",
        "us-central1-b",
        "google_container_cluster.cluster.node_locations: 'us-central1-b' is no ['set', 'string']",
    ),
    # Blocks and objects
    (f"{CLUSTER} addons_config", [{}, {}], "google_container_cluster.cluster.addons_config: 2 blocks, at most 1"),
    (f"{CLUSTER} addons_config", True, "google_container_cluster.cluster.addons_config: True is no block"),
    (
        "resource google_compute_firewall f",
        {"name": "f", "network": "n", "allow": [{"protocol": "tcp"}, {"ports": ["1"]}]},
        "google_compute_firewall.f.allow[1].protocol: missing",
    ),
    (
        "resource kubernetes_service_v1 s",
        {"metadata": {"name": "s"}},
        "kubernetes_service_v1.s.spec: 0 blocks, at least 1",
    ),
    ("resource helm_release ray set", [{"name": "a", "valeu": "b"}], "helm_release.ray.set[0].valeu: unknown"),
    ("resource helm_release ray set", {"name": "a"}, "helm_release.ray.set: one object, not list"),
    ("provider helm", [{"kubernetes": {"hots": "h"}}], "provider.helm.kubernetes.hots: unknown"),
    (
        "resource kubernetes_manifest job wait_for",
        {"field": {}},
        "kubernetes_manifest.job.wait_for: {'field': {}} is no ['object', {'fields': ['map', 'string']}]",
    ),
    # What is Terraform's own
    (f"{CLUSTER} dependson", [], "google_container_cluster.cluster.dependson: unknown"),
    (
        f"{CLUSTER} lifecycle prevent_destory",
        True,
        "google_container_cluster.cluster.lifecycle.prevent_destory: unknown",
    ),
    (
        "data google_container_cluster cluster lifecycle",
        {"prevent_destroy": True},
        "data.google_container_cluster.cluster.lifecycle.prevent_destroy: unknown",
    ),
    (
        f"{CLUSTER} lifecycle ignore_changes",
        ["node_config[0].metdata"],
        "google_container_cluster.cluster.lifecycle.ignore_changes: node_config[0].metdata: no metdata there",
    ),
    (
        f"{CLUSTER} lifecycle precondition",
        [{"condition": "${true}"}],
        "google_container_cluster.cluster.lifecycle.precondition[0]: not just condition and error_message",
    ),
    (
        f"{CLUSTER} lifecycle replace_triggered_by",
        ["google_compute_network.main.nmae"],
        "resource.google_container_cluster.cluster.lifecycle.replace_triggered_by.0: google_compute_network.main.nmae:"
        " no nmae there",
    ),
    ("resource terraform_data x inputs", 1, "terraform_data.x.inputs: unknown"),
    ("terraform required_providers helm", None, "terraform.required_providers.helm: missing"),
    # Expressions
    (
        f"{CLUSTER} network",
        "${google_compute_network.mian.name}",
        "resource.google_container_cluster.cluster.network: google_compute_network.mian is not in the stack",
    ),
    (
        f"{CLUSTER} network",
        "${data.google_compute_network.main.name}",
        "resource.google_container_cluster.cluster.network: data.google_compute_network.main is not in the stack",
    ),
    (
        f"{CLUSTER} network",
        "${google_compute_network.main.nmae}",
        "resource.google_container_cluster.cluster.network: google_compute_network.main.nmae: no nmae there",
    ),
    (
        "resource google_compute_router_nat nat depends_on",
        ["google_compute_router.router"],
        "resource.google_compute_router_nat.nat.depends_on.0: google_compute_router.router is not in the stack",
    ),
    (
        "output ready",
        {"value": "${try(data.google_container_cluster.cluster.addons_config.ray_operator_config, {})}"},
        "output.ready.value: data.google_container_cluster.cluster.addons_config.ray_operator_config: no"
        " ray_operator_config there",
    ),
    (
        "check ready assert",
        [{"condition": "${{ a = { b = 1 } }.a.b == data.google_container_cluster.cluster.name[0]}"}],
        "check.ready.assert.0.condition: data.google_container_cluster.cluster.name[0]: no 0 there",
    ),
    (
        "data google_container_cluster cluster lifecycle postcondition",
        [{"condition": "${self.master_versoin != null}", "error_message": "None."}],
        "data.google_container_cluster.cluster.lifecycle.postcondition.0.condition:"
        " data.google_container_cluster.cluster.master_versoin: no master_versoin there",
    ),
    ("output token", {"value": "${var.tokn}"}, "output.token.value: var.tokn is not in the stack"),
]


@pytest.mark.parametrize(("path", "value", "fault"), BROKEN, ids=[fault for _, _, fault in BROKEN])
def test_each_kind_of_fault_is_found_and_nothing_else(path: str, value: object, fault: str) -> None:
    stack = copy.deepcopy(GOOD)
    *owners, key = path.split()
    owner = stack
    for step in owners:
        owner = owner.setdefault(step, {})
    if value is None:
        del owner[key]
    else:
        owner[key] = value
    assert faults(stack) == [fault]
