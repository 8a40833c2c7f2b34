from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from constructs.gke_cluster import AddedRanges, ControlPlaneAccess, Exclusion, GkeCluster, NamedRanges, RayAddon
from constructs.node_identity import NodeIdentity
from stacks.site_stack import SiteStack
from tests.constructs.one_stack import built

NAMED = NamedRanges(pods="pods", services="services")
BY_DNS = ControlPlaneAccess(endpoint="dns", authorized_networks=())
WITH_RAY = RayAddon(enabled=True, logs=True, metrics=True)


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What a user may choose about a cluster."""

    pod_ranges: NamedRanges | AddedRanges = NAMED
    access: ControlPlaneAccess = BY_DNS
    private_nodes: bool = True
    ray_addon: RayAddon = WITH_RAY
    lustre_legacy_port: bool = True
    exclusions: tuple[Exclusion, ...] = ()
    deletion_protection: bool = True


def cluster(chosen: Choices) -> dict[str, Any]:
    def add(stack: SiteStack) -> None:
        nodes = NodeIdentity(stack, "nodes", project="my-project", account="prod-nodes", cluster="prod")
        GkeCluster(
            stack,
            "cluster",
            name="prod",
            project="my-project",
            region="us-central1",
            zone="us-central1-b",
            network="prod-net",
            subnetwork="prod-net-nodes",
            pod_ranges=chosen.pod_ranges,
            minor_version="1.34",
            release_channel="REGULAR",
            access=chosen.access,
            private_nodes=chosen.private_nodes,
            ray_addon=chosen.ray_addon,
            lustre_legacy_port=chosen.lustre_legacy_port,
            maintenance_start="09:00",
            exclusions=chosen.exclusions,
            node_account=nodes.account.email,
            deletion_protection=chosen.deletion_protection,
            depends_on=nodes.roles,
        )

    return built(add)["resource"]["google_container_cluster"]["cluster"]


def test_the_cluster_is_the_tutorials_with_every_block_of_ours_written_out() -> None:
    assert cluster(Choices()) == {
        "name": "prod",
        "project": "my-project",
        "location": "us-central1",
        "node_locations": ["us-central1-b"],
        "network": "prod-net",
        "subnetwork": "prod-net-nodes",
        "networking_mode": "VPC_NATIVE",
        "ip_allocation_policy": {
            "cluster_secondary_range_name": "pods",
            "services_secondary_range_name": "services",
        },
        "datapath_provider": "ADVANCED_DATAPATH",
        "enable_multi_networking": True,
        "min_master_version": "1.34",
        "release_channel": {"channel": "REGULAR"},
        "workload_identity_config": {"workload_pool": "my-project.svc.id.goog"},
        "addons_config": {
            "ray_operator_config": [
                {
                    "enabled": True,
                    "ray_cluster_logging_config": {"enabled": True},
                    "ray_cluster_monitoring_config": {"enabled": True},
                }
            ],
            "lustre_csi_driver_config": {"enabled": True, "enable_legacy_lustre_port": True},
        },
        "private_cluster_config": {"enable_private_nodes": True, "enable_private_endpoint": False},
        "control_plane_endpoints_config": {
            "dns_endpoint_config": {"allow_external_traffic": True},
            "ip_endpoints_config": {"enabled": False},
        },
        "enable_shielded_nodes": True,
        "logging_config": {"enable_components": ["SYSTEM_COMPONENTS", "WORKLOADS"]},
        "monitoring_config": {
            # The order in which the API answers.
            "enable_components": [
                "SYSTEM_COMPONENTS",
                "STORAGE",
                "HPA",
                "POD",
                "DAEMONSET",
                "DEPLOYMENT",
                "STATEFULSET",
                "CADVISOR",
                "KUBELET",
                "DCGM",
            ],
            "managed_prometheus": {"enabled": True},
        },
        "maintenance_policy": {
            "daily_maintenance_window": {"start_time": "09:00"},
            "maintenance_exclusion": [],
        },
        # The default pool: made, because GKE makes no cluster without one, and taken away again. Meanwhile it runs as
        # the nodes' account, because a project may have no Compute default account.
        "remove_default_node_pool": True,
        "initial_node_count": 1,
        "node_config": {"service_account": "${google_service_account.nodes.email}"},
        "deletion_protection": True,
        "lifecycle": {"ignore_changes": ["node_config", "monitoring_config[0].enable_components"]},
        # A node that starts without its roles neither logs nor pulls.
        "depends_on": [
            "google_project_iam_member.nodes-artifactregistry-reader",
            "google_project_iam_member.nodes-logging-logwriter",
            "google_project_iam_member.nodes-monitoring-metricwriter",
            "google_project_iam_member.nodes-monitoring-viewer",
            "google_project_iam_member.nodes-stackdriver-resourcemetadata-writer",
        ],
    }


EXCLUSION = Exclusion(
    name="run-7", start="2027-01-15T00:00:00Z", end="2027-02-15T00:00:00Z", scope="NO_MINOR_OR_NODE_UPGRADES"
)
OFF = {"enabled": False}
BY_IP = {"dns_endpoint_config": {"allow_external_traffic": False}, "ip_endpoints_config": {"enabled": True}}


@pytest.mark.parametrize(
    ("chosen", "changed"),
    [
        pytest.param(
            Choices(pod_ranges=AddedRanges(pods="10.4.0.0/14", services="10.0.32.0/20")),
            {
                "ip_allocation_policy": {
                    "cluster_ipv4_cidr_block": "10.4.0.0/14",
                    "services_ipv4_cidr_block": "10.0.32.0/20",
                }
            },
            id="ranges that GKE adds",
        ),
        pytest.param(
            Choices(access=ControlPlaneAccess(endpoint="public", authorized_networks=("203.0.113.0/24",))),
            {
                # On is written too: a cluster that comes from `dns` would stay without an entrance.
                "control_plane_endpoints_config": BY_IP,
                "master_authorized_networks_config": {
                    "cidr_blocks": [{"cidr_block": "203.0.113.0/24"}],
                    "gcp_public_cidrs_access_enabled": False,
                    "private_endpoint_enforcement_enabled": True,
                },
            },
            id="public endpoint",
        ),
        pytest.param(
            Choices(access=ControlPlaneAccess(endpoint="private", authorized_networks=("10.0.0.0/20",))),
            {
                "private_cluster_config": {"enable_private_nodes": True, "enable_private_endpoint": True},
                "control_plane_endpoints_config": BY_IP,
                "master_authorized_networks_config": {
                    "cidr_blocks": [{"cidr_block": "10.0.0.0/20"}],
                    "gcp_public_cidrs_access_enabled": False,
                    "private_endpoint_enforcement_enabled": True,
                },
            },
            id="private endpoint",
        ),
        pytest.param(
            Choices(private_nodes=False),
            {"private_cluster_config": {"enable_private_nodes": False, "enable_private_endpoint": False}},
            id="public nodes",
        ),
        pytest.param(
            Choices(ray_addon=RayAddon(enabled=False, logs=False, metrics=False), lustre_legacy_port=False),
            {
                "addons_config": {
                    "ray_operator_config": [
                        {
                            "enabled": False,
                            "ray_cluster_logging_config": OFF,
                            "ray_cluster_monitoring_config": OFF,
                        }
                    ],
                    "lustre_csi_driver_config": {"enabled": True, "enable_legacy_lustre_port": False},
                }
            },
            id="add-on and legacy port off",
        ),
        pytest.param(
            Choices(exclusions=(EXCLUSION,)),
            {
                "maintenance_policy": {
                    "daily_maintenance_window": {"start_time": "09:00"},
                    "maintenance_exclusion": [
                        {
                            "exclusion_name": "run-7",
                            "start_time": "2027-01-15T00:00:00Z",
                            "end_time": "2027-02-15T00:00:00Z",
                            "exclusion_options": {"scope": "NO_MINOR_OR_NODE_UPGRADES"},
                        }
                    ],
                }
            },
            id="a time without upgrades",
        ),
        pytest.param(Choices(deletion_protection=False), {"deletion_protection": False}, id="unprotected"),
    ],
)
def test_a_choice_changes_its_own_blocks_and_nothing_else(chosen: Choices, changed: dict[str, Any]) -> None:
    assert cluster(chosen) == {**cluster(Choices()), **changed}
