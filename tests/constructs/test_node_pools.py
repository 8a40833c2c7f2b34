"""The node pools, the reservation and Lustre, resource by resource."""

from __future__ import annotations

from catalog.interfaces import Interface
from constructs.cpu_pool import CpuPool
from constructs.gpu_pool import Capacity, GpuNode, GpuPool
from constructs.lustre_instance import LustreInstance
from constructs.node_identity import NodeIdentity
from constructs.reservation import Reservation
from stacks.site_stack import SiteStack
from tests.constructs.one_stack import built

NODE = GpuNode(machine="a4-highgpu-8g", gpu="nvidia-b200", gpus=8, driver="DEFAULT", local_ssds=32, disk_gib=100)
NICS = (
    Interface(device="eth1", network="gvnic-1", vpc="g-net", subnet="g-sub", mode="NetDevice"),
    Interface(device="eth2", network="rdma-0", vpc="r-net", subnet="r-sub-0", mode="RDMA"),
)


def test_a_gpu_pool_is_reserved_autoscaled_by_totals_and_never_surges() -> None:
    def build(stack: SiteStack) -> None:
        GpuPool(
            stack,
            "gpu-pool",
            name="gpu-pool",
            project="p",
            region="us-central1",
            zone="us-central1-b",
            cluster="c",
            node=NODE,
            capacity=Capacity(reservation="res"),
            min_nodes=0,
            max_nodes=2,
            interfaces=NICS,
            compact_placement=True,
            private_nodes=True,
            node_account="nodes@p.iam.gserviceaccount.com",
            preconditions=(),
        )

    assert built(build)["resource"]["google_container_node_pool"] == {
        "gpu-pool": {
            "name": "gpu-pool",
            "project": "p",
            "location": "us-central1",
            "node_locations": ["us-central1-b"],
            "cluster": "c",
            "initial_node_count": 0,
            "autoscaling": {"total_min_node_count": 0, "total_max_node_count": 2, "location_policy": "ANY"},
            "management": {"auto_repair": True, "auto_upgrade": True},
            "upgrade_settings": {"max_surge": 0, "max_unavailable": 1},
            "network_config": {
                "enable_private_nodes": True,
                "additional_node_network_configs": [
                    {"network": "g-net", "subnetwork": "g-sub"},
                    {"network": "r-net", "subnetwork": "r-sub-0"},
                ],
            },
            "placement_policy": {"type": "COMPACT"},
            "node_config": {
                "machine_type": "a4-highgpu-8g",
                "guest_accelerator": [
                    {
                        "type": "nvidia-b200",
                        "count": 8,
                        "gpu_driver_installation_config": {"gpu_driver_version": "DEFAULT"},
                    }
                ],
                "reservation_affinity": {
                    "consume_reservation_type": "SPECIFIC_RESERVATION",
                    "key": "compute.googleapis.com/reservation-name",
                    "values": ["res"],
                },
                "ephemeral_storage_local_ssd_config": {"local_ssd_count": 32},
                "disk_type": "hyperdisk-balanced",
                "disk_size_gb": 100,
                "service_account": "nodes@p.iam.gserviceaccount.com",
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
    }


def test_a_cpu_pool_is_autoscaled_by_totals_in_one_zone() -> None:
    def build(stack: SiteStack) -> None:
        CpuPool(
            stack,
            "cpu-pool",
            name="cpu-pool",
            project="p",
            region="us-central1",
            zone="us-central1-b",
            cluster="c",
            machine="n2-highmem-80",
            min_nodes=1,
            max_nodes=5,
            disk_gib=200,
            private_nodes=False,
            node_account="nodes@p.iam.gserviceaccount.com",
        )

    assert built(build)["resource"]["google_container_node_pool"] == {
        "cpu-pool": {
            "name": "cpu-pool",
            "project": "p",
            "location": "us-central1",
            "node_locations": ["us-central1-b"],
            "cluster": "c",
            "initial_node_count": 1,
            "autoscaling": {"total_min_node_count": 1, "total_max_node_count": 5, "location_policy": "BALANCED"},
            "management": {"auto_repair": True, "auto_upgrade": True},
            "upgrade_settings": {"max_surge": 1, "max_unavailable": 0},
            "network_config": {"enable_private_nodes": False},
            "node_config": {
                "machine_type": "n2-highmem-80",
                "disk_size_gb": 200,
                "service_account": "nodes@p.iam.gserviceaccount.com",
                "oauth_scopes": ["https://www.googleapis.com/auth/cloud-platform"],
                "gvnic": {"enabled": True},
                "metadata": {"disable-legacy-endpoints": "true"},
                "workload_metadata_config": {"mode": "GKE_METADATA"},
                "shielded_instance_config": {"enable_integrity_monitoring": True, "enable_secure_boot": False},
            },
            "lifecycle": {"ignore_changes": ["initial_node_count"]},
        }
    }


def test_a_lustre_instance_takes_its_numbers_as_texts_and_two_hours_to_come_up() -> None:
    def build(stack: SiteStack) -> None:
        LustreInstance(
            stack,
            "lustre",
            name="l",
            project="p",
            zone="us-central1-b",
            network_id="projects/p/global/networks/net",
            filesystem="lustrefs",
            capacity_gib=18000,
            throughput=500,
            gke_legacy_port=True,
            deletion_protection=True,
        )

    assert built(build)["resource"] == {
        "google_lustre_instance": {
            "lustre": {
                "instance_id": "l",
                "project": "p",
                "location": "us-central1-b",
                "network": "projects/p/global/networks/net",
                "filesystem": "lustrefs",
                "capacity_gib": "18000",
                "per_unit_storage_throughput": "500",
                "gke_support_enabled": True,
                "timeouts": {"create": "120m", "update": "60m", "delete": "60m"},
                "lifecycle": {"prevent_destroy": True},
            }
        }
    }


def test_nodes_run_as_an_account_that_may_log_measure_and_pull_images() -> None:
    def build(stack: SiteStack) -> None:
        NodeIdentity(stack, "nodes", project="p", account="site-nodes", cluster="site")

    resources = built(build)["resource"]
    assert resources["google_service_account"] == {
        "nodes": {"project": "p", "account_id": "site-nodes", "display_name": "Nodes of the GKE cluster site"}
    }
    assert {name: member["role"] for name, member in resources["google_project_iam_member"].items()} == {
        "nodes-artifactregistry-reader": "roles/artifactregistry.reader",
        "nodes-logging-logwriter": "roles/logging.logWriter",
        "nodes-monitoring-metricwriter": "roles/monitoring.metricWriter",
        "nodes-monitoring-viewer": "roles/monitoring.viewer",
        "nodes-stackdriver-resourcemetadata-writer": "roles/stackdriver.resourceMetadata.writer",
    }
    assert {member["member"] for member in resources["google_project_iam_member"].values()} == {
        "serviceAccount:${google_service_account.nodes.email}"
    }


def test_a_reservation_is_compared_with_nulls_in_mind() -> None:
    """A reservation that does not exist comes back with nulls; a condition on them must be false and not an error."""

    def build(stack: SiteStack) -> None:
        reservation = Reservation(
            stack,
            "reservation",
            name="res",
            project="p",
            zone="us-central1-b",
            machine="a4-highgpu-8g",
            gpu="nvidia-b200",
            gpus=8,
            local_ssds=32,
        )
        conditions.extend(precondition.condition for precondition in reservation.preconditions)

    conditions: list[object] = []
    data = built(build)["data"]
    assert data == {
        "google_compute_reservation": {"reservation": {"name": "res", "project": "p", "zone": "us-central1-b"}}
    }
    status = "data.google_compute_reservation.reservation.status"
    assert conditions[:2] == [f"${{{status} != null}}", f'${{try({status} == "READY", false)}}']
    assert all(str(condition).startswith("${try(") for condition in conditions[1:])
