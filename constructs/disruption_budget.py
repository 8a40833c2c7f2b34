"""Protection of running Ray pods from drains."""

from __future__ import annotations

from cdktf_cdktf_provider_kubernetes.pod_disruption_budget_v1 import (
    PodDisruptionBudgetV1,
    PodDisruptionBudgetV1Metadata,
    PodDisruptionBudgetV1Spec,
    PodDisruptionBudgetV1SpecSelector,
)

from constructs import Construct


class DisruptionBudget(Construct):
    """A budget of no voluntary disruption for all Ray pods of a namespace.

    KubeRay makes none, and one lost pod ends a run. A node that has to go all the same, as in an upgrade or when its
    host fails, takes its pod with it.
    """

    def __init__(self, scope: Construct, id_: str, *, namespace: str, name: str) -> None:
        super().__init__(scope, id_)
        PodDisruptionBudgetV1(
            self,
            "Default",
            metadata=PodDisruptionBudgetV1Metadata(name=name, namespace=namespace),
            spec=PodDisruptionBudgetV1Spec(
                max_unavailable="0",
                selector=PodDisruptionBudgetV1SpecSelector(match_labels={"ray.io/is-ray-node": "yes"}),
            ),
        )
