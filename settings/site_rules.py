"""Rules of the ground floor: networks, Lustre, cluster and node pools, one function a rule.

`FAULTS` stop a synth; `DOUBTS` are printed and stop nothing. A rule gets an environment whose values are well-formed
one by one, and yields what does not fit together.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterator
from datetime import datetime
from ipaddress import IPv4Network
from itertools import combinations

from catalog.gke import CPU_POOL_SURGE, LONGEST_EXCLUSION_DAYS, PODS_PER_NODE, SMALLEST_SERVICES_PREFIX, minor
from catalog.lustre import LUSTRE_REGIONS, LUSTRE_TIERS, PORT_988_MINOR, PORT_988_PATCH, SERVICES_PREFIX
from catalog.machines import CPU_MACHINES, GPU_MACHINES, vcpus_by_name
from catalog.networks import AUTO_MODE_RANGE, FORBIDDEN_RANGES, RESERVED_ADDRESSES
from settings.environment import Environment
from settings.findings import Finding
from settings.names import name_rules
from settings.state import state_rules

Rule = Callable[[Environment], Iterator[Finding]]


def zone_is_in_region(env: Environment) -> Iterator[Finding]:
    if env.zone.rpartition("-")[0] != env.region:
        yield Finding("zone", f"is {env.zone}, but region is {env.region}; write a zone of that region, or its region")


def machine_has_the_gpu(env: Environment) -> Iterator[Finding]:
    pool = env.gpu_pool
    fitting = [machine.name for machine in GPU_MACHINES.values() if machine.gpu == pool.gpu]
    if pool.machine not in fitting:
        yield Finding(
            "gpu_pool.machine", f"is {pool.machine}, but gpu_pool.gpu is {pool.gpu}; write {' or '.join(fitting)}"
        )


def gke_knows_the_machine(env: Environment) -> Iterator[Finding]:
    machine = GPU_MACHINES.get(env.gpu_pool.machine)
    if machine and minor(env.cluster.version) < minor(machine.least_gke):
        yield Finding(
            "cluster.version",
            f"is {env.cluster.version}, but gpu_pool.machine is {machine.name}, which is not known to run on GKE older"
            f' than {machine.least_gke}; write "{machine.least_gke}" or newer',
        )


def capacity_and_its_keys_agree(env: Environment) -> Iterator[Finding]:
    pool = env.gpu_pool
    if pool.capacity == "reservation" and pool.reservation is None:
        yield Finding(
            "gpu_pool.reservation",
            "is missing, but gpu_pool.capacity is reservation; write reservation: {name: ...}, or another capacity",
        )
    if pool.capacity != "reservation" and pool.reservation is not None:
        yield Finding(
            "gpu_pool.reservation",
            f"is given, but gpu_pool.capacity is {pool.capacity}; remove it, or write capacity: reservation",
        )
    if pool.max_run_hours is not None and pool.capacity != "flex-start":
        yield Finding(
            "gpu_pool.max_run_hours",
            f"is {pool.max_run_hours}, but gpu_pool.capacity is {pool.capacity}; remove it, or write capacity:"
            " flex-start",
        )


def pools_grow_upwards(env: Environment) -> Iterator[Finding]:
    for key, least, most in (
        ("gpu_pool", env.gpu_pool.min_nodes, env.gpu_pool.max_nodes),
        ("cpu_pool", env.cpu_pool.min_nodes, env.cpu_pool.max_nodes),
    ):
        if most < least:
            yield Finding(
                f"{key}.max_nodes", f"is {most}, but {key}.min_nodes is {least}; raise max_nodes or lower min_nodes"
            )
    if env.gpu_pool.capacity == "flex-start" and env.gpu_pool.min_nodes:
        yield Finding(
            "gpu_pool.min_nodes",
            f"is {env.gpu_pool.min_nodes}, but gpu_pool.capacity is flex-start, which keeps no node standing; write 0",
        )


def pools_have_names_of_their_own(env: Environment) -> Iterator[Finding]:
    if env.cpu_pool.name == env.gpu_pool.name:
        yield Finding("cpu_pool.name", f"is {env.cpu_pool.name}, but so is gpu_pool.name; write another one")
    for key, name in (("cpu_pool", env.cpu_pool.name), ("gpu_pool", env.gpu_pool.name)):
        if name == "default-pool":
            yield Finding(f"{key}.name", "is default-pool, which GKE makes and Terraform removes; write another name")


def head_fits_what_the_name_of_its_machine_tells(env: Environment) -> Iterator[Finding]:
    # What the catalog knows of a machine is the matter of ray_rules.py.
    machine, cpus = env.cpu_pool.machine, env.ray.head.cpus
    vcpus = None if machine in CPU_MACHINES else vcpus_by_name(machine)
    if vcpus is not None and cpus >= vcpus:
        yield Finding(
            "ray.head.cpus",
            f"is {cpus}, but cpu_pool.machine is {machine}, by its name of {vcpus} vCPUs, of which GKE takes some;"
            " lower cpus, or write a larger machine",
        )


def lustre_capacity_is_on_its_steps(env: Environment) -> Iterator[Finding]:
    tier, capacity = LUSTRE_TIERS[env.lustre.throughput], env.lustre.capacity_gib
    below, above = tier.nearest(capacity)
    if below == above == capacity:
        return
    good = f"{below}" if below == above else f"{below} or {above}"
    bound = (
        f"the least of that tier is {tier.minimum}"
        if capacity < tier.minimum
        else f"the most of that tier is {tier.maximum}"
        if capacity > tier.maximum
        else f"steps are {tier.step if capacity <= tier.threshold else tier.large_step}"
    )
    yield Finding(
        "lustre.capacity_gib", f"is {capacity}, but lustre.throughput is {tier.throughput}, where {bound}; write {good}"
    )


def lustre_port_fits_the_nodes(env: Environment) -> Iterator[Finding]:
    if not env.lustre.legacy_port and minor(env.cluster.version) < PORT_988_MINOR:
        yield Finding(
            "lustre.port",
            f"is 988, but cluster.version is {env.cluster.version}, whose nodes need the legacy port; write port: 6988,"
            ' or version: "1.33" or newer',
        )


def endpoint_and_authorized_networks_agree(env: Environment) -> Iterator[Finding]:
    cluster = env.cluster
    if cluster.endpoint == "dns" and cluster.authorized_networks:
        yield Finding(
            "cluster.authorized_networks",
            "is given, but cluster.endpoint is dns, which IAM alone guards; remove it, or write endpoint: public",
        )
    if cluster.endpoint != "dns" and not cluster.authorized_networks:
        yield Finding(
            "cluster.authorized_networks",
            f"is empty, but cluster.endpoint is {cluster.endpoint}; write the ranges that may reach it",
        )
    if cluster.endpoint == "private" and not cluster.private_nodes:
        yield Finding(
            "cluster.private_nodes", "is false, but cluster.endpoint is private; write true, or another endpoint"
        )


def maintenance_exclusions_are_in_order(env: Environment) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, exclusion in enumerate(env.cluster.maintenance_exclusions):
        path = f"cluster.maintenance_exclusions[{index}]"
        if exclusion.end <= exclusion.start:
            yield Finding(f"{path}.end", f"is {exclusion.end}, but start is {exclusion.start}; write a later end")
        if exclusion.name in seen:
            yield Finding(f"{path}.name", f"is {exclusion.name}, as another exclusion's; write another name")
        seen.add(exclusion.name)


def ranges_are_disjoint(env: Environment) -> Iterator[Finding]:
    ranges = _ranges(env)
    for (path, one), (other_path, other) in combinations(ranges, 2):
        if one.overlaps(other):
            yield Finding(other_path, f"is {other}, but {path} is {one}; write ranges that do not overlap")
    if env.network.mode == "auto":
        taken = IPv4Network(AUTO_MODE_RANGE)
        for path, one in ranges:
            if one.overlaps(taken):
                yield Finding(
                    path, f"is {one}, but network.mode is auto, whose subnets take {taken}; write a range outside of it"
                )


def ranges_may_be_used(env: Environment) -> Iterator[Finding]:
    for path, one in _ranges(env):
        if refused := next((it for it in FORBIDDEN_RANGES if one.overlaps(IPv4Network(it))), None):
            yield Finding(path, f"is {one}, and no VPC takes addresses of {refused}; write a private range")


def auto_mode_has_its_own_nodes_range(env: Environment) -> Iterator[Finding]:
    if env.network.mode == "auto" and "nodes_range" in env.network.model_fields_set:
        yield Finding(
            "network.nodes_range",
            "is given, but network.mode is auto, where Google chooses it; remove it, or write mode: custom",
        )


def subnets_hold_the_nodes(env: Environment) -> Iterator[Finding]:
    network, gpu_nodes = env.network, env.gpu_pool.max_nodes
    rdma = {f"network.rdma_ranges[{index}]": text for index, text in enumerate(network.rdma_ranges)}
    wanted = [({"network.gvnic_range": network.gvnic_range, **rdma}, gpu_nodes)]
    if network.mode == "custom":
        wanted.append(({"network.nodes_range": network.nodes_range}, _nodes(env)))
    for ranges, nodes in wanted:
        small = [(path, text) for path, text in ranges.items() if _room(text) < nodes]
        for path, text in small[:1]:
            others = f", and so for {len(small) - 1} of network.rdma_ranges" if small[1:] else ""
            yield Finding(
                path,
                f"is {text}, with room for {_room(text)} nodes, but the pools grow to {nodes}; write a larger"
                f" one{others}",
            )


def pods_range_holds_the_nodes(env: Environment) -> Iterator[Finding]:
    addresses = 2 ** math.ceil(math.log2(2 * PODS_PER_NODE))
    room, nodes = IPv4Network(env.network.pods_range).num_addresses // addresses, _nodes(env)
    if room < nodes:
        yield Finding(
            "network.pods_range",
            f"is {env.network.pods_range}, with room for {room} nodes of {addresses} addresses, but the pools grow to"
            f" {nodes}; write a larger one",
        )


def services_ranges_are_large_enough(env: Environment) -> Iterator[Finding]:
    for path, text, who, prefix in (
        ("network.services_range", env.network.services_range, "GKE takes", SMALLEST_SERVICES_PREFIX),
        (
            "network.private_services_range",
            env.network.private_services_range,
            "Managed Lustre asks for",
            SERVICES_PREFIX,
        ),
    ):
        if IPv4Network(text).prefixlen > prefix:
            yield Finding(path, f"is {text}, but {who} a /{prefix} at least; write a larger one")


def names_are_short_enough(env: Environment) -> Iterator[Finding]:
    yield from name_rules(env.cloud_names, env.names)


def names_are_distinct(env: Environment) -> Iterator[Finding]:
    names = env.cloud_names
    for kind, values in (
        ("network", (names.network, names.gvnic_network, names.rdma_network)),
        ("subnet", (names.subnet, names.gvnic_subnet, *names.rdma_subnets)),
        ("service account", (names.node_account, names.workload_account)),
    ):
        for name in sorted({value for value in values if values.count(value) > 1}):
            yield Finding("names", f"makes two {kind}s called {name}; write other names")


def auto_mode_names_its_subnet(env: Environment) -> Iterator[Finding]:
    if env.network.mode == "auto" and env.names.subnet is not None:
        yield Finding(
            "names.subnet",
            f"is {env.names.subnet}, but network.mode is auto, where Google names the subnet; remove it",
        )


def state_backend_has_its_keys(env: Environment) -> Iterator[Finding]:
    yield from state_rules(env.state)


def jobs_are_named_once(env: Environment) -> Iterator[Finding]:
    for name in sorted({name for name in env.jobs if env.jobs.count(name) > 1}):
        yield Finding("jobs", f"names {name} twice; keep one")


def zone_is_known_for_the_machine(env: Environment) -> Iterator[Finding]:
    machine = GPU_MACHINES[env.gpu_pool.machine]
    if env.zone not in machine.zones:
        yield Finding(
            "zone",
            f"is {env.zone}, where the catalog knows no {machine.name}; going on. Check with `gcloud compute"
            f" machine-types list --zones={env.zone}` and `gcloud compute network-profiles list`",
        )


def region_is_known_for_lustre(env: Environment) -> Iterator[Finding]:
    if env.region not in LUSTRE_REGIONS:
        machines = {zone.rpartition("-")[0] for machine in GPU_MACHINES.values() for zone in machine.zones}
        known = sorted(LUSTRE_REGIONS | machines)
        near = [] if env.region in known else difflib.get_close_matches(env.region, known, n=1, cutoff=0.85)
        hint = f"Did you mean {near[0]}? Otherwise check" if near else "Check"
        yield Finding(
            "region",
            f"is {env.region}, where the catalog knows no Managed Lustre; going on. {hint} with `gcloud lustre"
            " locations list`",
        )


def cpu_machine_is_known(env: Environment) -> Iterator[Finding]:
    if env.cpu_pool.machine not in CPU_MACHINES:
        yield Finding(
            "cpu_pool.machine",
            f"is {env.cpu_pool.machine}, whose size the catalog does not know; going on. See that it holds the Ray"
            " head's requests",
        )


def patch_of_the_nodes_does_without_the_legacy_port(env: Environment) -> Iterator[Finding]:
    if not env.lustre.legacy_port and minor(env.cluster.version) == PORT_988_MINOR:
        yield Finding(
            "lustre.port",
            f"is 988, for which nodes of {env.cluster.version} need {PORT_988_PATCH} or newer; going on. See what the"
            " release channel gives, or write port: 6988",
        )


def authorized_networks_are_those_of_the_endpoint(env: Environment) -> Iterator[Finding]:
    cluster = env.cluster
    if cluster.endpoint == "public" and "0.0.0.0/0" in cluster.authorized_networks:
        yield Finding(
            "cluster.authorized_networks",
            "has 0.0.0.0/0, so that everybody reaches the control plane's sign-in; going on. Write the ranges of those"
            " who need it",
        )
    if cluster.endpoint == "private":
        for ip_range in cluster.authorized_networks:
            if not IPv4Network(ip_range).is_private:
                yield Finding(
                    "cluster.authorized_networks",
                    f"has {ip_range}, but cluster.endpoint is private, which nobody reaches from the internet; going"
                    " on. Write ranges of the VPC and of what is connected to it",
                )


def exclusions_leave_time_for_maintenance(env: Environment) -> Iterator[Finding]:
    for index, exclusion in enumerate(env.cluster.maintenance_exclusions):
        days = (datetime.fromisoformat(exclusion.end) - datetime.fromisoformat(exclusion.start)).days
        if exclusion.scope == "NO_UPGRADES" and days > LONGEST_EXCLUSION_DAYS:
            yield Finding(
                f"cluster.maintenance_exclusions[{index}]",
                f"lasts {days} days with scope NO_UPGRADES, and GKE wants 48 hours for maintenance in each 92 days;"
                " going on. Shorten it, or write another scope",
            )


def reservation_is_read(env: Environment) -> Iterator[Finding]:
    reservation = env.gpu_pool.reservation
    if reservation and not reservation.verified(env.project):
        yield Finding(
            "gpu_pool.reservation.verify",
            f"is off for {reservation.name}; plans will not compare its machine, GPU and state with the pool",
        )


def placeholders_are_replaced(env: Environment) -> Iterator[Finding]:
    if env.is_example:
        return
    reservation = env.gpu_pool.reservation
    for path, value, placeholder in (
        ("project", env.project, "my-project"),
        ("gpu_pool.reservation.name", reservation and reservation.short_name(), "my-reservation"),
    ):
        if value == placeholder:
            yield Finding(path, f"is {value}, the example's; going on. Write yours")


def hcp_terraform_signs_in_by_token(env: Environment) -> Iterator[Finding]:
    if env.state.backend == "cloud" and env.platform.credentials == "plugin":
        yield Finding(
            "platform.credentials",
            "is plugin, but state.backend is cloud, and HCP Terraform's own runners have no gke-gcloud-auth-plugin;"
            " going on. Write token, unless your own agents or machines run Terraform",
        )


def private_nodes_reach_out(env: Environment) -> Iterator[Finding]:
    if env.cluster.private_nodes and not env.network.nat:
        yield Finding(
            "network.nat",
            "is false, but cluster.private_nodes is true; going on. Images, models and datasets must come by another"
            " way than the internet",
        )


def compact_placement_fits_the_capacity(env: Environment) -> Iterator[Finding]:
    pool = env.gpu_pool
    doubts = {
        "spot": "is true, but gpu_pool.capacity is spot; going on. Such nodes are hard to get close together",
        "on-demand": "is true, but gpu_pool.capacity is on-demand; going on. Such nodes are hard to get close together",
        "reservation": "is true; going on. The reservation must have been made with compact placement too, which a plan"
        " cannot see",
    }
    if pool.compact_placement and pool.capacity in doubts:
        yield Finding("gpu_pool.compact_placement", doubts[pool.capacity])


FAULTS: tuple[Rule, ...] = (
    zone_is_in_region,
    machine_has_the_gpu,
    gke_knows_the_machine,
    capacity_and_its_keys_agree,
    pools_grow_upwards,
    pools_have_names_of_their_own,
    head_fits_what_the_name_of_its_machine_tells,
    lustre_capacity_is_on_its_steps,
    lustre_port_fits_the_nodes,
    endpoint_and_authorized_networks_agree,
    maintenance_exclusions_are_in_order,
    ranges_are_disjoint,
    ranges_may_be_used,
    auto_mode_has_its_own_nodes_range,
    subnets_hold_the_nodes,
    pods_range_holds_the_nodes,
    services_ranges_are_large_enough,
    names_are_short_enough,
    names_are_distinct,
    auto_mode_names_its_subnet,
    state_backend_has_its_keys,
    jobs_are_named_once,
)
DOUBTS: tuple[Rule, ...] = (
    zone_is_known_for_the_machine,
    region_is_known_for_lustre,
    cpu_machine_is_known,
    patch_of_the_nodes_does_without_the_legacy_port,
    authorized_networks_are_those_of_the_endpoint,
    exclusions_leave_time_for_maintenance,
    reservation_is_read,
    placeholders_are_replaced,
    hcp_terraform_signs_in_by_token,
    private_nodes_reach_out,
    compact_placement_fits_the_capacity,
)


def _nodes(env: Environment) -> int:
    """The most nodes at one time. An upgrade of the GPU pool takes a node out before it brings one."""
    return env.gpu_pool.max_nodes + env.cpu_pool.max_nodes + CPU_POOL_SURGE


def _room(text: str) -> int:
    """How many nodes a subnet of this range holds."""
    return max(IPv4Network(text).num_addresses - RESERVED_ADDRESSES, 0)


def _ranges(env: Environment) -> list[tuple[str, IPv4Network]]:
    """The ranges that the file decides, with their paths."""
    network = env.network
    named = [
        *([("network.nodes_range", network.nodes_range)] if network.mode == "custom" else []),
        ("network.pods_range", network.pods_range),
        ("network.services_range", network.services_range),
        ("network.private_services_range", network.private_services_range),
        ("network.gvnic_range", network.gvnic_range),
        *((f"network.rdma_ranges[{index}]", text) for index, text in enumerate(network.rdma_ranges)),
    ]
    return [(path, IPv4Network(text)) for path, text in named]
