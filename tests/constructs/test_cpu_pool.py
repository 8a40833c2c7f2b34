from __future__ import annotations

from constructs.cpu_pool import CpuPool
from tests.constructs.one_stack import built


def test_the_pool_of_the_ray_head_is_counted_as_a_whole_and_runs_as_the_nodes_account() -> None:
    stack = built(
        lambda stack: CpuPool(
            stack,
            "cpu-pool",
            name="cpu-pool",
            project="my-project",
            region="us-central1",
            zone="us-central1-b",
            cluster="prod",
            machine="n2-highmem-80",
            min_nodes=1,
            max_nodes=5,
            disk_gib=200,
            private_nodes=False,
            node_account="nodes@my-project.iam.gserviceaccount.com",
        )
    )
    assert stack["resource"]["google_container_node_pool"] == {
        "cpu-pool": {
            "name": "cpu-pool",
            "project": "my-project",
            "location": "us-central1",
            # The tutorial's counts are per zone of a regional cluster: 1 to 5 there are 3 to 15 machines.
            "node_locations": ["us-central1-b"],
            "cluster": "prod",
            "initial_node_count": 1,
            "autoscaling": {"total_min_node_count": 1, "total_max_node_count": 5, "location_policy": "BALANCED"},
            "management": {"auto_repair": True, "auto_upgrade": True},
            "upgrade_settings": {"max_surge": 1, "max_unavailable": 0},
            # Written although it is off: the block's own default is false whatever the cluster says.
            "network_config": {"enable_private_nodes": False},
            "node_config": {
                "machine_type": "n2-highmem-80",
                "disk_size_gb": 200,
                "service_account": "nodes@my-project.iam.gserviceaccount.com",
                "oauth_scopes": ["https://www.googleapis.com/auth/cloud-platform"],
                "gvnic": {"enabled": True},
                "metadata": {"disable-legacy-endpoints": "true"},
                "workload_metadata_config": {"mode": "GKE_METADATA"},
                # Lustre's kernel module loads under secure boot on GPU machines only.
                "shielded_instance_config": {"enable_integrity_monitoring": True, "enable_secure_boot": False},
            },
            "lifecycle": {"ignore_changes": ["initial_node_count"]},
        }
    }
