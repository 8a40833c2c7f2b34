"""The section `ray` of an environment file, and its rules, as a user meets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from settings.ray import kuberay
from tests.support import MINIMAL, doubts, environment, faults
from tests.unit.test_faults import TOKENS


def lines(tmp_path: Path, text: str) -> list[str]:
    """The faults of the smallest environment with further lines, without the file's name."""
    return [line.removeprefix("environments/site.yaml: ") for line in faults(tmp_path, site=f"{MINIMAL}{text}\n")]


def test_the_defaults_are_the_tutorials() -> None:
    ray = environment(MINIMAL).ray

    assert (ray.workers, ray.nemo_rl, ray.pod_image) == (2, "v0.5.0", "nvcr.io/nvidia/nemo-rl:v0.5.0")
    assert (ray.head.cpus, ray.head.memory_gib) == (64, 465)
    assert (ray.worker.cpus, ray.worker.memory_gib, ray.worker.shared_memory_gib) == (206, 2400, 240)
    assert ray.env == {}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("ray: {workers: -1}", "ray.workers is -1; write 0 or more"),
        ('ray: {workers: "2"}', 'ray.workers is "2", a text; write a whole number without quotes: 2'),
        (
            "ray: {nemo_rl: v0.4.0}",
            'ray.nemo_rl is "v0.4.0", not a release of NeMo RL that the catalog knows; write v0.5.0 or v0.6.0 or'
            " v0.7.0",
        ),
        ("ray: {kuberay: 1.6}", 'ray.kuberay is 1.6, a decimal number; write a text in quotes: "1.6"'),
        (
            'ray: {kuberay: "1.2"}',
            'ray.kuberay is "1.2", not a KubeRay minor that the catalog knows; write 1.3 or 1.4 or 1.5 or 1.6 or 1.7',
        ),
        (
            "ray: {image: nvcr.io/nvidia/nemo-rl:latest}",
            'ray.image is "nvcr.io/nvidia/nemo-rl:latest", not a pinned image; write REPOSITORY:TAG or'
            " REPOSITORY@sha256:DIGEST, and not :latest",
        ),
        (
            "ray: {replicas: 2}",
            "ray.replicas is unknown; known here: workers, nemo_rl, image, kuberay, head, worker, env",
        ),
    ],
)
def test_a_wrong_value_is_named_with_what_to_write(tmp_path: Path, text: str, fault: str) -> None:
    assert lines(tmp_path, text) == [fault]


@pytest.mark.parametrize(
    "image",
    ["nvcr.io/nvidia/nemo-rl", "nemo-rl:v1", "localhost:5000/nemo", "Example.com/x:1", "x/y:1 ", "x/y@sha256:12"],
)
def test_an_image_without_repository_and_pin_is_refused(tmp_path: Path, image: str) -> None:
    (fault,) = lines(tmp_path, f"ray: {{image: '{image}'}}")
    assert "not a pinned image" in fault


@pytest.mark.parametrize(
    "image", ["localhost:5000/nemo:1", f"a.b/c/d@sha256:{'0f' * 32}", f"a.b/c/d:latest@sha256:{'0f' * 32}"]
)
def test_an_image_with_port_tag_or_digest_is_taken(image: str) -> None:
    assert environment(f"{MINIMAL}ray: {{image: '{image}'}}\n").ray.pod_image == image


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "ray: {workers: 4}",
            "gpu_pool.max_nodes is 2, but ray.workers is 4; raise max_nodes or lower workers",
        ),
        (
            "ray: {worker: {cpus: 222}}",
            "ray.worker.cpus is 222, but gpu_pool.machine is a4-highgpu-8g, where pods get 223, and GKE's and our own"
            " need 2 of them; write at most 221, or a larger machine",
        ),
        (
            "ray: {worker: {memory_gib: 3874}}",
            "ray.worker.memory_gib is 3874, but gpu_pool.machine is a4-highgpu-8g, where pods get 3881, and GKE's and"
            " our own need 8 of them; write at most 3873, or a larger machine",
        ),
        (
            "ray: {head: {cpus: 78}}",
            "ray.head.cpus is 78, but cpu_pool.machine is n2-highmem-80, where pods get 79, and GKE's and our own need"
            " 2 of them; write at most 77, or a larger machine",
        ),
        (
            "ray: {worker: {memory_gib: 240}}",
            "ray.worker.shared_memory_gib is 240, but ray.worker.memory_gib, which it counts against, is 240; lower"
            " shared_memory_gib or raise memory_gib",
        ),
        (
            'cluster: {version: "1.32"}',
            "cluster.version is 1.32, whose Ray add-on is KubeRay 1.2, too old for this project; write one of 1.33,"
            " 1.34, 1.35, or platform.operator: chart",
        ),
        (
            'cluster: {version: "1.36"}',
            "cluster.version is 1.36, and which KubeRay its Ray add-on is, the catalog does not know; write ray.kuberay"
            ' (see "Choosing the operator" in the README), platform.operator: chart, or one of 1.33, 1.34, 1.35',
        ),
        (
            'ray: {kuberay: "1.6"}',
            "ray.kuberay is 1.6, but the Ray add-on of cluster.version 1.34 is KubeRay 1.4; remove it, or write"
            " platform.operator: chart",
        ),
    ],
)
def test_what_does_not_fit_together_is_named_with_both_sides(tmp_path: Path, text: str, fault: str) -> None:
    assert lines(tmp_path, text) == [fault]


def test_a_pod_may_take_all_that_the_others_on_its_node_leave(tmp_path: Path) -> None:
    largest = "ray: {head: {cpus: 77, memory_gib: 612}, worker: {cpus: 221, memory_gib: 3873}}"
    assert lines(tmp_path, largest) == []


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("A-B", "1", "ray.env.A-B is not the name of a variable; write letters, digits and _, no digit first"),
        (
            "LD_LIBRARY_PATH",
            "/x",
            "ray.env.LD_LIBRARY_PATH would hide the image's own; the start scripts extend it; remove it",
        ),
        ("NETRC", "/x", "ray.env.NETRC is where the pods find the token of Weights & Biases; remove it"),
        ("NRL_DEBUG", r"a\0b", "ray.env.NRL_DEBUG holds the character NUL, which no variable can; remove it"),
        (
            "PATH",
            "/x",
            "ray.env.PATH would hide the image's Python and Ray; remove it",
        ),
        ("KUBERAY_GEN_RAY_START_CMD", "x", "ray.env.KUBERAY_GEN_RAY_START_CMD is KubeRay's; remove it"),
        ("NRL_DEBUG", "", "ray.env.NRL_DEBUG is empty, which the operator drops; remove it, or write a value"),
    ],
)
def test_a_variable_that_would_break_a_pod_is_refused(tmp_path: Path, name: str, value: str, fault: str) -> None:
    assert lines(tmp_path, f'ray: {{env: {{{name}: "{value}"}}}}') == [fault]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HF_TOKEN", "hf_" + "recognisable1"),
        ("HUGGING_FACE_HUB_TOKEN", "recognisable1"),
        ("WANDB_API_KEY", "a" * 40 + "recognisable1"),
        *(("INNOCENT", token) for token in TOKENS.values()),
        ("INNOCENT", "Bearer " + TOKENS["Hugging Face"]),
        ("DB_PASSWORD", "recognisable1"),
    ],
)
def test_a_token_among_the_variables_is_refused_and_never_printed(tmp_path: Path, name: str, value: str) -> None:
    (fault,) = lines(tmp_path, f'ray: {{env: {{{name}: "{value}"}}}}')

    assert fault == (
        f"ray.env.{name} looks like a token or a password, which would stand in the plan, the state and Ray's"
        " dashboard; remove it, and see tokens"
    )


@pytest.mark.parametrize(
    "name", ["NCCL_DEBUG", "TOKENIZERS_PARALLELISM", "HF_HUB_DISABLE_IMPLICIT_TOKEN", "NRL_VIRTUAL_CLUSTER_MAX_RETRIES"]
)
def test_other_variables_are_taken(tmp_path: Path, name: str) -> None:
    assert lines(tmp_path, f'ray: {{env: {{{name}: "10"}}}}') == []


def test_workers_that_cost_while_nothing_runs_are_a_note(tmp_path: Path) -> None:
    note = (
        "environments/site.yaml: ray.workers is 2: as many a4-highgpu-8g stay up, and cost, while no job runs; write 0"
        " to hand them back"
    )

    assert note in doubts(tmp_path / "two", site=MINIMAL)
    assert not any("ray.workers" in line for line in doubts(tmp_path / "none", site=f"{MINIMAL}ray: {{workers: 0}}\n"))


@pytest.mark.parametrize(
    ("text", "minor", "chart"),
    [
        ('cluster: {version: "1.33"}', "1.3", "1.3.2"),
        ('cluster: {version: "1.34"}', "1.4", "1.4.2"),
        ('cluster: {version: "1.35"}', "1.5", "1.5.2"),
        ('cluster: {version: "1.36"}\nray: {kuberay: "1.6"}', "1.6", "1.6.2"),
        ("platform: {operator: chart}", "1.6", "1.6.2"),
        ('platform: {operator: chart}\nray: {kuberay: "1.7"}', "1.7", "1.7.0"),
    ],
)
def test_the_operator_is_the_addons_the_charts_or_the_stated_one(text: str, minor: str, chart: str) -> None:
    row = kuberay(environment(f"{MINIMAL}{text}\n"))

    assert (row.minor, row.operator_chart) == (minor, chart)
