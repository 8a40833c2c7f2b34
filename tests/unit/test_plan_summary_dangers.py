"""What is dangerous in this project is said in plain words, and what is not is passed over."""

from __future__ import annotations

from typing import Any

import pytest

from tests.plans import REPLACE, entry, plan
from tools.plan_summary.dangers import dangers

Json = dict[str, Any]

GPU: Json = {"node_config": [{"guest_accelerator": [{"type": "nvidia-b200"}], "machine_type": "a4-highgpu-8g"}]}
CPU: Json = {"node_config": [{"guest_accelerator": [], "machine_type": "n2-highmem-80"}]}
RAY_JOB: Json = {"manifest": {"kind": "RayJob", "metadata": {"name": "gsm8k-1f2e3d"}}}


def pool(before: Json, **node: Any) -> tuple[Json, Json]:
    """A pool before and after a change of its nodes."""
    return before, {"node_config": [{**before["node_config"][0], **node}]}


def release(chart: str, name: str, *replicas: int) -> Json:
    groups = "".join(f"  group-{at}:\n    replicas: {count}\n    minReplicas: 9\n" for at, count in enumerate(replicas))
    return {"chart": chart, "name": name, "values": [f"replicas: 9\nworkers:\n{groups}"]}


DANGEROUS: list[tuple[Json, list[str]]] = [
    (
        entry("google_lustre_instance.lustre", "delete", {"name": "l"}),
        ["Lustre is destroyed, with all data on it"],
    ),
    (
        entry("google_lustre_instance.lustre", REPLACE, {}, {}),
        ["Lustre is replaced, with all data on it"],
    ),
    (
        entry("google_lustre_instance.lustre", "update", {"capacity_gib": "36000"}, {"capacity_gib": "9000"}),
        ["Lustre would shrink from 36000 to 9000 GiB, which the API refuses at the apply"],
    ),
    (
        entry("google_lustre_instance.lustre", "update", {"gke_support_enabled": True}, {"gke_support_enabled": False}),
        ["Lustre's port changes; a node that runs keeps the old one, and mounts fail until it is made anew"],
    ),
    (
        entry("google_lustre_instance.lustre", REPLACE, {"gke_support_enabled": True}, {"gke_support_enabled": False}),
        ["Lustre is replaced, with all data on it"],
    ),
    (
        entry("google_container_cluster.cluster", ["create", "delete"], {}, {}),
        ["The cluster is replaced, with all that runs in it"],
    ),
    (
        entry(
            "google_container_cluster.cluster", "update", {"min_master_version": "1.33"}, {"min_master_version": "1.34"}
        ),
        ["The control plane is upgraded from 1.33 to 1.34, and nodes follow in the daily window"],
    ),
    (
        entry(
            "google_container_cluster.cluster", "update", {"deletion_protection": True}, {"deletion_protection": False}
        ),
        ["The cluster loses its deletion protection"],
    ),
    (
        entry(
            "google_container_cluster.cluster",
            "update",
            {"remove_default_node_pool": None, "node_locations": ["us-central1-a", "us-central1-b"]},
            {"remove_default_node_pool": True, "node_locations": ["us-central1-b"]},
            importing={"id": "projects/p/locations/us-central1/clusters/c"},
        ),
        [
            "The apply deletes the node pool default-pool, if there is one, and evicts all that runs on it",
            "Nodes in us-central1-a go, and what runs on them",
        ],
    ),
    (
        entry(
            "google_container_cluster.cluster",
            "update",
            {"control_plane_endpoints_config": [{"ip_endpoints_config": [{"enabled": True}]}]},
            {"control_plane_endpoints_config": [{"ip_endpoints_config": [{"enabled": False}]}]},
        ),
        ["The control plane's IP endpoint goes; who uses it must fetch credentials for the DNS endpoint"],
    ),
    (
        entry(
            "google_container_cluster.cluster",
            "update",
            {"addons_config": [{"lustre_csi_driver_config": [{"enable_legacy_lustre_port": True}]}]},
            {"addons_config": [{"lustre_csi_driver_config": [{"enable_legacy_lustre_port": False}]}]},
        ),
        ["Lustre's port changes; a node that runs keeps the old one, and mounts fail until it is made anew"],
    ),
    (
        entry("google_container_node_pool.gpu-pool", REPLACE, GPU, GPU),
        ["The GPU pool is replaced: every node goes, and the Ray workers with it"],
    ),
    (
        entry("google_container_node_pool.cpu-pool", "delete", CPU),
        ["A CPU pool is destroyed: every node goes, and what runs on it, the Ray head perhaps with it"],
    ),
    (
        entry("google_container_node_pool.gpu-pool", "update", *pool(GPU, machine_type="a3-ultragpu-8g")),
        ["The GPU pool gets new nodes, one after the other, which restarts the Ray workers"],
    ),
    (
        entry("google_container_cluster.cluster", "update", {"node_locations": ["r-b"]}, {"node_locations": ["r-a"]}),
        ["Nodes in r-b go, and what runs on them"],
    ),
    (
        entry(
            "google_container_node_pool.gpu-pool",
            "update",
            {**GPU, "node_locations": ["r-b"]},
            {**GPU, "node_locations": ["r-a"]},
        ),
        ["The GPU pool leaves r-b: its nodes there go, with the Ray workers"],
    ),
    (
        entry(
            "google_container_node_pool.cpu-pool",
            "update",
            {**CPU, "node_locations": ["r-a", "r-b", "r-c"]},
            {**CPU, "node_locations": ["r-c"]},
        ),
        ["A CPU pool leaves r-a and r-b: its nodes there go, with what runs on it, the Ray head perhaps"],
    ),
    (
        entry("google_compute_network.rdma", "delete", {}),
        ["A network is destroyed, and whatever stands in it must go first"],
    ),
    (
        entry("google_compute_subnetwork.rdma-subnet-3", REPLACE, {}, {}),
        ["A subnet is replaced, and whatever stands in it must go first"],
    ),
    (
        entry("google_compute_global_address.private-services-range", REPLACE, {}, {}),
        ["The address range of private services is replaced; Lustre has its address there"],
    ),
    (
        entry("google_service_networking_connection.private-services", "delete", {}),
        ["The connection to private services is destroyed; Lustre is reached by it"],
    ),
    (
        entry("google_compute_firewall.lustre-ingress", REPLACE, {}, {}),
        ["A firewall rule is replaced; what it lets in is refused until it is back"],
    ),
    (
        entry("google_compute_router.nat-router", "delete", {}),
        ["The router of Cloud NAT is destroyed; private nodes lose their way to the internet"],
    ),
    (
        entry("google_compute_router_nat.nat", "delete", {}),
        ["Cloud NAT is destroyed; private nodes lose their way to the internet"],
    ),
    (
        entry("google_service_account.nodes", "delete", {}),
        ["A service account is destroyed; what runs as it loses its rights"],
    ),
    (
        entry("kubernetes_namespace_v1.namespace", "delete", {}),
        ["The namespace is destroyed, with everything in it"],
    ),
    (
        entry("kubernetes_persistent_volume_v1.lustre", "delete", {}),
        ["The volume of Lustre is destroyed; the data stays, but pods must let go"],
    ),
    (
        entry("kubernetes_secret_v1.tokens", REPLACE, {}, {}),
        ["The Secret with the tokens is replaced; pods that start meanwhile find none"],
    ),
    (
        entry("kubernetes_service_account_v1.ray", "delete", {}),
        ["The service account of the Ray pods is destroyed; they lose their rights"],
    ),
    (
        entry("kubernetes_persistent_volume_claim_v1.lustre", REPLACE, {}, {}),
        ["The claim to Lustre is replaced; the data stays, but pods must let go"],
    ),
    (
        entry("kubernetes_manifest.pod-networks-rdma-0", "delete", {"manifest": {"kind": "Network"}}),
        ["A pod network is destroyed; pods on it lose an RDMA or gVNIC card"],
    ),
    (
        entry("kubernetes_manifest.parameters", REPLACE, {"manifest": {"kind": "GKENetworkParamSet"}}, {}),
        ["A pod network is replaced; pods on it lose an RDMA or gVNIC card"],
    ),
    (
        entry(
            "helm_release.ray", REPLACE, release("ray-cluster", "ray-aaaa", 2), release("ray-cluster", "ray-bbbb", 1)
        ),
        ["The Ray workers restart: ray-bbbb replaces ray-aaaa, all of its pods stop, and a job that runs there ends"],
    ),
    (
        entry("helm_release.ray", "delete", release("ray-cluster", "ray-aaaa", 2)),
        ["The Ray cluster ray-aaaa is destroyed: all of its pods stop, and a job that runs there ends"],
    ),
    (
        entry("helm_release.ray", "update", release("ray-cluster", "r", 4, 1), release("ray-cluster", "r", 2, 1)),
        ["The Ray workers go from 5 to 3; a job that uses those that go ends"],
    ),
    (
        entry("helm_release.operator", "delete", release("kuberay-operator", "kuberay-operator")),
        ["The KubeRay operator is destroyed; meanwhile nobody looks after Ray clusters and jobs"],
    ),
    (
        entry("kubernetes_manifest.job", "delete", RAY_JOB, action_reason="delete_because_no_resource_config"),
        ["The RayJob gsm8k-1f2e3d is deleted; if it still runs, it is stopped (a plan cannot tell)"],
    ),
    (
        entry("kubernetes_manifest.job", REPLACE, RAY_JOB, RAY_JOB, action_reason="replace_because_tainted"),
        [
            "The RayJob gsm8k-1f2e3d is deleted; if it still runs, it is stopped (a plan cannot tell)",
            "Tainted, as by a wait that ran out; to keep it, terraform untaint",
        ],
    ),
]


@pytest.mark.parametrize(
    "change",
    [
        ({"version": "1.33"}, {"version": "1.34"}),
        pool(CPU, disk_type="hyperdisk-balanced"),
        pool(CPU, disk_size_gb=200),
        pool(CPU, image_type="UBUNTU_CONTAINERD"),
        pool(CPU, boot_disk=[{"size_gb": 200}]),
    ],
    ids=lambda change: str(change[1]),
)
def test_a_pool_whose_nodes_are_made_anew_restarts_what_runs_on_them(change: tuple[Json, Json]) -> None:
    (it,) = plan(entry("google_container_node_pool.cpu-pool", "update", *change)).changes
    assert list(dangers(it)) == [
        "A CPU pool gets new nodes, one after the other, which restarts what runs on it, the Ray head perhaps"
    ]


@pytest.mark.parametrize(("given", "texts"), DANGEROUS, ids=[texts[0] for _, texts in DANGEROUS])
def test_a_dangerous_change_is_said_in_plain_words(given: Json, texts: list[str]) -> None:
    (change,) = plan(given).changes
    assert list(dangers(change)) == texts


HARMLESS: list[Json] = [
    entry("google_lustre_instance.lustre", "create", None, {"capacity_gib": "18000"}),
    entry("google_lustre_instance.lustre", "update", {"capacity_gib": "9000"}, {"capacity_gib": "18000"}),
    entry("google_lustre_instance.lustre", "forget", {"name": "l"}, None),
    entry("google_compute_network.main", "update", {"mtu": 1460}, {"mtu": 8896}),
    entry("google_compute_network.main", "no-op", {}, {}, importing={"id": "n"}),
    entry("google_container_cluster.cluster", "update", {"min_master_version": None}, {"min_master_version": "1.34"}),
    entry("google_container_cluster.cluster", "update", {"deletion_protection": False}, {"deletion_protection": True}),
    entry(
        "google_container_cluster.cluster",
        "update",
        {"remove_default_node_pool": True},
        {"remove_default_node_pool": False},
    ),
    entry(
        "google_container_cluster.cluster",
        "update",
        {"control_plane_endpoints_config": [{"ip_endpoints_config": [{"enabled": False}]}]},
        {"control_plane_endpoints_config": [{"ip_endpoints_config": [{"enabled": True}]}]},
    ),
    entry(
        "google_container_node_pool.gpu-pool",
        "update",
        {**GPU, "autoscaling": [{"total_max_node_count": 2}]},
        {**GPU, "autoscaling": [{"total_max_node_count": 3}]},
    ),
    entry(
        "google_container_node_pool.gpu-pool",
        "update",
        {**GPU, "node_locations": ["r-b"]},
        {**GPU, "node_locations": ["r-b", "r-c"]},
    ),
    entry(
        "google_container_cluster.cluster",
        "update",
        {"node_locations": ["r-b"], "a": 1},
        {"a": 2},
        after_unknown={"node_locations": True},
    ),
    entry("google_project_service.api-lustre", "delete", {}),
    entry("helm_release.ray", "update", release("ray-cluster", "r", 2), release("ray-cluster", "r", 4)),
    entry(
        "helm_release.ray",
        "update",
        release("ray-cluster", "r", 2),
        {"chart": "ray-cluster", "name": "r"},
        after_unknown={"values": True},
    ),
    entry(
        "helm_release.ray",
        "update",
        release("ray-cluster", "r", 2),
        {**release("ray-cluster", "r", 1), "values": [None]},
        after_unknown={"values": [True]},
    ),
    entry(
        "helm_release.ray",
        "update",
        release("ray-cluster", "r", 2),
        release("ray-cluster", "r", 1),
        after_sensitive={"values": [True]},
    ),
    entry("kubernetes_manifest.job", "create", None, RAY_JOB),
    entry("kubernetes_config_map_v1.job-scripts", "update", {"data": {"a": "1"}}, {"data": {"a": "2"}}),
]


@pytest.mark.parametrize("given", HARMLESS, ids=[f"{one['address']} {one['change']['actions'][0]}" for one in HARMLESS])
def test_a_harmless_change_is_passed_over(given: Json) -> None:
    (change,) = plan(given).changes
    assert list(dangers(change)) == []
