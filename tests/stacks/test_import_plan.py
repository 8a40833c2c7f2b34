"""Every resource of the tutorial has an import block with the id that the provider documents."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import MINIMAL, Stacks
from tools.import_plan import as_hcl, imports

#: A site built by hand from the tutorial, with its variables filled in, and the environment that takes it over.
BY_HAND = (
    "name: hand\n"
    + MINIMAL
    + "network: {mode: auto}\n"
    + "names: {network: corp, gvnic_prefix: corp-gvnic, rdma_prefix: corp-rdma, cluster: rl, lustre: corp-lustre}\n"
)


@pytest.fixture(scope="module")
def site(synthesize: Any) -> Stacks:
    return synthesize(BY_HAND)


def test_the_network_layer_takes_over_what_the_tutorial_made(site: Stacks) -> None:
    rdma = {
        f"google_compute_subnetwork.rdma-subnet-{index}": (
            f"projects/my-project/regions/us-central1/subnetworks/corp-rdma-sub-{index}"
        )
        for index in range(8)
    }
    assert imports(site["hand_network"]) == {
        "google_project_service.api-compute": "my-project/compute.googleapis.com",
        "google_project_service.api-container": "my-project/container.googleapis.com",
        "google_project_service.api-storage": "my-project/storage.googleapis.com",
        "google_compute_network.main": "projects/my-project/global/networks/corp",
        "google_compute_network.gvnic": "projects/my-project/global/networks/corp-gvnic-net",
        "google_compute_network.rdma": "projects/my-project/global/networks/corp-rdma-net",
        "google_compute_subnetwork.gvnic-subnet": "projects/my-project/regions/us-central1/subnetworks/corp-gvnic-sub",
        **rdma,
        "google_compute_firewall.gvnic-internal": "projects/my-project/global/firewalls/corp-gvnic-internal",
        "google_compute_global_address.private-services-range": (
            "projects/my-project/global/addresses/corp-lustre-range"
        ),
        "google_service_networking_connection.private-services": (
            "/projects/my-project/global/networks/corp:servicenetworking.googleapis.com"
        ),
    }


def test_the_layers_above_take_over_lustre_cluster_and_gpu_pool(site: Stacks) -> None:
    assert imports(site["hand_storage"]) == {
        "google_lustre_instance.lustre": "projects/my-project/locations/us-central1-b/instances/corp-lustre"
    }
    assert imports(site["hand_cluster"]) == {
        "google_container_cluster.cluster": "projects/my-project/locations/us-central1/clusters/rl",
        "google_container_node_pool.gpu-pool": "my-project/us-central1/rl/gpu-pool",
    }


def test_the_blocks_are_terraforms_own() -> None:
    assert as_hcl({"google_compute_network.main": "projects/p/global/networks/corp"}) == (
        'import {\n  to = google_compute_network.main\n  id = "projects/p/global/networks/corp"\n}\n'
    )
