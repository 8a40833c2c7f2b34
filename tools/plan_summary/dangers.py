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
        yield f"Lustre would shrink from {_name(edit.old)} to {_name(edit.new)} GiB, which the API refuses at the apply"
    if change.edit("gke_support_enabled") and not change.gone:
        yield "Lustre's port changes; a node that runs keeps the old one, and mounts fail until it is made anew"


def cluster(change: Change) -> Iterator[str]:
    if change.type != "google_container_cluster":
        return
    if change.gone:
        yield f"The cluster is {_fate(change)}, with all that runs in it"
        return
    if (edit := change.edit("min_master_version")) and edit.old is not None:
        old, new = _name(edit.old), _name(edit.new)
        yield f"The control plane is upgraded from {old} to {new}, and nodes follow in the daily window"
    if (edit := change.edit("remove_default_node_pool")) and edit.new is True:
        yield "The apply deletes the node pool default-pool, if there is one, and evicts all that runs on it"
    if (edit := change.edit("deletion_protection")) and edit.new is False:
        yield "The cluster loses its deletion protection"
    if (edit := change.edit("control_plane_endpoints_config", 0, "ip_endpoints_config", 0, "enabled")) and not edit.new:
        yield "The control plane's IP endpoint goes; who uses it must fetch credentials for the DNS endpoint"
    if zones := _zones_left(change):
        yield f"Nodes in {' and '.join(zones)} go, and what runs on them"
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
    elif any(edit.path[:1] == ("version",) or {*edit.path} & _NODE_BY_NODE for edit in change.edits):
        yield f"{pool} gets new nodes, one after the other, which restarts {runs}"
    if not change.gone and (zones := _zones_left(change)):
        yield f"{pool} leaves {' and '.join(zones)}: its nodes there go, with {runs}"


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
    chart, old, new = change.before.get("chart"), _name(change.before.get("name")), _name(change.after.get("name"))
    if chart == "kuberay-operator" and change.gone:
        yield f"The KubeRay operator is {_fate(change)}; meanwhile nobody looks after Ray clusters and jobs"
    if chart != "ray-cluster":
        return
    before, after = _replicas(change.before.get("values")), _replicas(change.after.get("values"))
    if change.action == "replace":
        yield f"The Ray workers restart: {new} replaces {old}, all of its pods stop, and a job that runs there ends"
    elif change.action == "destroy":
        yield f"The Ray cluster {old} is destroyed: all of its pods stop, and a job that runs there ends"
    elif before is not None and after is not None and after < before:
        yield f"The Ray workers go from {before} to {after}; a job that uses those that go ends"


def ray_job(change: Change) -> Iterator[str]:
    if change.type != "kubernetes_manifest" or _kind(change) != "RayJob" or not change.gone:
        return
    name = _name(_only(_only(change.before.get("manifest")).get("metadata")).get("name", ""))
    yield f"The RayJob {name} is deleted; if it still runs, it is stopped (a plan cannot tell)"
    if change.reason == "tainted":
        yield "Tainted, as by a wait that ran out; to keep it, terraform untaint"


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


def _name(value: Any) -> str:
    """A name or a number as it may stand in a sentence, also of Markdown: no name has what is a question mark here."""
    return re.sub(r"[^\w.()-]", "?", str(value))


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


def _zones_left(change: Change) -> list[str]:
    """The zones in which a cluster or a pool has nodes, and will have none."""
    old, new = change.before.get("node_locations"), change.after.get("node_locations")
    if not isinstance(old, list) or not isinstance(new, list):  # unknown, or masked
        return []
    return sorted({_name(zone) for zone in cast("list[Any]", old)} - {_name(zone) for zone in cast("list[Any]", new)})


def _replicas(values: Any) -> int | None:
    """All workers in the values of the ray-cluster chart, which are one YAML text; None where that is not known."""
    texts = cast("list[Any]", values) if isinstance(values, list) else []
    counts = re.findall(r"(?m)^\s+replicas: (\d+)$", "\n".join(map(str, texts)))
    return sum(map(int, counts)) if counts else None
