"""The VPC that the cluster lives in."""

from __future__ import annotations

from dataclasses import dataclass

from cdktf import ITerraformDependable
from cdktf_cdktf_provider_google.compute_network import ComputeNetwork
from cdktf_cdktf_provider_google.compute_router import ComputeRouter
from cdktf_cdktf_provider_google.compute_router_nat import ComputeRouterNat
from cdktf_cdktf_provider_google.compute_subnetwork import ComputeSubnetwork, ComputeSubnetworkSecondaryIpRange

from constructs import Construct

#: Names of the secondary ranges of the subnet, which the cluster refers to.
PODS_RANGE_NAME = "pods"
SERVICES_RANGE_NAME = "services"


@dataclass(frozen=True, kw_only=True)
class Subnet:
    """The subnet of the nodes: its name and its three ranges."""

    name: str
    nodes: str
    pods: str
    services: str


class MainNetwork(Construct):
    """A VPC of the given MTU, with one subnet in the region; without `subnet`, Google makes one in every region.

    The ranges of pods and services are named ranges of the subnet: those that GKE would add by itself make this layer
    drift once the cluster is up.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        name: str,
        project: str,
        region: str,
        mtu: int,
        subnet: Subnet | None,
        depends_on: tuple[ITerraformDependable, ...],
    ) -> None:
        super().__init__(scope, id_)
        self.network = ComputeNetwork(
            self,
            "Default",
            name=name,
            project=project,
            auto_create_subnetworks=subnet is None,
            mtu=mtu,
            routing_mode="REGIONAL",
            depends_on=list(depends_on),
        )
        if subnet:
            ComputeSubnetwork(
                self,
                "nodes",
                name=subnet.name,
                project=project,
                region=region,
                network=self.network.name,
                ip_cidr_range=subnet.nodes,
                private_ip_google_access=True,
                secondary_ip_range=[
                    ComputeSubnetworkSecondaryIpRange(range_name=PODS_RANGE_NAME, ip_cidr_range=subnet.pods),
                    ComputeSubnetworkSecondaryIpRange(range_name=SERVICES_RANGE_NAME, ip_cidr_range=subnet.services),
                ],
            )


class InternetAccess(Construct):
    """A Cloud NAT for all ranges of a VPC in one region, so that nodes without public addresses reach out."""

    def __init__(
        self, scope: Construct, id_: str, *, network: str, router: str, nat: str, project: str, region: str
    ) -> None:
        super().__init__(scope, id_)
        cloud_router = ComputeRouter(self, "router", name=router, project=project, region=region, network=network)
        ComputeRouterNat(
            self,
            "Default",
            name=nat,
            project=project,
            region=region,
            router=cloud_router.name,
            nat_ip_allocate_option="AUTO_ONLY",
            source_subnetwork_ip_ranges_to_nat="ALL_SUBNETWORKS_ALL_IP_RANGES",
        )
