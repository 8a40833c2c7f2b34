from __future__ import annotations

from constructs.rdma_network import RdmaNetwork
from tests.constructs.one_stack import built


def test_a_vpc_of_the_zones_profile_has_a_subnet_for_each_card_and_no_firewall_rule() -> None:
    stack = built(
        lambda stack: RdmaNetwork(
            stack,
            "rdma",
            name="prod-rdma-net",
            project="my-project",
            region="us-central1",
            zone="us-central1-b",
            subnets=(("prod-rdma-sub-0", "192.168.1.0/24"), ("prod-rdma-sub-1", "192.168.2.0/24")),
            depends_on=(),
        )
    )
    assert stack["resource"] == {
        "google_compute_network": {
            "rdma": {
                "name": "prod-rdma-net",
                "project": "my-project",
                "auto_create_subnetworks": False,
                "network_profile": "projects/my-project/global/networkProfiles/us-central1-b-vpc-roce",
                "mtu": 8896,
                "routing_mode": "REGIONAL",
                "depends_on": [],
            }
        },
        "google_compute_subnetwork": {
            "rdma-subnet-0": {
                "name": "prod-rdma-sub-0",
                "project": "my-project",
                "region": "us-central1",
                "network": "${google_compute_network.rdma.name}",
                "ip_cidr_range": "192.168.1.0/24",
            },
            "rdma-subnet-1": {
                "name": "prod-rdma-sub-1",
                "project": "my-project",
                "region": "us-central1",
                "network": "${google_compute_network.rdma.name}",
                "ip_cidr_range": "192.168.2.0/24",
            },
        },
    }
