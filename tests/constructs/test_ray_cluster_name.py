"""When a RayCluster gets another name, and is so replaced, and when it keeps its name and changes in place."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from catalog.interfaces import extra_interfaces
from catalog.kuberay import RAY_CLUSTER_NAME_LIMIT
from constructs.ray_pod import gibibytes, unexpanded
from constructs.ray_pods import SITE_WORKERS, HeadPod, RayCluster, WorkerPods

INTERFACES = extra_interfaces(
    gvnic_vpc="g-net", gvnic_subnet="g-sub", rdma_vpc="r-net", rdma_subnets=tuple(f"r-sub-{n}" for n in range(8))
)
CLUSTER = RayCluster(
    image="nvcr.io/nvidia/nemo-rl:v0.5.0",
    ray_version="2.49.2",
    head=HeadPod(cpus=64, memory_gib=465, node_pool="cpu-pool"),
    workers=WorkerPods(
        count=2,
        cpus=206,
        memory_gib=2400,
        shared_memory_gib=240,
        gpus=8,
        accelerator="nvidia-b200",
        interfaces=INTERFACES,
        gib_image="example.com/gib:v1",
    ),
    service_account="ray",
    claim="lustre-pvc",
    token_secret="ray-tokens",
    scripts="ray-job-scripts",
    environment={"NCCL_NET": "gIB"},
    wandb=True,
    fluent_bit=False,
)


@pytest.mark.parametrize("count", [0, 1, 16])
def test_another_number_of_workers_keeps_the_name(count: int) -> None:
    other = replace(CLUSTER, workers=replace(CLUSTER.workers, count=count))

    assert other.name == CLUSTER.name


def test_another_order_of_the_variables_keeps_the_name() -> None:
    one, other = ({"A": "1", "B": "2"}, {"B": "2", "A": "1"})

    assert replace(CLUSTER, environment=one).name == replace(CLUSTER, environment=other).name


OTHERS = {
    "image": replace(CLUSTER, image="nvcr.io/nvidia/nemo-rl:v0.6.0"),
    "ray version": replace(CLUSTER, ray_version="2.54.0"),
    "variable": replace(CLUSTER, environment={"NCCL_NET": "gIB", "NCCL_DEBUG": "INFO"}),
    "head's CPUs": replace(CLUSTER, head=replace(CLUSTER.head, cpus=32)),
    "head's memory": replace(CLUSTER, head=replace(CLUSTER.head, memory_gib=400)),
    "head's pool": replace(CLUSTER, head=replace(CLUSTER.head, node_pool="other-pool")),
    "worker's CPUs": replace(CLUSTER, workers=replace(CLUSTER.workers, cpus=200)),
    "worker's memory": replace(CLUSTER, workers=replace(CLUSTER.workers, memory_gib=2000)),
    "shared memory": replace(CLUSTER, workers=replace(CLUSTER.workers, shared_memory_gib=480)),
    "GPU": replace(CLUSTER, workers=replace(CLUSTER.workers, accelerator="nvidia-h200-141gb")),
    "interfaces": replace(CLUSTER, workers=replace(CLUSTER.workers, interfaces=INTERFACES[1:])),
    "gIB": replace(CLUSTER, workers=replace(CLUSTER.workers, gib_image="example.com/gib:v2")),
    "service account": replace(CLUSTER, service_account="other"),
    "claim": replace(CLUSTER, claim="other"),
    "token secret": replace(CLUSTER, token_secret="other"),
    "scripts": replace(CLUSTER, scripts="other"),
    "wandb": replace(CLUSTER, wandb=False),
    "fluent bit": replace(CLUSTER, fluent_bit=True),
}


@pytest.mark.parametrize("change", OTHERS)
def test_a_change_of_what_a_pod_is_made_of_makes_another_name(change: str) -> None:
    assert OTHERS[change].name != CLUSTER.name


def test_two_different_changes_make_two_different_names() -> None:
    assert len({other.name for other in OTHERS.values()}) == len(OTHERS)


def test_the_workers_of_the_site_are_told_from_those_of_a_jobs_own_cluster_by_their_names() -> None:
    assert re.fullmatch(SITE_WORKERS, f"{CLUSTER.name}-gpu-worker-x7k2p")
    assert not re.fullmatch(SITE_WORKERS, f"{CLUSTER.name}-head-x7k2p")
    # KubeRay appends five characters to the RayJob's name.
    assert not re.fullmatch(SITE_WORKERS, f"{CLUSTER.name}-b4xz9-gpu-worker-x7k2p")
    assert not re.fullmatch(SITE_WORKERS, "gemma3-27b-gsm8k-0123456789-b4xz9-gpu-worker-x7k2p")


def test_the_name_is_a_dns_label_within_kuberays_limit_and_stays_the_same_from_run_to_run() -> None:
    assert re.fullmatch(r"ray-[0-9a-f]{10}", CLUSTER.name)
    assert len(CLUSTER.name) <= RAY_CLUSTER_NAME_LIMIT
    assert replace(CLUSTER).name == CLUSTER.name


@pytest.mark.parametrize(
    ("amount", "quantity"), [(1, "1Gi"), (465, "465Gi"), (1024, "1Ti"), (2048, "2Ti"), (2400, "2400Gi")]
)
def test_memory_is_written_as_the_api_writes_it_back(amount: int, quantity: str) -> None:
    assert gibibytes(amount) == quantity


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", "plain"),
        ("$HOME ${HOME} 5$", "$HOME ${HOME} 5$"),
        ("$(NAME)", "$$(NAME)"),
        ("$$", "$$$"),
        ("$$(NAME)", "$$$$(NAME)"),
    ],
)
def test_a_variables_value_is_safe_from_kubernetes_own_replacement(text: str, written: str) -> None:
    assert unexpanded(text) == written
    assert _as_kubelet(written) == text


def _as_kubelet(text: str) -> str:
    """What the process gets: kubelet's expansion (k8s.io/kubernetes/third_party/forked/golang/expansion), NAME=x."""
    return re.sub(r"\$(\$|\(NAME\))", lambda match: "$" if match[1] == "$" else "x", text)
