"""What follows from an environment, and what it refuses by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from settings.environment import Environment
from tests.support import MINIMAL, environment, faults

_VPC = "a site makes its own VPCs and takes no existing one; remove it"
_SHARED = "a site makes its VPCs in its own project and uses no Shared VPC host project; remove it"
_TEAMS = "a site serves one namespace; make an environment for each team; remove it"
_TOKEN = "a token never stands in a file; set {0} in the environment of the apply"

#: What somebody may look for -> why it is not there.
UNSUPPORTED = {
    "gpu_pools": "a site has one GPU pool; describe it under gpu_pool",
    "host_project": _SHARED,
    "shared_vpc": _SHARED,
    "existing_network": _VPC,
    "existing_vpc": _VPC,
    "vpc": _VPC,
    "namespaces": _TEAMS,
    "teams": _TEAMS,
    "tenants": _TEAMS,
    "hf_token": _TOKEN.format("TF_VAR_hf_token"),
    "HF_TOKEN": _TOKEN.format("TF_VAR_hf_token"),
    "wandb_api_key": _TOKEN.format("TF_VAR_wandb_api_key"),
    "network.existing": _VPC,
    "network.use_existing": _VPC,
    "network.host_project": _SHARED,
    "network.shared_vpc_host_project": _SHARED,
    "cluster.shared_vpc": _SHARED,
    "cluster.autopilot": "a site's cluster is a Standard one; remove it",
    "lustre.kms_key": "the pinned provider has no field for it (7.13 has); remove it",
    "cluster.teams": _TEAMS,
    "cluster.namespaces": _TEAMS,
    "tokens.hf_token": _TOKEN.format("TF_VAR_hf_token"),
}


@pytest.mark.parametrize(("path", "reason"), UNSUPPORTED.items(), ids=UNSUPPORTED)
def test_what_is_not_supported_is_refused_by_name(path: str, reason: str, tmp_path: Path) -> None:
    section, _, key = path.rpartition(".")
    text = f"{section}: {{{key}: x}}\n" if section else f"{key}: x\n"
    assert faults(tmp_path, prod=MINIMAL + text) == [f"environments/prod.yaml: {path} is not supported: {reason}"]


def test_stacks_are_called_by_the_site_and_the_layer() -> None:
    assert environment(MINIMAL + "name: prod-eu\n").stack("network") == "prod-eu_network"


def test_a_node_has_one_gvnic_and_eight_rdma_interfaces_in_the_order_of_its_cards() -> None:
    interfaces = environment(MINIMAL + "name: prod\n").interfaces
    assert [(it.network, it.vpc, it.subnet) for it in interfaces] == [
        ("gvnic-1", "prod-gvnic-net", "prod-gvnic-sub"),
        *((f"rdma-{index}", "prod-rdma-net", f"prod-rdma-sub-{index}") for index in range(8)),
    ]


def test_every_key_has_a_description_for_the_editor() -> None:
    def undescribed(schema: dict[str, object], path: str) -> list[str]:
        properties = schema.get("properties")
        assert isinstance(properties, dict)
        return [
            f"{path}.{key}"
            for key, value in properties.items()  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] # JSON
            if "description" not in value and "$ref" not in value
        ]

    schema = Environment.model_json_schema()
    missing = undescribed(schema, "Environment")
    for name, section in schema["$defs"].items():
        missing += undescribed(section, name)
        assert section.get("description"), name
    assert missing == []
