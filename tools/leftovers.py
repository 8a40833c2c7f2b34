"""Prints the commands that list, and remove, what a destroyed site may have left behind. It runs and deletes nothing.

    python -m tools.leftovers SITE

GKE's controllers, its node groups and service networking are known to leave firewall rules, parts of load balancers,
disks, addresses and a peering, and any of them keeps a VPC from being deleted. Each list is narrowed to this site: by
its cluster's name and label, or, for what carries only a hash, by the VPC, which no other site uses.

The output is a shell script; each line that removes something is a comment, with NAME to be filled in from the list
above it. Sources: GKE's page on automatically created firewall rules, the label that GKE puts on a cluster's disks, and
the provider's issues 18834, 16275 and 19908 (peering), 5948, 5423 and 3831 (rules and routes in a VPC). None of it was
tried on a real site.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from settings.environment import Environment
from settings.faults import SettingsError
from settings.sites import named, read_sites
from tools.command import ROOT, run


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """One kind of thing: what it is, the command that lists it, and the one that removes a NAME of the list."""

    what: str
    listed_by: str
    removed_by: str


def leftovers(env: Environment) -> Iterator[Leftover]:
    """All kinds, in the order in which they can be removed."""
    names, project, region, zone = env.cloud_names, f"--project={env.project}", env.region, env.zone
    in_vpc = f'network~"/{names.network}$"'
    # Never just gke-CLUSTER-, with which the names of another cluster, CLUSTER-EU, begin as well.
    of_cluster = f'name~"^gke-{names.cluster}-[0-9a-f]{{8}}-"'
    pools = "|".join((env.cpu_pool.name, env.gpu_pool.name, "default-pool"))
    of_pools = f'name~"^gke-{names.cluster}-({pools})-"'
    of_controllers = 'name~"^(k8s|gkegw)"'
    of_balancers = f"description~kubernetes.io OR {of_controllers}"
    whose = "These name no VPC and may be another cluster's: look at the description"
    anywhere = f"--region={region}    # or --global"

    def compute(kind: str, what: str, where: str, location: str, columns: str, *lists: str) -> Leftover:
        """Something of Compute Engine; `location` is the flag of the command that removes one."""
        listing = " ".join(("gcloud compute", kind, "list", project, *lists))
        removing = " ".join(part for part in ("gcloud compute", kind, "delete NAME", project, location) if part)
        return Leftover(
            what=what,
            listed_by=f"{listing} --filter='{where}' --format='table({columns})'",
            removed_by=removing,
        )

    yield Leftover(
        what="The cluster and Lustre themselves: they must be gone, or what follows is in use",
        listed_by=f'gcloud container clusters list {project} --filter="name={names.cluster}"\n'
        f"gcloud lustre instances list {project} --location={zone} --filter='name~\"/{names.lustre}$\"'",
        removed_by=f"make destroy ENV={env.name}",
    )
    yield compute(
        "instance-groups managed",
        "Node groups of pools that were not deleted cleanly; their VMs go with them. GKE shortens long names: look for"
        " gke-* by hand if yours are",
        of_pools,
        f"--zone={zone}",
        "name,zone,targetSize",
        f"--zones={zone}",
    )
    yield compute(
        "forwarding-rules",
        "Forwarding rules of Services, Ingresses and Gateways, and of the control plane. Those without a network are"
        " public and may be another cluster's: the description names the Service",
        f"({in_vpc} OR NOT network:*) AND ({of_balancers} OR {of_cluster})",
        anywhere,
        "name,region,IPAddress,network.basename(),description",
    )
    for kind, what in (
        ("target-http-proxies", "Proxies of Ingresses and Gateways, by HTTP"),
        ("target-https-proxies", "And by HTTPS"),
        ("url-maps", "URL maps of Ingresses and Gateways"),
        ("backend-services", "Backend services of Services, Ingresses and Gateways"),
        ("health-checks", "Their health checks"),
    ):
        yield compute(kind, f"{what}. {whose}", of_balancers, anywhere, "name,region.basename(),description")
    yield compute(
        "target-pools",
        f"Target pools of Services. {whose}",
        of_balancers,
        f"--region={region}",
        "name,region.basename(),description",
        f"--regions={region}",
    )
    yield compute(
        "instance-groups unmanaged",
        "Instance groups that Ingresses made of nodes",
        f"{in_vpc} AND {of_controllers}",
        f"--zone={zone}",
        "name,zone,size",
        f"--zones={zone}",
    )
    yield compute(
        "network-endpoint-groups",
        "Network endpoint groups of Services",
        f"{in_vpc} AND {of_controllers}",
        f"--zone={zone}",
        "name,zone,size,description",
    )
    yield compute(
        "firewall-rules",
        "Firewall rules of the cluster (gke-*) and of its load balancers (k8s-*, gkegw*). The targets are"
        " gke-CLUSTER-HASH-node: leave alone what names another cluster",
        f"{in_vpc} AND ({of_cluster} OR {of_controllers})",
        "",
        "name,targetTags.list(),description",
    )
    yield compute(
        "routes",
        "Routes that somebody made by hand, or GKE for a cluster without VPC-native pods",
        f'{in_vpc} AND NOT name~"^(default|peering)-route-"',
        "",
        "name,destRange,nextHopInstance.basename()",
    )
    yield compute(
        "addresses",
        "Addresses in the cluster's subnet that a load balancer or the control plane held",
        f'subnetwork~"/{names.subnet}$" AND status=RESERVED',
        f"--region={region}",
        "name,address,purpose",
        f"--regions={region}",
    )
    yield compute(
        "disks",
        "Disks of volume claims (pvc-*), with their data; and boot disks of nodes",
        f"labels.goog-k8s-cluster-name={names.cluster}",
        f"--zone={zone}",
        "name,sizeGb,users.basename(),description",
        f"--zones={zone}",
    )
    yield Leftover(
        what="The peering with Google's producers. The tenant network behind it is in a project of Google's, is not"
        " seen here, and goes some time after the last Lustre instance; until then removing answers"
        ' "Producer services ... are still using this connection": wait an hour and try the first command again. The'
        " second takes our half away by force; after it, remove the connection from the network layer's state",
        listed_by=f"gcloud services vpc-peerings list {project} --network={names.network}\n"
        f"gcloud compute networks peerings list {project} --network={names.network}",
        removed_by=f"gcloud services vpc-peerings delete {project} --network={names.network}"
        " --service=servicenetworking.googleapis.com\n"
        f"gcloud compute networks peerings delete servicenetworking-googleapis-com {project}"
        f" --network={names.network}\n"
        f"terraform -chdir=cdktf.out/stacks/{env.stack('network')} state rm"
        " google_service_networking_connection.private-services",
    )
    networks = " OR ".join(f"name={network}" for network in (names.network, names.gvnic_network, names.rdma_network))
    yield Leftover(
        what="What Terraform itself removes once nothing is in the way",
        listed_by=f'gcloud compute addresses list {project} --global --filter="name={names.private_services_range}"\n'
        f'gcloud compute networks list {project} --filter="{networks}"',
        removed_by=f"make destroy ENV={env.name}",
    )


def script(env: Environment) -> Iterator[str]:
    """The lines of a shell script that lists all and removes nothing."""
    yield f"# What {env.name} may have left in {env.project}. Read a list before you remove anything of it."
    for one in leftovers(env):
        yield ""
        yield f"# {one.what}."
        yield from one.listed_by.splitlines()
        yield from (f"#   {line}" for line in one.removed_by.splitlines())


def main(arguments: list[str]) -> int:
    """Exit status 0, or 2 where there is no such site."""
    if len(arguments) != 1:
        print("write: python -m tools.leftovers SITE", file=sys.stderr)
        return 2
    (site,) = arguments
    try:
        print("\n".join(script(named(read_sites(ROOT).environments, site))))
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    run(main)
