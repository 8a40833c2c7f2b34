"""What a destroyed site leaves behind is listed by this site's names, and nothing is removed."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest

from tests.support import MINIMAL, environment
from tools.leftovers import script

SITE = environment("name: prod\n" + MINIMAL)
LINES = list(script(SITE))
COMMANDS = [line for line in LINES if line and not line.startswith("#")]


def flag(command: str, name: str) -> str:
    """The value of a flag of a command, as the shell hands it on; empty where it is not given."""
    return next((word.partition("=")[2] for word in shlex.split(command) if word.startswith(f"--{name}=")), "")


def names_in(kind: str) -> list[re.Pattern[str]]:
    """The patterns of names that the list of one kind of thing takes."""
    (command,) = (line for line in COMMANDS if line.startswith(f"gcloud compute {kind} list"))
    return [re.compile(text) for text in re.findall(r'(?<!NOT )name~"([^"]+)"', flag(command, "filter"))]


def test_every_command_only_lists_and_names_the_project() -> None:
    assert len(COMMANDS) == 20
    assert [line for line in COMMANDS if " list " not in line or flag(line, "project") != "my-project"] == []


def test_what_removes_something_is_a_comment_with_a_name_to_fill_in() -> None:
    removing = [line for line in LINES if " delete " in line and line.startswith("#   gcloud compute")]
    assert [line.split()[3] for line in removing] == [
        "instance-groups",
        "forwarding-rules",
        "target-http-proxies",
        "target-https-proxies",
        "url-maps",
        "backend-services",
        "health-checks",
        "target-pools",
        "instance-groups",
        "network-endpoint-groups",
        "firewall-rules",
        "routes",
        "addresses",
        "disks",
        "networks",
    ]
    assert [line for line in removing[:-1] if " delete NAME " not in f"{line} "] == []


def test_it_is_a_shell_script() -> None:
    subprocess.run(["bash", "-n"], input="\n".join(LINES), text=True, check=True)


# Names as GKE's page on automatically created firewall rules and its node groups form them.
@pytest.mark.parametrize(
    ("kind", "name", "ours"),
    [
        ("firewall-rules", "gke-prod-0fe1e974-vms", True),
        ("firewall-rules", "gke-prod-0fe1e974-exkubelet", True),
        ("firewall-rules", "k8s-fw-acdcb8524c69547ac85ea66846053bd6", True),
        ("firewall-rules", "k8s-d9873015321da7e5-node-http-hc", True),
        ("firewall-rules", "gke-prod-eu-0fe1e974-vms", False),
        ("firewall-rules", "prod-net-lustre", False),
        ("instance-groups managed", "gke-prod-gpu-pool-41fa0a42-grp", True),
        ("instance-groups managed", "gke-prod-eu-gpu-pool-41fa0a42-grp", False),
        ("instance-groups managed", "gke-prod-cpu-pool-41fa0a42-grp", True),
        ("instance-groups managed", "gke-prod-default-pool-41fa0a42-grp", True),
        ("instance-groups unmanaged", "k8s-ig--d9873015321da7e5", True),
        ("forwarding-rules", "k8s2-fr-x2cv2f1b-ray-dashboard-7n1y2k3l", True),
        ("target-http-proxies", "k8s2-tp-x2cv2f1b-ray-dashboard-7n1y2k3l", True),
        ("target-https-proxies", "gkegw1-x2cv-ray-dashboard-7n1y2k3l", True),
        ("url-maps", "k8s2-um-x2cv2f1b-ray-dashboard-7n1y2k3l", True),
        ("backend-services", "k8s1-d9873015-ray-head-8265-1a2b3c4d", True),
        ("health-checks", "k8s2-x2cv2f1b-l4-shared-hc", True),
        ("health-checks", "our-own", False),
        ("routes", "default-route-0123", False),
    ],
)
def test_lists_take_what_is_this_clusters_and_leave_what_is_anothers(kind: str, name: str, ours: bool) -> None:
    assert any(pattern.search(name) for pattern in names_in(kind)) == ours


@pytest.mark.parametrize(
    ("kind", "filters", "narrowed"),
    [
        (
            "forwarding-rules",
            '(network~"/prod-net$" OR NOT network:*) AND (description~kubernetes.io OR name~"^(k8s|gkegw)"'
            ' OR name~"^gke-prod-[0-9a-f]{8}-")',
            "",
        ),
        ("target-pools", 'description~kubernetes.io OR name~"^(k8s|gkegw)"', "--regions=us-central1"),
        ("routes", 'network~"/prod-net$" AND NOT name~"^(default|peering)-route-"', ""),
        ("addresses", 'subnetwork~"/prod-net-nodes$" AND status=RESERVED', "--regions=us-central1"),
        ("disks", "labels.goog-k8s-cluster-name=prod", "--zones=us-central1-b"),
        ("instance-groups managed", 'name~"^gke-prod-(cpu-pool|gpu-pool|default-pool)-"', "--zones=us-central1-b"),
    ],
)
def test_a_list_is_narrowed_to_what_is_left_of_this_site(kind: str, filters: str, narrowed: str) -> None:
    command = next(line for line in COMMANDS if line.startswith(f"gcloud compute {kind} list"))
    assert flag(command, "filter") == filters
    assert [word for word in shlex.split(command) if word.startswith(("--region", "--zone"))] == narrowed.split()


def test_the_peering_and_all_three_networks_are_named() -> None:
    removing = "#   gcloud services vpc-peerings delete --project=my-project --network=prod-net"
    assert f"{removing} --service=servicenetworking.googleapis.com" in LINES
    listing = 'gcloud compute networks list --project=my-project --filter="name=prod-net OR name=prod-gvnic-net OR'
    assert f'{listing} name=prod-rdma-net"' in LINES


@pytest.mark.parametrize("kind", ["forwarding-rules", "network-endpoint-groups", "firewall-rules", "routes"])
def test_what_carries_no_name_of_ours_is_looked_for_in_this_sites_vpc_only(kind: str) -> None:
    (command,) = (line for line in COMMANDS if line.startswith(f"gcloud compute {kind} list"))
    assert 'network~"/prod-net$"' in flag(command, "filter")


def test_disks_are_those_that_carry_the_clusters_label() -> None:
    (command,) = (line for line in COMMANDS if line.startswith("gcloud compute disks list"))
    assert flag(command, "filter") == "labels.goog-k8s-cluster-name=prod"


def test_a_site_with_names_of_its_own_is_looked_for_by_these() -> None:
    text = "\n".join(
        script(environment("name: prod\n" + MINIMAL + "names: {network: corp, cluster: rl, lustre: scratch}\n"))
    )
    assert 'network~"/corp$"' in text
    assert 'name~"^gke-rl-[0-9a-f]{8}-"' in text
    assert "name=scratch-range" in text
    assert "prod-net" not in text
