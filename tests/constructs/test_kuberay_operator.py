from __future__ import annotations

import json

from constructs.kuberay_operator import KubeRayOperator
from tests.constructs.one_stack import built


def test_the_operator_is_pinned_watches_one_namespace_and_refuses_a_second_operator() -> None:
    stack = built(
        lambda stack: KubeRayOperator(
            stack,
            "kuberay-operator",
            namespace="kuberay-system",
            name="kuberay-operator",
            repository="https://ray-project.github.io/kuberay-helm/",
            version="1.6.2",
            watched_namespace="ray",
            addon_enabled="try(data.google_container_cluster.cluster.addons_config[0], false)",
        )
    )
    release = stack["resource"]["helm_release"]["kuberay-operator"]
    (values,) = release.pop("values")
    assert json.loads(values) == {
        "watchNamespace": ["ray"],
        "resources": {
            "requests": {"cpu": "500m", "memory": "512Mi"},
            "limits": {"cpu": "500m", "memory": "512Mi"},
        },
    }
    (precondition,) = release.pop("lifecycle")["precondition"]
    assert precondition["condition"] == "${!try(data.google_container_cluster.cluster.addons_config[0], false)}"
    assert release == {
        "name": "kuberay-operator",
        "namespace": "${kubernetes_namespace_v1.kuberay-operator-namespace.metadata[0].name}",
        "repository": "https://ray-project.github.io/kuberay-helm/",
        "chart": "kuberay-operator",
        "version": "1.6.2",
        "atomic": True,
        "max_history": 5,
        "timeout": 600,
    }
    assert stack["resource"]["kubernetes_namespace_v1"]["kuberay-operator-namespace"]["metadata"] == {
        "name": "kuberay-system",
        "labels": {"pod-security.kubernetes.io/enforce": "baseline"},
    }
