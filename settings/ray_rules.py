"""Rules of the RayCluster: what must fit between it, the node pools and the operator. One function a rule.

As in site_rules.py, `FAULTS` stop a synth and `DOUBTS` are printed and stop nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from catalog.kuberay import ADDON_KUBERAY, KUBERAY
from catalog.machines import CPU_MACHINES, GPU_MACHINES, CpuMachine, GpuMachine
from catalog.tokens import HUGGING_FACE, WANDB
from settings.faults import TOKEN
from settings.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from settings.environment import Environment

    Rule = Callable[[Environment], Iterator[Finding]]

#: Variables that would undo what a pod is made of -> why, and what to do.
_RESERVED = {
    "LD_LIBRARY_PATH": "would hide the image's own; the start scripts extend it; remove it",
    "PATH": "would hide the image's Python and Ray; remove it",
    "KUBERAY_GEN_RAY_START_CMD": "is KubeRay's; remove it",
    **{
        token.path_variable: f"is where the pods find the token of {token.owner}; remove it"
        for token in (HUGGING_FACE, WANDB)
    },
}


@dataclass(frozen=True, kw_only=True)
class _Share:
    """What some of a node's pods ask for."""

    cpus: int
    memory_gib: int


#: What head and worker leave to the other pods of their node: GKE's DaemonSets (networking, logging, metrics, storage),
#: the installer of gIB (150m), Fluent Bit (100m). Ours, and generous: what GKE's own pods ask for was not measured, and
#: differs by version.
_OTHERS = _Share(cpus=2, memory_gib=8)

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# A switch may end like this too: HF_HUB_DISABLE_IMPLICIT_TOKEN is 1 or 0, and a secret is longer.
_SECRET_NAME = re.compile(r".*(TOKEN|API_?KEY|SECRET|PASSWORD|CREDENTIALS?)", re.IGNORECASE)


def workers_have_nodes(env: Environment) -> Iterator[Finding]:
    if env.ray.workers > env.gpu_pool.max_nodes:
        yield Finding(
            "gpu_pool.max_nodes",
            f"is {env.gpu_pool.max_nodes}, but ray.workers is {env.ray.workers}; raise max_nodes or lower workers",
        )


def head_fits_its_machine(env: Environment) -> Iterator[Finding]:
    # An unknown machine is a doubt of site_rules.py.
    if machine := CPU_MACHINES.get(env.cpu_pool.machine):
        yield from _fits("ray.head", env.ray.head.cpus, env.ray.head.memory_gib, "cpu_pool.machine", machine)


def worker_fits_its_machine(env: Environment) -> Iterator[Finding]:
    # A machine that is not the GPU's is a fault of site_rules.py.
    if machine := GPU_MACHINES.get(env.gpu_pool.machine):
        yield from _fits("ray.worker", env.ray.worker.cpus, env.ray.worker.memory_gib, "gpu_pool.machine", machine)


def shared_memory_leaves_memory(env: Environment) -> Iterator[Finding]:
    worker = env.ray.worker
    if worker.shared_memory_gib >= worker.memory_gib:
        yield Finding(
            "ray.worker.shared_memory_gib",
            f"is {worker.shared_memory_gib}, but ray.worker.memory_gib, which it counts against, is"
            f" {worker.memory_gib}; lower shared_memory_gib or raise memory_gib",
        )


def operator_is_known(env: Environment) -> Iterator[Finding]:
    """The KubeRay minor follows from the GKE minor, or is stated; and it is one that this project can serve."""
    version, stated = env.cluster.version, env.ray.kuberay
    if env.platform.operator == "chart":
        return
    minor = ADDON_KUBERAY.get(version)
    if minor is None and stated is None:
        yield Finding(
            "cluster.version",
            f"is {version}, and which KubeRay its Ray add-on is, the catalog does not know; write ray.kuberay (see"
            f' "Choosing the operator" in the README), platform.operator: chart, or one of {", ".join(_served())}',
        )
    elif minor is not None and minor not in KUBERAY:
        yield Finding(
            "cluster.version",
            f"is {version}, whose Ray add-on is KubeRay {minor}, too old for this project; write one of"
            f" {', '.join(_served())}, or platform.operator: chart",
        )
    elif minor is not None and stated not in (None, minor):
        yield Finding(
            "ray.kuberay",
            f"is {stated}, but the Ray add-on of cluster.version {version} is KubeRay {minor}; remove it, or write"
            " platform.operator: chart",
        )


def variables_are_safe(env: Environment) -> Iterator[Finding]:
    for name, value in env.ray.env.items():
        path = f"ray.env.{name}"
        if not _VARIABLE.fullmatch(name):
            yield Finding(path, "is not the name of a variable; write letters, digits and _, no digit first")
        elif name in _RESERVED:
            yield Finding(path, _RESERVED[name])
        elif (_SECRET_NAME.fullmatch(name) and len(value) >= 8) or TOKEN.search(value):
            yield Finding(
                path,
                "looks like a token or a password, which would stand in the plan, the state and Ray's dashboard; remove"
                " it, and see tokens",
            )
        elif "\0" in value:
            yield Finding(path, "holds the character NUL, which no variable can; remove it")
        elif not value:
            yield Finding(path, "is empty, which the operator drops; remove it, or write a value")


def workers_hold_their_nodes(env: Environment) -> Iterator[Finding]:
    if env.ray.workers:
        yield Finding(
            "ray.workers",
            f"is {env.ray.workers}: as many {env.gpu_pool.machine} stay up, and cost, while no job runs; write 0 to"
            " hand them back",
        )


FAULTS: tuple[Rule, ...] = (
    workers_have_nodes,
    head_fits_its_machine,
    worker_fits_its_machine,
    shared_memory_leaves_memory,
    operator_is_known,
    variables_are_safe,
)
DOUBTS: tuple[Rule, ...] = (workers_hold_their_nodes,)


def _fits(key: str, cpus: int, memory: int, machine_key: str, machine: GpuMachine | CpuMachine) -> Iterator[Finding]:
    for name, wanted, room, others in (
        ("cpus", cpus, int(machine.allocatable_cpus), _OTHERS.cpus),
        ("memory_gib", memory, machine.allocatable_memory_gib, _OTHERS.memory_gib),
    ):
        if wanted > room - others:
            yield Finding(
                f"{key}.{name}",
                f"is {wanted}, but {machine_key} is {machine.name}, where pods get {room}, and GKE's and our own need"
                f" {others} of them; write at most {room - others}, or a larger machine",
            )


def _served() -> tuple[str, ...]:
    return tuple(version for version, minor in ADDON_KUBERAY.items() if minor in KUBERAY)
