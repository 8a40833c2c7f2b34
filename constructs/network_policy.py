"""Who may call the pods of a RayCluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
    NetworkPolicyV1SpecIngressPorts,
    NetworkPolicyV1SpecPodSelector,
)

from catalog.ray_ports import CLIENT, DASHBOARD, METRICS_PORTS
from constructs import Construct


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Pods of a namespace (all, or those with the labels), or else an IP range."""

    namespace: str | None = None
    pods: Mapping[str, str] = field(default_factory=dict[str, str])
    ip_range: str | None = None


class RayNetworkPolicy(Construct):
    """A NetworkPolicy by which the pods of one RayCluster take calls only from

    - each other, on every port (Ray uses wide ranges, and NCCL and Gloo meet on eth0),
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
        name: str,
        ray_cluster: str,
        operators: Sequence[Caller],
        callers: Sequence[Caller],
    ) -> None:
        super().__init__(scope, id_)
        own = {"ray.io/cluster": ray_cluster}
        monitoring = Caller(namespace="gmp-system")
        same_cluster = NetworkPolicyV1SpecIngressFrom(
            pod_selector=NetworkPolicyV1SpecIngressFromPodSelector(match_labels=own)
        )
        self.resource: TerraformResource = NetworkPolicyV1(
            self,
            "Default",
            metadata=NetworkPolicyV1Metadata(name=name, namespace=namespace),
            spec=NetworkPolicyV1Spec(
                pod_selector=NetworkPolicyV1SpecPodSelector(match_labels=own),
                policy_types=["Ingress"],
                ingress=[
                    NetworkPolicyV1SpecIngress(from_=[same_cluster]),
                    *_from(operators, (DASHBOARD,)),
                    *_from([monitoring], METRICS_PORTS),
                    *_from(callers, (DASHBOARD, CLIENT)),
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
