"""Every cloud name follows from the site's, each can be another, and none gets longer than its API takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settings.names import NameOverrides, Names, cloud_names, name_rules

# The tutorial's scheme: ${NETWORK}-..., ${GVNIC_NETWORK_PREFIX}-net, -sub, -internal, ${RDMA_NETWORK_PREFIX}-net,
# -sub-0 to -sub-7.
PROD = Names(
    network="prod-net",
    subnet="prod-net-nodes",
    router="prod-net-router",
    nat="prod-net-nat",
    lustre_firewall="prod-net-lustre",
    gvnic_network="prod-gvnic-net",
    gvnic_subnet="prod-gvnic-sub",
    gvnic_firewall="prod-gvnic-internal",
    rdma_network="prod-rdma-net",
    rdma_subnets=(
        "prod-rdma-sub-0",
        "prod-rdma-sub-1",
        "prod-rdma-sub-2",
        "prod-rdma-sub-3",
        "prod-rdma-sub-4",
        "prod-rdma-sub-5",
        "prod-rdma-sub-6",
        "prod-rdma-sub-7",
    ),
    cluster="prod",
    lustre="prod-lustre",
    private_services_range="prod-lustre-range",
    node_account="prod-nodes",
    workload_account="prod-ray",
)


def test_all_names_follow_from_the_sites_own() -> None:
    assert cloud_names("prod", NameOverrides(), auto_network=False) == PROD


def test_each_name_can_be_that_of_a_site_built_by_hand() -> None:
    names = cloud_names(
        "prod",
        NameOverrides(
            network="corp",
            subnet="corp-a",
            gvnic_prefix="g",
            rdma_prefix="r",
            cluster="gke",
            lustre="fast",
            node_account="gke-nodes",
            workload_account="ray-work",
        ),
        auto_network=False,
    )
    assert names == Names(
        network="corp",
        subnet="corp-a",
        router="corp-router",
        nat="corp-nat",
        lustre_firewall="corp-lustre",
        gvnic_network="g-net",
        gvnic_subnet="g-sub",
        gvnic_firewall="g-internal",
        rdma_network="r-net",
        rdma_subnets=tuple(f"r-sub-{index}" for index in range(8)),
        cluster="gke",
        lustre="fast",
        private_services_range="fast-range",
        node_account="gke-nodes",
        workload_account="ray-work",
    )


def test_in_auto_mode_the_subnet_is_called_as_its_vpc() -> None:
    assert cloud_names("prod", NameOverrides(), auto_network=True).subnet == "prod-net"


# override, its longest good length, the longest name that it makes: facts/gke.md section 3.6.
LIMITS = [
    ("network", 56, "-router"),
    ("gvnic_prefix", 54, "-internal"),
    ("rdma_prefix", 57, "-sub-0"),
    ("cluster", 40, ""),
    ("lustre", 57, "-range"),
    ("node_account", 30, ""),
    ("workload_account", 30, ""),
]


@pytest.mark.parametrize(("key", "most", "ending"), LIMITS)
def test_a_name_may_be_as_long_as_all_that_follow_from_it_allow(key: str, most: int, ending: str) -> None:
    def findings(length: int) -> list[tuple[str, str]]:
        overrides = NameOverrides.model_validate({"node_account": "nodes-x", "workload_account": "ray-pods"})
        overrides = overrides.model_copy(update={key: "x" * length})  # longer than its own field takes, too
        return [(it.path, it.text) for it in name_rules(cloud_names("prod", overrides, auto_network=False), overrides)]

    assert findings(most) == []
    name = "x" * (most + 1) + ending
    assert findings(most + 1) == [
        (
            f"names.{key}",
            f"makes the name {name}, {len(name)} characters of at most {len(name) - 1}; write a shorter one",
        )
    ]


@given(st.from_regex(r"[a-z]([-a-z0-9]{0,70}[a-z0-9])?", fullmatch=True), st.booleans())
def test_a_site_without_findings_has_no_name_that_an_api_refuses(name: str, auto: bool) -> None:
    names = cloud_names(name, NameOverrides(), auto_network=auto)
    several: tuple[str, ...] = names.rdma_subnets
    one: list[str] = [value for value in vars(names).values() if isinstance(value, str)]
    fits = (
        all(len(text) <= 63 for text in (*one, *several))
        and len(names.cluster) <= 40
        and all(6 <= len(account) <= 30 for account in (names.node_account, names.workload_account))
    )
    assert (not list(name_rules(names, NameOverrides()))) == fits
