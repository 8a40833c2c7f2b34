"""The machines' rows against the facts, typed by hand."""

import re

import pytest

from catalog.machines import CPU_MACHINES, GPU_MACHINES, GpuMachine, vcpus_by_name

# name, GPU, vCPUs, GiB, local SSDs, tuner file, least GKE minor: from the machine pages, cluster-toolkit, the tutorial
# and gpu-recipes.
ROWS = [
    ("a4-highgpu-8g", "nvidia-b200", 224, 3968, 32, "/usr/local/gib/configs/tuner_config_a4.txtpb", "1.32"),
    ("a3-ultragpu-8g", "nvidia-h200-141gb", 224, 2952, 32, "/usr/local/gib/configs/tuner_config_a3u.txtpb", "1.31"),
]


def test_the_gpu_machines_are_those_of_the_facts() -> None:
    machines = GPU_MACHINES.values()
    rows = [(m.name, m.gpu, m.vcpus, m.memory_gib, m.local_ssds, m.nccl_tuner, m.least_gke) for m in machines]
    assert rows == ROWS
    assert {machine.gpus for machine in GPU_MACHINES.values()} == {8}


def test_each_gpu_has_one_machine_and_each_row_its_name_as_key() -> None:
    assert len({machine.gpu for machine in GPU_MACHINES.values()}) == len(GPU_MACHINES)
    assert all(name == machine.name for name, machine in {**GPU_MACHINES, **CPU_MACHINES}.items())


def cpus_left(vcpus: int) -> float:
    """GKE's reservation of CPU, written again from its documentation: 6 %, 1 %, twice 0.5 %, and 0.25 % of the rest."""
    return vcpus - 0.06 - 0.01 - 2 * 0.005 - (vcpus - 4) * 0.0025


def memory_left(gib: int) -> float:
    """The same of memory: 25 % of 4, 20 % of 4, 10 % of 8, 6 % of 112 GiB, 2 % of the rest, and 100 MiB."""
    return gib - 1 - 0.8 - 0.8 - 6.72 - (gib - 128) * 0.02 - 100 / 1024


@pytest.mark.parametrize("name", [*GPU_MACHINES, *CPU_MACHINES])
def test_what_pods_get_follows_from_gkes_formula(name: str) -> None:
    machine = {**GPU_MACHINES, **CPU_MACHINES}[name]
    assert machine.allocatable_cpus == pytest.approx(cpus_left(machine.vcpus), abs=0.01)
    # Computed and never measured: within half a percent.
    assert machine.allocatable_memory_gib == pytest.approx(memory_left(machine.memory_gib), rel=0.005)


@pytest.mark.parametrize("machine", GPU_MACHINES.values(), ids=GPU_MACHINES)
def test_the_tutorials_worker_and_head_fit(machine: GpuMachine) -> None:
    assert machine.allocatable_cpus > 206
    assert machine.allocatable_memory_gib > 2400
    assert CPU_MACHINES["n2-highmem-80"].allocatable_cpus > 64
    assert CPU_MACHINES["n2-highmem-80"].allocatable_memory_gib > 466


@pytest.mark.parametrize(
    ("name", "gke", "driver"),
    [
        ("a4-highgpu-8g", "1.32", "LATEST"),
        ("a4-highgpu-8g", "1.33", "DEFAULT"),
        ("a4-highgpu-8g", "1.34", "DEFAULT"),
        ("a3-ultragpu-8g", "1.32", "DEFAULT"),
        ("a3-ultragpu-8g", "1.34", "DEFAULT"),
    ],
)
def test_b200_takes_the_latest_driver_where_the_default_is_too_old(name: str, gke: str, driver: str) -> None:
    assert GPU_MACHINES[name].driver(gke) == driver


def test_zones_are_zones() -> None:
    for machine in GPU_MACHINES.values():
        assert all(re.fullmatch(r"[a-z]+-[a-z]+\d+-[a-z]", zone) for zone in machine.zones)
    assert "us-central1-b" in GPU_MACHINES["a4-highgpu-8g"].zones
    assert "europe-west1-b" in GPU_MACHINES["a3-ultragpu-8g"].zones


@pytest.mark.parametrize(
    ("machine", "vcpus"),
    [
        ("n2-standard-8", 8),
        ("m3-ultramem-128", 128),
        ("c3-standard-88-lssd", 88),
        ("x4-megamem-960-metal", 960),
        ("n2-custom-8-32768", None),
        ("n2-custom-8-32768-ext", None),
        ("e2-medium", None),
        ("a3-highgpu-8g", None),
        *((name, machine.vcpus) for name, machine in CPU_MACHINES.items()),
    ],
)
def test_the_name_of_a_predefined_machine_type_tells_its_vcpus(machine: str, vcpus: int | None) -> None:
    assert vcpus_by_name(machine) == vcpus
