from __future__ import annotations

from constructs.disruption_budget import DisruptionBudget
from constructs.namespace import Namespace
from tests.constructs.one_stack import built


def test_the_rays_namespace_admits_privileged_pods_and_has_time_to_empty() -> None:
    stack = built(lambda stack: Namespace(stack, "namespace", name="ray", pod_security="privileged"))
    assert stack["resource"]["kubernetes_namespace_v1"] == {
        "namespace": {
            "metadata": {"name": "ray", "labels": {"pod-security.kubernetes.io/enforce": "privileged"}},
            "timeouts": {"delete": "15m"},
        }
    }


def test_no_ray_pod_is_drained() -> None:
    stack = built(lambda stack: DisruptionBudget(stack, "disruption-budget", namespace="ray", name="ray"))
    assert stack["resource"]["kubernetes_pod_disruption_budget_v1"] == {
        "disruption-budget": {
            "metadata": {"name": "ray", "namespace": "ray"},
            "spec": {"min_available": "1000000", "selector": {"match_labels": {"ray.io/is-ray-node": "yes"}}},
        }
    }
