from __future__ import annotations

from constructs.gvnic_network import GvnicNetwork
from tests.constructs.one_stack import built


def test_the_nodes_reach_each_other_from_the_subnets_own_range_only() -> None:
    stack = built(
        lambda stack: GvnicNetwork(
            stack,
            "gvnic",
            name="prod-gvnic-net",
            subnet="prod-gvnic-sub",
            firewall="prod-gvnic-internal",
            project="my-project",
            region="us-central1",
            ip_range="192.168.0.0/24",
            mtu=8896,
            depends_on=(),
        )
    )
    assert stack["resource"] == {
        "google_compute_network": {
            "gvnic": {
                "name": "prod-gvnic-net",
                "project": "my-project",
                "auto_create_subnetworks": False,
                "mtu": 8896,
                "routing_mode": "REGIONAL",
                "depends_on": [],
            }
        },
        "google_compute_subnetwork": {
            "gvnic-subnet": {
                "name": "prod-gvnic-sub",
                "project": "my-project",
                "region": "us-central1",
                "network": "${google_compute_network.gvnic.name}",
                "ip_cidr_range": "192.168.0.0/24",
            }
        },
        "google_compute_firewall": {
            "gvnic-internal": {
                "name": "prod-gvnic-internal",
                "project": "my-project",
                "network": "${google_compute_network.gvnic.name}",
                "direction": "INGRESS",
                "source_ranges": ["192.168.0.0/24"],
                "allow": [
                    {"protocol": "tcp", "ports": ["0-65535"]},
                    {"protocol": "udp", "ports": ["0-65535"]},
                    {"protocol": "icmp"},
                ],
            }
        },
    }
