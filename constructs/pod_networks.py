"""The extra networks of GPU pods: what the names in a pod's interface annotation stand for."""

from __future__ import annotations

from collections.abc import Sequence

from cdktf import TerraformResource
from cdktf_cdktf_provider_kubernetes.manifest import Manifest

from catalog.interfaces import Interface
from constructs import Construct

_API, _GROUP = "networking.gke.io/v1", "networking.gke.io"


class PodNetworks(Construct):
    """One GKENetworkParamSet and one Network for each extra interface of a GPU node, in the given order.

    The cluster has to know both kinds at plan, which it does with multi-networking on. It refuses two sets on one
    subnet and one on its own VPC.
    """

    def __init__(self, scope: Construct, id_: str, *, interfaces: Sequence[Interface]) -> None:
        super().__init__(scope, id_)
        #: The Network objects; they have to exist while pods use them.
        self.resources: tuple[TerraformResource, ...] = tuple(self._network(interface) for interface in interfaces)

    def _network(self, interface: Interface) -> Manifest:
        name = interface.network
        parameters = Manifest(
            self,
            f"{name}-parameters",
            manifest={
                "apiVersion": _API,
                "kind": "GKENetworkParamSet",
                "metadata": {"name": name},
                "spec": {"vpc": interface.vpc, "vpcSubnet": interface.subnet, "deviceMode": interface.mode},
            },
        )
        return Manifest(
            self,
            name,
            manifest={
                "apiVersion": _API,
                "kind": "Network",
                "metadata": {"name": name},
                "spec": {
                    "type": "Device",
                    "parametersRef": {"group": _GROUP, "kind": "GKENetworkParamSet", "name": name},
                },
            },
            depends_on=[parameters],
        )
