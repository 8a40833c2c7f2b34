"""Every resource gets the import id that the provider documents, at the address that the stacks have for it.

The forms were rehearsed with the real provider 6.50.0 against a stand-in of the APIs: with them a site whose state was
lost plans empty after one apply.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support import MINIMAL, Stacks
from tools import import_plan
from tools.import_plan import as_hcl, everything, from_tutorial, imports
from tools.synthesized import stacks_of

#: A site built by hand from the tutorial, with its variables filled in, and the environment that takes it over.
BY_HAND = (
    "name: hand\n"
    + MINIMAL
    + "network: {mode: auto, nat: false}\n"
    + "cluster: {private_nodes: false}\n"
    + "names: {network: corp, gvnic_prefix: corp-gvnic, rdma_prefix: corp-rdma, cluster: rl, lustre: corp-lustre}\n"
)


@pytest.fixture(scope="module")
def site(synthesize: Any) -> Stacks:
    return synthesize(BY_HAND)


def by_tutorial(stack: dict[str, Any]) -> dict[str, str]:
    return imports(stack, from_tutorial(stack))


NETWORK = {
    "google_project_service.api-compute": "my-project/compute.googleapis.com",
    "google_project_service.api-container": "my-project/container.googleapis.com",
    "google_project_service.api-storage": "my-project/storage.googleapis.com",
    "google_compute_network.main": "projects/my-project/global/networks/corp",
    "google_compute_network.gvnic": "projects/my-project/global/networks/corp-gvnic-net",
    "google_compute_network.rdma": "projects/my-project/global/networks/corp-rdma-net",
    "google_compute_subnetwork.gvnic-subnet": "projects/my-project/regions/us-central1/subnetworks/corp-gvnic-sub",
    "google_compute_subnetwork.rdma-subnet-0": "projects/my-project/regions/us-central1/subnetworks/corp-rdma-sub-0",
    "google_compute_subnetwork.rdma-subnet-1": "projects/my-project/regions/us-central1/subnetworks/corp-rdma-sub-1",
    "google_compute_subnetwork.rdma-subnet-2": "projects/my-project/regions/us-central1/subnetworks/corp-rdma-sub-2",
    "google_compute_subnetwork.rdma-subnet-3": "projects/my-project/regions/us-central1/subnetworks/corp-rdma-sub-3",
    "google_compute_subnetwork.rdma-subnet-4": "projects/my-project/regions/us-central1/subnetworks/corp-rdma-sub-4",
    "google_compute_subnetwork.rdma-subnet-5": "projects/my-project/regions/us-central1/subnetworks/corp-rdma-sub-5",
    "google_compute_subnetwork.rdma-subnet-6": "projects/my-project/regions/us-central1/subnetworks/corp-rdma-sub-6",
    "google_compute_subnetwork.rdma-subnet-7": "projects/my-project/regions/us-central1/subnetworks/corp-rdma-sub-7",
    "google_compute_firewall.gvnic-internal": "projects/my-project/global/firewalls/corp-gvnic-internal",
    "google_compute_global_address.private-services-range": "projects/my-project/global/addresses/corp-lustre-range",
    "google_service_networking_connection.private-services": (
        "projects/my-project/global/networks/corp:servicenetworking.googleapis.com"
    ),
}
STORAGE = {"google_lustre_instance.lustre": "projects/my-project/locations/us-central1-b/instances/corp-lustre"}
CLUSTER = {
    "google_container_cluster.cluster": "projects/my-project/locations/us-central1/clusters/rl",
    "google_container_node_pool.gpu-pool": "my-project/us-central1/rl/gpu-pool",
}


@pytest.mark.parametrize(
    ("layer", "expected"),
    [("network", NETWORK), ("storage", STORAGE), ("cluster", CLUSTER)],
    ids=lambda it: str(it)[:9],
)
def test_a_site_built_by_the_tutorial_is_taken_over(layer: str, expected: dict[str, str], site: Stacks) -> None:
    assert by_tutorial(site[f"hand_{layer}"]) == expected


def test_what_the_tutorial_does_not_make_is_taken_over_only_with_everything(examples: Stacks) -> None:
    ours = {
        address: id_
        for layer in ("network", "storage", "cluster")
        for stack in [examples[f"example-b200_{layer}"]]
        for address, id_ in imports(stack, everything).items()
        if address not in by_tutorial(stack) and not address.startswith("google_project_service.")
    }
    nodes = "serviceAccount:example-b200-nodes@my-project.iam.gserviceaccount.com"
    assert ours == {
        "google_compute_subnetwork.main-nodes": (
            "projects/my-project/regions/us-central1/subnetworks/example-b200-net-nodes"
        ),
        "google_compute_firewall.lustre-ingress": "projects/my-project/global/firewalls/example-b200-net-lustre",
        "google_compute_router.nat-router": "projects/my-project/regions/us-central1/routers/example-b200-net-router",
        "google_compute_router_nat.nat": (
            "projects/my-project/regions/us-central1/routers/example-b200-net-router/example-b200-net-nat"
        ),
        "google_service_account.nodes": (
            "projects/my-project/serviceAccounts/example-b200-nodes@my-project.iam.gserviceaccount.com"
        ),
        "google_service_account.workload": (
            "projects/my-project/serviceAccounts/example-b200-ray@my-project.iam.gserviceaccount.com"
        ),
        "google_project_iam_member.nodes-artifactregistry-reader": f"my-project roles/artifactregistry.reader {nodes}",
        "google_project_iam_member.nodes-logging-logwriter": f"my-project roles/logging.logWriter {nodes}",
        "google_project_iam_member.nodes-monitoring-metricwriter": f"my-project roles/monitoring.metricWriter {nodes}",
        "google_project_iam_member.nodes-monitoring-viewer": f"my-project roles/monitoring.viewer {nodes}",
        "google_project_iam_member.nodes-stackdriver-resourcemetadata-writer": (
            f"my-project roles/stackdriver.resourceMetadata.writer {nodes}"
        ),
        "google_container_node_pool.cpu-pool": "my-project/us-central1/example-b200/cpu-pool",
    }


@pytest.mark.parametrize("example", ["example-b200", "example-h200"])
@pytest.mark.parametrize("layer", ["network", "storage", "cluster"])
def test_with_everything_no_resource_of_a_layer_is_left_out(example: str, layer: str, examples: Stacks) -> None:
    stack = examples[f"{example}_{layer}"]
    assert len(imports(stack, everything)) == sum(map(len, stack["resource"].values()))
    assert not any("$" in id_ for id_ in imports(stack, everything).values())


def test_a_pool_of_gpus_by_another_name_is_taken_over_too(synthesize: Any) -> None:
    stacks: Stacks = synthesize(f"name: hand\n{MINIMAL}".replace("gpu_pool:", "gpu_pool:\n  name: b200"))
    assert by_tutorial(stacks["hand_cluster"])["google_container_node_pool.b200"] == "my-project/us-central1/hand/b200"


def test_the_blocks_are_terraforms_own() -> None:
    assert as_hcl({"google_compute_network.main": "projects/p/global/networks/corp"}) == (
        'import {\n  to = google_compute_network.main\n  id = "projects/p/global/networks/corp"\n}\n'
    )


@pytest.fixture
def output(examples_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The cdktf.out of the examples, in which a command may write."""
    output = tmp_path / "cdktf.out"
    for layer in ("network", "storage", "cluster"):
        folder = output / "stacks" / f"example-b200_{layer}"
        folder.mkdir(parents=True)
        (folder / "cdk.tf.json").symlink_to(examples_folder / "stacks" / folder.name / "cdk.tf.json")
    (output / "manifest.json").symlink_to(examples_folder / "manifest.json")
    for other in examples_folder.glob("stacks/*"):
        if not (output / "stacks" / other.name).exists():
            (output / "stacks" / other.name).symlink_to(other)
    monkeypatch.setattr(import_plan, "stacks_of", partial(stacks_of, output=output))
    monkeypatch.setattr(import_plan, "ROOT", tmp_path)
    return output


def test_a_file_that_cannot_be_written_is_said(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (output / "stacks" / "example-b200_network" / "imports.tf").mkdir()
    assert import_plan.main(["example-b200"]) == 2
    assert capsys.readouterr().err == (
        "cdktf.out/stacks/example-b200_network/imports.tf cannot be written: Is a directory\n"
    )


def test_the_command_writes_a_file_a_layer_beside_the_json(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert import_plan.main(["example-b200", "--everything"]) == 0
    assert capsys.readouterr().out == (
        "cdktf.out/stacks/example-b200_network/imports.tf: 31 resources\n"
        "cdktf.out/stacks/example-b200_cluster/imports.tf: 10 resources\n"
        "cdktf.out/stacks/example-b200_storage/imports.tf: 1 resources\n"
    )
    assert (output / "stacks" / "example-b200_storage" / "imports.tf").read_text(encoding="utf-8") == (
        "import {\n  to = google_lustre_instance.lustre\n"
        '  id = "projects/my-project/locations/us-central1-b/instances/example-b200-lustre"\n}\n'
    )


@pytest.mark.parametrize("arguments", [[], ["--everything"], ["a", "b"], ["nowhere"]])
def test_a_wrong_call_writes_nothing_and_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert import_plan.main(arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1
