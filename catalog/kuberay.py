"""KubeRay by minor version: what its operator understands, where it comes from, and the Helm charts that fit."""

from __future__ import annotations

from dataclasses import dataclass

#: The Helm repository of the KubeRay project: charts `ray-cluster` and `kuberay-operator`.
CHART_REPOSITORY = "https://ray-project.github.io/kuberay-helm/"

#: The one version of the chart `ray-cluster` for every KubeRay minor. The chart writes its version into each pod's
#: labels, so a chart that followed the operator would replace the RayCluster at every upgrade of GKE. What it renders
#: from our values stands in the custom resource definitions of all minors below (tests/helm).
RAY_CLUSTER_CHART = "1.7.0"

#: KubeRay's limits on names (ray-operator/controllers/ray/utils/validation.go and constant.go, since 1.4): a longer
#: RayCluster or RayJob is never reconciled.
RAY_CLUSTER_NAME_LIMIT = 53
RAY_JOB_NAME_LIMIT = 47

#: With it, KubeRay runs a container's command as it is written. Without it, command and arguments are joined unquoted
#: into a shell line of KubeRay's own: `set -e` is lost and a bare `set` prints the environment. KubeRay reads it from
#: the RayCluster; a RayJob hands its own annotations on to the RayCluster that it makes.
OVERWRITE_COMMAND = "ray.io/overwrite-container-cmd"


@dataclass(frozen=True, kw_only=True)
class KubeRay:
    """One minor version of the KubeRay operator.

    `ray_cluster`, `head_group` and `worker_group` are the fields of a RayCluster's `spec`, its `headGroupSpec` and
    each of its `workerGroupSpecs`; `ray_job` those of a RayJob's `spec`. The API server drops any other field without
    a word. `operator_chart` is the version of the chart `kuberay-operator`, `operator_image` what that chart runs.
    """

    minor: str
    operator_chart: str
    operator_image: str
    ray_cluster: frozenset[str]
    head_group: frozenset[str]
    worker_group: frozenset[str]
    ray_job: frozenset[str]

    @property
    def order(self) -> tuple[int, ...]:
        """The minor as numbers, to compare two of them."""
        return tuple(int(part) for part in self.minor.split("."))


def _fields(names: str) -> frozenset[str]:
    return frozenset(names.split())


_RAY_CLUSTER = _fields(
    "autoscalerOptions enableInTreeAutoscaling gcsFaultToleranceOptions headGroupSpec headServiceAnnotations managedBy"
    " rayVersion suspend workerGroupSpecs"
)
_HEAD_GROUP = _fields("enableIngress headService rayStartParams serviceType template")
_WORKER_GROUP = _fields(
    "groupName idleTimeoutSeconds maxReplicas minReplicas numOfHosts rayStartParams replicas scaleStrategy suspend"
    " template"
)
_RAY_JOB = _fields(
    "activeDeadlineSeconds backoffLimit clusterSelector entrypoint entrypointNumCpus entrypointNumGpus"
    " entrypointResources jobId managedBy metadata rayClusterSpec runtimeEnvYAML shutdownAfterJobFinishes"
    " submissionMode submitterConfig submitterPodTemplate suspend ttlSecondsAfterFinished"
)
_SINCE_1_5 = frozenset({"labels", "resources"})


# Fields: the custom resource definitions in helm-chart/kuberay-operator/crds of ray-project/kuberay at each row's tag.
# Chart and image: Chart.yaml and values.yaml of helm-chart/kuberay-operator at that tag.
KUBERAY: dict[str, KubeRay] = {
    release.minor: release
    for release in (
        KubeRay(
            minor="1.3",
            operator_chart="1.3.2",
            operator_image="quay.io/kuberay/operator:v1.3.2",
            ray_cluster=_RAY_CLUSTER,
            head_group=_HEAD_GROUP,
            worker_group=_WORKER_GROUP,
            ray_job=_RAY_JOB | {"deletionPolicy"},
        ),
        KubeRay(
            minor="1.4",
            operator_chart="1.4.2",
            operator_image="quay.io/kuberay/operator:v1.4.2",
            ray_cluster=_RAY_CLUSTER,
            head_group=_HEAD_GROUP,
            worker_group=_WORKER_GROUP,
            ray_job=_RAY_JOB | {"deletionPolicy"},
        ),
        KubeRay(
            minor="1.5",
            operator_chart="1.5.2",
            operator_image="quay.io/kuberay/operator:v1.5.2",
            ray_cluster=_RAY_CLUSTER | {"authOptions"},
            head_group=_HEAD_GROUP | _SINCE_1_5,
            worker_group=_WORKER_GROUP | _SINCE_1_5,
            ray_job=_RAY_JOB | {"deletionStrategy"},
        ),
        KubeRay(
            minor="1.6",
            operator_chart="1.6.2",
            operator_image="quay.io/kuberay/operator:v1.6.2",
            ray_cluster=_RAY_CLUSTER | {"authOptions", "upgradeStrategy"},
            head_group=_HEAD_GROUP | _SINCE_1_5,
            worker_group=_WORKER_GROUP | _SINCE_1_5,
            ray_job=_RAY_JOB | {"deletionStrategy", "preRunningDeadlineSeconds"},
        ),
        KubeRay(
            minor="1.7",
            operator_chart="1.7.0",
            operator_image="quay.io/kuberay/operator:v1.7.0",
            ray_cluster=_RAY_CLUSTER
            | {"authOptions", "upgradeStrategy", "historyServerOptions", "networkPolicy", "tlsOptions"},
            head_group=_HEAD_GROUP | _SINCE_1_5 | {"ingressOptions"},
            worker_group=_WORKER_GROUP | _SINCE_1_5 | {"priority"},
            ray_job=_RAY_JOB | {"deletionStrategy", "preRunningDeadlineSeconds"},
        ),
    )
}

#: GKE minor -> KubeRay minor of its Ray operator add-on. Source: GKE documentation, "Enable the Ray operator", last
#: updated 2026-04-10. Patch levels are not published. KubeRay 1.1 and 1.2 have no row above: too old for this project.
ADDON_KUBERAY: dict[str, str] = {
    "1.29": "1.1",
    "1.30": "1.1",
    "1.31": "1.2",
    "1.32": "1.2",
    "1.33": "1.3",
    "1.34": "1.4",
    "1.35": "1.5",
}

#: The operator that `platform.operator: chart` installs unless told otherwise: the first minor that leaves a shared
#: RayCluster alone when a RayJob on it fails with retries left (ray-project/kuberay #4516, fixed by #4527).
CHART_KUBERAY = "1.6"
