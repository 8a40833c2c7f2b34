"""The GKE cluster, without its node pools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cdktf import ITerraformDependable, TerraformResourceLifecycle
from cdktf_cdktf_provider_google.container_cluster import (
    ContainerCluster,
    ContainerClusterAddonsConfig,
    ContainerClusterAddonsConfigLustreCsiDriverConfig,
    ContainerClusterAddonsConfigRayOperatorConfig,
    ContainerClusterAddonsConfigRayOperatorConfigRayClusterLoggingConfig,
    ContainerClusterAddonsConfigRayOperatorConfigRayClusterMonitoringConfig,
    ContainerClusterControlPlaneEndpointsConfig,
    ContainerClusterControlPlaneEndpointsConfigDnsEndpointConfig,
    ContainerClusterControlPlaneEndpointsConfigIpEndpointsConfig,
    ContainerClusterIpAllocationPolicy,
    ContainerClusterLoggingConfig,
    ContainerClusterMaintenancePolicy,
    ContainerClusterMaintenancePolicyDailyMaintenanceWindow,
    ContainerClusterMaintenancePolicyMaintenanceExclusion,
    ContainerClusterMaintenancePolicyMaintenanceExclusionExclusionOptions,
    ContainerClusterMasterAuthorizedNetworksConfig,
    ContainerClusterMasterAuthorizedNetworksConfigCidrBlocks,
    ContainerClusterMonitoringConfig,
    ContainerClusterMonitoringConfigManagedPrometheus,
    ContainerClusterNodeConfig,
    ContainerClusterPrivateClusterConfig,
    ContainerClusterReleaseChannel,
    ContainerClusterWorkloadIdentityConfig,
)

from catalog.gke import MONITORED_COMPONENTS
from constructs import Construct


@dataclass(frozen=True, kw_only=True)
class NamedRanges:
    """Pods and services get their addresses from ranges that the subnet has, by these names."""

    pods: str
    services: str


@dataclass(frozen=True, kw_only=True)
class AddedRanges:
    """Pods and services get their addresses from these CIDRs, which GKE adds to the subnet."""

    pods: str
    services: str


@dataclass(frozen=True, kw_only=True)
class RayAddon:
    """The Ray operator add-on, and whether GKE collects the logs and metrics of Ray clusters."""

    enabled: bool
    logs: bool
    metrics: bool


@dataclass(frozen=True, kw_only=True)
class ControlPlaneAccess:
    """How one reaches the control plane; `authorized_networks` are for the IP endpoints."""

    endpoint: Literal["dns", "public", "private"]
    authorized_networks: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Exclusion:
    """A time without upgrades: name, first and last moment (RFC 3339), and what does not happen."""

    name: str
    start: str
    end: str
    scope: str


class GkeCluster(Construct):
    """A regional, VPC-native cluster on Dataplane V2 with multi-networking, Workload Identity, the Lustre driver and
    DCGM metrics.

    The default pool is made and removed; while it lives it runs as `node_account`. Each block is written with its off
    value too: GKE keeps what a configuration merely leaves out. No node pool is inline, because a change of one would
    replace the cluster.
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
        network: str,
        subnetwork: str,
        pod_ranges: NamedRanges | AddedRanges,
        minor_version: str,
        release_channel: str,
        access: ControlPlaneAccess,
        private_nodes: bool,
        ray_addon: RayAddon,
        lustre_legacy_port: bool,
        maintenance_start: str,
        exclusions: tuple[Exclusion, ...],
        node_account: str,
        deletion_protection: bool,
        depends_on: tuple[ITerraformDependable, ...],
    ) -> None:
        super().__init__(scope, id_)
        self.cluster = ContainerCluster(
            self,
            "Default",
            name=name,
            project=project,
            location=region,
            node_locations=[zone],
            network=network,
            subnetwork=subnetwork,
            networking_mode="VPC_NATIVE",
            ip_allocation_policy=_ip_allocation(pod_ranges),
            datapath_provider="ADVANCED_DATAPATH",
            enable_multi_networking=True,
            min_master_version=minor_version,
            release_channel=ContainerClusterReleaseChannel(channel=release_channel),
            workload_identity_config=ContainerClusterWorkloadIdentityConfig(workload_pool=f"{project}.svc.id.goog"),
            addons_config=_addons(ray_addon, lustre_legacy_port),
            private_cluster_config=ContainerClusterPrivateClusterConfig(
                enable_private_nodes=private_nodes, enable_private_endpoint=access.endpoint == "private"
            ),
            control_plane_endpoints_config=_endpoints(access),
            master_authorized_networks_config=_authorized_networks(access),
            enable_shielded_nodes=True,
            logging_config=ContainerClusterLoggingConfig(enable_components=["SYSTEM_COMPONENTS", "WORKLOADS"]),
            monitoring_config=ContainerClusterMonitoringConfig(
                enable_components=list(MONITORED_COMPONENTS),
                managed_prometheus=ContainerClusterMonitoringConfigManagedPrometheus(enabled=True),
            ),
            maintenance_policy=_maintenance(maintenance_start, exclusions),
            remove_default_node_pool=True,
            initial_node_count=1,
            node_config=ContainerClusterNodeConfig(service_account=node_account),
            deletion_protection=deletion_protection,
            # The default pool's configuration goes with it, and the API calls its order of components arbitrary.
            lifecycle=TerraformResourceLifecycle(
                ignore_changes=["node_config", "monitoring_config[0].enable_components"]
            ),
            depends_on=list(depends_on),
        )


def _ip_allocation(ranges: NamedRanges | AddedRanges) -> ContainerClusterIpAllocationPolicy:
    match ranges:
        case NamedRanges(pods=pods, services=services):
            return ContainerClusterIpAllocationPolicy(
                cluster_secondary_range_name=pods, services_secondary_range_name=services
            )
        case AddedRanges(pods=pods, services=services):
            return ContainerClusterIpAllocationPolicy(cluster_ipv4_cidr_block=pods, services_ipv4_cidr_block=services)


def _addons(ray: RayAddon, lustre_legacy_port: bool) -> ContainerClusterAddonsConfig:
    return ContainerClusterAddonsConfig(
        # The schema takes up to three of these blocks; a second one is a diff for ever.
        ray_operator_config=[
            ContainerClusterAddonsConfigRayOperatorConfig(
                enabled=ray.enabled,
                ray_cluster_logging_config=ContainerClusterAddonsConfigRayOperatorConfigRayClusterLoggingConfig(
                    enabled=ray.logs
                ),
                ray_cluster_monitoring_config=ContainerClusterAddonsConfigRayOperatorConfigRayClusterMonitoringConfig(
                    enabled=ray.metrics
                ),
            )
        ],
        lustre_csi_driver_config=ContainerClusterAddonsConfigLustreCsiDriverConfig(
            enabled=True, enable_legacy_lustre_port=lustre_legacy_port
        ),
    )


def _endpoints(access: ControlPlaneAccess) -> ContainerClusterControlPlaneEndpointsConfig:
    by_dns = access.endpoint == "dns"
    return ContainerClusterControlPlaneEndpointsConfig(
        dns_endpoint_config=ContainerClusterControlPlaneEndpointsConfigDnsEndpointConfig(allow_external_traffic=by_dns),
        # Written as on too: left out, the provider keeps it off and sends no authorized networks, and a cluster that
        # comes from `dns` would have no entrance left. Off, together with authorized networks, is a diff for ever.
        ip_endpoints_config=ContainerClusterControlPlaneEndpointsConfigIpEndpointsConfig(enabled=not by_dns),
    )


def _authorized_networks(access: ControlPlaneAccess) -> ContainerClusterMasterAuthorizedNetworksConfig | None:
    if access.endpoint == "dns":
        return None
    return ContainerClusterMasterAuthorizedNetworksConfig(
        cidr_blocks=[
            ContainerClusterMasterAuthorizedNetworksConfigCidrBlocks(cidr_block=ip_range)
            for ip_range in access.authorized_networks
        ],
        # Left out, GKE decides: every address of Google Cloud may come in beside them, and all of the VPC by the
        # private address.
        gcp_public_cidrs_access_enabled=False,
        private_endpoint_enforcement_enabled=True,
    )


def _maintenance(start: str, exclusions: tuple[Exclusion, ...]) -> ContainerClusterMaintenancePolicy:
    return ContainerClusterMaintenancePolicy(
        daily_maintenance_window=ContainerClusterMaintenancePolicyDailyMaintenanceWindow(start_time=start),
        maintenance_exclusion=[
            ContainerClusterMaintenancePolicyMaintenanceExclusion(
                exclusion_name=exclusion.name,
                start_time=exclusion.start,
                end_time=exclusion.end,
                exclusion_options=ContainerClusterMaintenancePolicyMaintenanceExclusionExclusionOptions(
                    scope=exclusion.scope
                ),
            )
            for exclusion in exclusions
        ],
    )
