"""The `spec` of a RayJob, as a Kubernetes manifest (pure Python, no cdktf).

As for pods (ray_pods.py), nothing here is a zero value: the operator writes the object back without them, and Terraform
would see a difference for ever. `backoffLimit` is the exception, a pointer in the operator's code.
"""

from __future__ import annotations

from typing import cast

from catalog.terraform import literal
from constructs.ray_pods import Manifest, RayCluster, ray_cluster_spec

#: The operator posts the job to Ray's dashboard itself. The other modes start a pod of the same huge image, and give a
#: healthy run up when the log stream of that pod ends.
_HTTP = "HTTPMode"


def on_shared_cluster(*, ray_cluster: str, entrypoint: str) -> Manifest:
    """A job on a RayCluster that is there and stays.

    It never retries: before KubeRay 1.6 a retry deletes the cluster (ray-project/kuberay #4516). It states no job id,
    because a second job of one id takes over the first one's result; no runtime environment, whose variables NeMo RL's
    own would clash with; and no deadline, after which KubeRay 1.3 to 1.7 call the job failed and let it run on.
    """
    return {
        "submissionMode": _HTTP,
        "clusterSelector": {"ray.io/cluster": ray_cluster},
        "backoffLimit": 0,
        "entrypoint": entrypoint,
    }


def on_own_cluster(
    *, cluster: RayCluster, entrypoint: str, deadline_seconds: int, keep_seconds: int, retries: int
) -> Manifest:
    """A job with a RayCluster for itself, deleted `keep_seconds` after the end; each retry makes a new one.

    `deadline_seconds` are those of one try: KubeRay counts anew for each. A try that passes them is not retried.
    Needs the annotation `catalog.kuberay.OVERWRITE_COMMAND` on the RayJob, which KubeRay hands to the cluster.
    """
    return {
        "submissionMode": _HTTP,
        "backoffLimit": retries,
        "activeDeadlineSeconds": deadline_seconds,
        "shutdownAfterJobFinishes": True,
        "ttlSecondsAfterFinished": keep_seconds,
        "entrypoint": entrypoint,
        "rayClusterSpec": ray_cluster_spec(cluster),
    }


def escaped(part: object) -> object:
    """The same manifest with every text so written that Terraform hands it on unchanged."""
    match part:
        case str():
            return literal(part)
        case dict():
            return {key: escaped(value) for key, value in cast("Manifest", part).items()}
        case list():
            return [escaped(item) for item in cast("list[object]", part)]
        case _:
            return part
