"""The VPC of the second network card of each GPU node."""

from __future__ import annotations

from cdktf import ITerraformDependable
from cdktf_cdktf_provider_google.compute_firewall import ComputeFirewall, ComputeFirewallAllow
from cdktf_cdktf_provider_google.compute_network import ComputeNetwork
from cdktf_cdktf_provider_google.compute_subnetwork import ComputeSubnetwork

from constructs import Construct


class GvnicNetwork(Construct):
    """A VPC with one subnet, in which the nodes reach each other by TCP, UDP and ICMP.

    The firewall takes the subnet's own range only; the tutorial's 192.168.0.0/16 takes the RDMA ranges with it.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        name: str,
        subnet: str,
        firewall: str,
        project: str,
        region: str,
        ip_range: str,
        mtu: int,
        depends_on: tuple[ITerraformDependable, ...],
    ) -> None:
        super().__init__(scope, id_)
        network = ComputeNetwork(
            self,
            "Default",
            name=name,
            project=project,
            auto_create_subnetworks=False,
            mtu=mtu,
            routing_mode="REGIONAL",
            depends_on=list(depends_on),
        )
        ComputeSubnetwork(
            self,
            "subnet",
            name=subnet,
            project=project,
            region=region,
            network=network.name,
            ip_cidr_range=ip_range,
        )
        ComputeFirewall(
            self,
            "internal",
            name=firewall,
            project=project,
            network=network.name,
            direction="INGRESS",
            source_ranges=[ip_range],
            allow=[
                ComputeFirewallAllow(protocol="tcp", ports=["0-65535"]),
                ComputeFirewallAllow(protocol="udp", ports=["0-65535"]),
                ComputeFirewallAllow(protocol="icmp"),
            ],
        )
