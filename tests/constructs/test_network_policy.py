from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from constructs.network_policy import Caller, RayNetworkPolicy
from tests.constructs.one_stack import built

OPERATOR = Caller(namespace="kuberay-system", pods={"app.kubernetes.io/name": "kuberay-operator"})
OWN = {
    "match_labels": {"ray.io/is-ray-node": "yes"},
    "match_expressions": [{"key": "ray.io/cluster", "operator": "In", "values": ["ray-0123456789"]}],
}
MONITORING = {
    "from": [{"namespace_selector": {"match_labels": {"kubernetes.io/metadata.name": "gmp-system"}}}],
    "ports": [
        {"port": "8080", "protocol": "TCP"},
        {"port": "44217", "protocol": "TCP"},
        {"port": "44227", "protocol": "TCP"},
    ],
}


def policies(*, operators: Sequence[Caller] = (), callers: Sequence[Caller] = ()) -> dict[str, Any]:
    stack = built(
        lambda stack: RayNetworkPolicy(
            stack,
            "network-policy",
            namespace="ray",
            ray_cluster="ray-0123456789",
            operators=operators,
            callers=callers,
        )
    )
    return stack["resource"]["kubernetes_network_policy_v1"]


def test_without_callers_only_the_cluster_itself_and_monitoring_get_in() -> None:
    assert policies()["network-policy"] == {
        "metadata": {"name": "ray", "namespace": "ray"},
        "spec": {
            "pod_selector": OWN,
            "policy_types": ["Ingress"],
            "ingress": [{"from": [{"pod_selector": OWN}]}, MONITORING],
        },
    }


def test_the_operator_reaches_the_dashboard_and_nothing_else() -> None:
    assert policies(operators=[OPERATOR])["network-policy"]["spec"]["ingress"][1] == {
        "from": [
            {
                "namespace_selector": {"match_labels": {"kubernetes.io/metadata.name": "kuberay-system"}},
                "pod_selector": {"match_labels": {"app.kubernetes.io/name": "kuberay-operator"}},
            }
        ],
        "ports": [{"port": "8265", "protocol": "TCP"}],
    }


def test_allowed_callers_reach_dashboard_and_client_port() -> None:
    callers = [
        Caller(namespace="notebooks"),
        Caller(namespace="ci", pods={"app": "runner"}),
        Caller(ip_range="10.8.0.0/24"),
    ]
    assert policies(callers=callers)["network-policy"]["spec"]["ingress"][2] == {
        "from": [
            {"namespace_selector": {"match_labels": {"kubernetes.io/metadata.name": "notebooks"}}},
            {
                "namespace_selector": {"match_labels": {"kubernetes.io/metadata.name": "ci"}},
                "pod_selector": {"match_labels": {"app": "runner"}},
            },
            {"ip_block": {"cidr": "10.8.0.0/24"}},
        ],
        "ports": [{"port": "8265", "protocol": "TCP"}, {"port": "10001", "protocol": "TCP"}],
    }


def test_clusters_that_jobs_bring_along_are_closed_the_same_way_and_kept_apart_from_the_shared_one() -> None:
    others = {
        "match_labels": {"ray.io/is-ray-node": "yes"},
        "match_expressions": [{"key": "ray.io/cluster", "operator": "NotIn", "values": ["ray-0123456789"]}],
    }
    both = policies(operators=[OPERATOR], callers=[Caller(namespace="ci")])
    assert both["network-policy-others"] == {
        "metadata": {"name": "ray-others", "namespace": "ray"},
        "spec": {
            "pod_selector": others,
            "policy_types": ["Ingress"],
            "ingress": [{"from": [{"pod_selector": others}]}, *both["network-policy"]["spec"]["ingress"][1:]],
        },
    }


def test_no_rule_lets_everybody_in() -> None:
    both = policies(operators=[OPERATOR], callers=[Caller(namespace="ci")])
    rules = [rule for policy in both.values() for rule in policy["spec"]["ingress"]]
    assert all(rule["from"] and all(rule["from"]) for rule in rules)
