"""How to follow a job from a terminal: the commands that its stack gives as outputs."""

from __future__ import annotations

from dataclasses import dataclass

from training.site_job import SiteJob


@dataclass(frozen=True)
class Way:
    """One command, and what it shows."""

    text: str
    meaning: str


def follow(it: SiteJob, *, ray_job: str, ray_cluster: str | None) -> dict[str, Way]:
    """Output name -> command. `ray_cluster` is None for a job whose RayCluster KubeRay makes and names.

    They need kubectl signed in to the cluster, and nothing else on the caller's machine: Ray's own command runs in the
    head's pod.
    """
    kubectl = f"kubectl --namespace={it.env.platform.namespace}"
    job_id = f'"$({kubectl} get rayjob {ray_job} --output=jsonpath={{.status.jobId}})"'
    cluster = (
        ray_cluster
        if ray_cluster is not None
        else f"$({kubectl} get rayjob {ray_job} --output=jsonpath={{.status.rayClusterName}})"
    )
    head = f'"$({kubectl} get pod --selector=ray.io/cluster={cluster},ray.io/node-type=head --output=name)"'
    ray = f"{kubectl} exec {head} --container=ray-head -- ray"
    return {
        "status": Way(
            f"{kubectl} get rayjob {ray_job} --watch",
            "Shows where the job stands",
        ),
        "events": Way(
            f"{kubectl} describe rayjob {ray_job}",
            "Shows what the operator did with the job, and why it failed",
        ),
        "logs": Way(
            f"{ray} job logs --follow {job_id}",
            "Follows what the job prints",
        ),
        "gpus": Way(
            f"{ray} status",
            "Shows Ray's GPUs and what waits for them",
        ),
        "stop": Way(
            f"{ray} job stop {job_id}",
            "Stops the job; a later attempt goes on from the newest checkpoint",
        ),
        "cloud_logging": Way(
            f"gcloud logging read --project={it.env.project} --freshness=7d --order=asc"
            f' \'resource.type="k8s_container" AND resource.labels.cluster_name="{it.env.cloud_names.cluster}"'
            f" AND {_driver_log(it)}:\"{ray_job}\"' --format='value(jsonPayload)'",
            "Reads what the job printed from Cloud Logging, also when its pods are gone",
        ),
    }


def _driver_log(it: SiteJob) -> str:
    """The field that tells the job's own lines: the add-on's, or the file name that our Fluent Bit gives.

    The submission id begins with the RayJob's name, and the file is called job-driver-<submission id>.log.
    """
    return "jsonPayload.ray_submission_id" if it.env.platform.operator == "addon" else "jsonPayload.file"
