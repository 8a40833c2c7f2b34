"""The VPC of the GPUs' own network cards."""

from __future__ import annotations

from cdktf import ITerraformDependable
from cdktf_cdktf_provider_google.compute_network import ComputeNetwork
from cdktf_cdktf_provider_google.compute_subnetwork import ComputeSubnetwork

from catalog.networks import MOST_MTU
from constructs import Construct


class RdmaNetwork(Construct):
    """A VPC with the RoCE profile of one zone, and one subnet a card, `subnet-0` and on.

    A VPC with this profile takes no firewall rules, and traffic inside it is allowed
    (https://cloud.google.com/vpc/docs/rdma-network-profiles).
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        name: str,
        project: str,
        region: str,
        zone: str,
        subnets: tuple[tuple[str, str], ...],
        depends_on: tuple[ITerraformDependable, ...],
    ) -> None:
        """`subnets` are pairs of name and range, in the order of the cards."""
        super().__init__(scope, id_)
        network = ComputeNetwork(
            self,
            "Default",
            name=name,
            project=project,
            auto_create_subnetworks=False,
            network_profile=f"projects/{project}/global/networkProfiles/{zone}-vpc-roce",
            mtu=MOST_MTU,
            routing_mode="REGIONAL",
            depends_on=list(depends_on),
        )
        for index, (subnet, ip_range) in enumerate(subnets):
            ComputeSubnetwork(
                self,
                f"subnet-{index}",
                name=subnet,
                project=project,
                region=region,
                network=network.name,
                ip_cidr_range=ip_range,
            )
