"""What is dangerous about a plan of this project, in plain words: one function a rule.

Each rule gets one change and yields the words, without the address.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, cast

from tools.plan_summary.changes import Change, Edit, Json

Rule = Callable[[Change], Iterator[str]]


def dangers(change: Change) -> Iterator[str]:
    """Why somebody should look twice at a change before it is applied; nothing for a harmless one."""
    for rule in RULES:
        yield from rule(change)


def _fate(change: Change) -> str:
    return "replaced" if change.action == "replace" else "destroyed"


# The layers, from the network up -------------------------------------------------------------------------------------

#: What is lost with a resource of the network layer.
_NETWORK = {
    "google_compute_network": "A network is {fate}, and whatever stands in it must go first",
    "google_compute_subnetwork": "A subnet is {fate}, and whatever stands in it must go first",
    "google_compute_global_address": "The address range of private services is {fate}; Lustre has its address there",
    "google_service_networking_connection": "The connection to private services is {fate}; Lustre is reached by it",
    "google_compute_firewall": "A firewall rule is {fate}; what it lets in is refused until it is back",
    "google_compute_router": "The router of Cloud NAT is {fate}; private nodes lose their way to the internet",
    "google_compute_router_nat": "Cloud NAT is {fate}; private nodes lose their way to the internet",
}


def network(change: Change) -> Iterator[str]:
    if change.type in _NETWORK and change.gone:
        yield _NETWORK[change.type].format(fate=_fate(change))


def lustre(change: Change) -> Iterator[str]:
    if change.type != "google_lustre_instance":
        return
    if change.gone:
        yield f"Lustre is {_fate(change)}, with all data on it"
    if (edit := change.edit("capacity_gib")) and _less(edit):
        yield f"Lustre would shrink from {edit.old} to {edit.new} GiB, which the API refuses at the apply"
    if change.edit("gke_support_enabled") and not change.gone:
        yield "Lustre's port changes; a node that runs keeps the old one, and mounts fail until it is made anew"


def cluster(change: Change) -> Iterator[str]:
    if change.type != "google_container_cluster":
        return
    if change.gone:
        yield f"The cluster is {_fate(change)}, with all that runs in it"
        return
    if (edit := change.edit("min_master_version")) and edit.old is not None:
        yield f"The control plane is upgraded from {edit.old} to {edit.new}, and nodes follow in the daily window"
    if (edit := change.edit("remove_default_node_pool")) and edit.new is True:
        yield "The apply deletes the node pool default-pool, if there is one, and evicts all that runs on it"
    if (edit := change.edit("deletion_protection")) and edit.new is False:
        yield "The cluster loses its deletion protection"
    if (edit := change.edit("control_plane_endpoints_config", 0, "ip_endpoints_config", 0, "enabled")) and not edit.new:
        yield "The control plane's IP endpoint goes; who uses it must fetch credentials for the DNS endpoint"
    if (edit := change.edit("node_locations")) and edit.old:
        yield f"Nodes in {' and '.join(map(str, edit.old))} go, and what runs on them"
    if any("enable_legacy_lustre_port" in edit.path for edit in change.edits):
        yield "Lustre's port changes; a node that runs keeps the old one, and mounts fail until it is made anew"


#: Changes that the provider makes in place and GKE carries out by making each node anew.
_NODE_BY_NODE = frozenset({"machine_type", "disk_type", "disk_size_gb", "image_type", "boot_disk"})


def node_pool(change: Change) -> Iterator[str]:
    if change.type != "google_container_node_pool":
        return
    gpu = bool(_only(change.before.get("node_config")).get("guest_accelerator"))
    pool, runs = ("The GPU pool", "the Ray workers") if gpu else ("A CPU pool", "what runs on it, the Ray head perhaps")
    if change.gone:
        yield f"{pool} is {_fate(change)}: every node goes, and {runs} with it"
    elif any(edit.path[0] == "version" or {*edit.path} & _NODE_BY_NODE for edit in change.edits):
        yield f"{pool} gets new nodes, one after the other, which restarts {runs}"


def account(change: Change) -> Iterator[str]:
    if change.type == "google_service_account" and change.gone:
        yield f"A service account is {_fate(change)}; what runs as it loses its rights"


#: What is lost with an object in the cluster.
_OBJECTS = {
    "kubernetes_namespace_v1": "The namespace is {fate}, with everything in it",
    "kubernetes_persistent_volume_v1": "The volume of Lustre is {fate}; the data stays, but pods must let go",
    "kubernetes_persistent_volume_claim_v1": "The claim to Lustre is {fate}; the data stays, but pods must let go",
    "kubernetes_secret_v1": "The Secret with the tokens is {fate}; pods that start meanwhile find none",
    "kubernetes_service_account_v1": "The service account of the Ray pods is {fate}; they lose their rights",
}


def cluster_object(change: Change) -> Iterator[str]:
    if change.type in _OBJECTS and change.gone:
        yield _OBJECTS[change.type].format(fate=_fate(change))
    if change.type == "kubernetes_manifest" and change.gone and _kind(change) in ("Network", "GKENetworkParamSet"):
        yield f"A pod network is {_fate(change)}; pods on it lose an RDMA or gVNIC card"


def ray_cluster(change: Change) -> Iterator[str]:
    if change.type != "helm_release":
        return
    chart, old, new = change.before.get("chart"), change.before.get("name"), change.after.get("name")
    if chart == "kuberay-operator" and change.gone:
        yield f"The KubeRay operator is {_fate(change)}; meanwhile nobody looks after Ray clusters and jobs"
    if chart != "ray-cluster":
        return
    if change.action == "replace":
        yield f"The Ray workers restart: {new} replaces {old}, all of its pods stop, and a job that runs there ends"
    elif change.action == "destroy":
        yield f"The Ray cluster {old} is destroyed: all of its pods stop, and a job that runs there ends"
    elif (fewer := _replicas(change)) and fewer[1] < fewer[0]:
        yield f"The Ray workers go from {fewer[0]} to {fewer[1]}; a job that uses those that go ends"


def ray_job(change: Change) -> Iterator[str]:
    if change.type != "kubernetes_manifest" or _kind(change) != "RayJob" or not change.gone:
        return
    name = _only(_only(change.before.get("manifest")).get("metadata")).get("name", "")
    yield f"The RayJob {name} is deleted; if it still runs, it is stopped (a plan cannot tell)"
    if change.reason == "tainted":
        yield f"Tainted, as by a wait that ran out; to keep it: terraform untaint {change.address}"


RULES: tuple[Rule, ...] = (
    network,
    lustre,
    cluster,
    node_pool,
    account,
    cluster_object,
    ray_cluster,
    ray_job,
)


# Reading -------------------------------------------------------------------------------------------------------------


def _only(block: Any) -> Json:
    """A block: a plan has a list of one where the configuration has a block."""
    one = cast("list[Any]", block)[0] if isinstance(block, list) and block else cast("Any", block)
    return cast("Json", one) if isinstance(one, dict) else {}


def _kind(change: Change) -> str:
    return str(_only(change.before.get("manifest")).get("kind", ""))


def _less(edit: Edit) -> bool:
    try:
        return int(edit.new) < int(edit.old)
    except (TypeError, ValueError):
        return False


def _replicas(change: Change) -> tuple[int, int] | None:
    """All workers of a release of the ray-cluster chart, before and after; the values are one YAML text."""
    counts: list[int] = []
    for side in (change.before, change.after):
        text = "\n".join(str(one) for one in side.get("values") or ())
        counts.append(sum(map(int, re.findall(r"(?m)^\s+replicas: (\d+)$", text))))
    return (counts[0], counts[1]) if counts[0] != counts[1] else None
