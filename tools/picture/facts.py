"""What a picture of a site shows, read from the synthesized JSON of its stacks and from nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML

from catalog.lustre import LEGACY_PORT, PORT, total_throughput
from tools.synthesized import LAYERS

#: Stack id -> the content of its cdk.tf.json.
Stacks = Mapping[str, Mapping[str, Any]]
Body = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Range:
    """A named range of addresses; `name` is empty where Google chooses it."""

    name: str
    addresses: str


@dataclass(frozen=True, kw_only=True)
class Network:
    """A VPC and its subnets in order; `traits` says in a line each how it is set up."""

    name: str
    traits: tuple[str, ...]
    subnets: tuple[Range, ...]


@dataclass(frozen=True, kw_only=True)
class MainNetwork(Network):
    """The VPC of the cluster; pods and services are ranges of its one subnet, or chosen beside it in auto mode."""

    pods: str
    services: str
    private_services: Range


@dataclass(frozen=True, kw_only=True)
class Pool:
    """A node pool: how many machines of which kind, from where."""

    name: str
    machine: str
    least: int
    most: int
    gpu: str | None = None
    gpus: int = 0
    capacity: str = ""


@dataclass(frozen=True, kw_only=True)
class Interface:
    """One network interface of a worker pod: device, Network object, and the subnet behind that."""

    device: str
    network: str
    subnet: str


@dataclass(frozen=True, kw_only=True)
class Pods:
    """Pods of one kind: how many, and what each of them asks for, memory and shared memory in GiB.

    `nccl` is the network that NCCL is told to use, and `sockets` the device of its sockets.
    """

    count: int
    cpus: int
    memory: int
    shared_memory: int = 0
    gpus: int = 0
    nccl: str = ""
    sockets: str = ""
    interfaces: tuple[Interface, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RayCluster:
    """The RayCluster of the platform."""

    name: str
    namespace: str
    image: str
    version: str
    claim: str
    mount: str
    head: Pods
    workers: Pods


@dataclass(frozen=True, kw_only=True)
class Lustre:
    """The Lustre instance; `throughput` is in MB/s for each TiB."""

    name: str
    capacity_gib: int
    throughput: int
    filesystem: str
    port: int

    @property
    def total_throughput(self) -> int:
        """MB/s of the whole instance."""
        return total_throughput(self.throughput, self.capacity_gib)


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """The GKE cluster and its two pools."""

    name: str
    version: str
    channel: str
    endpoint: str
    operator: str
    cpu_pool: Pool
    gpu_pool: Pool


@dataclass(frozen=True, kw_only=True)
class Job:
    """A RayJob, and the RayCluster that it runs on: a name, or None for one of its own."""

    name: str
    ray_job: str
    ray_cluster: str | None


@dataclass(frozen=True, kw_only=True)
class Site:
    """All that the picture shows."""

    name: str
    project: str
    zone: str
    main: MainNetwork
    gvnic: Network
    rdma: Network
    cluster: Cluster
    lustre: Lustre
    ray: RayCluster
    jobs: tuple[Job, ...]


def read_site(name: str, stacks: Stacks) -> Site:
    """The site called `name`, all of whose layers are among the stacks."""
    network, storage, cluster, platform = (stacks[f"{name}_{layer}"] for layer in LAYERS)
    body = _one(cluster, "google_container_cluster")
    pools = _all(cluster, "google_container_node_pool")
    gpu_pool = next(pool for pool in pools.values() if "guest_accelerator" in pool["node_config"])
    cpu_pool = next(pool for pool in pools.values() if pool is not gpu_pool)
    ray = _ray(platform)
    return Site(
        name=name,
        project=body["project"],
        zone=gpu_pool["node_locations"][0],
        main=_main_network(network, body),
        gvnic=_network(network, "gvnic"),
        rdma=_network(network, "rdma"),
        cluster=Cluster(
            name=body["name"],
            version=body["min_master_version"],
            channel=body["release_channel"]["channel"],
            endpoint=_endpoint(body),
            operator=_operator(platform),
            cpu_pool=_pool(cpu_pool),
            gpu_pool=_pool(gpu_pool),
        ),
        lustre=_lustre(storage),
        ray=ray,
        jobs=tuple(_jobs(f"job_{name}_", stacks)),
    )


def _all(stack: Body, kind: str) -> Mapping[str, Body]:
    return stack.get("resource", {}).get(kind, {})


def _one(stack: Body, kind: str) -> Body:
    (body,) = _all(stack, kind).values()
    return body


def _network(stack: Body, key: str) -> Network:
    body = _all(stack, "google_compute_network")[key]
    reference = f"${{google_compute_network.{key}.name}}"
    subnets = [one for one in _all(stack, "google_compute_subnetwork").values() if one["network"] == reference]
    profile = body.get("network_profile", "").rpartition("/")[2]
    traits = [f"{profile}, MTU {body['mtu']}" if profile else f"MTU {body['mtu']}"]
    for rule in _all(stack, "google_compute_firewall").values():
        if rule["network"] == reference:
            traits.append(f"Lets in {_allowed(rule)} from {', '.join(rule['source_ranges'])}")
    return Network(
        name=body["name"],
        traits=tuple(traits),
        subnets=tuple(Range(name=one["name"], addresses=one["ip_cidr_range"]) for one in subnets),
    )


def _allowed(rule: Body) -> str:
    """What a firewall rule lets in: `tcp 6988`, or the protocols where all ports are open."""
    ports = {one["protocol"]: one.get("ports", ()) for one in rule["allow"]}
    return ", ".join(
        protocol if not some or tuple(some) == ("0-65535",) else f"{protocol} {' '.join(some)}"
        for protocol, some in ports.items()
    )


def _main_network(stack: Body, cluster: Body) -> MainNetwork:
    network = _network(stack, "main")
    address = _one(stack, "google_compute_global_address")
    nats = [f"Cloud NAT {one['name']}" for one in _all(stack, "google_compute_router_nat").values()] or ["No Cloud NAT"]
    secondary = {
        one["range_name"]: one["ip_cidr_range"]
        for subnet in _all(stack, "google_compute_subnetwork").values()
        for one in subnet.get("secondary_ip_range", ())
    }
    chosen = cluster["ip_allocation_policy"]
    return MainNetwork(
        name=network.name,
        traits=(*network.traits, *nats),
        subnets=network.subnets or (Range(name=network.name, addresses="auto"),),
        pods=secondary.get("pods") or chosen["cluster_ipv4_cidr_block"],
        services=secondary.get("services") or chosen["services_ipv4_cidr_block"],
        private_services=Range(name=address["name"], addresses=f"{address['address']}/{address['prefix_length']}"),
    )


def _endpoint(cluster: Body) -> str:
    if not cluster["control_plane_endpoints_config"]["ip_endpoints_config"]["enabled"]:
        return "DNS endpoint"
    private = cluster["private_cluster_config"]["enable_private_endpoint"]
    return "private endpoint" if private else "public endpoint"


def _operator(platform: Body) -> str:
    charts = [one["version"] for one in _all(platform, "helm_release").values() if one["chart"] == "kuberay-operator"]
    return f"KubeRay {charts[0]} by its chart" if charts else "KubeRay by GKE's add-on"


def _pool(body: Body) -> Pool:
    node, scaling = body["node_config"], body["autoscaling"]
    accelerators = node.get("guest_accelerator", ())
    return Pool(
        name=body["name"],
        machine=node["machine_type"],
        least=scaling["total_min_node_count"],
        most=scaling["total_max_node_count"],
        gpu=accelerators[0]["type"] if accelerators else None,
        gpus=accelerators[0]["count"] if accelerators else 0,
        capacity=_capacity(node) if accelerators else "",
    )


def _capacity(node: Body) -> str:
    if node.get("spot"):
        return "Spot VMs"
    if node.get("flex_start"):
        return "Flex-start"
    reserved = node["reservation_affinity"].get("values")
    return f"From the reservation {reserved[0]}" if reserved else "On demand"


def _lustre(stack: Body) -> Lustre:
    body = _one(stack, "google_lustre_instance")
    return Lustre(
        name=body["instance_id"],
        capacity_gib=int(body["capacity_gib"]),
        throughput=int(body["per_unit_storage_throughput"]),
        filesystem=body["filesystem"],
        port=LEGACY_PORT if body["gke_support_enabled"] else PORT,
    )


def _ray(platform: Body) -> RayCluster:
    release = next(one for one in _all(platform, "helm_release").values() if one["chart"] == "ray-cluster")
    values: Body = YAML(typ="safe").load(release["values"][0])  # pyright: ignore[reportUnknownMemberType] # untyped
    head, (workers,) = values["head"], values["additionalWorkerGroups"].values()
    mount = next(one for one in workers["volumeMounts"] if one["name"] == "data")
    volume = next(one for one in workers["volumes"] if one["name"] == "data")
    return RayCluster(
        name=release["name"],
        namespace=_all(platform, "kubernetes_namespace_v1")["namespace"]["metadata"]["name"],
        image=f"{values['image']['repository']}:{values['image']['tag']}",
        version=head["rayVersion"],
        claim=volume["persistentVolumeClaim"]["claimName"],
        mount=mount["mountPath"],
        head=_pods(1, head),
        workers=_pods(workers["replicas"], workers, tuple(_interfaces(platform, workers))),
    )


def _pods(count: int, group: Body, interfaces: tuple[Interface, ...] = ()) -> Pods:
    asked = group["resources"]["requests"]
    environment = {one["name"]: one["value"] for one in group["containerEnv"]}
    shared = [one["emptyDir"]["sizeLimit"] for one in group["volumes"] if one["name"] == "shared-memory"]
    return Pods(
        count=count,
        cpus=int(asked["cpu"]),
        memory=_gib(asked["memory"]),
        shared_memory=_gib(shared[0]) if shared else 0,
        gpus=int(asked.get("nvidia.com/gpu", 0)),
        nccl=environment["NCCL_NET"],
        sockets=environment["NCCL_SOCKET_IFNAME"],
        interfaces=interfaces,
    )


def _gib(quantity: str) -> int:
    return int(quantity.removesuffix("Gi"))


def _interfaces(platform: Body, workers: Body) -> Iterator[Interface]:
    """From the pods' annotation by the Network object and its parameters to the subnet, as GKE goes."""
    manifests = [one["manifest"] for one in _all(platform, "kubernetes_manifest").values()]
    subnets = {
        one["metadata"]["name"]: one["spec"]["vpcSubnet"] for one in manifests if one["kind"] == "GKENetworkParamSet"
    }
    parameters = {
        one["metadata"]["name"]: one["spec"]["parametersRef"]["name"] for one in manifests if one["kind"] == "Network"
    }
    for one in json.loads(workers["annotations"]["networking.gke.io/interfaces"]):
        network = one["network"]
        subnet = subnets[parameters[network]] if network in parameters else ""
        yield Interface(device=one["interfaceName"], network=network, subnet=subnet)


def _jobs(prefix: str, stacks: Stacks) -> Iterator[Job]:
    for stack, content in sorted(stacks.items()):
        if stack.startswith(prefix):
            manifest = _one(content, "kubernetes_manifest")["manifest"]
            yield Job(
                name=stack.removeprefix(prefix),
                ray_job=manifest["metadata"]["name"],
                ray_cluster=manifest["spec"].get("clusterSelector", {}).get("ray.io/cluster"),
            )
