"""The cloud names of a site: all from its own name, each of them open to an override."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.interfaces import RDMA_CARDS
from settings.fields import CloudName, ClusterName, ServiceAccountId
from settings.findings import Finding
from settings.yaml_file import Section


class NameOverrides(Section):
    """Names of a site that was built by hand and is to be imported. Leave out what the site's name should give."""

    network: CloudName | None = None
    """The main VPC (the tutorial's NETWORK). Default: NAME-net."""

    subnet: CloudName | None = None
    """The main subnet. Default: NETWORK-nodes; in auto mode Google names it as the VPC."""

    gvnic_prefix: CloudName | None = None
    """Prefix of the gVNIC VPC, subnet and firewall rule (GVNIC_NETWORK_PREFIX). Default: NAME-gvnic."""

    rdma_prefix: CloudName | None = None
    """Prefix of the RDMA VPC and its eight subnets (RDMA_NETWORK_PREFIX). Default: NAME-rdma."""

    cluster: ClusterName | None = None
    """The GKE cluster (CLUSTER_NAME). Default: NAME."""

    lustre: CloudName | None = None
    """The Lustre instance (LUSTRE_NAME), and prefix of its address range. Default: NAME-lustre."""

    node_account: ServiceAccountId | None = None
    """Service account that the nodes run as. Default: NAME-nodes."""

    workload_account: ServiceAccountId | None = None
    """Service account that the Ray pods act as. Default: NAME-ray."""


@dataclass(frozen=True, kw_only=True)
class Names:
    """Every cloud name of a site."""

    network: str
    subnet: str
    router: str
    nat: str
    lustre_firewall: str
    gvnic_network: str
    gvnic_subnet: str
    gvnic_firewall: str
    rdma_network: str
    rdma_subnets: tuple[str, ...]
    cluster: str
    lustre: str
    private_services_range: str
    node_account: str
    workload_account: str


def cloud_names(name: str, overrides: NameOverrides, *, auto_network: bool) -> Names:
    """The names of the site called `name`, as the tutorial derives them from its prefixes."""
    network = overrides.network or f"{name}-net"
    gvnic = overrides.gvnic_prefix or f"{name}-gvnic"
    rdma = overrides.rdma_prefix or f"{name}-rdma"
    lustre = overrides.lustre or f"{name}-lustre"
    return Names(
        network=network,
        subnet=network if auto_network else overrides.subnet or f"{network}-nodes",
        router=f"{network}-router",
        nat=f"{network}-nat",
        lustre_firewall=f"{network}-lustre",
        gvnic_network=f"{gvnic}-net",
        gvnic_subnet=f"{gvnic}-sub",
        gvnic_firewall=f"{gvnic}-internal",
        rdma_network=f"{rdma}-net",
        rdma_subnets=tuple(f"{rdma}-sub-{index}" for index in range(RDMA_CARDS)),
        cluster=overrides.cluster or name,
        lustre=lustre,
        private_services_range=f"{lustre}-range",
        node_account=overrides.node_account or f"{name}-nodes",
        workload_account=overrides.workload_account or f"{name}-ray",
    )


@dataclass(frozen=True)
class _Limit:
    """Names that follow one override, and how long each may be (the APIs refuse others, some only at apply)."""

    override: str
    given: bool
    most: int
    names: tuple[str, ...]
    least: int = 1

    @property
    def path(self) -> str:
        return f"names.{self.override}"

    @property
    def longest(self) -> str:
        return max(self.names, key=len)

    @property
    def excess(self) -> int:
        return len(self.longest) - self.most


def name_rules(names: Names, overrides: NameOverrides) -> Iterator[Finding]:
    """One finding for each override from which a derived name gets too long or short, and one for the site's name."""
    network = (names.network, names.subnet, names.router, names.nat, names.lustre_firewall)
    gvnic = (names.gvnic_network, names.gvnic_subnet, names.gvnic_firewall)
    rdma = (names.rdma_network, *names.rdma_subnets)
    limits = (
        _Limit("network", overrides.network is not None, 63, network),
        _Limit("gvnic_prefix", overrides.gvnic_prefix is not None, 63, gvnic),
        _Limit("rdma_prefix", overrides.rdma_prefix is not None, 63, rdma),
        _Limit("cluster", overrides.cluster is not None, 40, (names.cluster,)),
        _Limit("lustre", overrides.lustre is not None, 63, (names.lustre, names.private_services_range)),
        _Limit("node_account", overrides.node_account is not None, 30, (names.node_account,), 6),
        _Limit("workload_account", overrides.workload_account is not None, 30, (names.workload_account,), 6),
    )
    long = [limit for limit in limits if limit.excess > 0]
    for limit in (limit for limit in long if limit.given):
        yield _too_long(limit.path, limit, "")
    if derived := [limit for limit in long if not limit.given]:
        # A site's name that is short enough for the worst of them is so for all.
        worst = max(derived, key=lambda limit: limit.excess)
        yield _too_long("name", worst, f", or {', '.join(limit.path for limit in derived)}")
    for limit in limits:
        shortest = min(limit.names, key=len)
        if len(shortest) < limit.least:
            path, other = (limit.path, "") if limit.given else ("name", f", or {limit.path}")
            yield Finding(
                path,
                f"makes the name {shortest}, {len(shortest)} characters of at least {limit.least}; write a longer"
                f" one{other}",
            )


def _too_long(path: str, limit: _Limit, other: str) -> Finding:
    name = limit.longest
    return Finding(
        path, f"makes the name {name}, {len(name)} characters of at most {limit.most}; write a shorter one{other}"
    )
