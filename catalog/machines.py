"""GPU machines and the CPU machine of the Ray head: one row, all facts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from catalog.gke import minor

GpuType = Literal["nvidia-b200", "nvidia-h200-141gb"]


#: Compute Engine's one size of local SSD.
LOCAL_SSD_GIB = 375


@dataclass(frozen=True, kw_only=True)
class GpuMachine:
    """One Compute Engine machine type with eight GPUs on a RoCE network.

    `allocatable_*` is what pods can request on a GKE node of it: the machine less GKE's documented reservations
    (computed by their formula, not measured). `gpu_memory_gb` is of one GPU. `local_ssds` is the number of local SSDs
    that come with the machine, of `LOCAL_SSD_GIB` each. `least_gke` is the oldest GKE minor that it is known to run on.
    """

    name: str
    gpu: GpuType
    vcpus: int
    memory_gib: int
    allocatable_cpus: float
    allocatable_memory_gib: int
    gpu_memory_gb: int
    local_ssds: int
    nccl_tuner: str
    least_gke: str
    zones: frozenset[str]

    gpus: int = 8

    def driver(self, gke_minor: str) -> Literal["DEFAULT", "LATEST"]:
        """The GPU driver to install on nodes of a GKE minor ("1.34"): the default one, where it knows the GPU.

        B200 needs driver 570 or newer, which on GKE 1.32 only LATEST is (cluster-toolkit PR 3704). That 1.33 is the
        first minor whose default suffices is inferred from there.
        """
        return "LATEST" if self.gpu == "nvidia-b200" and minor(gke_minor) < 33 else "DEFAULT"


# vCPU, memory: SkyPilot's GCP catalogue (commit 006059e0). Local SSDs: cluster-toolkit 1.95.0, disk_definitions.tf.
# Tuner files and GPU memory: the tutorial. GKE: AI-Hypercomputer/gpu-recipes, which were tested with 1.32.4-gke.1236000
# (A4) and 1.31.7-gke.1265000 (A3 Ultra). Zones: collected from public lists; projects see different ones, so a zone
# that is not here is worth a warning and no more.
GPU_MACHINES: dict[str, GpuMachine] = {
    machine.name: machine
    for machine in (
        GpuMachine(
            name="a4-highgpu-8g",
            gpu="nvidia-b200",
            vcpus=224,
            memory_gib=3968,
            allocatable_cpus=223.37,
            allocatable_memory_gib=3881,
            gpu_memory_gb=180,
            local_ssds=32,
            nccl_tuner="/usr/local/gib/configs/tuner_config_a4.txtpb",
            least_gke="1.32",
            zones=frozenset(
                {
                    "asia-northeast1-b",
                    "asia-southeast1-b",
                    "europe-north1-b",
                    "europe-west4-b",
                    "us-central1-b",
                    "us-east1-b",
                    "us-east4-b",
                    "us-south1-b",
                    "us-west2-c",
                    "us-west3-b",
                    "us-west3-c",
                }
            ),
        ),
        GpuMachine(
            name="a3-ultragpu-8g",
            gpu="nvidia-h200-141gb",
            vcpus=224,
            memory_gib=2952,
            allocatable_cpus=223.37,
            allocatable_memory_gib=2886,
            gpu_memory_gb=141,
            local_ssds=32,
            nccl_tuner="/usr/local/gib/configs/tuner_config_a3u.txtpb",
            least_gke="1.31",
            zones=frozenset(
                {
                    "asia-south1-b",
                    "asia-south2-c",
                    "europe-west1-b",
                    "europe-west4-a",
                    "us-central1-b",
                    "us-east4-b",
                    "us-east5-a",
                    "us-south1-b",
                    "us-west1-c",
                }
            ),
        ),
    )
}


@dataclass(frozen=True, kw_only=True)
class CpuMachine:
    """A machine type that can carry the Ray head; `allocatable_*` as for GPU machines."""

    name: str
    vcpus: int
    memory_gib: int
    allocatable_cpus: float
    allocatable_memory_gib: int


# The tutorial's machine for the head (64 CPU and 500 GB requested). Sizes: Compute Engine's machine type list.
CPU_MACHINES: dict[str, CpuMachine] = {
    machine.name: machine
    for machine in (
        CpuMachine(name="n2-highmem-80", vcpus=80, memory_gib=640, allocatable_cpus=79.73, allocatable_memory_gib=620),
    )
}

# SERIES-TYPE-VCPUS[-SUFFIX], as n2-highmem-64 and c3-standard-88-lssd: Compute Engine's naming of predefined machine
# types. Custom types (n2-custom-8-32768) end in their memory, and shared-core and GPU types tell no number of vCPUs.
_PREDEFINED = re.compile(r"[a-z]\w*-[a-z]+-(?P<vcpus>\d+)(-[a-z]+)?", re.ASCII)


def vcpus_by_name(machine: str) -> int | None:
    """The vCPUs that the name of a machine type tells; None for a type whose name tells none."""
    parts = _PREDEFINED.fullmatch(machine)
    return int(parts["vcpus"]) if parts else None
