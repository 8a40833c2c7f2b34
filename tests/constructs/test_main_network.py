from __future__ import annotations

from constructs.main_network import InternetAccess, MainNetwork, Subnet
from constructs.project_apis import ProjectApis
from stacks.site_stack import SiteStack
from tests.constructs.one_stack import built

SUBNET = Subnet(name="prod-net-nodes", nodes="10.0.0.0/20", pods="10.4.0.0/14", services="10.0.32.0/20")


def main_network(stack: SiteStack, subnet: Subnet | None) -> None:
    apis = ProjectApis(stack, "api", project="my-project", names=("compute",))
    MainNetwork(
        stack,
        "main",
        name="prod-net",
        project="my-project",
        region="us-central1",
        mtu=8896,
        subnet=subnet,
        depends_on=apis.resources,
    )


def test_a_custom_vpc_has_one_subnet_with_named_ranges_for_pods_and_services() -> None:
    stack = built(lambda stack: main_network(stack, SUBNET))
    del stack["resource"]["google_project_service"]
    assert stack["resource"] == {
        "google_compute_network": {
            "main": {
                "name": "prod-net",
                "project": "my-project",
                "auto_create_subnetworks": False,
                "mtu": 8896,
                "routing_mode": "REGIONAL",
                "depends_on": [
                    "google_project_service.api-cloudresourcemanager",
                    "google_project_service.api-compute",
                ],
            }
        },
        "google_compute_subnetwork": {
            "main-nodes": {
                "name": "prod-net-nodes",
                "project": "my-project",
                "region": "us-central1",
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


def test_an_auto_mode_vpc_is_left_to_make_its_own_subnets() -> None:
    resources = built(lambda stack: main_network(stack, None))["resource"]
    assert resources["google_compute_network"]["main"]["auto_create_subnetworks"] is True
    assert "google_compute_subnetwork" not in resources


def test_the_nat_serves_every_range_of_the_vpc() -> None:
    stack = built(
        lambda stack: InternetAccess(
            stack,
            "nat",
            network="prod-net",
            router="prod-net-router",
            nat="prod-net-nat",
            project="my-project",
            region="us-central1",
        )
    )
    assert stack["resource"] == {
        "google_compute_router": {
            "nat-router": {
                "name": "prod-net-router",
                "project": "my-project",
                "region": "us-central1",
                "network": "prod-net",
            }
        },
        "google_compute_router_nat": {
            "nat": {
                "name": "prod-net-nat",
                "project": "my-project",
                "region": "us-central1",
                "router": "${google_compute_router.nat-router.name}",
                "nat_ip_allocate_option": "AUTO_ONLY",
                "source_subnetwork_ip_ranges_to_nat": "ALL_SUBNETWORKS_ALL_IP_RANGES",
            }
        },
    }
