"""The node pool of the Ray head and of the cluster's own services."""

from __future__ import annotations

from cdktf import TerraformResourceLifecycle
from cdktf_cdktf_provider_google.container_node_pool import (
    ContainerNodePool,
    ContainerNodePoolAutoscaling,
    ContainerNodePoolManagement,
    ContainerNodePoolNetworkConfig,
    ContainerNodePoolNodeConfig,
    ContainerNodePoolNodeConfigShieldedInstanceConfig,
    ContainerNodePoolUpgradeSettings,
)

from catalog.gke import CPU_POOL_SURGE
from constructs import Construct
from constructs.node_defaults import GVNIC, METADATA, OAUTH_SCOPES, WORKLOAD_METADATA


class CpuPool(Construct):
    """A pool of `min_nodes` to `max_nodes` nodes in one zone, counted over the pool and not per zone."""

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
        machine: str,
        min_nodes: int,
        max_nodes: int,
        disk_gib: int,
        private_nodes: bool,
        node_account: str,
    ) -> None:
        super().__init__(scope, id_)
        ContainerNodePool(
            self,
            "Default",
            name=name,
            project=project,
            location=region,
            node_locations=[zone],
            cluster=cluster,
            initial_node_count=min_nodes,
            autoscaling=ContainerNodePoolAutoscaling(
                total_min_node_count=min_nodes, total_max_node_count=max_nodes, location_policy="BALANCED"
            ),
            management=ContainerNodePoolManagement(auto_repair=True, auto_upgrade=True),
            upgrade_settings=ContainerNodePoolUpgradeSettings(max_surge=CPU_POOL_SURGE, max_unavailable=0),
            network_config=ContainerNodePoolNetworkConfig(enable_private_nodes=private_nodes),
            node_config=ContainerNodePoolNodeConfig(
                machine_type=machine,
                disk_size_gb=disk_gib,
                service_account=node_account,
                oauth_scopes=list(OAUTH_SCOPES),
                gvnic=GVNIC,
                metadata=METADATA,
                workload_metadata_config=WORKLOAD_METADATA,
                shielded_instance_config=ContainerNodePoolNodeConfigShieldedInstanceConfig(
                    enable_integrity_monitoring=True,
                    # Managed Lustre's kernel module loads under secure boot on GPU machine types only.
                    enable_secure_boot=False,
                ),
            ),
            # The count at creation is no wish for later: the autoscaler sets it.
            lifecycle=TerraformResourceLifecycle(ignore_changes=["initial_node_count"]),
        )
