"""Protection of running Ray pods from drains."""

from __future__ import annotations

from cdktf_cdktf_provider_kubernetes.pod_disruption_budget_v1 import (
    PodDisruptionBudgetV1,
    PodDisruptionBudgetV1Metadata,
    PodDisruptionBudgetV1Spec,
    PodDisruptionBudgetV1SpecSelector,
)

from constructs import Construct

#: More Ray pods than any site has.
_MORE_THAN_ALL = 1_000_000


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
                # Kubernetes counts `max_unavailable`, and percentages, by the scale of the pods' controller, which a
                # RayCluster does not have: for an operator's pods a whole `min_available` is all that it supports.
                min_available=str(_MORE_THAN_ALL),
                selector=PodDisruptionBudgetV1SpecSelector(match_labels={"ray.io/is-ray-node": "yes"}),
            ),
        )
