"""A stack that reads what does not exist yet waits; every other failure is one.

The texts are those of terraform 1.11.4 and of the providers google 6.50.0 and kubernetes 2.38.0.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tools.plan_summary.waits import Problem, problems, waits_for

NO_NETWORK = Problem("data.google_compute_network.main", "projects/p/global/networks/prod-net not found")
NO_PEERING = Problem(
    "data.google_compute_network_peering.private-services", "prod-net/servicenetworking-googleapis-com not found"
)
NO_CLUSTER = Problem("data.google_container_cluster.cluster", "projects/p/locations/r/clusters/prod not found")
NO_LUSTRE = Problem("data.google_lustre_instance.lustre-instance", "not found")
NO_RAY = Problem(
    "data.kubernetes_resources.ray-cluster",
    "Resource postcondition failed\nThere is no RayCluster ray-1 in the namespace ray: deploy prod_platform first.",
)
NO_KIND = Problem(
    "data.kubernetes_resources.ray-cluster",
    'Failed to determine resource GroupVersion\nno matches for kind "RayCluster" in group "ray.io"',
)


def forbidden(address: str, what: str, reason: str) -> Problem:
    return Problem(
        address,
        f"Error when reading or editing {what}: googleapi: Error 403: no, really not\nDetails:\n"
        f'[\n  {{\n    "@type": "type.googleapis.com/google.rpc.ErrorInfo",\n    "reason": "{reason}"\n  }}\n]',
    )


NETWORK_API_OFF = forbidden("data.google_compute_network.main", "Network Not Found : prod-net", "SERVICE_DISABLED")
NO_RIGHTS = forbidden("data.google_compute_network.main", "Network Not Found : prod-net", "IAM_PERMISSION_DENIED")
RESERVATION_API_OFF = forbidden("data.google_compute_reservation.reservation", "x", "SERVICE_DISABLED")


@pytest.mark.parametrize(
    ("stack", "found", "waiting"),
    [
        ("prod_storage", [NO_NETWORK], ("prod_network",)),
        ("prod_storage", [NO_PEERING], ("prod_network",)),
        ("prod-eu_cluster", [NETWORK_API_OFF, RESERVATION_API_OFF], ("prod-eu_network",)),
        ("prod_platform", [NO_LUSTRE, NO_CLUSTER], ("prod_storage", "prod_cluster")),
        ("job_prod_gemma3-27b-gsm8k", [NO_CLUSTER], ("prod_cluster",)),
        ("job_prod_gemma3-27b-gsm8k", [NO_RAY], ("prod_platform",)),
        ("job_prod_gemma3-27b-gsm8k", [NO_KIND], ("prod_platform",)),
    ],
)
def test_a_stack_waits_for_the_stack_that_makes_what_it_reads(
    stack: str, found: list[Problem], waiting: tuple[str, ...]
) -> None:
    assert waits_for(stack, found) == waiting


@pytest.mark.parametrize(
    "found",
    [
        pytest.param([], id="nothing is known"),
        pytest.param([NO_RIGHTS], id="no rights, which the provider heads with Network Not Found"),
        pytest.param([RESERVATION_API_OFF], id="nothing of what is absent is made by a stack"),
        pytest.param([NO_NETWORK, Problem("", "Reference to undeclared resource")], id="an error besides"),
        pytest.param(
            [Problem("google_container_node_pool.gpu-pool", "Resource precondition failed\nreservation r not found")],
            id="a precondition of ours",
        ),
        pytest.param(
            [Problem("data.kubernetes_resources.ray-cluster", 'Failed to ...\nGet "https://x/api": i/o timeout')],
            id="the control plane cannot be reached",
        ),
        pytest.param(
            [Problem("kubernetes_manifest.net", "API did not recognize GroupVersionKind\nno matches for kind")],
            id="a kind that no stack brings",
        ),
    ],
)
def test_any_other_failure_is_no_waiting(found: list[Problem]) -> None:
    assert waits_for("prod_cluster", found) == ()


def message(**diagnostic: Any) -> str:
    return json.dumps({"@level": "error", "type": "diagnostic", "diagnostic": diagnostic})


def test_the_errors_are_read_from_the_messages_of_terraform() -> None:
    log = "\n".join(
        (
            '{"@level":"info","@message":"Terraform 1.11.4","type":"version","terraform":"1.11.4","ui":"1.2"}',
            message(severity="warning", summary="Check block assertion known after apply", detail="..."),
            "a line that a shell printed",
            message(severity="error", summary=" not found", detail="", address="data.google_lustre_instance.x"),
            message(severity="error", summary="Invalid reference", detail="There is none."),
            message(severity="error"),
            message(severity="error", summary=None, detail="Words.", address=None),
            message(summary="of no severity"),
            '{"type": "diagnostic"}',
            '{"type": "diagnostic", "diagnostic": ' + '{"a": ' * 100_000,
            '{"@level":"error","@message":"cut sho',
        )
    )
    assert problems(log) == (
        Problem("data.google_lustre_instance.x", "not found"),
        Problem("", "Invalid reference\nThere is none."),
        Problem("", ""),
        Problem("", "Words."),
    )
