"""The networks of a site: its own VPC, one for the gVNIC, one for RDMA."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from catalog.interfaces import RDMA_CARDS
from catalog.networks import LEAST_MTU, MOST_MTU
from settings.fields import Ipv4Range
from settings.yaml_file import Section

EXISTING_VPC = "a site makes its own VPCs and takes no existing one; remove it"
SHARED_VPC = "a site makes its VPCs in its own project and uses no Shared VPC host project; remove it"


class Network(Section):
    """The three VPCs and their ranges. No two ranges may overlap: a GPU node stands in all of them."""

    mode: Literal["custom", "auto"] = "custom"
    """`custom`: one subnet, in this site's region, with `nodes_range` and named ranges for pods and services.
    `auto`: Google makes a subnet in every region (10.128.0.0/9), as in the tutorial; `nodes_range` is not used."""

    mtu: Annotated[int, Field(ge=LEAST_MTU, le=MOST_MTU)] = MOST_MTU
    """MTU in bytes of the main and the gVNIC VPC. 8896 serves Lustre best; the RDMA VPC always has 8896."""

    nodes_range: Ipv4Range = "10.0.0.0/20"
    """Primary range of the main subnet: one address a node."""

    pods_range: Ipv4Range = "10.4.0.0/14"
    """Range of the pods: GKE takes a /24 of it for each node."""

    services_range: Ipv4Range = "10.0.32.0/20"
    """Range of the Kubernetes services."""

    private_services_range: Ipv4Range = "10.1.0.0/20"
    """Range that Google's producers (Managed Lustre) take their addresses from. Changing it later replaces it."""

    gvnic_range: Ipv4Range = "192.168.0.0/24"
    """Range of the second network card of each GPU node."""

    rdma_ranges: Annotated[tuple[Ipv4Range, ...], Field(min_length=RDMA_CARDS, max_length=RDMA_CARDS)] = (
        "192.168.1.0/24",
        "192.168.2.0/24",
        "192.168.3.0/24",
        "192.168.4.0/24",
        "192.168.5.0/24",
        "192.168.6.0/24",
        "192.168.7.0/24",
        "192.168.8.0/24",
    )
    """Eight ranges, one for each RDMA card of a GPU node, in the order of the cards."""

    nat: bool = True
    """A Cloud NAT, so that nodes without public addresses reach registries and model hubs. Without it images must
    come by another way."""

    @classmethod
    def unsupported(cls) -> Mapping[str, str]:
        return {
            **dict.fromkeys(("existing", "existing_network", "existing_vpc", "use_existing", "vpc"), EXISTING_VPC),
            **dict.fromkeys(("host_project", "shared_vpc", "shared_vpc_host", "shared_vpc_host_project"), SHARED_VPC),
        }
