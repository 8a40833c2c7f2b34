"""How long the steps of bringing up a site take, in minutes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Duration:
    """What one step usually takes. Without `measured`, nobody has published a figure: it is a guess, and shown as one.

    `source` says where the figure is from, or what the guess rests on.
    """

    minutes: float
    source: str
    measured: bool = False


APIS = Duration(minutes=2, source="a minute or less for each of three rounds, and a wait until they answer")
NETWORKS = Duration(minutes=2, source="networks, then subnets, a round of each below a minute")
PRIVATE_SERVICES = Duration(minutes=2, source="an operation of Service Networking; its own limit is ten minutes")
LUSTRE = Duration(
    minutes=30, source="between the provider's old limit of 20 minutes, which was too short, and its new one of 120"
)
CLUSTER = Duration(
    minutes=9,
    source="Terraform logs in public repositories: 3 to 7 minutes for zonal clusters, 9 for a regional one",
    measured=True,
)
DEFAULT_POOL = Duration(minutes=3, source="the provider makes a cluster's default pool and takes it away again")
CPU_POOL = Duration(minutes=2, source="one node of a general machine")
GPU_POOL = Duration(minutes=2, source="a pool that starts without nodes; GPU nodes come with the Ray workers")
PLATFORM_OBJECTS = Duration(minutes=1, source="some thirty objects in the cluster")
GPU_NODES = Duration(minutes=6, source="a GPU machine boots, joins, and gets driver and NCCL plugin")
IMAGE = Duration(minutes=8, source="more than 20 GB of image, pulled once a node")
RAY = Duration(minutes=2, source="head up, then workers, by their probes")
