"""RayJobs: the whole manifest, what is around it, and what none of it may hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, cast

import cdktf
import pytest

from catalog.kuberay import KUBERAY
from constructs.ray_job import RayJob
from constructs.ray_job_spec import on_own_cluster, on_shared_cluster
from constructs.ray_pods import ray_cluster_spec
from settings.environment import Environment
from stacks.job import JobStack, own_cluster
from stacks.ray_cluster import ray_cluster
from tests.constructs.one_stack import app, built
from tests.crds.schemas import schema_faults
from tests.jobs import SCRIPTS, SMALL, TUTORIAL, job, site
from training.site_job import SiteJob


def read(field: str) -> str:
    return f'try(coalesce(data.kubernetes_resource.job-status.object.status.{field}), "unknown")'


def stack(text: str, env: Environment | None = None) -> dict[str, Any]:
    """The Terraform JSON of one job's stack."""
    return json.loads(_on_the_usual_site(text) if env is None else _synthesized(text, env))


@cache
def _on_the_usual_site(text: str) -> str:
    return _synthesized(text, site())


def _synthesized(text: str, env: Environment) -> str:
    return cdktf.Testing.synth(JobStack(app(), SiteJob("gemma", job(text), env), scripts=SCRIPTS))


def manifest(text: str, env: Environment | None = None) -> dict[str, Any]:
    return stack(text, env)["resource"]["kubernetes_manifest"]["job"]["manifest"]


def unescaped(node: Any) -> Any:
    """The manifest as the API gets it: Terraform's own escapes undone."""
    match node:
        case str():
            return node.replace("$${", "${").replace("%%{", "%{")
        case dict():
            return {key: unescaped(value) for key, value in cast("dict[str, Any]", node).items()}
        case list():
            return [unescaped(item) for item in cast("list[Any]", node)]
        case _:
            return node


def leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    match node:
        case dict() if node:
            for key, value in cast("dict[str, Any]", node).items():
                yield from leaves(value, f"{path}.{key}")
        case list() if node:
            for index, value in enumerate(cast("list[Any]", node)):
                yield from leaves(value, f"{path}[{index}]")
        case _:
            yield path, node


def test_a_job_on_the_shared_cluster_is_just_this() -> None:
    spec = on_shared_cluster(ray_cluster="ray-0123456789", entrypoint="echo '${x}' %{y}")
    found = built(
        lambda stack: RayJob(
            stack,
            "job",
            stack=stack,
            name="gemma-01234567",
            namespace="ray",
            annotations={},
            spec=spec,
            look="kubectl ...",
        )
    )
    del found["terraform"]
    metadata = {"name": "gemma-01234567", "namespace": "ray"}
    for one in (
        found,
        found["resource"]["kubernetes_manifest"]["job"],
        found["data"]["kubernetes_resource"]["job-status"],
    ):
        one.pop("//", None)
    assert found == {
        "resource": {
            "kubernetes_manifest": {
                "job": {
                    "manifest": {
                        "apiVersion": "ray.io/v1",
                        "kind": "RayJob",
                        "metadata": metadata,
                        "spec": {
                            "submissionMode": "HTTPMode",
                            "clusterSelector": {"ray.io/cluster": "ray-0123456789"},
                            "backoffLimit": 0,
                            "entrypoint": "echo '$${x}' %%{y}",
                        },
                    },
                    "wait": {"fields": {"status.jobStatus": "^(PENDING|RUNNING|STOPPED|SUCCEEDED|FAILED)$"}},
                    "timeouts": {"create": "30m", "update": "30m", "delete": "10m"},
                }
            }
        },
        "data": {
            "kubernetes_resource": {
                "job-status": {
                    "api_version": "ray.io/v1",
                    "kind": "RayJob",
                    "metadata": metadata,
                    "depends_on": ["kubernetes_manifest.job"],
                }
            }
        },
        "check": {
            "ray-job": {
                "assert": [
                    {
                        "condition": f'${{!(contains(["FAILED", "STOPPED"], {read("jobStatus")})'
                        f' || contains(["Failed", "ValidationFailed"], {read("jobDeploymentStatus")}))}}',
                        "error_message": f"RayJob gemma-01234567 is ${{{read('jobStatus')}}} for Ray and"
                        f" ${{{read('jobDeploymentStatus')}}} for KubeRay (reason: ${{{read('reason')}}})."
                        " Why: kubectl ...",
                    }
                ]
            }
        },
    }


def test_kuberay_ends_a_job_only_where_it_takes_the_cluster_away() -> None:
    limited = f"{TUTORIAL}limits: {{run_hours: 6}}\n"
    own, shared = manifest(f"{limited}cluster: own\n")["spec"], manifest(limited)["spec"]
    assert own["activeDeadlineSeconds"] == 21600
    assert own["entrypoint"].startswith("exec bash /dev/fd/3")
    assert "activeDeadlineSeconds" not in shared
    assert shared["entrypoint"].startswith("exec timeout --kill-after=5m 6h bash /dev/fd/3")


def test_what_failed_is_looked_for_where_it_still_is() -> None:
    def told(text: str) -> str:
        return stack(text)["check"]["ray-job"]["assert"][0]["error_message"].partition("Why: ")[2]

    assert "ray job logs --follow" in told(TUTORIAL)
    assert told(f"{TUTORIAL}cluster: own\n").startswith("gcloud logging read")


def test_a_job_on_the_shared_cluster_states_nothing_that_would_delete_it_or_take_over_another() -> None:
    assert set(manifest(TUTORIAL)["spec"]) == {"submissionMode", "clusterSelector", "backoffLimit", "entrypoint"}


def test_the_stack_reads_the_cluster_that_the_job_selects() -> None:
    env = site()
    found = stack(TUTORIAL, env)
    name = ray_cluster(env).name
    selected = found["data"]["kubernetes_resources"]["ray-cluster"]
    selected.pop("//", None)
    assert selected == {
        "api_version": "ray.io/v1",
        "kind": "RayCluster",
        "namespace": "ray",
        "field_selector": f"metadata.name={name}",
        "lifecycle": {
            "postcondition": [
                {
                    "condition": "${length(self.objects) == 1}",
                    "error_message": f"There is no RayCluster {name} in the namespace ray: deploy site_platform first.",
                }
            ]
        },
    }
    resource = found["resource"]["kubernetes_manifest"]["job"]
    assert resource["manifest"]["spec"]["clusterSelector"] == {"ray.io/cluster": name}
    assert resource["depends_on"] == ["data.kubernetes_resources.ray-cluster"]


def test_the_stack_is_named_and_signed_in_as_the_others() -> None:
    found = stack(TUTORIAL)
    assert found["terraform"]["backend"]["local"]["path"] == "../../../state/job_site_gemma.tfstate"
    assert found["terraform"]["required_version"] == ">= 1.11"
    assert set(found["provider"]) == {"google", "kubernetes"}
    assert found["data"]["google_container_cluster"]["cluster"]["name"] == "site"


def test_the_outputs_are_the_jobs_name_and_commands_to_follow_it() -> None:
    outputs = stack(TUTORIAL)["output"]
    name = outputs["ray_job"]["value"]
    assert re.fullmatch(r"gemma-[0-9a-f]{8}", name)
    assert set(outputs) == {"ray_job", "status", "events", "logs", "gpus", "stop", "cloud_logging"}
    assert all(name in outputs[one]["value"] for one in ("status", "events", "logs", "stop", "cloud_logging"))
    assert not any("object.status" in str(output["value"]) for output in outputs.values())


def test_whatever_a_job_runs_is_in_its_name() -> None:
    def name(text: str, env: Environment | None = None) -> str:
        return manifest(text, env)["metadata"]["name"]

    names = [
        name(TUTORIAL),
        name(TUTORIAL.replace("max_steps: 10", "max_steps: 20")),
        name(f"{TUTORIAL}attempt: 2\n"),
        name(f"{TUTORIAL}limits: {{run_hours: 1}}\n"),
        name(TUTORIAL, site(more="ray: {env: {NCCL_DEBUG: INFO}}")),
    ]
    assert len(set(names)) == len(names)
    assert name(TUTORIAL) == name(TUTORIAL, site(more="ray: {workers: 4}"))


# A RayCluster of its own


def test_a_job_with_its_own_cluster_brings_the_sites_pods() -> None:
    env = site()
    text = f"{TUTORIAL}cluster: own\nown: {{retries: 2, keep_minutes: 30}}\n"
    found = manifest(text, env)
    assert found["metadata"]["annotations"] == {"ray.io/overwrite-container-cmd": "true"}
    spec = unescaped(found["spec"])
    cluster, entrypoint = spec.pop("rayClusterSpec"), spec.pop("entrypoint")
    assert spec == {
        "submissionMode": "HTTPMode",
        "backoffLimit": 2,
        "activeDeadlineSeconds": 86400,
        "shutdownAfterJobFinishes": True,
        "ttlSecondsAfterFinished": 1800,
    }
    assert entrypoint.startswith("exec bash")
    site_cluster = ray_cluster(env)
    same = replace(site_cluster, workers=replace(site_cluster.workers, count=2))
    assert cluster == ray_cluster_spec(same)


def test_an_own_cluster_has_the_jobs_workers_and_release() -> None:
    text = f"{SMALL}cluster: own\nnemo_rl: v0.6.0\n"
    cluster = own_cluster(SiteJob("small", job(text), site("v0.5.0", more="")))
    assert (cluster.image, cluster.ray_version, cluster.workers.count) == (
        "nvcr.io/nvidia/nemo-rl:v0.6.0",
        "2.54.0",
        1,
    )


def test_an_own_image_goes_with_the_sites_release_only() -> None:
    env = site(more="ray: {nemo_rl: v0.5.0, image: 'example.org/nemo-rl:mine'}")
    assert own_cluster(SiteJob("small", job(f"{SMALL}cluster: own\n"), env)).image == "example.org/nemo-rl:mine"
    other = SiteJob("small", job(f"{SMALL}cluster: own\nnemo_rl: v0.6.0\n"), env)
    assert own_cluster(other).image == "nvcr.io/nvidia/nemo-rl:v0.6.0"


def test_an_own_cluster_is_read_by_no_data_source() -> None:
    data = stack(f"{TUTORIAL}cluster: own\n")["data"]
    assert set(data) == {"google_client_config", "google_container_cluster", "kubernetes_resource"}
    assert set(data["kubernetes_resource"]) == {"job-status"}


# What no manifest may hold


@pytest.mark.parametrize("text", [TUTORIAL, f"{TUTORIAL}cluster: own\n"], ids=["shared", "own"])
def test_a_manifest_holds_no_zero_value(text: str) -> None:
    """The operator writes the object back without them; Terraform would call that an inconsistent result."""
    for path, value in leaves(manifest(text)):
        if path in (".spec.backoffLimit",) or path.endswith(".emptyDir"):
            continue  # pointers in the operator's code: they come back as they were
        assert value not in (False, 0, "", None, [], {}), path


@pytest.mark.parametrize("memory", [64, 1024, 1536, 2400])
def test_a_manifest_holds_canonical_quantities_only(memory: int) -> None:
    env = site(more=f"ray: {{worker: {{memory_gib: {memory}, shared_memory_gib: 32}}}}")
    found = manifest(f"{SMALL}cluster: own\n", env)
    quantities = [
        value for path, value in leaves(found) if re.search(r"\.resources\.(limits|requests)\.|\.sizeLimit$", path)
    ]
    assert len(quantities) >= 11
    for quantity in quantities:
        assert canonical(quantity), quantity


def canonical(quantity: str) -> bool:
    """Whether Kubernetes writes the quantity like this: the largest suffix that leaves a whole number."""
    match = re.fullmatch(r"([1-9][0-9]*)(m|Ki|Mi|Gi|Ti)?", quantity)
    if not match:
        return False
    number, suffix = int(match[1]), match[2]
    if suffix == "m":
        return number % 1000 != 0
    return suffix in (None, "Ti") or number % 1024 != 0


@pytest.mark.parametrize("minor", KUBERAY)
@pytest.mark.parametrize("text", [TUTORIAL, f"{TUTORIAL}cluster: own\nown: {{retries: 1}}\n"], ids=["shared", "own"])
def test_every_kuberay_takes_the_whole_manifest(text: str, minor: str) -> None:
    found = unescaped(manifest(text))
    assert set(found["spec"]) <= KUBERAY[minor].ray_job
    assert schema_faults("rayjobs", minor, found) == []


def test_an_own_cluster_with_all_its_settings_is_just_this() -> None:
    cluster = ray_cluster(site())
    assert on_own_cluster(cluster=cluster, entrypoint="x", deadline_seconds=60, keep_seconds=120, retries=1) == {
        "submissionMode": "HTTPMode",
        "backoffLimit": 1,
        "activeDeadlineSeconds": 60,
        "shutdownAfterJobFinishes": True,
        "ttlSecondsAfterFinished": 120,
        "entrypoint": "x",
        "rayClusterSpec": ray_cluster_spec(cluster),
    }
