"""The ranges of a site: which ones it may have, that they are apart, and that they hold its nodes."""

from __future__ import annotations

import math
from ipaddress import IPv4Network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settings.environment import Environment
from settings.site_rules import pods_range_holds_the_nodes, subnets_hold_the_nodes
from tests.support import MINIMAL, doubts, environment, faults

REFUSED: dict[str, list[str]] = {
    "{nodes_range: 127.0.0.0/20}": [
        "network.nodes_range is 127.0.0.0/20, and no VPC takes addresses of 127.0.0.0/8; write a private range"
    ],
    "{gvnic_range: 169.254.8.0/24}": [
        "network.gvnic_range is 169.254.8.0/24, and no VPC takes addresses of 169.254.0.0/16; write a private range"
    ],
    "{services_range: 224.0.0.0/20}": [
        "network.services_range is 224.0.0.0/20, and no VPC takes addresses of 224.0.0.0/4; write a private range"
    ],
    "{services_range: 10.0.32.0/28}": [
        "network.services_range is 10.0.32.0/28, but GKE takes a /27 at least; write a larger one"
    ],
    "{private_services_range: 10.1.0.0/24}": [
        "network.private_services_range is 10.1.0.0/24, but Managed Lustre asks for a /23 at least; write a larger one"
    ],
    "{nodes_range: 10.4.0.0/20}": [
        "network.pods_range is 10.4.0.0/14, but network.nodes_range is 10.4.0.0/20; write ranges that do not overlap"
    ],
    "{gvnic_range: 10.0.0.0/24}": [
        "network.gvnic_range is 10.0.0.0/24, but network.nodes_range is 10.0.0.0/20; write ranges that do not overlap"
    ],
    "{mode: auto, nodes_range: 10.0.0.0/20}": [
        "network.nodes_range is given, but network.mode is auto, where Google chooses it; remove it, or write mode:"
        " custom"
    ],
    "{mode: auto, gvnic_range: 10.128.4.0/24, services_range: 10.192.0.0/20}": [
        "network.services_range is 10.192.0.0/20, but network.mode is auto, whose subnets take 10.128.0.0/9; write a"
        " range outside of it",
        "network.gvnic_range is 10.128.4.0/24, but network.mode is auto, whose subnets take 10.128.0.0/9; write a range"
        " outside of it",
    ],
    "{mode: legacy}": ["network.mode is \"legacy\"; write one of 'custom' or 'auto'"],
    "{mtu: 9000}": ["network.mtu is 9000; write 8896 or less"],
    "{mtu: 1200}": ["network.mtu is 1200; write 1300 or more"],
    "{nodes_range: 10.0.0.0/29}": [
        "network.nodes_range is 10.0.0.0/29, with room for 4 nodes, but the pools grow to 8; write a larger one"
    ],
    "{gvnic_range: 192.168.0.0/30}": [
        "network.gvnic_range is 192.168.0.0/30, with room for 0 nodes, but the pools grow to 2; write a larger one"
    ],
}


@pytest.mark.parametrize(("network", "lines"), REFUSED.items(), ids=REFUSED)
def test_a_range_that_cannot_be_is_refused(network: str, lines: list[str], tmp_path: Path) -> None:
    assert faults(tmp_path, prod=f"{MINIMAL}network: {network}\n") == [f"environments/prod.yaml: {it}" for it in lines]


@pytest.mark.parametrize(
    "network",
    [
        "{mode: auto}",
        "{nodes_range: 172.16.0.0/20}",
        "{nodes_range: 100.64.0.0/20}",
        "{services_range: 10.0.32.0/27}",
        "{private_services_range: 10.1.0.0/23}",
        "{gvnic_range: 192.168.0.0/29}",
        "{nodes_range: 10.0.0.0/28}",
    ],
)
def test_a_range_that_can_be_is_taken(network: str, tmp_path: Path) -> None:
    assert faults(tmp_path, prod=f"{MINIMAL}network: {network}\n") == []


def test_a_control_plane_that_everybody_reaches_is_noted(tmp_path: Path) -> None:
    text = MINIMAL + "cluster: {endpoint: public, authorized_networks: [0.0.0.0/0]}\nray: {workers: 0}\n"
    assert doubts(tmp_path, prod=text) == [
        "environments/prod.yaml: cluster.authorized_networks has 0.0.0.0/0, so that everybody reaches the control"
        " plane's sign-in; going on. Write the ranges of those who need it"
    ]


GOOD = environment(MINIMAL + "name: prod\n")


def with_ranges(*, gvnic: int, nodes: int, pods: int, gpu_nodes: int, cpu_nodes: int) -> Environment:
    """A site whose ranges have these prefix lengths and whose pools grow to these numbers."""
    network = GOOD.network.model_copy(
        update={
            "gvnic_range": f"192.168.0.0/{gvnic}",
            "rdma_ranges": (),
            "nodes_range": f"10.0.0.0/{nodes}",
            "pods_range": f"10.0.0.0/{pods}",
        }
    )
    pools = {
        "gpu_pool": GOOD.gpu_pool.model_copy(update={"max_nodes": gpu_nodes}),
        "cpu_pool": GOOD.cpu_pool.model_copy(update={"max_nodes": cpu_nodes}),
    }
    return GOOD.model_copy(update={"network": network, **pools})


@given(
    gvnic=st.integers(min_value=16, max_value=32),
    nodes=st.integers(min_value=16, max_value=32),
    pods=st.integers(min_value=9, max_value=32),
    gpu_nodes=st.integers(min_value=1, max_value=5000),
    cpu_nodes=st.integers(min_value=1, max_value=5000),
)
def test_ranges_are_refused_exactly_when_their_nodes_do_not_fit(
    gvnic: int, nodes: int, pods: int, gpu_nodes: int, cpu_nodes: int
) -> None:
    """Counted again from the documentation: four addresses of a subnet are Google's, a node's pods have a /24."""
    env = with_ranges(gvnic=gvnic, nodes=nodes, pods=pods, gpu_nodes=gpu_nodes, cpu_nodes=cpu_nodes)
    all_nodes = gpu_nodes + cpu_nodes + 1
    expected = {
        "network.gvnic_range": 2 ** (32 - gvnic) - 4 < gpu_nodes,
        "network.nodes_range": 2 ** (32 - nodes) - 4 < all_nodes,
        "network.pods_range": math.floor(2.0 ** (24 - pods)) < all_nodes,
    }
    found = {it.path for rule in (subnets_hold_the_nodes, pods_range_holds_the_nodes) for it in rule(env)}
    assert found == {path for path, wrong in expected.items() if wrong}


def test_the_default_ranges_are_apart_and_private() -> None:
    network = GOOD.network
    ranges = [network.nodes_range, network.pods_range, network.services_range, network.private_services_range]
    ranges += [network.gvnic_range, *network.rdma_ranges]
    networks = [IPv4Network(text) for text in ranges]
    assert all(it.is_private for it in networks)
    assert (
        sum(it.num_addresses for it in networks)
        == len({address >> 8 for it in networks for address in spread(it)}) * 256
    )


def spread(network: IPv4Network) -> range:
    """One address of each /24 of a network."""
    return range(int(network[0]), int(network[-1]) + 1, 256)
