"""What does not fit together on the ground floor is refused with both settings named; what is doubtful is noted."""

from __future__ import annotations

from pathlib import Path

import pytest

from settings.sites import read_sites
from tests.support import MINIMAL, doubts, faults, write_environments

POOL = MINIMAL.replace("  reservation: {name: my-reservation}\n", "")

#: A whole file -> what is said of it, after "environments/prod.yaml: ".
REFUSED: dict[str, tuple[str, list[str]]] = {
    "a zone of another region": (
        MINIMAL.replace("us-central1-b", "europe-west4-b"),
        ["zone is europe-west4-b, but region is us-central1; write a zone of that region, or its region"],
    ),
    "the other GPU's machine": (
        MINIMAL.replace("a4-highgpu-8g", "a3-ultragpu-8g"),
        ["gpu_pool.machine is a3-ultragpu-8g, but gpu_pool.gpu is nvidia-b200; write a4-highgpu-8g"],
    ),
    "no reservation": (
        POOL,
        [
            "gpu_pool.reservation is missing, but gpu_pool.capacity is reservation; write reservation: {name: ...}, or"
            " another capacity"
        ],
    ),
    "a reservation for Spot VMs": (
        MINIMAL + "  capacity: spot\n",
        ["gpu_pool.reservation is given, but gpu_pool.capacity is spot; remove it, or write capacity: reservation"],
    ),
    "a run time without flex-start": (
        MINIMAL + "  max_run_hours: 24\n",
        [
            "gpu_pool.max_run_hours is 24, but gpu_pool.capacity is reservation; remove it, or write capacity:"
            " flex-start"
        ],
    ),
    "flex-start with standing nodes": (
        POOL + "  capacity: flex-start\n  min_nodes: 1\n",
        ["gpu_pool.min_nodes is 1, but gpu_pool.capacity is flex-start, which keeps no node standing; write 0"],
    ),
    "pools whose most is less than their least": (
        MINIMAL + "  min_nodes: 3\n  max_nodes: 2\ncpu_pool: {min_nodes: 2, max_nodes: 1}\n",
        [
            "gpu_pool.max_nodes is 2, but gpu_pool.min_nodes is 3; raise max_nodes or lower min_nodes",
            "cpu_pool.max_nodes is 1, but cpu_pool.min_nodes is 2; raise max_nodes or lower min_nodes",
        ],
    ),
    "more workers than nodes": (
        MINIMAL + "ray: {workers: 4}\n",
        ["gpu_pool.max_nodes is 2, but ray.workers is 4; raise max_nodes or lower workers"],
    ),
    "two pools of one name": (
        MINIMAL + "cpu_pool: {name: gpu-pool}\n",
        ["cpu_pool.name is gpu-pool, but so is gpu_pool.name; write another one"],
    ),
    "the name of GKE's own pool": (
        MINIMAL + "cpu_pool: {name: default-pool}\n",
        ["cpu_pool.name is default-pool, which GKE makes and Terraform removes; write another name"],
    ),
    "a GKE minor that is older than the machine": (
        MINIMAL + 'cluster: {version: "1.31"}\nplatform: {operator: chart}\n',
        [
            "cluster.version is 1.31, but gpu_pool.machine is a4-highgpu-8g, which is not known to run on GKE older"
            ' than 1.32; write "1.32" or newer'
        ],
    ),
    "a head that is larger than its machine's name says": (
        MINIMAL + "cpu_pool: {machine: n2-standard-64}\n",
        [
            "ray.head.cpus is 64, but cpu_pool.machine is n2-standard-64, by its name of 64 vCPUs, of which GKE takes"
            " some; lower cpus, or write a larger machine"
        ],
    ),
    "a Lustre capacity between two steps": (
        MINIMAL + "lustre: {capacity_gib: 20000}\n",
        ["lustre.capacity_gib is 20000, but lustre.throughput is 500, where steps are 18000; write 18000 or 36000"],
    ),
    "a Lustre capacity below its tier's least": (
        MINIMAL + "lustre: {capacity_gib: 18000, throughput: 125}\n",
        [
            "lustre.capacity_gib is 18000, but lustre.throughput is 125, where the least of that tier is 72000; write"
            " 72000"
        ],
    ),
    "a Lustre capacity above its tier's most": (
        MINIMAL + "lustre: {capacity_gib: 99000000}\n",
        [
            "lustre.capacity_gib is 99000000, but lustre.throughput is 500, where the most of that tier is 20016000;"
            " write 20016000"
        ],
    ),
    "the new Lustre port on old nodes": (
        MINIMAL + 'lustre: {port: 988}\ncluster: {version: "1.32"}\n',
        [
            "lustre.port is 988, but cluster.version is 1.32, whose nodes need the legacy port; write port: 6988, or"
            ' version: "1.33" or newer',
            "cluster.version is 1.32, whose Ray add-on is KubeRay 1.2, too old for this project; write one of 1.33,"
            " 1.34, 1.35, or platform.operator: chart",
        ],
    ),
    "authorized networks for the DNS endpoint": (
        MINIMAL + "cluster: {authorized_networks: [203.0.113.0/24]}\n",
        [
            "cluster.authorized_networks is given, but cluster.endpoint is dns, which IAM alone guards; remove it, or"
            " write endpoint: public"
        ],
    ),
    "a private endpoint that nobody may reach, with public nodes": (
        MINIMAL + "cluster: {endpoint: private, private_nodes: false}\n",
        [
            "cluster.authorized_networks is empty, but cluster.endpoint is private; write the ranges that may reach it",
            "cluster.private_nodes is false, but cluster.endpoint is private; write true, or another endpoint",
        ],
    ),
    "an exclusion that ends before it starts, and one of the same name": (
        MINIMAL
        + "cluster:\n  maintenance_exclusions:\n"
        + "    - {name: run, start: 2027-02-15T00:00:00Z, end: 2027-01-15T00:00:00Z}\n"
        + "    - {name: run, start: 2027-02-15T00:00:00Z, end: 2027-03-15T00:00:00Z}\n",
        [
            "cluster.maintenance_exclusions[0].end is 2027-01-15T00:00:00Z, but start is 2027-02-15T00:00:00Z; write a"
            " later end",
            "cluster.maintenance_exclusions[1].name is run, as another exclusion's; write another name",
        ],
    ),
    "ranges that overlap": (
        MINIMAL + "network: {gvnic_range: 192.168.1.0/24, services_range: 10.7.0.0/20}\n",
        [
            "network.services_range is 10.7.0.0/20, but network.pods_range is 10.4.0.0/14; write ranges that do not"
            " overlap",
            "network.rdma_ranges[0] is 192.168.1.0/24, but network.gvnic_range is 192.168.1.0/24; write ranges that do"
            " not overlap",
        ],
    ),
    "a range in what auto mode takes": (
        MINIMAL + "network: {mode: auto, pods_range: 10.200.0.0/16}\n",
        [
            "network.pods_range is 10.200.0.0/16, but network.mode is auto, whose subnets take 10.128.0.0/9;"
            " write a range outside of it"
        ],
    ),
    "ranges too small for the nodes": (
        MINIMAL.replace("  machine", "  max_nodes: 20\n  machine")
        + "network: {gvnic_range: 192.168.0.0/28, pods_range: 10.4.0.0/20, private_services_range: 10.1.0.0/24}\n",
        [
            "network.gvnic_range is 192.168.0.0/28, with room for 12 nodes, but the pools grow to 20; write a larger"
            " one",
            "network.pods_range is 10.4.0.0/20, with room for 16 nodes of 256 addresses, but the pools grow to 26;"
            " write a larger one",
            "network.private_services_range is 10.1.0.0/24, but Managed Lustre asks for a /23 at least; write a larger"
            " one",
        ],
    ),
    "more nodes than any of nine subnets holds": (
        MINIMAL.replace("  machine", "  max_nodes: 300\n  machine"),
        [
            "network.gvnic_range is 192.168.0.0/24, with room for 252 nodes, but the pools grow to 300; write a larger"
            " one, and so for 8 of network.rdma_ranges"
        ],
    ),
    "a name from which others get too long": (
        MINIMAL + f"name: {'n' * 41}\n",
        [
            f"name makes the name {'n' * 41}-nodes, 47 characters of at most 30; write a shorter one, or names.cluster,"
            " names.node_account, names.workload_account"
        ],
    ),
    "a name from which an account gets too short": (
        MINIMAL + "name: b\n",
        ["name makes the name b-ray, 5 characters of at least 6; write a longer one, or names.workload_account"],
    ),
    "a prefix from which names get too long": (
        MINIMAL + f"names: {{rdma_prefix: {'r' * 58}}}\n",
        [f"names.rdma_prefix makes the name {'r' * 58}-sub-0, 64 characters of at most 63; write a shorter one"],
    ),
    "one name for two networks": (
        MINIMAL + "names: {network: corp-net, gvnic_prefix: corp}\n",
        [
            "names makes two networks called corp-net; write other names",
            "names puts gvnic-1 of the pods' networks on corp-net, the cluster's own VPC, which GKE refuses; write"
            " other names",
        ],
    ),
    "a subnet's name in auto mode": (
        MINIMAL + "network: {mode: auto}\nnames: {subnet: mine}\n",
        ["names.subnet is mine, but network.mode is auto, where Google names the subnet; remove it"],
    ),
    "a bucket without the backend, and a backend without its organization": (
        MINIMAL + "state: {backend: cloud, bucket: my-state}\n",
        [
            "state.bucket is given, but state.backend is cloud; remove it, or write backend: gcs",
            "state.organization is missing, but state.backend is cloud; write it",
        ],
    ),
}


@pytest.mark.parametrize(("text", "lines"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_together_is_refused(text: str, lines: list[str], tmp_path: Path) -> None:
    assert faults(tmp_path, prod=text) == [f"environments/prod.yaml: {line}" for line in lines]


NOTED: dict[str, tuple[str, str]] = {
    "a zone without the machine": (
        MINIMAL.replace("us-central1-b", "us-central1-f"),
        "zone is us-central1-f, where the catalog knows no a4-highgpu-8g; going on. Check with `gcloud compute"
        " machine-types list --zones=us-central1-f` and `gcloud compute network-profiles list`",
    ),
    "an AI zone": (
        MINIMAL.replace("us-central1-b", "us-central1-ai1a"),
        "zone is us-central1-ai1a, where the catalog knows no a4-highgpu-8g; going on. Check with `gcloud compute"
        " machine-types list --zones=us-central1-ai1a` and `gcloud compute network-profiles list`",
    ),
    "a region without Lustre": (
        MINIMAL.replace("us-central1", "us-south1"),
        "region is us-south1, where the catalog knows no Managed Lustre; going on. Check with `gcloud lustre locations"
        " list`",
    ),
    "an unknown CPU machine": (
        MINIMAL + "cpu_pool: {machine: n4-highmem-80}\n",
        "cpu_pool.machine is n4-highmem-80, whose size the catalog does not know; going on. See that it holds the Ray"
        " head's requests",
    ),
    "a reservation that plans do not read": (
        MINIMAL.replace("name: my-res", "name: projects/other-project/reservations/my-res"),
        "gpu_pool.reservation.verify is off for projects/other-project/reservations/my-reservation; plans will not"
        " compare its machine, GPU and state with the pool",
    ),
    "a plugin that HCP Terraform's runners lack": (
        MINIMAL + "state: {backend: cloud, organization: acme}\nplatform: {credentials: plugin}\n",
        "platform.credentials is plugin, but state.backend is cloud, and HCP Terraform's own runners have no"
        " gke-gcloud-auth-plugin; going on. Write token, unless your own agents or machines run Terraform",
    ),
    "the minutes of an alert that is off": (
        MINIMAL + "monitoring: {alerts: {idle_gpu_minutes: 5}}\n",
        "monitoring.alerts.idle_gpu_minutes has no effect, because monitoring.alerts.enabled is false; going on",
    ),
    "private nodes without NAT": (
        MINIMAL + "network: {nat: false}\n",
        "network.nat is false, but cluster.private_nodes is true; going on. Images, models and datasets must come by"
        " another way than the internet",
    ),
    "port 988 on the first minor that may take it": (
        MINIMAL + 'lustre: {port: 988}\ncluster: {version: "1.33"}\n',
        "lustre.port is 988, for which nodes of 1.33 need 1.33.2-gke.4780000 or newer; going on. See what the release"
        " channel gives, or write port: 6988",
    ),
    "a private endpoint for an address of the internet": (
        MINIMAL + "cluster: {endpoint: private, authorized_networks: [10.0.0.0/20, 8.8.8.0/24]}\n",
        "cluster.authorized_networks has 8.8.8.0/24, but cluster.endpoint is private, which nobody reaches from the"
        " internet; going on. Write ranges of the VPC and of what is connected to it",
    ),
    "an exclusion of two years": (
        MINIMAL
        + "cluster: {maintenance_exclusions: [{name: run, scope: NO_UPGRADES, start: 2027-01-15T00:00:00Z,"
        + " end: 2029-01-14T00:00:00Z}]}\n",
        "cluster.maintenance_exclusions[0] lasts 730 days with scope NO_UPGRADES, and GKE wants 48 hours for"
        " maintenance in each 92 days; going on. Shorten it, or write another scope",
    ),
    "compact nodes of a reservation": (
        MINIMAL + "  compact_placement: true\n",
        "gpu_pool.compact_placement is true; going on. The reservation must have been made with compact placement too,"
        " which a plan cannot see",
    ),
    "compact Spot VMs": (
        POOL + "  capacity: spot\n  compact_placement: true\n",
        "gpu_pool.compact_placement is true, but gpu_pool.capacity is spot; going on. Such nodes are hard to get close"
        " together",
    ),
}


@pytest.mark.parametrize(("text", "line"), NOTED.values(), ids=NOTED)
def test_what_is_doubtful_is_noted_and_stops_nothing(text: str, line: str, tmp_path: Path) -> None:
    quiet = text + "" if "ray:" in text else text + "ray: {workers: 0}\n"
    assert doubts(tmp_path, prod=quiet) == [f"environments/prod.yaml: {line}"]


def test_the_smallest_file_has_neither_faults_nor_doubts_of_the_ground_floor(tmp_path: Path) -> None:
    assert doubts(tmp_path, prod=MINIMAL + "ray: {workers: 0}\n") == []


@pytest.mark.parametrize(
    ("region", "hint"), [("us-centrall1", "Did you mean us-central1? Otherwise check"), ("mars-north7", "Check")]
)
def test_a_region_that_looks_misspelt_is_offered_the_near_one(region: str, hint: str, tmp_path: Path) -> None:
    _, line, *_ = doubts(tmp_path, prod=MINIMAL.replace("us-central1", region))
    assert line == (
        f"environments/prod.yaml: region is {region}, where the catalog knows no Managed Lustre; going on. {hint} with"
        " `gcloud lustre locations list`"
    )


def test_what_the_examples_leave_open_is_noted_in_a_site_of_ones_own(tmp_path: Path) -> None:
    def notes(name: str, text: str) -> list[str]:
        write_environments(tmp_path / name, **{name: text})
        lines = [str(doubt) for doubt in read_sites(tmp_path / name).doubts]
        return [line for line in lines if "ray.workers" not in line]

    assert notes("example-b200", MINIMAL) == []
    assert notes("prod", MINIMAL) == [
        "environments/prod.yaml: project is my-project, the example's; going on. Write yours",
        "environments/prod.yaml: gpu_pool.reservation.name is my-reservation, the example's; going on. Write yours",
    ]
    assert notes("test", MINIMAL.replace("my-project", "acme-gpus").replace("my-reservation", "blocks-7")) == []
