"""The GKE cluster of a site and its CPU node pool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from settings.fields import MOST_DISK_GIB, ClusterName, DnsLabel, Ipv4Range, Timestamp, matching
from settings.network import SHARED_VPC
from settings.yaml_file import Section

SEVERAL_TEAMS = "a site serves one namespace; make an environment for each team; remove it"


class MaintenanceExclusion(Section):
    """A time in which GKE upgrades no node, for example while a long run holds the GPU pool."""

    name: DnsLabel
    """Name of the exclusion."""

    start: Timestamp
    """First moment, in UTC, as 2027-01-15T00:00:00Z."""

    end: Timestamp
    """Last moment, in UTC."""

    scope: Literal["NO_UPGRADES", "NO_MINOR_UPGRADES", "NO_MINOR_OR_NODE_UPGRADES"] = "NO_MINOR_OR_NODE_UPGRADES"
    """What does not happen meanwhile. The default keeps the nodes as they are and lets the control plane take
    patches."""


class Cluster(Section):
    """The regional GKE cluster."""

    version: Annotated[str, matching(r"1\.\d{2}", 'not a GKE minor version; write one in quotes, like "1.34"')] = "1.34"
    """GKE minor version. The KubeRay version of the add-on follows from it. Raise it here to upgrade."""

    release_channel: Literal["RAPID", "REGULAR", "STABLE", "EXTENDED"] = "REGULAR"
    """Release channel: which patches and minors GKE offers, and when it upgrades by itself."""

    endpoint: Literal["dns", "public", "private"] = "dns"
    """How one reaches the control plane. `dns`: by its DNS name, from anywhere, guarded by IAM; no IP endpoint.
    `public`: by a public address, from `authorized_networks`. `private`: by an address inside the VPC, from
    `authorized_networks`."""

    authorized_networks: tuple[Ipv4Range, ...] = ()
    """Ranges that may reach the control plane; for the endpoints `public` and `private` only, which need them."""

    private_nodes: bool = True
    """Nodes have no public addresses. Changing it later replaces the cluster."""

    maintenance_start: Annotated[
        str, matching(r"([01]\d|2[0-3]):[0-5]\d", 'not a time of day; write HH:MM in UTC, like "09:00"')
    ] = "09:00"
    """Start of the daily maintenance window of four hours, in UTC."""

    maintenance_exclusions: Annotated[tuple[MaintenanceExclusion, ...], Field(max_length=20)] = ()
    """Times without upgrades; at most 20."""

    deletion_protection: bool = True
    """While true, Terraform refuses to destroy or replace the cluster."""

    @classmethod
    def unsupported(cls) -> Mapping[str, str]:
        return {
            **dict.fromkeys(("teams", "namespaces", "tenants"), SEVERAL_TEAMS),
            **dict.fromkeys(("host_project", "shared_vpc"), SHARED_VPC),
            **dict.fromkeys(("autopilot", "enable_autopilot"), "a site's cluster is a Standard one; remove it"),
            "dranet": "the pinned provider has no field for it (7.31 has); remove it",
        }


class CpuPool(Section):
    """The node pool that carries the Ray head and the cluster's own services."""

    name: ClusterName = "cpu-pool"
    """Name of the node pool."""

    machine: Annotated[
        str, matching(r"[a-z][a-z0-9]*-[-a-z0-9]+", "not a machine type; write one like n2-highmem-80")
    ] = "n2-highmem-80"
    """Machine type. It must hold the Ray head's requests."""

    min_nodes: Annotated[int, Field(ge=1)] = 1
    """Fewest nodes; the cluster's own services need one."""

    max_nodes: Annotated[int, Field(ge=1)] = 5
    """Most nodes."""

    disk_gib: Annotated[int, Field(ge=50, le=MOST_DISK_GIB)] = 200
    """Boot disk in GiB; the training image alone takes more than 20."""
