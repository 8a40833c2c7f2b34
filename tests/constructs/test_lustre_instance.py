from __future__ import annotations

from typing import Any

from cdktf import Precondition

from constructs.lustre_instance import LustreInstance
from tests.constructs.one_stack import built

MET = {"precondition": [{"condition": "${true}", "error_message": "Never."}]}


def instance(*, gke_legacy_port: bool, deletion_protection: bool) -> dict[str, Any]:
    stack = built(
        lambda stack: LustreInstance(
            stack,
            "lustre",
            name="prod-lustre",
            project="my-project",
            zone="us-central1-b",
            network_id="projects/my-project/global/networks/prod-net",
            filesystem="lustrefs",
            capacity_gib=18_000,
            throughput=500,
            gke_legacy_port=gke_legacy_port,
            deletion_protection=deletion_protection,
            preconditions=(Precondition(condition="${true}", error_message="Never."),),
        )
    )
    return stack["resource"]["google_lustre_instance"]["lustre"]


def test_the_instance_is_the_tutorials_with_time_to_be_made_and_protection_of_its_data() -> None:
    assert instance(gke_legacy_port=True, deletion_protection=True) == {
        "instance_id": "prod-lustre",
        "project": "my-project",
        "location": "us-central1-b",
        "network": "projects/my-project/global/networks/prod-net",
        "filesystem": "lustrefs",
        # Both are texts to the API.
        "capacity_gib": "18000",
        "per_unit_storage_throughput": "500",
        "gke_support_enabled": True,
        # The provider's newer releases; 6.50.0 gives up after 20 minutes.
        "timeouts": {"create": "120m", "update": "60m", "delete": "60m"},
        "lifecycle": {"prevent_destroy": True, **MET},
    }


def test_the_port_and_the_protection_are_written_as_off_too() -> None:
    off = instance(gke_legacy_port=False, deletion_protection=False)
    assert (off["gke_support_enabled"], off["lifecycle"]) == (False, {"prevent_destroy": False, **MET})
