"""The values of the upstream chart `ray-cluster`, written from the description of the pods.

Only keys that the chart renders, as recorded in tests/helm: it drops any other one, a pod annotation under `template`
for example, without a word.
"""

from __future__ import annotations

from io import StringIO
from typing import Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

from catalog.kuberay import OVERWRITE_COMMAND
from constructs.ray_pod import Manifest, Pod
from constructs.ray_pods import WORKER_GROUP, RayCluster, head_pod, sidecars, worker_pod

#: The chart's key for a field of a pod or container, where it is another one than Kubernetes'.
_CHART_KEYS = {"env": "containerEnv"}


def chart_values(cluster: RayCluster) -> Manifest:
    """The values document, as data."""
    # The chart joins the two with ":", so an image by digest goes through it as well.
    repository, _, tag = cluster.image.rpartition(":")
    return {
        "fullnameOverride": cluster.name,
        "annotations": {OVERWRITE_COMMAND: "true"},
        "image": {"repository": repository, "tag": tag, "pullPolicy": "IfNotPresent"},
        "service": {"type": "ClusterIP"},
        "head": {"rayVersion": cluster.ray_version, **_pod_values(cluster, head_pod(cluster))},
        "worker": {"disabled": True},
        "additionalWorkerGroups": {
            WORKER_GROUP: {**_replicas(cluster.workers.count), **_pod_values(cluster, worker_pod(cluster))}
        },
    }


def values_yaml(values: Manifest) -> str:
    """The values as a YAML text that every YAML version reads alike: each text value is quoted, scripts are blocks."""
    yaml: Any = YAML()  # ruamel.yaml's own types end at its dump
    yaml.width = 1_000_000  # no folding
    yaml.indent(mapping=2, sequence=4, offset=2)
    text = StringIO()
    yaml.dump(_quoted(values), text)
    return text.getvalue()


def _pod_values(cluster: RayCluster, pod: Pod) -> Manifest:
    fields = {**pod.parts(), **pod.surroundings(cluster.service_account)}
    values: Manifest = {
        "rayStartParams": dict(pod.ray_start),
        "annotations": dict(pod.annotations),
        **{_CHART_KEYS.get(name, name): value for name, value in fields.items()},
    }
    beside = sidecars(cluster)
    return {**values, "sidecarContainers": beside} if beside else values


def _replicas(count: int) -> Manifest:
    # The chart reads a 0 in either limit as "none given" and writes its own default, which for the upper one is no
    # limit at all; KubeRay needs both limits to hold the number between them.
    if count == 0:
        return {"replicas": 0, "maxReplicas": 1}
    return {"replicas": count, "minReplicas": count, "maxReplicas": count}


def _quoted(value: object) -> object:
    match value:
        case dict():
            return {key: _quoted(item) for key, item in cast("Manifest", value).items()}
        case list():
            return [_quoted(item) for item in cast("list[object]", value)]
        case str():
            return LiteralScalarString(value) if _is_a_block(value) else DoubleQuotedScalarString(value)
        case _:
            return value


def _is_a_block(text: str) -> bool:
    # A block has no escapes: YAML takes some characters for line breaks, and refuses others.
    return text.endswith("\n") and text.replace("\n", "").isprintable()
