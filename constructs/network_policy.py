"""Who may call Ray pods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from cdktf import TerraformResource
from cdktf_cdktf_provider_kubernetes.network_policy_v1 import (
    NetworkPolicyV1,
    NetworkPolicyV1Metadata,
    NetworkPolicyV1Spec,
    NetworkPolicyV1SpecIngress,
    NetworkPolicyV1SpecIngressFrom,
    NetworkPolicyV1SpecIngressFromIpBlock,
    NetworkPolicyV1SpecIngressFromNamespaceSelector,
    NetworkPolicyV1SpecIngressFromPodSelector,
    NetworkPolicyV1SpecIngressFromPodSelectorMatchExpressions,
    NetworkPolicyV1SpecIngressPorts,
    NetworkPolicyV1SpecPodSelector,
    NetworkPolicyV1SpecPodSelectorMatchExpressions,
)

from catalog.ray_ports import CLIENT, DASHBOARD, METRICS_PORTS
from constructs import Construct

#: Labels that KubeRay puts on every Ray pod.
_CLUSTER = "ray.io/cluster"
_RAY_PODS = {"ray.io/is-ray-node": "yes"}


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Pods of a namespace (all, or those with the labels), or else an IP range."""

    namespace: str | None = None
    pods: Mapping[str, str] = field(default_factory=dict[str, str])
    ip_range: str | None = None


class RayNetworkPolicy(Construct):
    """Two NetworkPolicies: one for the pods of the RayCluster `ray_cluster`, one for those of all other RayClusters.

    The others are the clusters that jobs bring along; their names are KubeRay's and not known before. By either policy
    a Ray pod takes calls only from

    - Ray pods that fall under the same policy, on every port (Ray uses wide ranges, NCCL and Gloo meet on eth0),
    - `operators`, on the dashboard's port, by which KubeRay submits and follows jobs,
    - Managed Prometheus, on the ports of the metrics,
    - `callers`, on the dashboard's and the client's port.

    The node's own kubelet always gets through, and with it the probes. Calls from the pods are not limited, nor is
    what travels on the extra interfaces.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        namespace: str,
        ray_cluster: str,
        operators: Sequence[Caller],
        callers: Sequence[Caller],
    ) -> None:
        super().__init__(scope, id_)
        from_outside = [
            *_from(operators, (DASHBOARD,)),
            *_from([Caller(namespace="gmp-system")], METRICS_PORTS),
            *_from(callers, (DASHBOARD, CLIENT)),
        ]
        #: What has to exist while the RayCluster does.
        self.resources: tuple[TerraformResource, ...] = (
            self._policy("Default", namespace, "ray", "In", ray_cluster, from_outside),
            self._policy("others", namespace, "ray-others", "NotIn", ray_cluster, from_outside),
        )

    def _policy(
        self,
        id_: str,
        namespace: str,
        name: str,
        operator: Literal["In", "NotIn"],
        ray_cluster: str,
        from_outside: Sequence[NetworkPolicyV1SpecIngress],
    ) -> NetworkPolicyV1:
        # The same selector twice, since the bindings have a class for each place.
        selected = NetworkPolicyV1SpecPodSelector(
            match_labels=_RAY_PODS,
            match_expressions=[
                NetworkPolicyV1SpecPodSelectorMatchExpressions(key=_CLUSTER, operator=operator, values=[ray_cluster])
            ],
        )
        each_other = NetworkPolicyV1SpecIngressFromPodSelector(
            match_labels=_RAY_PODS,
            match_expressions=[
                NetworkPolicyV1SpecIngressFromPodSelectorMatchExpressions(
                    key=_CLUSTER, operator=operator, values=[ray_cluster]
                )
            ],
        )
        return NetworkPolicyV1(
            self,
            id_,
            metadata=NetworkPolicyV1Metadata(name=name, namespace=namespace),
            spec=NetworkPolicyV1Spec(
                pod_selector=selected,
                policy_types=["Ingress"],
                ingress=[
                    NetworkPolicyV1SpecIngress(from_=[NetworkPolicyV1SpecIngressFrom(pod_selector=each_other)]),
                    *from_outside,
                ],
            ),
        )


def _from(callers: Sequence[Caller], ports: Sequence[int]) -> list[NetworkPolicyV1SpecIngress]:
    """One rule, or none without callers: a rule whose list of callers is empty would let everybody in."""
    if not callers:
        return []
    return [
        NetworkPolicyV1SpecIngress(
            from_=[_peer(caller) for caller in callers],
            ports=[NetworkPolicyV1SpecIngressPorts(port=str(port), protocol="TCP") for port in ports],
        )
    ]


def _peer(caller: Caller) -> NetworkPolicyV1SpecIngressFrom:
    if caller.ip_range:
        return NetworkPolicyV1SpecIngressFrom(ip_block=NetworkPolicyV1SpecIngressFromIpBlock(cidr=caller.ip_range))
    return NetworkPolicyV1SpecIngressFrom(
        namespace_selector=NetworkPolicyV1SpecIngressFromNamespaceSelector(
            # Kubernetes puts this label on each namespace.
            match_labels={"kubernetes.io/metadata.name": caller.namespace or ""}
        ),
        pod_selector=NetworkPolicyV1SpecIngressFromPodSelector(match_labels=caller.pods) if caller.pods else None,
    )
