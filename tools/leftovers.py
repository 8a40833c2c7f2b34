"""Prints the commands that list, and remove, what a destroyed site may have left behind. It runs and deletes nothing.

    python -m tools.leftovers SITE

GKE and service networking are known to leave firewall rules, load balancer parts, disks and a peering, which keep a VPC
from being deleted. The commands name what is this site's by its cluster and networks, and not every rule of a VPC.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from settings.environment import Environment
from settings.faults import SettingsError
from settings.sites import read_sites

ROOT = Path(__file__).resolve().parents[1]


def commands(env: Environment) -> Iterator[str]:
    """A shell script of comments and commands; those that remove something are comments too."""
    names, project = env.cloud_names, f"--project={env.project}"
    gke = f"gke-{names.cluster}-"
    for title, kind, scope, pattern in (
        (
            "Firewall rules of GKE's controllers",
            "firewall-rules",
            "",
            f"network:{names.network} AND name~^({gke}|k8s-)",
        ),
        ("Forwarding rules of Services", "forwarding-rules", f" --regions={env.region}", "description~kubernetes.io"),
        (
            "Network endpoint groups of Services",
            "network-endpoint-groups",
            f" --zones={env.zone}",
            f"network:{names.network} AND name~^k8s",
        ),
        (
            "Disks of claims and of nodes",
            "disks",
            f" --zones={env.zone}",
            f"labels.goog-k8s-cluster-name={names.cluster}",
        ),
    ):
        location = {"firewall-rules": "", "forwarding-rules": f" --region={env.region}"}.get(
            kind, f" --zone={env.zone}"
        )
        yield f"# {title}"
        yield f"gcloud compute {kind} list {project}{scope} --filter='{pattern}'"
        yield f"# gcloud compute {kind} delete NAME {project}{location}"
        yield ""
    yield "# The peering to Google's producers: it goes by itself some time after the last Lustre instance"
    yield f"gcloud compute networks peerings list {project} --network={names.network}"
    peering = f"servicenetworking-googleapis-com {project} --network={names.network}"
    yield f"# gcloud compute networks peerings delete {peering}"
    yield ""
    yield "# The address range of the producers, and the networks"
    yield f"gcloud compute addresses list {project} --global --filter='name={names.private_services_range}'"
    for network in (names.network, names.gvnic_network, names.rdma_network):
        yield f"gcloud compute networks list {project} --filter='name={network}'"


def main(arguments: list[str]) -> int:
    """See above."""
    try:
        sites = {env.name: env for env in read_sites(ROOT).environments}
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    match arguments:
        case [site] if site in sites:
            print("\n".join(commands(sites[site])))
            return 0
        case _:
            print(f"write: python -m tools.leftovers SITE; there are {', '.join(sites)}", file=sys.stderr)
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
