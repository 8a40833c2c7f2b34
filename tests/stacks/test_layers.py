"""What holds for the layers of every site: their order, their pins, and the rules that keep a site out of trouble."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import Stacks

Json = dict[str, Any]


@pytest.fixture(scope="module")
def stacks(examples: Stacks, alternatives: Stacks) -> Stacks:
    """Every stack of the examples and of a site for each choice."""
    return examples | alternatives


def blocks(stacks: Stacks, kind: str) -> Iterator[tuple[str, Json]]:
    """Each resource of a type in any stack, with its stack and name."""
    for stack, content in stacks.items():
        for name, block in content["resource"].get(kind, {}).items():
            yield f"{stack} {name}", block


# The layers


def test_the_stacks_of_a_site_and_the_order_in_which_they_are_deployed(examples_folder: Path) -> None:
    manifest = json.loads((examples_folder / "manifest.json").read_text(encoding="utf-8"))
    order = {name: set(stack["dependencies"]) for name, stack in manifest["stacks"].items()}
    layers = {name: after for name, after in order.items() if not name.startswith("job_")}
    jobs = {name: after for name, after in order.items() if name.startswith("job_")}
    assert layers == {
        "example-b200_network": set(),
        "example-b200_storage": {"example-b200_network"},
        "example-b200_cluster": {"example-b200_network"},
        "example-b200_platform": {"example-b200_storage", "example-b200_cluster"},
        "example-h200_network": set(),
        "example-h200_storage": {"example-h200_network"},
        "example-h200_cluster": {"example-h200_network"},
        "example-h200_platform": {"example-h200_storage", "example-h200_cluster"},
    }
    # A job that depended on its site could not be deployed alone.
    assert {name: after for name, after in jobs.items() if after} == {}
    assert all(re.fullmatch(r"job_example-[bh]200_[a-z0-9-]+", name) for name in jobs)


def test_each_stack_pins_terraform_and_the_providers_that_it_uses(stacks: Stacks) -> None:
    google = {"google": "6.50.0"}
    kubernetes = {**google, "kubernetes": "2.38.0"}
    layers = {
        "network": google,
        "storage": google,
        "cluster": google,
        "platform": {**kubernetes, "helm": "3.1.1"},
    }
    for name, stack in stacks.items():
        pinned = {provider: pin["version"] for provider, pin in stack["terraform"]["required_providers"].items()}
        assert pinned == (kubernetes if name.startswith("job_") else layers[name.partition("_")[2]]), name
        assert stack["terraform"]["required_version"] == ">= 1.11", name


def test_the_google_provider_has_a_project_and_a_region_and_no_credential(stacks: Stacks) -> None:
    given = {json.dumps(stack["provider"]["google"], sort_keys=True) for stack in stacks.values()}
    assert given == {
        '[{"project": "my-project", "region": "us-central1"}]',
        '[{"project": "my-project", "region": "europe-west1"}]',
    }


def test_no_stack_reads_another_ones_state(stacks: Stacks) -> None:
    for name, stack in stacks.items():
        assert "terraform_remote_state" not in stack.get("data", {}), name
        assert not [output for output in stack.get("output", {}) if output.startswith("cross-stack-output")], name


def test_what_the_layers_share_is_one_zone_and_one_region(examples: Stacks) -> None:
    for site, zone in (("example-b200", "us-central1-b"), ("example-h200", "europe-west1-b")):
        network, cluster = (examples[f"{site}_{layer}"]["resource"] for layer in ("network", "cluster"))
        lustre = examples[f"{site}_storage"]["resource"]["google_lustre_instance"]["lustre"]
        profile = network["google_compute_network"]["rdma"]["network_profile"]
        pools = cluster["google_container_node_pool"].values()
        assert profile.rpartition("/")[2] == f"{zone}-vpc-roce"
        assert lustre["location"] == zone
        assert [pool["node_locations"] for pool in pools] == [[zone], [zone]]
        regions = {subnet["region"] for subnet in network["google_compute_subnetwork"].values()}
        assert regions == {pool["location"] for pool in pools} == {zone.rpartition("-")[0]}


def test_the_nodes_networks_are_the_pods_networks_in_the_same_order(examples: Stacks) -> None:
    for site in ("example-b200", "example-h200"):
        pool = examples[f"{site}_cluster"]["resource"]["google_container_node_pool"]["gpu-pool"]
        nodes = [
            (one["network"], one["subnetwork"]) for one in pool["network_config"]["additional_node_network_configs"]
        ]
        manifests = examples[f"{site}_platform"]["resource"]["kubernetes_manifest"].values()
        specs = {
            one["manifest"]["metadata"]["name"]: one["manifest"]["spec"]
            for one in manifests
            if one["manifest"]["kind"] == "GKENetworkParamSet"
        }
        names = ["gvnic-1", *(f"rdma-{index}" for index in range(8))]
        assert nodes == [(specs[name]["vpc"], specs[name]["vpcSubnet"]) for name in names]


# Rules of the whole


def test_nothing_comes_from_an_address_that_moves(stacks: Stacks) -> None:
    moving = re.compile(r"refs/heads/|/master/|:latest\b")
    assert [name for name, stack in stacks.items() if moving.search(json.dumps(stack))] == []


def test_the_ground_floor_needs_no_cluster_to_be_planned(stacks: Stacks) -> None:
    for name, stack in stacks.items():
        if name.partition("_")[2] in ("network", "storage", "cluster"):
            kinds = {*stack["resource"], *stack.get("data", {})}
            assert {kind.partition("_")[0] for kind in kinds} == {"google"}, name


def test_roles_are_given_to_members_and_taken_from_nobody(stacks: Stacks) -> None:
    kinds = {kind for stack in stacks.values() for kind in stack["resource"]}
    assert [kind for kind in sorted(kinds) if kind.endswith(("_iam_binding", "_iam_policy"))] == []


# Rules of the network


def test_every_api_stays_on_and_waits_for_the_one_by_which_projects_are_read(stacks: Stacks) -> None:
    first = "google_project_service.api-cloudresourcemanager"
    for name, api in blocks(stacks, "google_project_service"):
        assert api["disable_on_destroy"] is False, name
        assert api.get("depends_on") == (None if name.endswith(" api-cloudresourcemanager") else [first]), name


def test_every_api_that_a_site_calls_is_switched_on(examples: Stacks) -> None:
    for site in ("example-b200", "example-h200"):
        services = examples[f"{site}_network"]["resource"]["google_project_service"].values()
        assert {service["service"].removesuffix(".googleapis.com") for service in services} == {
            # The tutorial's
            "container",
            "storage",
            "compute",
            # What its other commands need
            "lustre",
            "servicenetworking",
            # What the provider needs
            "cloudresourcemanager",
            "serviceusage",
            "iam",
            # What nodes and pods need
            "artifactregistry",
            "iamcredentials",
            "logging",
            "monitoring",
        }


def test_the_networks_come_after_all_apis(stacks: Stacks) -> None:
    for name, network in blocks(stacks, "google_compute_network"):
        services = stacks[name.split()[0]]["resource"]["google_project_service"]
        assert set(network["depends_on"]) == {f"google_project_service.{service}" for service in services}, name


def test_a_vpc_with_a_roce_profile_takes_no_firewall_rule(stacks: Stacks) -> None:
    assert {rule["network"] for _, rule in blocks(stacks, "google_compute_firewall")} == {
        "${google_compute_network.gvnic.name}",
        "${google_compute_network.main.name}",
    }


def test_a_peering_is_not_left_behind_and_has_time_to_go(stacks: Stacks) -> None:
    for name, connection in blocks(stacks, "google_service_networking_connection"):
        assert "deletion_policy" not in connection, f"{name}: ABANDON makes the VPC undeletable"
        assert connection["timeouts"]["create"] == "30m", f"{name}: the provider's delete waits as long as this"


# Rules of the cluster


def test_each_block_of_ours_is_written_because_leaving_it_out_switches_nothing_off(stacks: Stacks) -> None:
    ours = {
        "addons_config",
        "control_plane_endpoints_config",
        "logging_config",
        "maintenance_policy",
        "monitoring_config",
        "private_cluster_config",
        "release_channel",
        "workload_identity_config",
    }
    for name, cluster in blocks(stacks, "google_container_cluster"):
        assert ours <= cluster.keys(), name
        assert cluster["addons_config"].keys() == {"lustre_csi_driver_config", "ray_operator_config"}, name
        assert len(cluster["addons_config"]["ray_operator_config"]) == 1, f"{name}: a second one differs for ever"


def test_a_cluster_has_pools_of_their_own_and_what_several_networks_need(stacks: Stacks) -> None:
    for name, cluster in blocks(stacks, "google_container_cluster"):
        # An inline pool replaces the cluster; NAP, network policy and node versions fight with what is there.
        assert {"node_pool", "cluster_autoscaling", "network_policy", "node_version"}.isdisjoint(cluster), name
        assert (cluster["datapath_provider"], cluster["enable_multi_networking"]) == ("ADVANCED_DATAPATH", True), name
        assert (cluster["remove_default_node_pool"], cluster["initial_node_count"]) == (True, 1), name
        # The default pool runs as the nodes' account while it lives, and what it was does not matter later.
        assert cluster["node_config"] == {"service_account": "${google_service_account.nodes.email}"}, name
        assert cluster["lifecycle"]["ignore_changes"] == ["node_config", "monitoring_config[0].enable_components"], name


def test_a_control_plane_has_one_entrance_and_each_switch_of_it_is_written(stacks: Stacks) -> None:
    for name, cluster in blocks(stacks, "google_container_cluster"):
        entrances = cluster["control_plane_endpoints_config"]
        # A switch that is left out keeps what it was, and then a change of the entrance leaves none.
        by_dns = entrances["dns_endpoint_config"]["allow_external_traffic"]
        assert entrances["ip_endpoints_config"]["enabled"] is not by_dns, name
        networks = cluster.get("master_authorized_networks_config")
        assert by_dns is (networks is None), f"{name}: authorized networks without IP endpoint differ for ever"
        assert networks is None or networks["cidr_blocks"], name
        assert networks is None or networks["gcp_public_cidrs_access_enabled"] is False, f"{name}: all of Google Cloud"
        assert networks is None or networks["private_endpoint_enforcement_enabled"], f"{name}: all of the VPC"


def test_pools_are_named_counted_as_a_whole_and_as_private_as_their_cluster(stacks: Stacks) -> None:
    for name, pool in blocks(stacks, "google_container_node_pool"):
        cluster = stacks[name.split()[0]]["resource"]["google_container_cluster"]["cluster"]
        private = cluster["private_cluster_config"]["enable_private_nodes"]
        assert pool["network_config"]["enable_private_nodes"] is private, f"{name}: the block's own default is false"
        assert pool["name"] == name.split()[1], f"{name}: a prefix makes a new pool at each plan"
        assert "node_count" not in pool, f"{name}: the autoscaler counts"
        assert pool["autoscaling"].keys() == {"total_min_node_count", "total_max_node_count", "location_policy"}, name
        assert "initial_node_count" in pool["lifecycle"]["ignore_changes"], name


def test_nodes_run_as_their_own_account_and_hide_it_from_pods(stacks: Stacks) -> None:
    for name, pool in blocks(stacks, "google_container_node_pool"):
        node = pool["node_config"]
        assert node["service_account"] == "${google_service_account.nodes.email}", name
        assert node["workload_metadata_config"] == {"mode": "GKE_METADATA"}, name
        assert node["metadata"] == {"disable-legacy-endpoints": "true"}, f"{name}: without it, replaced at each plan"
        assert "host_maintenance_policy" not in node, f"{name}: the provider never sends it and then replaces the pool"


def test_gpu_nodes_have_ten_interfaces_named_by_name_ssds_a_taint_and_no_surge(stacks: Stacks) -> None:
    pools = [(name, pool) for name, pool in blocks(stacks, "google_container_node_pool") if name.endswith(" gpu-pool")]
    assert pools
    for name, pool in pools:
        interfaces = pool["network_config"]["additional_node_network_configs"]
        texts = [text for one in interfaces for text in one.values()]
        assert len(interfaces) == 9, f"{name}: one gVNIC and eight RDMA besides eth0"
        assert [text for text in texts if "/" in text or "$" in text] == [], f"{name}: a path replaces the pool"
        # GKE's own strategy for flex-start nodes, SHORT_LIVED, cannot be written.
        one_by_one = None if pool["node_config"].get("flex_start") else {"max_surge": 0, "max_unavailable": 1}
        assert pool.get("upgrade_settings") == one_by_one, name
        assert pool["autoscaling"]["location_policy"] == "ANY", name
        assert pool["node_config"]["ephemeral_storage_local_ssd_config"] == {"local_ssd_count": 32}, name
        assert pool["lifecycle"]["ignore_changes"][1:] == [
            "node_config[0].ephemeral_storage_local_ssd_config",
            "node_config[0].local_nvme_ssd_block_config",
        ], name
        assert pool["node_config"]["taint"] == [
            {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
        ], name


def test_a_reservation_that_differs_stops_the_plan_and_a_small_one_only_warns(stacks: Stacks) -> None:
    read = {name: stack for name, stack in stacks.items() if "google_compute_reservation" in stack.get("data", {})}
    assert {"example-b200_cluster", "example-h200_cluster", "block_cluster", "sub-block_cluster"} <= set(read)
    for name, stack in read.items():
        reservation = stack["data"]["google_compute_reservation"]["reservation"]
        pool = stack["resource"]["google_container_node_pool"]["gpu-pool"]
        subject = "The reservation {name} (project {project}, zone {zone}) ".format_map(reservation)
        messages = [one["error_message"] for one in pool["lifecycle"]["precondition"]]
        assert [message[: len(subject)] for message in messages] == [subject] * 6, name
        assert list(stack["check"]) == ["reservation-capacity"], name


# Rules of Lustre


def test_a_lustre_instance_has_time_and_its_network_by_path(stacks: Stacks) -> None:
    for name, lustre in blocks(stacks, "google_lustre_instance"):
        assert lustre["timeouts"] == {"create": "120m", "update": "60m", "delete": "60m"}, f"{name}: 20 are too few"
        assert lustre["network"] == "${data.google_compute_network.main.id}", f"{name}: projects/P/global/networks/N"
        assert isinstance(lustre["lifecycle"]["prevent_destroy"], bool), name
