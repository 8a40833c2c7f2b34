"""Says what a site takes before anything is bought: its size, its quotas, and how long a deploy is.

    python -m tools.estimate SITE

Reads the environment file alone; no cloud is asked. There are no prices. What is uncertain is marked by `~` or said in
words: few of these times are published, and not everything about quotas is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from catalog import durations, quotas
from catalog.durations import Duration
from catalog.gke import CPU_POOL_SURGE
from catalog.lustre import total_throughput
from catalog.machines import CPU_MACHINES, LOCAL_SSD_GIB, vcpus_by_name
from catalog.networks import AUTO_MODE_RANGE
from catalog.quotas import Quota
from settings.columns import in_columns
from settings.environment import Environment
from settings.faults import SettingsError
from settings.sites import named
from tools.command import ROOT, run
from training.checkout import Checkout, read_checkout

# Size ----------------------------------------------------------------------------------------------------------------


def size(env: Environment) -> Iterator[str]:
    """The pools at their largest, Lustre, and the ranges."""
    machine, gpu, cpu = env.gpu_machine, env.gpu_pool, env.cpu_pool
    head, (vcpus, doubt) = CPU_MACHINES.get(cpu.machine), _vcpus(cpu.machine)
    yield from in_columns(
        [
            ("pool", "nodes", "machine", "GPUs", "vCPUs", "memory", "local SSD"),
            (
                gpu.name,
                f"{gpu.min_nodes} to {gpu.max_nodes}",
                machine.name,
                f"{gpu.max_nodes * machine.gpus:,} x {machine.gpu}, {machine.gpu_memory_gb} GB each",
                f"{gpu.max_nodes * machine.vcpus:,}",
                f"{gpu.max_nodes * machine.memory_gib:,} GiB",
                f"{gpu.max_nodes * machine.local_ssds * LOCAL_SSD_GIB:,} GiB",
            ),
            (
                cpu.name,
                f"{cpu.min_nodes} to {cpu.max_nodes}",
                cpu.machine,
                "-",
                f"{'~' if doubt else ''}{cpu.max_nodes * vcpus:,}" if vcpus else "not in the catalog",
                f"{cpu.max_nodes * head.memory_gib:,} GiB" if head else "not in the catalog",
                "-",
            ),
        ]
    )
    lustre, ranges = env.lustre, env.network
    total = total_throughput(lustre.throughput, lustre.capacity_gib)
    yield f"Lustre: {lustre.capacity_gib:,} GiB at {lustre.throughput} MB/s for each TiB, {total:,} MB/s in all"
    nodes = f"auto ({AUTO_MODE_RANGE})" if ranges.mode == "auto" else ranges.nodes_range
    yield (
        f"Ranges: nodes {nodes}, pods {ranges.pods_range}, services {ranges.services_range}, Lustre"
        f" {ranges.private_services_range}, gVNIC {ranges.gvnic_range}, RDMA {ranges.rdma_ranges[0]} and seven more"
    )


def held(env: Environment, checkout: Checkout) -> str:
    """What runs whether a job does or not, and what the largest job takes."""
    largest = max(checkout.jobs.of(env), key=lambda job: job.nodes, default=None)
    jobs = f"the largest job, {largest.name}, takes {largest.nodes}" if largest else "no job is listed"
    return (
        f"Day and night: {env.ray.workers} GPU nodes (ray.workers) and {env.cpu_pool.min_nodes} of the CPU pool; {jobs}"
    )


# Quotas --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Need:
    """How much of a quota a site takes at its largest, and what is not known about that."""

    quota: Quota
    amount: int
    doubt: str


def needs(env: Environment) -> Iterator[Need]:
    """Every quota that the site counts against, with the most that it takes."""
    gpu, cpu, network = env.gpu_pool, env.cpu_pool, env.network
    gpus = gpu.max_nodes * env.gpu_machine.gpus
    preemptible = gpu.capacity in ("spot", "flex-start")
    yield _need((quotas.PREEMPTIBLE_GPUS if preemptible else quotas.GPUS)[gpu.gpu], gpus)
    yield _need(quotas.ALL_GPUS, gpus)
    (vcpus, doubt), family = _vcpus(cpu.machine), cpu.machine.partition("-")[0]
    if vcpus:
        most = (cpu.max_nodes + CPU_POOL_SURGE) * vcpus
        if family in quotas.CPUS:
            yield _need(quotas.CPUS[family], most, doubt)
        yield _need(quotas.ALL_CPUS, most, "; ".join(filter(None, (doubt, quotas.ALL_CPUS.doubt))))
    yield _need(quotas.HYPERDISK_BALANCED, gpu.max_nodes * gpu.disk_gib)
    yield _need(quotas.SSD_DISKS, (cpu.max_nodes + CPU_POOL_SURGE) * cpu.disk_gib)
    yield _need(quotas.LUSTRE_CAPACITY, env.lustre.capacity_gib)
    yield _need(quotas.NETWORKS, 3)
    if network.mode == "custom":
        yield _need(quotas.SUBNETWORKS, 2 + len(network.rdma_ranges))
    else:
        doubt = "whether the subnets that Google makes in an auto mode VPC are counted; they are left out here"
        yield _need(quotas.SUBNETWORKS, 1 + len(network.rdma_ranges), doubt)
    if network.nat:
        yield _need(quotas.ROUTERS, 1)


def _vcpus(machine: str) -> tuple[int | None, str]:
    """The vCPUs of a CPU machine, and what is not known about them."""
    if machine in CPU_MACHINES:
        return CPU_MACHINES[machine].vcpus, ""
    vcpus = vcpus_by_name(machine)
    return vcpus, f"how many vCPUs {machine} has; its name tells {vcpus}" if vcpus else ""


def left_out(env: Environment) -> Iterator[str]:
    """The quotas that the site counts against and that `needs` cannot name, a line each."""
    machine = env.cpu_pool.machine
    if not _vcpus(machine)[0]:
        yield f"Left out: vCPUs of the CPU pool; neither the catalog nor its name tells how many {machine} has"
    elif machine.partition("-")[0] not in quotas.CPUS:
        yield f"Left out: vCPUs by family; the catalog does not know the quota that counts {machine}"


def _need(quota: Quota, amount: int, doubt: str = "") -> Need:
    return Need(quota=quota, amount=amount, doubt=doubt or quota.doubt)


def quota_lines(env: Environment) -> Iterator[str]:
    """A table of the quotas, what is uncertain about them, and the commands that print their limits."""
    found = list(needs(env))
    places = {"zone": env.zone, "region": env.region, "project": env.project}
    rows = [
        (
            f"{need.amount:,}",
            need.quota.counts,
            ", ".join(part for part in (need.quota.id, need.quota.dimension) if part),
            need.quota.service,
            places[need.quota.where],
            "~" if need.doubt else "",
        )
        for need in found
    ]
    yield from in_columns([("most", "of", "quota", "service", "in", ""), *rows])
    yield from (f"~ {need.quota.id}: it is not known {need.doubt}" for need in found if need.doubt)
    yield from left_out(env)
    yield ""
    yield "Their limits; an empty answer is a limit of nothing:"
    yield from (need.quota.command(project=env.project, place=places[need.quota.where]) for need in found)


# Time ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step of a deploy, and those that it waits for."""

    duration: Duration
    after: tuple[str, ...] = ()


def steps(env: Environment) -> dict[str, Step]:
    """The steps of `make deploy`. Storage and cluster wait for the whole network layer, and the platform for both."""
    network = ("networks", "private services")
    found = {
        "APIs": Step(duration=durations.APIS),
        "networks": Step(duration=durations.NETWORKS, after=("APIs",)),
        "private services": Step(duration=durations.PRIVATE_SERVICES, after=("networks",)),
        "Lustre": Step(duration=durations.LUSTRE, after=network),
        "cluster": Step(duration=durations.CLUSTER, after=network),
        "default pool": Step(duration=durations.DEFAULT_POOL, after=("cluster",)),
        "CPU pool": Step(duration=durations.CPU_POOL, after=("default pool",)),
        "GPU pool": Step(duration=durations.GPU_POOL, after=("default pool",)),
        "platform": Step(duration=durations.PLATFORM_OBJECTS, after=("Lustre", "CPU pool", "GPU pool")),
    }
    above = "platform"
    if env.ray.workers:
        found["GPU nodes"] = Step(duration=durations.GPU_NODES, after=(above,))
        above = "GPU nodes"
    found["image"] = Step(duration=durations.IMAGE, after=(above,))
    found["Ray"] = Step(duration=durations.RAY, after=("image",))
    return found


#: What the tutorial does not do: its Ray head runs on the default pool.
NOT_IN_TUTORIAL = frozenset({"default pool", "CPU pool"})


def critical_path(found: Mapping[str, Step]) -> tuple[tuple[str, ...], float]:
    """The chain of steps that nothing can shorten but themselves, and its minutes."""

    def longest(name: str) -> tuple[tuple[str, ...], float]:
        before = max((longest(other) for other in found[name].after), key=lambda path: path[1], default=((), 0.0))
        return ((*before[0], name), before[1] + found[name].duration.minutes)

    return max((longest(name) for name in found), key=lambda path: path[1])


def time_lines(env: Environment) -> Iterator[str]:
    """The critical path, what runs beside it, and the tutorial's order."""
    found = steps(env)
    path, minutes = critical_path(found)
    serial = {name: step for name, step in found.items() if name not in NOT_IN_TUTORIAL}
    beside = [name for name in found if name not in path]
    one_by_one = sum(step.duration.minutes for step in serial.values())
    yield f"about {minutes:g} minutes: {', '.join(_timed(name, found[name]) for name in path)}"
    yield f"beside that: {', '.join(_timed(name, found[name]) for name in beside)}"
    yield f"the tutorial's steps, one after the other: about {one_by_one:g} minutes, and the time to paste them"
    if env.gpu_pool.capacity != "reservation":
        yield f"and however long {env.gpu_pool.capacity} capacity lets one wait"


def _timed(name: str, step: Step) -> str:
    return f"{name} {'' if step.duration.measured else '~'}{step.duration.minutes:g}"


def report(env: Environment, checkout: Checkout) -> Iterator[str]:
    """All that the command prints."""
    yield f"{env.name}, project {env.project}, {env.zone}"
    yield ""
    yield from size(env)
    yield held(env, checkout)
    yield ""
    yield "Quotas, with every pool at its most nodes"
    yield from quota_lines(env)
    yield ""
    yield "Time until the Ray cluster is up, in minutes (~: a guess; catalog/durations.py has what it rests on)"
    yield from time_lines(env)


def main(arguments: list[str]) -> int:
    """Exit status: 0, or 2 with the faults of the files, or the names of the sites, on standard error."""
    if len(arguments) != 1:
        print("write: python -m tools.estimate SITE", file=sys.stderr)
        return 2
    (site,) = arguments
    try:
        checkout = read_checkout(ROOT)
        env = named(checkout.environments, site)
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(report(env, checkout)))
    return 0


if __name__ == "__main__":
    run(main)
