"""Private services access: how Google's producers, Managed Lustre among them, reach a VPC."""

from __future__ import annotations

from ipaddress import IPv4Network

from cdktf import Precondition
from cdktf_cdktf_provider_google.compute_firewall import ComputeFirewall, ComputeFirewallAllow
from cdktf_cdktf_provider_google.compute_global_address import ComputeGlobalAddress
from cdktf_cdktf_provider_google.data_google_compute_network_peering import DataGoogleComputeNetworkPeering
from cdktf_cdktf_provider_google.service_networking_connection import (
    ServiceNetworkingConnection,
    ServiceNetworkingConnectionTimeouts,
)

from constructs import Construct


class PrivateServices(Construct):
    """An address range for producers in a VPC and the peering to them.

    Destroying waits as long as the create timeout says (the provider uses that one for both), because the peering
    stays in use for some time after the last instance is gone.
    """

    def __init__(
        self, scope: Construct, id_: str, *, project: str, network_id: str, range_name: str, ip_range: str
    ) -> None:
        super().__init__(scope, id_)
        block = IPv4Network(ip_range)
        address = ComputeGlobalAddress(
            self,
            "range",
            name=range_name,
            project=project,
            address_type="INTERNAL",
            purpose="VPC_PEERING",
            address=str(block.network_address),
            prefix_length=block.prefixlen,
            network=network_id,
        )
        ServiceNetworkingConnection(
            self,
            "Default",
            network=network_id,
            service="servicenetworking.googleapis.com",
            reserved_peering_ranges=[address.name],
            timeouts=ServiceNetworkingConnectionTimeouts(create="30m", update="30m", delete="30m"),
        )


class ExistingPrivateServices(Construct):
    """The peering to Google's producers that another layer made, read at each plan.

    A VPC without it fails the plan, and so does, by the `precondition` of what needs it, one whose peering is not
    active: an instance would fail only after minutes of being made.
    """

    def __init__(self, scope: Construct, id_: str, *, network_link: str, described: str, remedy: str) -> None:
        super().__init__(scope, id_)
        peering = DataGoogleComputeNetworkPeering(
            self,
            "Default",
            # The provider of the connection gives it this name in every VPC.
            name="servicenetworking-googleapis-com",
            network=network_link,
        )
        self.precondition = Precondition(
            condition=f'${{data.google_compute_network_peering.{peering.friendly_unique_id}.state == "ACTIVE"}}',
            error_message=f"Private services access of {described} is not active; {remedy}.",
        )


class LustreIngress(Construct):
    """A firewall rule that lets Lustre's servers reach the nodes on the port of Lustre's network."""

    def __init__(
        self, scope: Construct, id_: str, *, project: str, network: str, name: str, source_range: str, port: int
    ) -> None:
        super().__init__(scope, id_)
        ComputeFirewall(
            self,
            "Default",
            name=name,
            project=project,
            network=network,
            direction="INGRESS",
            source_ranges=[source_range],
            allow=[ComputeFirewallAllow(protocol="tcp", ports=[str(port)])],
        )
