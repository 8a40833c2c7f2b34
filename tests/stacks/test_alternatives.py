"""What each choice of the environment file changes in the JSON."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import Stacks

Json = dict[str, Any]


def gpu_pool(sites: Stacks, site: str) -> Json:
    return sites[f"{site}_cluster"]["resource"]["google_container_node_pool"]["gpu-pool"]


def cluster(sites: Stacks, site: str) -> Json:
    return sites[f"{site}_cluster"]["resource"]["google_container_cluster"]["cluster"]


def lustre(sites: Stacks, site: str) -> Json:
    return sites[f"{site}_storage"]["resource"]["google_lustre_instance"]["lustre"]


def network(sites: Stacks, site: str) -> Json:
    return sites[f"{site}_network"]["resource"]


def test_the_state_lies_where_the_environment_says(alternatives: Stacks) -> None:
    def place(site: str) -> Json:
        terraform = alternatives[f"{site}_network"]["terraform"]
        return {key: terraform[key] for key in ("backend", "cloud") if key in terraform}

    assert place("plain") == {"backend": {"local": {"path": "../../../state/plain_network.tfstate"}}}
    assert place("gcs") == {"backend": {"gcs": {"bucket": "my-state", "prefix": "nemo-rl/gcs_network"}}}
    assert place("cloud") == {
        "cloud": {
            "hostname": "app.terraform.io",
            "organization": "my-org",
            "workspaces": {"name": "cloud_network"},
        }
    }


def test_the_data_and_the_cluster_are_protected_until_a_switch_says_otherwise(alternatives: Stacks) -> None:
    def protection(site: str) -> tuple[bool, bool]:
        prevented = lustre(alternatives, site)["lifecycle"]["prevent_destroy"]
        return (prevented, cluster(alternatives, site)["deletion_protection"])

    assert (protection("plain"), protection("open")) == ((True, True), (False, False))


OWN = "projects/my-project/reservations/my-reservation"


@pytest.mark.parametrize(
    ("site", "reservation"),
    [
        ("plain", "my-reservation"),
        # One form for one thing: another one would replace the pool.
        ("own-path", "my-reservation"),
        ("shared", "projects/other-project/reservations/theirs"),
        # The API answers 404 to a bare name with a block.
        ("block", f"{OWN}/reservationBlocks/b-1"),
        ("sub-block", f"{OWN}/reservationBlocks/b-1/reservationSubBlocks/s-1"),
    ],
)
def test_a_reservation_is_named_in_the_form_that_the_api_takes(
    site: str, reservation: str, alternatives: Stacks
) -> None:
    assert gpu_pool(alternatives, site)["node_config"]["reservation_affinity"] == {
        "consume_reservation_type": "SPECIFIC_RESERVATION",
        "key": "compute.googleapis.com/reservation-name",
        "values": [reservation],
    }


@pytest.mark.parametrize(
    ("site", "marks", "repaired"),
    [
        ("spot", {"spot": True}, True),
        ("flex", {"flex_start": True, "max_run_duration": "86400s"}, False),
        ("demand", {}, True),
    ],
)
def test_without_a_reservation_nodes_are_marked_by_where_they_come_from(
    site: str, marks: Json, repaired: bool, alternatives: Stacks
) -> None:
    pool = gpu_pool(alternatives, site)
    config = pool["node_config"]
    assert config["reservation_affinity"] == {"consume_reservation_type": "NO_RESERVATION"}
    assert {key: config[key] for key in ("spot", "flex_start", "max_run_duration") if key in config} == marks
    assert pool["management"] == {"auto_repair": repaired, "auto_upgrade": True}
    assert (
        "data" not in alternatives[f"{site}_cluster"]
        or "google_compute_reservation" not in (alternatives[f"{site}_cluster"]["data"])
    )


def test_placement_is_compact_on_request(alternatives: Stacks) -> None:
    assert gpu_pool(alternatives, "demand")["placement_policy"] == {"type": "COMPACT"}
    assert "placement_policy" not in gpu_pool(alternatives, "plain")


@pytest.mark.parametrize(
    ("site", "read"), [("plain", True), ("block", True), ("sub-block", True), ("shared", False), ("blind", False)]
)
def test_a_reservation_is_read_where_its_users_may_be_expected_to(site: str, read: bool, alternatives: Stacks) -> None:
    stack = alternatives[f"{site}_cluster"]
    assert ("google_compute_reservation" in stack["data"]) is read
    assert ("precondition" in gpu_pool(alternatives, site)["lifecycle"]) is read
    assert ("check" in stack) is read


def test_a_block_is_read_as_the_reservation_that_it_is_of(alternatives: Stacks) -> None:
    read = alternatives["sub-block_cluster"]["data"]["google_compute_reservation"]["reservation"]
    named = (read["name"], read["project"], read["zone"])
    assert named == ("my-reservation", "my-project", "us-central1-b")


def test_the_ray_addon_is_written_as_off_where_the_chart_brings_the_operator(alternatives: Stacks) -> None:
    def addon(site: str) -> Json:
        return cluster(alternatives, site)["addons_config"]["ray_operator_config"]

    off, on = {"enabled": False}, {"enabled": True}
    assert addon("plain") == [{"enabled": True, "ray_cluster_logging_config": on, "ray_cluster_monitoring_config": on}]
    assert addon("chart") == [
        {"enabled": False, "ray_cluster_logging_config": off, "ray_cluster_monitoring_config": off}
    ]


def test_the_control_plane_is_reached_as_the_environment_says(alternatives: Stacks) -> None:
    def access(site: str) -> tuple[Any, ...]:
        one = cluster(alternatives, site)
        return (
            one["control_plane_endpoints_config"],
            one.get("master_authorized_networks_config"),
            one["private_cluster_config"]["enable_private_endpoint"],
        )

    by_ip = {"dns_endpoint_config": {"allow_external_traffic": False}, "ip_endpoints_config": {"enabled": True}}
    assert access("plain") == (
        {"dns_endpoint_config": {"allow_external_traffic": True}, "ip_endpoints_config": {"enabled": False}},
        None,
        False,
    )
    no_others = {"gcp_public_cidrs_access_enabled": False, "private_endpoint_enforcement_enabled": True}
    assert access("public") == (by_ip, {"cidr_blocks": [{"cidr_block": "203.0.113.0/24"}], **no_others}, False)
    assert access("private") == (by_ip, {"cidr_blocks": [{"cidr_block": "10.0.0.0/20"}], **no_others}, True)


def test_lustres_port_is_one_switch_for_instance_cluster_and_firewall(alternatives: Stacks) -> None:
    def port(site: str) -> tuple[Any, ...]:
        return (
            lustre(alternatives, site)["gke_support_enabled"],
            cluster(alternatives, site)["addons_config"]["lustre_csi_driver_config"]["enable_legacy_lustre_port"],
            network(alternatives, site)["google_compute_firewall"]["lustre-ingress"]["allow"],
        )

    assert port("plain") == (True, True, [{"ports": ["6988"], "protocol": "tcp"}])
    assert port("port-988") == (False, False, [{"ports": ["988"], "protocol": "tcp"}])


def test_the_driver_follows_gpu_and_gke_version(alternatives: Stacks) -> None:
    def driver(site: str) -> str:
        (accelerator,) = gpu_pool(alternatives, site)["node_config"]["guest_accelerator"]
        return accelerator["gpu_driver_installation_config"]["gpu_driver_version"]

    # On GKE 1.32 the default driver does not know B200.
    assert (driver("plain"), driver("old")) == ("DEFAULT", "LATEST")


def test_without_nat_there_is_neither_router_nor_nat(alternatives: Stacks) -> None:
    assert {"google_compute_router", "google_compute_router_nat"} <= network(alternatives, "plain").keys()
    assert {"google_compute_router", "google_compute_router_nat"}.isdisjoint(network(alternatives, "no-nat"))


def test_auto_mode_leaves_the_subnet_to_google_and_gives_gke_the_ranges(alternatives: Stacks) -> None:
    resources = network(alternatives, "auto")
    assert resources["google_compute_network"]["main"]["auto_create_subnetworks"] is True
    assert "main-nodes" not in resources["google_compute_subnetwork"]
    # Google names each subnet of an auto-mode VPC as the VPC.
    assert cluster(alternatives, "auto")["subnetwork"] == "auto-net"
    assert cluster(alternatives, "auto")["ip_allocation_policy"] == {
        "cluster_ipv4_cidr_block": "10.4.0.0/14",
        "services_ipv4_cidr_block": "10.0.32.0/20",
    }
    assert cluster(alternatives, "plain")["ip_allocation_policy"] == {
        "cluster_secondary_range_name": "pods",
        "services_secondary_range_name": "services",
    }


def test_upgrades_stay_away_in_the_times_that_the_user_names(alternatives: Stacks) -> None:
    assert cluster(alternatives, "busy")["maintenance_policy"] == {
        "daily_maintenance_window": {"start_time": "09:00"},
        "maintenance_exclusion": [
            {
                "exclusion_name": "run-7",
                "start_time": "2027-01-15T00:00:00Z",
                "end_time": "2027-02-15T00:00:00Z",
                "exclusion_options": {"scope": "NO_MINOR_OR_NODE_UPGRADES"},
            }
        ],
    }


def test_a_site_that_was_built_by_hand_keeps_the_names_that_the_tutorial_made(alternatives: Stacks) -> None:
    def names(layer: str, kind: str, key: str = "name") -> dict[str, str]:
        blocks = alternatives[f"by-hand_{layer}"]["resource"][kind]
        return {name: block[key] for name, block in blocks.items()}

    assert names("network", "google_compute_network") == {
        "main": "my-vpc",
        "gvnic": "my-gvnic-net",
        "rdma": "my-rdma-net",
    }
    assert names("network", "google_compute_subnetwork") == {
        "main-nodes": "my-subnet",
        "gvnic-subnet": "my-gvnic-sub",
        "rdma-subnet-0": "my-rdma-sub-0",
        "rdma-subnet-1": "my-rdma-sub-1",
        "rdma-subnet-2": "my-rdma-sub-2",
        "rdma-subnet-3": "my-rdma-sub-3",
        "rdma-subnet-4": "my-rdma-sub-4",
        "rdma-subnet-5": "my-rdma-sub-5",
        "rdma-subnet-6": "my-rdma-sub-6",
        "rdma-subnet-7": "my-rdma-sub-7",
    }
    assert names("network", "google_compute_firewall")["gvnic-internal"] == "my-gvnic-internal"
    assert names("network", "google_compute_global_address") == {"private-services-range": "my-lustre-range"}
    assert names("storage", "google_lustre_instance", "instance_id") == {"lustre": "my-lustre"}
    assert names("cluster", "google_container_cluster") == {"cluster": "my-cluster"}
    assert names("cluster", "google_container_cluster", "subnetwork") == {"cluster": "my-subnet"}
    assert names("cluster", "google_service_account", "account_id") == {
        "nodes": "my-node-account",
        "workload": "my-pod-account",
    }
    assert alternatives["by-hand_cluster"]["data"]["google_compute_network"]["main"]["name"] == "my-vpc"
    platform = alternatives["by-hand_platform"]["data"]
    assert platform["google_container_cluster"]["cluster"]["name"] == "my-cluster"
    assert platform["google_lustre_instance"]["lustre-instance"]["instance_id"] == "my-lustre"
    assert gpu_pool(alternatives, "by-hand")["network_config"]["additional_node_network_configs"] == [
        {"network": "my-gvnic-net", "subnetwork": "my-gvnic-sub"},
        *({"network": "my-rdma-net", "subnetwork": f"my-rdma-sub-{index}"} for index in range(8)),
    ]
