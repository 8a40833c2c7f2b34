"""RayJobs get a new name whenever they would run anything else, and one that Kubernetes and KubeRay take."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.jobs import SMALL, on_site
from training.follow import follow
from training.names import ray_job_name

SPEC = {"entrypoint": "sleep 1", "clusterSelector": {"ray.io/cluster": "ray-0123456789"}}


def test_the_name_is_the_jobs_and_a_hash() -> None:
    assert re.fullmatch(r"gemma-[0-9a-f]{8}", ray_job_name("gemma", SPEC, 1))


def test_the_name_follows_from_what_runs_and_from_nothing_else() -> None:
    reordered = dict(reversed(SPEC.items()))
    assert ray_job_name("gemma", SPEC, 1) == ray_job_name("gemma", reordered, 1)
    assert ray_job_name("gemma", {**SPEC, "entrypoint": "sleep 2"}, 1) != ray_job_name("gemma", SPEC, 1)


def test_a_raised_attempt_is_another_job() -> None:
    assert ray_job_name("gemma", SPEC, 2) != ray_job_name("gemma", SPEC, 1)


@given(st.from_regex(r"[a-z]([-a-z0-9]{0,36}[a-z0-9])?", fullmatch=True), st.integers(1, 99))
def test_any_allowed_name_of_a_job_gives_a_dns_label_within_47_characters(name: str, attempt: int) -> None:
    made = ray_job_name(name, SPEC, attempt)
    assert len(made) <= 47
    assert re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", made)


def test_the_commands_to_follow_a_job_name_it() -> None:
    head = '"$(kubectl --namespace=ray get pod --selector=ray.io/cluster=ray-1,ray.io/node-type=head --output=name)"'
    ray_job = '"$(kubectl --namespace=ray get rayjob small-1 --output=jsonpath={.status.jobId})"'
    ways = follow(on_site(SMALL), ray_job="small-1", ray_cluster="ray-1")
    assert {name: way.text for name, way in ways.items()} == {
        "status": "kubectl --namespace=ray get rayjob small-1 --watch",
        "events": "kubectl --namespace=ray describe rayjob small-1",
        "logs": f"kubectl --namespace=ray exec {head} --container=ray-head -- ray job logs --follow {ray_job}",
        "gpus": f"kubectl --namespace=ray exec {head} --container=ray-head -- ray status",
        "stop": f"kubectl --namespace=ray exec {head} --container=ray-head -- ray job stop {ray_job}",
        "cloud_logging": "gcloud logging read --project=my-project --freshness=7d --order=asc"
        ' \'resource.type="k8s_container" AND resource.labels.cluster_name="site" AND'
        " jsonPayload.ray_submission_id:\"small-1\"' --format='value(jsonPayload)'",
    }


def test_a_cluster_of_its_own_is_looked_up_first() -> None:
    ways = follow(on_site(f"{SMALL}cluster: own\n"), ray_job="small-1", ray_cluster=None)
    assert ways["gpus"].text == (
        'kubectl --namespace=ray exec "$(kubectl --namespace=ray get pod --selector=ray.io/cluster=$(kubectl'
        " --namespace=ray get rayjob small-1 --output=jsonpath={.status.rayClusterName}),ray.io/node-type=head"
        ' --output=name)" --container=ray-head -- ray status'
    )
