"""The extra network interfaces of a GPU node, in the one order that node pool, Network objects and pods share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: RDMA cards of each machine of the catalog: one a GPU.
RDMA_CARDS = 8


@dataclass(frozen=True, kw_only=True)
class Interface:
    """One extra NIC: the device in the pod, the Kubernetes Network object, and the VPC and subnet behind it.

    `vpc` and `subnet` are names, never paths: the node pool's arguments are plain strings to the provider, and the
    API answers with names, so a path would replace the pool at the next plan.
    """

    device: str
    network: str
    vpc: str
    subnet: str
    mode: Literal["NetDevice", "RDMA"]


def extra_interfaces(
    *, gvnic_vpc: str, gvnic_subnet: str, rdma_vpc: str, rdma_subnets: tuple[str, ...]
) -> tuple[Interface, ...]:
    """eth1 on the gVNIC subnet as `gvnic-1`, then eth2 and on, one RDMA subnet each, as `rdma-0` and on.

    eth0 is the cluster's own network. The order is the tutorial's.
    """
    gvnic = Interface(device="eth1", network="gvnic-1", vpc=gvnic_vpc, subnet=gvnic_subnet, mode="NetDevice")
    rdma = (
        Interface(device=f"eth{index + 2}", network=f"rdma-{index}", vpc=rdma_vpc, subnet=subnet, mode="RDMA")
        for index, subnet in enumerate(rdma_subnets)
    )
    return (gvnic, *rdma)
