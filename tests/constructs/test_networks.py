"""The networks of a site, resource by resource."""

from __future__ import annotations

from typing import Any

from constructs.gvnic_network import GvnicNetwork
from constructs.main_network import InternetAccess, MainNetwork, Subnet
from constructs.private_services import LustreIngress, PrivateServices
from constructs.project_apis import ProjectApis
from constructs.rdma_network import RdmaNetwork
from stacks.site_stack import SiteStack
from tests.constructs.one_stack import built


def test_the_main_network_has_one_subnet_with_named_ranges() -> None:
    def build(stack: SiteStack) -> None:
        MainNetwork(
            stack,
            "main",
            name="net",
            project="p",
            region="r",
            mtu=8896,
            subnet=Subnet(name="sub", nodes="10.0.0.0/20", pods="10.4.0.0/14", services="10.0.32.0/20"),
            depends_on=(),
        )

    assert built(build)["resource"] == {
        "google_compute_network": {
            "main": {
                "name": "net",
                "project": "p",
                "auto_create_subnetworks": False,
                "mtu": 8896,
                "routing_mode": "REGIONAL",
                "depends_on": [],
            }
        },
        "google_compute_subnetwork": {
            "main-nodes": {
                "name": "sub",
                "project": "p",
                "region": "r",
                "network": "${google_compute_network.main.name}",
                "ip_cidr_range": "10.0.0.0/20",
                "private_ip_google_access": True,
                "secondary_ip_range": [
                    {"range_name": "pods", "ip_cidr_range": "10.4.0.0/14"},
                    {"range_name": "services", "ip_cidr_range": "10.0.32.0/20"},
                ],
            }
        },
    }


def test_without_a_subnet_google_makes_one_in_each_region() -> None:
    def build(stack: SiteStack) -> None:
        MainNetwork(stack, "main", name="net", project="p", region="r", mtu=8896, subnet=None, depends_on=())

    resources = built(build)["resource"]
    assert list(resources) == ["google_compute_network"]
    assert resources["google_compute_network"]["main"]["auto_create_subnetworks"] is True


def test_nat_serves_all_ranges_of_the_network() -> None:
    def build(stack: SiteStack) -> None:
        InternetAccess(stack, "nat", network="net", router="router", nat="nat", project="p", region="r")

    assert built(build)["resource"] == {
        "google_compute_router": {
            "nat-router": {"name": "router", "project": "p", "region": "r", "network": "net"},
        },
        "google_compute_router_nat": {
            "nat": {
                "name": "nat",
                "project": "p",
                "region": "r",
                "router": "${google_compute_router.nat-router.name}",
                "nat_ip_allocate_option": "AUTO_ONLY",
                "source_subnetwork_ip_ranges_to_nat": "ALL_SUBNETWORKS_ALL_IP_RANGES",
            }
        },
    }


def test_the_gvnic_network_lets_its_own_range_in() -> None:
    def build(stack: SiteStack) -> None:
        GvnicNetwork(
            stack,
            "gvnic",
            name="g-net",
            subnet="g-sub",
            firewall="g-internal",
            project="p",
            region="r",
            ip_range="192.168.0.0/24",
            mtu=8896,
            depends_on=(),
        )

    assert built(build)["resource"]["google_compute_firewall"] == {
        "gvnic-internal": {
            "name": "g-internal",
            "project": "p",
            "network": "${google_compute_network.gvnic.name}",
            "direction": "INGRESS",
            "source_ranges": ["192.168.0.0/24"],
            "allow": [
                {"protocol": "tcp", "ports": ["0-65535"]},
                {"protocol": "udp", "ports": ["0-65535"]},
                {"protocol": "icmp"},
            ],
        }
    }


def test_the_rdma_network_has_the_zones_profile_and_a_subnet_a_card_and_no_firewall() -> None:
    def build(stack: SiteStack) -> None:
        RdmaNetwork(
            stack,
            "rdma",
            name="r-net",
            project="p",
            region="us-central1",
            zone="us-central1-b",
            subnets=(("r-sub-0", "192.168.1.0/24"), ("r-sub-1", "192.168.2.0/24")),
            depends_on=(),
        )

    def subnet(name: str, ip_range: str) -> dict[str, Any]:
        return {
            "name": name,
            "project": "p",
            "region": "us-central1",
            "network": "${google_compute_network.rdma.name}",
            "ip_cidr_range": ip_range,
        }

    assert built(build)["resource"] == {
        "google_compute_network": {
            "rdma": {
                "name": "r-net",
                "project": "p",
                "auto_create_subnetworks": False,
                "network_profile": "projects/p/global/networkProfiles/us-central1-b-vpc-roce",
                "mtu": 8896,
                "routing_mode": "REGIONAL",
                "depends_on": [],
            }
        },
        "google_compute_subnetwork": {
            "rdma-subnet-0": subnet("r-sub-0", "192.168.1.0/24"),
            "rdma-subnet-1": subnet("r-sub-1", "192.168.2.0/24"),
        },
    }


def test_producers_get_a_range_of_their_own_and_a_peering_that_waits_long_enough() -> None:
    def build(stack: SiteStack) -> None:
        PrivateServices(
            stack, "private-services", project="p", network_id="net", range_name="range", ip_range="10.1.0.0/20"
        )
        LustreIngress(
            stack, "ingress", project="p", network="net", name="lustre", source_range="10.1.0.0/20", port=6988
        )

    assert built(build)["resource"] == {
        "google_compute_global_address": {
            "private-services-range": {
                "name": "range",
                "project": "p",
                "address_type": "INTERNAL",
                "purpose": "VPC_PEERING",
                "address": "10.1.0.0",
                "prefix_length": 20,
                "network": "net",
            }
        },
        "google_service_networking_connection": {
            "private-services": {
                "network": "net",
                "service": "servicenetworking.googleapis.com",
                "reserved_peering_ranges": ["${google_compute_global_address.private-services-range.name}"],
                "timeouts": {"create": "30m", "update": "30m", "delete": "30m"},
            }
        },
        "google_compute_firewall": {
            "ingress": {
                "name": "lustre",
                "project": "p",
                "network": "net",
                "direction": "INGRESS",
                "source_ranges": ["10.1.0.0/20"],
                "allow": [{"protocol": "tcp", "ports": ["6988"]}],
            }
        },
    }


def test_apis_stay_on_and_wait_for_the_first() -> None:
    def build(stack: SiteStack) -> None:
        ProjectApis(stack, "api", project="p", names=("compute", "cloudresourcemanager"))

    assert built(build)["resource"]["google_project_service"] == {
        "api-cloudresourcemanager": {
            "project": "p",
            "service": "cloudresourcemanager.googleapis.com",
            "disable_on_destroy": False,
        },
        "api-compute": {
            "project": "p",
            "service": "compute.googleapis.com",
            "disable_on_destroy": False,
            "depends_on": ["google_project_service.api-cloudresourcemanager"],
        },
    }
