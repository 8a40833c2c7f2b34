"""The node pool of eight-GPU machines on RDMA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cdktf import Precondition, TerraformResourceLifecycle
from cdktf_cdktf_provider_google.container_node_pool import (
    ContainerNodePool,
    ContainerNodePoolAutoscaling,
    ContainerNodePoolManagement,
    ContainerNodePoolNetworkConfig,
    ContainerNodePoolNetworkConfigAdditionalNodeNetworkConfigs,
    ContainerNodePoolNodeConfig,
    ContainerNodePoolNodeConfigEphemeralStorageLocalSsdConfig,
    ContainerNodePoolNodeConfigGuestAccelerator,
    ContainerNodePoolNodeConfigGuestAcceleratorGpuDriverInstallationConfig,
    ContainerNodePoolNodeConfigReservationAffinity,
    ContainerNodePoolNodeConfigShieldedInstanceConfig,
    ContainerNodePoolNodeConfigTaint,
    ContainerNodePoolPlacementPolicy,
    ContainerNodePoolTimeouts,
    ContainerNodePoolUpgradeSettings,
)

from catalog.interfaces import Interface
from constructs import Construct
from constructs.node_defaults import GVNIC, METADATA, OAUTH_SCOPES, WORKLOAD_METADATA


@dataclass(frozen=True, kw_only=True)
class GpuNode:
    """What a node of the pool is."""

    machine: str
    gpu: str
    gpus: int
    driver: Literal["DEFAULT", "LATEST"]
    local_ssds: int
    disk_gib: int


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """Where the nodes come from. `reservation` is the value that names one; without it nodes use no reservation."""

    reservation: str | None = None
    spot: bool = False
    flex_start: bool = False
    max_run_seconds: int | None = None


class GpuPool(Construct):
    """A pool of `min_nodes` to `max_nodes` GPU nodes in one zone; it starts with the fewest.

    The nodes' extra network interfaces are in the order given, and named by network name, because a path replaces the
    pool at the next plan. Upgrades take one node out at a time: there is no spare machine to surge with. How
    flex-start nodes are upgraded is GKE's own matter.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        name: str,
        project: str,
        region: str,
        zone: str,
        cluster: str,
        node: GpuNode,
        capacity: Capacity,
        min_nodes: int,
        max_nodes: int,
        interfaces: tuple[Interface, ...],
        compact_placement: bool,
        private_nodes: bool,
        node_account: str,
        preconditions: tuple[Precondition, ...],
    ) -> None:
        super().__init__(scope, id_)
        self.pool = ContainerNodePool(
            self,
            "Default",
            name=name,
            project=project,
            location=region,
            node_locations=[zone],
            cluster=cluster,
            initial_node_count=min_nodes,
            autoscaling=ContainerNodePoolAutoscaling(
                total_min_node_count=min_nodes,
                total_max_node_count=max_nodes,
                # ANY goes for unused reservations first.
                location_policy="ANY",
            ),
            # GKE repairs no flex-start node: it hands it back and waits for another.
            management=ContainerNodePoolManagement(auto_repair=not capacity.flex_start, auto_upgrade=True),
            # It upgrades them by a strategy of its own, SHORT_LIVED, which the provider cannot write: any other differs
            # for ever.
            upgrade_settings=None
            if capacity.flex_start
            else ContainerNodePoolUpgradeSettings(max_surge=0, max_unavailable=1),
            network_config=ContainerNodePoolNetworkConfig(
                enable_private_nodes=private_nodes,
                additional_node_network_configs=[
                    ContainerNodePoolNetworkConfigAdditionalNodeNetworkConfigs(
                        network=interface.vpc, subnetwork=interface.subnet
                    )
                    for interface in interfaces
                ],
            ),
            placement_policy=ContainerNodePoolPlacementPolicy(type="COMPACT") if compact_placement else None,
            node_config=_node_config(node, capacity, node_account),
            timeouts=ContainerNodePoolTimeouts(create="60m", update="60m", delete="60m"),
            lifecycle=TerraformResourceLifecycle(
                ignore_changes=[
                    # The count at creation is no wish for later: the autoscaler sets it.
                    "initial_node_count",
                    # GKE may answer with the SSDs of the machine type; a difference would replace the pool.
                    "node_config[0].ephemeral_storage_local_ssd_config",
                    "node_config[0].local_nvme_ssd_block_config",
                ],
                precondition=list(preconditions) or None,
            ),
        )


def _node_config(node: GpuNode, capacity: Capacity, node_account: str) -> ContainerNodePoolNodeConfig:
    return ContainerNodePoolNodeConfig(
        machine_type=node.machine,
        guest_accelerator=[
            ContainerNodePoolNodeConfigGuestAccelerator(
                type=node.gpu,
                count=node.gpus,
                gpu_driver_installation_config=ContainerNodePoolNodeConfigGuestAcceleratorGpuDriverInstallationConfig(
                    gpu_driver_version=node.driver
                ),
            )
        ],
        reservation_affinity=_affinity(capacity.reservation),
        spot=capacity.spot or None,
        flex_start=capacity.flex_start or None,
        max_run_duration=f"{capacity.max_run_seconds}s" if capacity.max_run_seconds else None,
        ephemeral_storage_local_ssd_config=ContainerNodePoolNodeConfigEphemeralStorageLocalSsdConfig(
            local_ssd_count=node.local_ssds
        ),
        disk_type="hyperdisk-balanced",
        disk_size_gb=node.disk_gib,
        service_account=node_account,
        oauth_scopes=list(OAUTH_SCOPES),
        gvnic=GVNIC,
        metadata=METADATA,
        workload_metadata_config=WORKLOAD_METADATA,
        shielded_instance_config=ContainerNodePoolNodeConfigShieldedInstanceConfig(
            enable_integrity_monitoring=True, enable_secure_boot=True
        ),
        # Written out, so that it holds whatever GKE adds by itself to a pool that is not the first.
        taint=[ContainerNodePoolNodeConfigTaint(key="nvidia.com/gpu", value="present", effect="NO_SCHEDULE")],
    )


def _affinity(reservation: str | None) -> ContainerNodePoolNodeConfigReservationAffinity:
    if reservation is None:
        return ContainerNodePoolNodeConfigReservationAffinity(consume_reservation_type="NO_RESERVATION")
    return ContainerNodePoolNodeConfigReservationAffinity(
        consume_reservation_type="SPECIFIC_RESERVATION",
        key="compute.googleapis.com/reservation-name",
        values=[reservation],
    )
