"""The layers of a site: what holds for every stack, and what each choice of the environment file changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support import MINIMAL, Stacks

Synthesize = Callable[..., Stacks]
Json = dict[str, Any]

POOL = MINIMAL.replace("  reservation: {name: my-reservation}\n", "")


@pytest.fixture(scope="module")
def sites(synthesize: Synthesize) -> Stacks:
    """One site for each alternative, all in one synth."""
    texts = {
        "plain": MINIMAL,
        "spot": POOL + "  capacity: spot\n",
        "flex": POOL + "  capacity: flex-start\n  max_run_hours: 24\n",
        "demand": POOL + "  capacity: on-demand\n",
        "shared": MINIMAL.replace("my-reservation", "projects/other-project/reservations/theirs"),
        "block": MINIMAL.replace("my-reservation", "my-reservation/reservationBlocks/b-1/reservationSubBlocks/s-1"),
        "blind": MINIMAL.replace("name: my-reservation", "name: my-reservation, verify: false"),
        "chart": MINIMAL + "platform: {operator: chart}\n",
        "public": MINIMAL + "cluster: {endpoint: public, authorized_networks: [203.0.113.0/24]}\n",
        "private": MINIMAL + "cluster: {endpoint: private, authorized_networks: [10.0.0.0/20]}\n",
        "no-nat": MINIMAL + "network: {nat: false}\n",
        "auto": MINIMAL + "network: {mode: auto}\n",
        "port": MINIMAL + "lustre: {port: 988}\n",
        "open": MINIMAL + "lustre: {deletion_protection: false}\ncluster: {deletion_protection: false}\n",
        "old": MINIMAL + 'cluster: {version: "1.32"}\nplatform: {operator: chart}\n',
        "gcs": MINIMAL + "state: {backend: gcs, bucket: my-state}\n",
        "cloud": MINIMAL + "state: {backend: cloud, organization: my-org}\n",
        "busy": MINIMAL
        + "cluster:\n  maintenance_exclusions:\n"
        + "    - {name: run-7, start: 2027-01-15T00:00:00Z, end: 2027-02-15T00:00:00Z}\n",
    }
    return synthesize(*(f"name: {name}\n{text}" for name, text in texts.items()))


def gpu_pool(sites: Stacks, site: str) -> Json:
    return sites[f"{site}_cluster"]["resource"]["google_container_node_pool"]["gpu-pool"]


def cluster(sites: Stacks, site: str) -> Json:
    return sites[f"{site}_cluster"]["resource"]["google_container_cluster"]["cluster"]


def test_each_stack_pins_terraform_and_the_providers_that_it_uses(examples: Stacks) -> None:
    versions = {"google": "6.50.0", "kubernetes": "2.38.0", "helm": "3.1.1"}
    layers = {
        "network": {"google"},
        "storage": {"google"},
        "cluster": {"google"},
        "platform": {"google", "kubernetes", "helm"},
    }
    for name, stack in examples.items():
        layer = name.partition("_")[2]
        used = layers.get(layer, {"google", "kubernetes"})
        pinned = {provider: pin["version"] for provider, pin in stack["terraform"]["required_providers"].items()}
        assert pinned == {provider: versions[provider] for provider in used}, name
        assert stack["terraform"]["required_version"] == ">= 1.11", name


def test_no_stack_reads_another_ones_state(examples: Stacks) -> None:
    for stack in examples.values():
        assert "terraform_remote_state" not in stack.get("data", {})
        assert not [output for output in stack.get("output", {}) if output.startswith("cross-stack-output")]


def test_the_state_lies_where_the_environment_says(sites: Stacks) -> None:
    assert {name: sites[f"{name}_network"]["terraform"].get("backend") for name in ("plain", "gcs", "cloud")} == {
        "plain": {"local": {"path": "../../../state/plain_network.tfstate"}},
        "gcs": {"gcs": {"bucket": "my-state", "prefix": "nemo-rl/gcs_network"}},
        "cloud": None,
    }
    assert sites["cloud_network"]["terraform"]["cloud"] == {
        "hostname": "app.terraform.io",
        "organization": "my-org",
        "workspaces": {"name": "cloud_network"},
    }


def test_the_data_and_the_cluster_are_protected_until_a_switch_says_otherwise(sites: Stacks) -> None:
    def protection(site: str) -> tuple[bool, bool]:
        lustre = sites[f"{site}_storage"]["resource"]["google_lustre_instance"]["lustre"]
        return (lustre["lifecycle"]["prevent_destroy"], cluster(sites, site)["deletion_protection"])

    assert (protection("plain"), protection("open")) == ((True, True), (False, False))


def test_every_api_stays_on_and_waits_for_the_one_by_which_projects_are_read(examples: Stacks) -> None:
    services = examples["example-b200_network"]["resource"]["google_project_service"]
    assert {api["disable_on_destroy"] for api in services.values()} == {False}
    waiting = {name: api.get("depends_on") for name, api in services.items()}
    assert waiting.pop("api-cloudresourcemanager") is None
    assert all(needed == ["google_project_service.api-cloudresourcemanager"] for needed in waiting.values())


def test_the_networks_come_after_all_apis(examples: Stacks) -> None:
    resources = examples["example-b200_network"]["resource"]
    apis = {f"google_project_service.{name}" for name in resources["google_project_service"]}
    for network in resources["google_compute_network"].values():
        assert set(network["depends_on"]) == apis


@pytest.mark.parametrize(
    ("site", "affinity"),
    [
        ("plain", {"consume_reservation_type": "SPECIFIC_RESERVATION", "values": ["my-reservation"]}),
        (
            "shared",
            {
                "consume_reservation_type": "SPECIFIC_RESERVATION",
                "values": ["projects/other-project/reservations/theirs"],
            },
        ),
        (
            "block",
            {
                "consume_reservation_type": "SPECIFIC_RESERVATION",
                "values": [
                    "projects/my-project/reservations/my-reservation/reservationBlocks/b-1/reservationSubBlocks/s-1"
                ],
            },
        ),
        ("spot", {"consume_reservation_type": "NO_RESERVATION"}),
        ("flex", {"consume_reservation_type": "NO_RESERVATION"}),
        ("demand", {"consume_reservation_type": "NO_RESERVATION"}),
    ],
)
def test_the_pool_takes_its_nodes_from_where_the_environment_says(site: str, affinity: Json, sites: Stacks) -> None:
    if "values" in affinity:
        affinity = {"key": "compute.googleapis.com/reservation-name", **affinity}
    assert gpu_pool(sites, site)["node_config"]["reservation_affinity"] == affinity


def test_spot_and_flex_start_are_marked_on_the_nodes(sites: Stacks) -> None:
    def marks(site: str) -> Json:
        config = gpu_pool(sites, site)["node_config"]
        return {key: config[key] for key in ("spot", "flex_start", "max_run_duration") if key in config}

    assert [marks(site) for site in ("plain", "demand", "spot", "flex")] == [
        {},
        {},
        {"spot": True},
        {"flex_start": True, "max_run_duration": "86400s"},
    ]
    assert gpu_pool(sites, "flex")["management"] == {"auto_repair": False, "auto_upgrade": True}


@pytest.mark.parametrize(("site", "read"), [("plain", True), ("block", True), ("shared", False), ("blind", False)])
def test_a_reservation_is_read_where_its_users_may_be_expected_to(site: str, read: bool, sites: Stacks) -> None:
    stack = sites[f"{site}_cluster"]
    assert ("google_compute_reservation" in stack["data"]) is read
    assert ("precondition" in gpu_pool(sites, site)["lifecycle"]) is read
    assert ("check" in stack) is read


def test_a_reservation_that_differs_stops_the_plan_and_a_small_one_only_warns(sites: Stacks) -> None:
    messages = [one["error_message"] for one in gpu_pool(sites, "plain")["lifecycle"]["precondition"]]
    subject = "The reservation my-reservation (project my-project, zone us-central1-b) "
    assert [message.removeprefix(subject).partition(" ")[0] for message in messages] == [
        "does",
        "is",
        "is",
        "holds",
        "holds",
        "holds",
    ]
    assert all(message.startswith(subject) for message in messages)
    assert list(sites["plain_cluster"]["check"]) == ["reservation-capacity"]


def test_the_ray_addon_is_written_as_off_where_the_chart_brings_the_operator(sites: Stacks) -> None:
    def addon(site: str) -> Json:
        return cluster(sites, site)["addons_config"]["ray_operator_config"]

    off = {"enabled": False}
    on = {"enabled": True}
    assert addon("plain") == [{"enabled": True, "ray_cluster_logging_config": on, "ray_cluster_monitoring_config": on}]
    assert addon("chart") == [
        {"enabled": False, "ray_cluster_logging_config": off, "ray_cluster_monitoring_config": off}
    ]


def test_the_control_plane_is_reached_as_the_environment_says(sites: Stacks) -> None:
    def access(site: str) -> tuple[Any, ...]:
        one = cluster(sites, site)
        return (
            one["control_plane_endpoints_config"],
            one.get("master_authorized_networks_config"),
            one["private_cluster_config"]["enable_private_endpoint"],
        )

    outside = {"dns_endpoint_config": {"allow_external_traffic": False}}
    assert access("plain") == (
        {"dns_endpoint_config": {"allow_external_traffic": True}, "ip_endpoints_config": {"enabled": False}},
        None,
        False,
    )
    assert access("public") == (outside, {"cidr_blocks": [{"cidr_block": "203.0.113.0/24"}]}, False)
    assert access("private") == (outside, {"cidr_blocks": [{"cidr_block": "10.0.0.0/20"}]}, True)


def test_lustres_port_is_one_switch_for_instance_cluster_and_firewall(sites: Stacks) -> None:
    def port(site: str) -> tuple[Any, ...]:
        return (
            sites[f"{site}_storage"]["resource"]["google_lustre_instance"]["lustre"]["gke_support_enabled"],
            cluster(sites, site)["addons_config"]["lustre_csi_driver_config"]["enable_legacy_lustre_port"],
            sites[f"{site}_network"]["resource"]["google_compute_firewall"]["lustre-ingress"]["allow"],
        )

    assert port("plain") == (True, True, [{"ports": ["6988"], "protocol": "tcp"}])
    assert port("port") == (False, False, [{"ports": ["988"], "protocol": "tcp"}])


def test_the_driver_follows_gpu_and_gke_version(sites: Stacks) -> None:
    def driver(site: str) -> str:
        (accelerator,) = gpu_pool(sites, site)["node_config"]["guest_accelerator"]
        return accelerator["gpu_driver_installation_config"]["gpu_driver_version"]

    assert (driver("plain"), driver("old")) == ("DEFAULT", "LATEST")


def test_without_nat_there_is_neither_router_nor_nat(sites: Stacks) -> None:
    resources = sites["no-nat_network"]["resource"]
    assert "google_compute_router" not in resources
    assert "google_compute_router_nat" not in resources


def test_auto_mode_leaves_the_subnet_to_google_and_gives_gke_the_ranges(sites: Stacks) -> None:
    resources = sites["auto_network"]["resource"]
    assert resources["google_compute_network"]["main"]["auto_create_subnetworks"] is True
    assert "main-nodes" not in resources["google_compute_subnetwork"]
    assert cluster(sites, "auto")["subnetwork"] == "auto-net"
    assert cluster(sites, "auto")["ip_allocation_policy"] == {
        "cluster_ipv4_cidr_block": "10.4.0.0/14",
        "services_ipv4_cidr_block": "10.0.32.0/20",
    }
    assert cluster(sites, "plain")["ip_allocation_policy"] == {
        "cluster_secondary_range_name": "pods",
        "services_secondary_range_name": "services",
    }


def test_upgrades_stay_away_in_the_times_that_the_user_names(sites: Stacks) -> None:
    assert cluster(sites, "busy")["maintenance_policy"] == {
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


def test_nothing_stands_in_the_json_that_is_known_to_replace_pools_or_differ_for_ever(sites: Stacks) -> None:
    for site in ("plain", "spot", "flex", "auto", "public"):
        stack = sites[f"{site}_cluster"]["resource"]
        assert "host_maintenance_policy" not in json.dumps(stack)
        assert "node_pool" not in stack["google_container_cluster"]["cluster"]
        for pool in stack["google_container_node_pool"].values():
            assert pool["network_config"]["enable_private_nodes"] is True
            assert pool["node_config"]["metadata"] == {"disable-legacy-endpoints": "true"}
            assert "initial_node_count" in pool["lifecycle"]["ignore_changes"]
        for one in stack["google_container_node_pool"]["gpu-pool"]["network_config"]["additional_node_network_configs"]:
            assert "/" not in one["network"] + one["subnetwork"]
