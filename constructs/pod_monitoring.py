"""Ray's metrics, on their way to Managed Prometheus."""

from __future__ import annotations

from collections.abc import Sequence

from cdktf_cdktf_provider_kubernetes.manifest import Manifest

from catalog.ray_ports import AUTOSCALER_METRICS, DASHBOARD_METRICS, METRICS
from constructs import Construct

#: Labels of Ray pods that become labels of their metrics. `cluster` and three others are Managed Prometheus' own.
_LABELS = {"ray.io/cluster": "ray_cluster", "ray.io/node-type": "ray_node_type", "ray.io/group": "ray_group"}


class RayPodMonitoring(Construct):
    """Two PodMonitoring objects: what every Ray pod of the namespace serves, and what only a head does.

    Not to be had together with the Ray add-on's own monitoring, which collects the same metrics.
    """

    def __init__(self, scope: Construct, id_: str, *, namespace: str) -> None:
        super().__init__(scope, id_)
        self._monitor("pods", namespace, {"ray.io/is-ray-node": "yes"}, (METRICS,))
        self._monitor("head", namespace, {"ray.io/node-type": "head"}, (AUTOSCALER_METRICS, DASHBOARD_METRICS))

    def _monitor(self, id_: str, namespace: str, pods: dict[str, str], ports: Sequence[int]) -> None:
        Manifest(
            self,
            id_,
            manifest={
                "apiVersion": "monitoring.googleapis.com/v1",
                "kind": "PodMonitoring",
                "metadata": {"name": f"ray-{id_}", "namespace": namespace},
                "spec": {
                    "selector": {"matchLabels": pods},
                    "endpoints": [{"port": port, "interval": "30s"} for port in ports],
                    "targetLabels": {"fromPod": [{"from": label, "to": name} for label, name in _LABELS.items()]},
                },
            },
        )
