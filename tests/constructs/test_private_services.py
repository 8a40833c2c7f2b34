from __future__ import annotations

from constructs.private_services import ExistingPrivateServices, LustreIngress, PrivateServices
from tests.constructs.one_stack import built


def test_producers_get_an_address_range_that_we_chose_and_time_to_let_go_of_it() -> None:
    stack = built(
        lambda stack: PrivateServices(
            stack,
            "private-services",
            project="my-project",
            network_id="projects/my-project/global/networks/prod-net",
            range_name="prod-lustre-range",
            ip_range="10.1.0.0/20",
        )
    )
    assert stack["resource"] == {
        "google_compute_global_address": {
            "private-services-range": {
                "name": "prod-lustre-range",
                "project": "my-project",
                "address_type": "INTERNAL",
                "purpose": "VPC_PEERING",
                "address": "10.1.0.0",
                "prefix_length": 20,
                "network": "projects/my-project/global/networks/prod-net",
            }
        },
        "google_service_networking_connection": {
            "private-services": {
                "network": "projects/my-project/global/networks/prod-net",
                "service": "servicenetworking.googleapis.com",
                "reserved_peering_ranges": ["${google_compute_global_address.private-services-range.name}"],
                # No deletion_policy: ABANDON would leave the peering, and with it a VPC that cannot be deleted.
                # The provider's delete waits as long as `create` says; its default is ten minutes.
                "timeouts": {"create": "30m", "update": "30m", "delete": "30m"},
            }
        },
    }


def test_what_needs_producers_is_planned_only_in_a_vpc_whose_peering_to_them_is_active() -> None:
    found: list[ExistingPrivateServices] = []
    stack = built(
        lambda stack: found.append(
            ExistingPrivateServices(
                stack,
                "private-services",
                network_link="${data.google_compute_network.main.self_link}",
                described="the VPC prod-net",
                remedy="deploy prod_network first",
            )
        )
    )
    assert stack["data"] == {
        "google_compute_network_peering": {
            "private-services": {
                "name": "servicenetworking-googleapis-com",
                "network": "${data.google_compute_network.main.self_link}",
            }
        }
    }
    condition = found[0].precondition
    assert condition.condition == '${data.google_compute_network_peering.private-services.state == "ACTIVE"}'
    assert condition.error_message == (
        "Private services access of the VPC prod-net is not active; deploy prod_network first."
    )


def test_lustres_servers_are_let_in_on_its_port() -> None:
    stack = built(
        lambda stack: LustreIngress(
            stack,
            "lustre-ingress",
            project="my-project",
            network="prod-net",
            name="prod-net-lustre",
            source_range="10.1.0.0/20",
            port=6988,
        )
    )
    assert stack["resource"] == {
        "google_compute_firewall": {
            "lustre-ingress": {
                "name": "prod-net-lustre",
                "project": "my-project",
                "network": "prod-net",
                "direction": "INGRESS",
                "source_ranges": ["10.1.0.0/20"],
                "allow": [{"protocol": "tcp", "ports": ["6988"]}],
            }
        }
    }
