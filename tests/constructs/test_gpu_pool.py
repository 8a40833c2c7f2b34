from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from cdktf import Precondition

from catalog.interfaces import extra_interfaces
from constructs.gpu_pool import Capacity, GpuNode, GpuPool
from tests.constructs.one_stack import built

RESERVED = Capacity(reservation="my-reservation")


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What a user may choose about the pool."""

    capacity: Capacity = RESERVED
    min_nodes: int = 0
    compact_placement: bool = False
    private_nodes: bool = True
    preconditions: tuple[Precondition, ...] = ()


def pool(chosen: Choices) -> dict[str, Any]:
    stack = built(
        lambda stack: GpuPool(
            stack,
            "gpu-pool",
            name="gpu-pool",
            project="my-project",
            region="us-central1",
            zone="us-central1-b",
            cluster="prod",
            node=GpuNode(
                machine="a4-highgpu-8g", gpu="nvidia-b200", gpus=8, driver="LATEST", local_ssds=32, disk_gib=100
            ),
            capacity=chosen.capacity,
            min_nodes=chosen.min_nodes,
            max_nodes=2,
            interfaces=extra_interfaces(
                gvnic_vpc="prod-gvnic-net",
                gvnic_subnet="prod-gvnic-sub",
                rdma_vpc="prod-rdma-net",
                rdma_subnets=("prod-rdma-sub-0", "prod-rdma-sub-1"),
            ),
            compact_placement=chosen.compact_placement,
            private_nodes=chosen.private_nodes,
            node_account="nodes@my-project.iam.gserviceaccount.com",
            preconditions=chosen.preconditions,
        )
    )
    return stack["resource"]["google_container_node_pool"]["gpu-pool"]


def test_the_pool_is_the_tutorials_with_driver_ssds_and_upgrades_for_machines_that_have_no_spare() -> None:
    assert pool(Choices()) == {
        "name": "gpu-pool",
        "project": "my-project",
        "location": "us-central1",
        "node_locations": ["us-central1-b"],
        "cluster": "prod",
        "initial_node_count": 0,
        "autoscaling": {"total_min_node_count": 0, "total_max_node_count": 2, "location_policy": "ANY"},
        "management": {"auto_repair": True, "auto_upgrade": True},
        "upgrade_settings": {"max_surge": 0, "max_unavailable": 1},
        "network_config": {
            "enable_private_nodes": True,
            "additional_node_network_configs": [
                {"network": "prod-gvnic-net", "subnetwork": "prod-gvnic-sub"},
                {"network": "prod-rdma-net", "subnetwork": "prod-rdma-sub-0"},
                {"network": "prod-rdma-net", "subnetwork": "prod-rdma-sub-1"},
            ],
        },
        "node_config": {
            "machine_type": "a4-highgpu-8g",
            "guest_accelerator": [
                {
                    "type": "nvidia-b200",
                    "count": 8,
                    "gpu_driver_installation_config": {"gpu_driver_version": "LATEST"},
                }
            ],
            "reservation_affinity": {
                "consume_reservation_type": "SPECIFIC_RESERVATION",
                "key": "compute.googleapis.com/reservation-name",
                "values": ["my-reservation"],
            },
            "ephemeral_storage_local_ssd_config": {"local_ssd_count": 32},
            "disk_type": "hyperdisk-balanced",
            "disk_size_gb": 100,
            "service_account": "nodes@my-project.iam.gserviceaccount.com",
            "oauth_scopes": ["https://www.googleapis.com/auth/cloud-platform"],
            "gvnic": {"enabled": True},
            "metadata": {"disable-legacy-endpoints": "true"},
            "workload_metadata_config": {"mode": "GKE_METADATA"},
            "shielded_instance_config": {"enable_integrity_monitoring": True, "enable_secure_boot": True},
            "taint": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}],
        },
        "timeouts": {"create": "60m", "update": "60m", "delete": "60m"},
        "lifecycle": {
            "ignore_changes": [
                "initial_node_count",
                "node_config[0].ephemeral_storage_local_ssd_config",
                "node_config[0].local_nvme_ssd_block_config",
            ]
        },
    }


UNRESERVED = {"reservation_affinity": {"consume_reservation_type": "NO_RESERVATION"}}


@pytest.mark.parametrize(
    ("capacity", "changed", "repaired"),
    [
        pytest.param(Capacity(), UNRESERVED, True, id="on-demand"),
        pytest.param(Capacity(spot=True), {**UNRESERVED, "spot": True}, True, id="spot"),
        # GKE takes flex-start without auto-repair only.
        pytest.param(Capacity(flex_start=True), {**UNRESERVED, "flex_start": True}, False, id="flex-start"),
        pytest.param(
            Capacity(flex_start=True, max_run_seconds=86_400),
            {**UNRESERVED, "flex_start": True, "max_run_duration": "86400s"},
            False,
            id="flex-start for a day",
        ),
    ],
)
def test_another_capacity_changes_affinity_marks_repair_and_upgrades_alone(
    capacity: Capacity, changed: dict[str, Any], repaired: bool
) -> None:
    plain = pool(Choices())
    if capacity.flex_start:  # GKE upgrades these by SHORT_LIVED, which provider 6.50.0 refuses to write
        del plain["upgrade_settings"]
    assert pool(Choices(capacity=capacity)) == {
        **plain,
        "management": {"auto_repair": repaired, "auto_upgrade": True},
        "node_config": {**plain["node_config"], **changed},
    }


def test_a_pool_that_keeps_nodes_starts_with_them() -> None:
    plain = pool(Choices())
    assert pool(Choices(min_nodes=2)) == {
        **plain,
        "initial_node_count": 2,
        "autoscaling": {**plain["autoscaling"], "total_min_node_count": 2},
    }


def test_placement_is_compact_on_request() -> None:
    assert pool(Choices(compact_placement=True)) == {**pool(Choices()), "placement_policy": {"type": "COMPACT"}}


def test_public_nodes_are_written_as_such_beside_the_extra_networks() -> None:
    assert pool(Choices(private_nodes=False))["network_config"]["enable_private_nodes"] is False


def test_preconditions_stand_in_the_pools_lifecycle() -> None:
    condition = Precondition(condition="${1 == 1}", error_message="One is one.")
    plain = pool(Choices())
    assert pool(Choices(preconditions=(condition,))) == {
        **plain,
        "lifecycle": {
            **plain["lifecycle"],
            "precondition": [{"condition": "${1 == 1}", "error_message": "One is one."}],
        },
    }
