from __future__ import annotations

from typing import Any

from constructs.pod_monitoring import RayPodMonitoring
from tests.constructs.one_stack import built


def monitor(name: str, pods: dict[str, str], *ports: int) -> dict[str, Any]:
    return {
        "manifest": {
            "apiVersion": "monitoring.googleapis.com/v1",
            "kind": "PodMonitoring",
            "metadata": {"name": name, "namespace": "ray"},
            "spec": {
                "selector": {"matchLabels": pods},
                "endpoints": [{"port": port, "interval": "30s"} for port in ports],
                "targetLabels": {
                    "fromPod": [
                        {"from": "ray.io/cluster", "to": "ray_cluster"},
                        {"from": "ray.io/node-type", "to": "ray_node_type"},
                        {"from": "ray.io/group", "to": "ray_group"},
                    ]
                },
            },
        }
    }


def test_every_pod_is_asked_on_its_port_and_the_head_on_two_more() -> None:
    stack = built(lambda stack: RayPodMonitoring(stack, "pod-monitoring", namespace="ray"))
    assert stack["resource"]["kubernetes_manifest"] == {
        "pod-monitoring-pods": monitor("ray-pods", {"ray.io/is-ray-node": "yes"}, 8080),
        "pod-monitoring-head": monitor("ray-head", {"ray.io/node-type": "head"}, 44217, 44227),
    }
