"""The estimate of a site: size by the machines, quotas by what the site makes, time by the longest path."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from catalog.durations import Duration
from settings.environment import Environment
from tests.support import MINIMAL, ROOT, copy_checkout, environment
from tools import estimate
from tools.estimate import Step, critical_path, left_out, main, needs, quota_lines, size, steps, time_lines


def example(name: str) -> Environment:
    return environment(f"name: {name}\n{(ROOT / 'environments' / f'{name}.yaml').read_text(encoding='utf-8')}")


def site(more: str = "", capacity: str = "reservation: {name: my-reservation}") -> Environment:
    minimal = MINIMAL.replace("reservation: {name: my-reservation}", capacity)
    return environment(f"name: prod\n{minimal}{more}")


def amounts(env: Environment) -> dict[str, int]:
    return {f"{need.quota.id} {need.quota.dimension}".strip(): need.amount for need in needs(env)}


def test_two_b200_nodes_and_five_for_the_head_are_added_up() -> None:
    # a4-highgpu-8g: 8 GPUs of 180 GB, 224 vCPUs, 3,968 GiB, 32 SSDs of 375 GiB; n2-highmem-80: 80 vCPUs, 640 GiB.
    assert list(size(example("example-b200"))) == [
        "pool      nodes   machine        GPUs                           vCPUs  memory     local SSD",
        "gpu-pool  0 to 2  a4-highgpu-8g  16 x nvidia-b200, 180 GB each  448    7,936 GiB  24,000 GiB",
        "cpu-pool  1 to 5  n2-highmem-80  -                              400    3,200 GiB  -",
        "Lustre: 18,000 GiB at 500 MB/s for each TiB, 8,789 MB/s in all",
        "Ranges: nodes 10.0.0.0/20, pods 10.4.0.0/14, services 10.0.32.0/20, Lustre 10.1.0.0/20, gVNIC 192.168.0.0/24,"
        " RDMA 192.168.1.0/24 and seven more",
    ]


def test_h200_machines_have_less_memory_and_smaller_gpus() -> None:
    assert (
        "gpu-pool  0 to 2  a3-ultragpu-8g  16 x nvidia-h200-141gb, 141 GB each  448    5,904 GiB  24,000 GiB"
    ) in list(size(example("example-h200")))


def test_each_quota_has_the_most_that_the_site_takes() -> None:
    assert amounts(example("example-b200")) == {
        "GPUS-PER-GPU-FAMILY-per-project-region gpu_family=NVIDIA_B200": 16,
        "GPUS-ALL-REGIONS-per-project": 16,
        "N2-CPUS-per-project-region": 480,  # five nodes of 80, and one more during an upgrade
        "CPUS-ALL-REGIONS-per-project": 480,
        "HDB-TOTAL-GB-per-project-region": 200,
        "SSD-TOTAL-GB-per-project-region": 1200,
        "Capacity": 18000,
        "NETWORKS-per-project": 3,
        "SUBNETWORKS-per-project": 10,
        "ROUTERS-per-project": 1,
    }


@pytest.mark.parametrize(
    ("capacity", "quota"),
    [
        ("capacity: spot", "PREEMPTIBLE-NVIDIA-B200-GPUS-per-project-region"),
        ("{capacity: flex-start, max_run_hours: 24}", "PREEMPTIBLE-NVIDIA-B200-GPUS-per-project-region"),
        ("capacity: on-demand", "GPUS-PER-GPU-FAMILY-per-project-region gpu_family=NVIDIA_B200"),
    ],
)
def test_gpus_count_where_their_capacity_does(capacity: str, quota: str) -> None:
    env = site("  max_nodes: 9\n", capacity.strip("{}").replace(", ", "\n  "))
    assert amounts(env)[quota] == 72
    assert f"and however long {env.gpu_pool.capacity} capacity lets one wait" in list(time_lines(env))


def test_what_a_site_does_not_make_is_not_counted() -> None:
    found = amounts(site("network: {mode: auto, nat: false}\ncluster: {private_nodes: false}\n"))
    assert found["SUBNETWORKS-per-project"] == 9
    assert "ROUTERS-per-project" not in found


def test_a_machine_that_the_catalog_does_not_know_is_counted_by_its_name_and_marked() -> None:
    env = site("cpu_pool: {machine: n2-highmem-96}\n")
    row = "cpu-pool  1 to 5  n2-highmem-96  -                              ~480   not in the catalog  -"
    assert row in list(size(env))
    counted = {need.quota.id: (need.amount, need.doubt) for need in needs(env) if "CPUS" in need.quota.id}
    doubt = "how many vCPUs n2-highmem-96 has; its name tells 96"
    assert counted == {
        "N2-CPUS-per-project-region": (576, doubt),
        "CPUS-ALL-REGIONS-per-project": (
            576,
            f"{doubt}; whether the GPU machines' vCPUs are counted; they are left out here",
        ),
    }
    assert list(left_out(env)) == []


@pytest.mark.parametrize(
    ("machine", "counted", "line"),
    [
        (
            "n2-custom-96-655360",
            [],
            "Left out: vCPUs of the CPU pool; neither the catalog nor its name tells how many n2-custom-96-655360 has",
        ),
        (
            "c4-highmem-96",
            ["CPUS-ALL-REGIONS-per-project"],
            "Left out: vCPUs by family; the catalog does not know the quota that counts c4-highmem-96",
        ),
    ],
)
def test_quotas_that_cannot_be_named_are_said_to_be_left_out(machine: str, counted: list[str], line: str) -> None:
    env = site(f"cpu_pool: {{machine: {machine}}}\n")
    assert [name for name in amounts(env) if "CPUS" in name] == counted
    assert line in list(quota_lines(env))


def test_a_limit_is_asked_for_as_googles_own_script_for_the_tutorial_does() -> None:
    commands = {
        need.quota.id: need.quota.command(
            project="p", place={"zone": "z", "region": "r", "project": ""}[need.quota.where]
        )
        for need in needs(example("example-h200"))
    }
    form = (
        "gcloud beta quotas info list --service={} --project=p --flatten='dimensionsInfos[]' --filter='{}'"
        " --format='value(dimensionsInfos.details.value)'"
    )
    assert commands["Capacity"] == form.format(
        "lustre.googleapis.com", "quotaId=Capacity AND dimensionsInfos.applicableLocations=z"
    )
    assert commands["GPUS-PER-GPU-FAMILY-per-project-region"] == form.format(
        "compute.googleapis.com",
        "quotaId=GPUS-PER-GPU-FAMILY-per-project-region AND dimensionsInfos.applicableLocations=r"
        " AND dimensionsInfos.dimensions.gpu_family=NVIDIA_H200",
    )
    assert commands["NETWORKS-per-project"] == form.format("compute.googleapis.com", "quotaId=NETWORKS-per-project")


def step(minutes: float, *after: str) -> Step:
    return Step(duration=Duration(minutes=minutes, source="test"), after=after)


def test_the_critical_path_is_the_longest_chain() -> None:
    found = {"a": step(2), "b": step(30, "a"), "c": step(9, "a"), "d": step(20, "c"), "e": step(1, "b", "d")}
    assert critical_path(found) == (("a", "b", "e"), 33)
    assert critical_path({**found, "d": step(22, "c")}) == (("a", "c", "d", "e"), 34)


def test_lustre_is_the_long_way_and_the_cluster_comes_up_beside_it() -> None:
    path, minutes = critical_path(steps(example("example-b200")))
    assert path[:4] == ("APIs", "networks", "private services", "Lustre")
    assert "cluster" not in path
    serial = sum(one.duration.minutes for one in steps(example("example-b200")).values())
    assert minutes < serial


def test_the_platform_waits_for_all_that_it_runs_on_and_what_is_beside_the_long_way_is_said() -> None:
    found = steps(example("example-b200"))
    assert found["cluster"].after == found["Lustre"].after == ("networks", "private services")
    assert found["platform"].after == ("Lustre", "CPU pool", "GPU pool")
    assert list(time_lines(example("example-b200"))) == [
        "about 53 minutes: APIs ~2, networks ~2, private services ~2, Lustre ~30, platform ~1, GPU nodes ~6, image ~8,"
        " Ray ~2",
        "beside that: cluster 9, default pool ~3, CPU pool ~2, GPU pool ~2",
        # without the default pool's removal and the CPU pool, which the tutorial does not have
        "the tutorial's steps, one after the other: about 64 minutes, and the time to paste them",
    ]


def test_without_workers_no_gpu_node_is_waited_for() -> None:
    assert "GPU nodes" not in steps(site("ray: {workers: 0}\n"))


def test_the_command_prints_all_within_a_moment_and_needs_no_bindings(tmp_path: Path) -> None:
    root = copy_checkout(tmp_path / "site")
    code = (
        "import sys; from tools.estimate import main; s = main(['example-b200']); sys.exit(s or 'jsii' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "example-b200, project my-project, us-central1-b"
    assert (
        "Day and night: 2 GPU nodes (ray.workers) and 1 of the CPU pool; the largest job, gemma3-27b-gsm8k, takes 2"
    ) in lines


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "write: python -m tools.estimate SITE\n"),
        (["example-b20"], "environments: has no site called example-b20; did you mean example-b200 or example-h200?\n"),
        (["nowhere"], "environments: has no site called nowhere; there are example-b200, example-h200\n"),
    ],
)
def test_a_wrong_call_says_what_to_write(
    arguments: list[str],
    said: str,
    examples_root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(estimate, "ROOT", examples_root)
    assert main(arguments) == 2
    assert capsys.readouterr().err == said
