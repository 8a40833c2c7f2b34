"""A reservation is compared at each plan with what the pool wants of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from constructs.reservation import Reservation
from stacks.site_stack import SiteStack
from tests.constructs.one_stack import built

STATUS = "data.google_compute_reservation.reservation.status"
HELD = "data.google_compute_reservation.reservation.specific_reservation[0].instance_properties[0]"


def test_each_difference_has_a_condition_that_no_null_can_break_and_a_message_with_both_values() -> None:
    preconditions: list[tuple[object, object]] = []

    def build(stack: SiteStack) -> None:
        reservation = Reservation(
            stack,
            "reservation",
            name="res",
            project="p",
            zone="us-central1-b",
            machine="a4-highgpu-8g",
            gpu="nvidia-b200",
            gpus=8,
            local_ssds=32,
        )
        preconditions.extend((one.condition, one.error_message) for one in reservation.preconditions)
        reservation.warn_when_short(stack, pool="google_container_node_pool.gpu-pool")

    stack = built(build)
    assert stack["data"] == {
        "google_compute_reservation": {"reservation": {"name": "res", "project": "p", "zone": "us-central1-b"}}
    }
    subject = "The reservation res (project p, zone us-central1-b)"
    assert preconditions == [
        (
            f"${{{STATUS} != null}}",
            f"{subject} does not exist, or whoever runs this may not read it; correct gpu_pool.reservation.name or"
            " zone, or write verify: false.",
        ),
        (
            f'${{try({STATUS} == null ? true : ({STATUS} == "READY"), {STATUS} == null)}}',
            f'{subject} is not ready: its status is ${{try(coalesce({STATUS}), "unknown")}}.',
        ),
        (
            f"${{try({STATUS} == null ? true :"
            f" (data.google_compute_reservation.reservation.specific_reservation_required), {STATUS} == null)}}",
            f"{subject} is open to any VM; the pool names it, which needs one made with"
            " --require-specific-reservation.",
        ),
        (
            f'${{try({STATUS} == null ? true : ({HELD}.machine_type == "a4-highgpu-8g"), {STATUS} == null)}}',
            f'{subject} holds ${{try(coalesce({HELD}.machine_type), "no machine type")}}, and gpu_pool.machine is'
            " a4-highgpu-8g.",
        ),
        (
            f"${{try({STATUS} == null ? true : (length({HELD}.guest_accelerators) == 0 ? true :"
            f' ({HELD}.guest_accelerators[0].accelerator_type == "nvidia-b200" &&'
            f" {HELD}.guest_accelerators[0].accelerator_count == 8)), {STATUS} == null)}}",
            f"{subject} holds ${{try({HELD}.guest_accelerators[0].accelerator_count, 0)}} x"
            f' ${{try(coalesce({HELD}.guest_accelerators[0].accelerator_type), "no GPU")}}, and the pool takes 8 x'
            " nvidia-b200.",
        ),
        (
            f"${{try({STATUS} == null ? true : (length({HELD}.local_ssds) == 0 ||"
            f" length({HELD}.local_ssds) == 32), {STATUS} == null)}}",
            f"{subject} holds machines with ${{try(length({HELD}.local_ssds), 0)}} local SSDs, and the pool's have 32.",
        ),
    ]
    conditions = [one["condition"] for one in stack["check"]["reservation-capacity"]["assert"]]
    reserved = "data.google_compute_reservation.reservation.specific_reservation[0]"
    pool = "google_container_node_pool.gpu-pool"
    assert conditions == [
        f"${{try({reserved}.count >= {pool}.autoscaling[0].total_max_node_count, true)}}",
        f"${{try({reserved}.count - {reserved}.in_use_count + {pool}.node_count >="
        f" {pool}.autoscaling[0].total_max_node_count, true)}}",
    ]


# What the real Terraform makes of the conditions

TERRAFORM = shutil.which("terraform")
#: The types of google 6.50.0, so that nulls are as typed as its.
RESERVATION_TYPE = """map(object({
  status = string
  specific_reservation_required = bool
  specific_reservation = list(object({
    count = number
    in_use_count = number
    instance_properties = list(object({
      machine_type = string
      guest_accelerators = list(object({accelerator_type = string, accelerator_count = number}))
      local_ssds = list(object({disk_size_gb = number}))
    }))
  }))
}))"""
POOL_TYPE = "map(object({node_count = number, autoscaling = list(object({total_max_node_count = number}))}))"


def reservation(
    *,
    status: str = "READY",
    required: bool = True,
    machine: str = "a4-highgpu-8g",
    gpus: tuple[tuple[str, int], ...] = (("nvidia-b200", 8),),
    ssds: int = 32,
    count: int = 2,
    used: int = 0,
) -> dict[str, Any]:
    """What the data source says of a reservation."""
    return {
        "status": status,
        "specific_reservation_required": required,
        "specific_reservation": [
            {
                "count": count,
                "in_use_count": used,
                "instance_properties": [
                    {
                        "machine_type": machine,
                        "guest_accelerators": [
                            {"accelerator_type": kind, "accelerator_count": number} for kind, number in gpus
                        ],
                        "local_ssds": [{"disk_size_gb": 375}] * ssds,
                    }
                ],
            }
        ],
    }


#: The provider's answer where there is none: no error, but nulls.
ABSENT: dict[str, Any] = {"status": None, "specific_reservation_required": None, "specific_reservation": None}
NO_MACHINES: dict[str, Any] = {"status": "READY", "specific_reservation_required": True, "specific_reservation": []}

#: Case -> the reservation, the nodes that the pool runs, and what a plan says, less its subject.
CASES: dict[str, tuple[dict[str, Any], int, list[str]]] = {
    "fits": (reservation(), 0, []),
    "names neither GPUs nor SSDs": (reservation(gpus=(), ssds=0), 0, []),
    "runs the pool": (reservation(count=4, used=4), 2, []),
    "absent": (
        ABSENT,
        0,
        [
            "does not exist, or whoever runs this may not read it; correct gpu_pool.reservation.name or zone, or write"
            " verify: false."
        ],
    ),
    "not ready": (reservation(status="CREATING"), 0, ["is not ready: its status is CREATING."]),
    "open": (
        reservation(required=False),
        0,
        ["is open to any VM; the pool names it, which needs one made with --require-specific-reservation."],
    ),
    "other machine": (
        reservation(machine="a3-ultragpu-8g", gpus=(("nvidia-h200-141gb", 8),)),
        0,
        [
            "holds a3-ultragpu-8g, and gpu_pool.machine is a4-highgpu-8g.",
            "holds 8 x nvidia-h200-141gb, and the pool takes 8 x nvidia-b200.",
        ],
    ),
    "fewer GPUs": (
        reservation(gpus=(("nvidia-b200", 4),)),
        0,
        ["holds 4 x nvidia-b200, and the pool takes 8 x nvidia-b200."],
    ),
    "fewer SSDs": (reservation(ssds=16), 0, ["holds machines with 16 local SSDs, and the pool's have 32."]),
    "no machines": (
        NO_MACHINES,
        0,
        [
            "holds no machine type, and gpu_pool.machine is a4-highgpu-8g.",
            "holds 0 x no GPU, and the pool takes 8 x nvidia-b200.",
            "holds machines with 0 local SSDs, and the pool's have 32.",
        ],
    ),
    "too small": (
        reservation(count=1),
        0,
        [
            "has 1 machines; gpu_pool.max_nodes is 2.",
            "has 1 machines that are free or this pool's; gpu_pool.max_nodes is 2. Nodes beyond that wait until others"
            " are given back.",
        ],
    ),
    "used by others": (
        reservation(count=4, used=4),
        1,
        [
            "has 1 machines that are free or this pool's; gpu_pool.max_nodes is 2. Nodes beyond that wait until others"
            " are given back."
        ],
    ),
}


@pytest.mark.skipif(TERRAFORM is None, reason="terraform is not on the PATH")
def test_a_plan_says_what_differs_in_each_case_and_no_more(tmp_path: Path) -> None:
    asserts: list[dict[str, str]] = []

    def build(stack: SiteStack) -> None:
        read = Reservation(
            stack,
            "reservation",
            name="res",
            project="p",
            zone="us-central1-b",
            machine="a4-highgpu-8g",
            gpu="nvidia-b200",
            gpus=8,
            local_ssds=32,
        )
        read.warn_when_short(stack, pool="google_container_node_pool.gpu-pool")
        asserts.extend(
            {"condition": str(one.condition), "error_message": one.error_message} for one in read.preconditions
        )

    asserts += built(build)["check"]["reservation-capacity"]["assert"]
    outcomes = _outcomes(asserts, tmp_path)
    subject = "The reservation res (project p, zone us-central1-b) "
    assert {case: [line.removeprefix(subject) for line in lines] for case, lines in outcomes.items()} == {
        case: lines for case, (_, _, lines) in CASES.items()
    }


def _outcomes(asserts: list[dict[str, str]], folder: Path) -> dict[str, list[str]]:
    """The messages of the conditions that do not hold, for each case, by one run of Terraform."""

    def of_case(text: str, case: str) -> str:
        text = text.replace("data.google_compute_reservation.reservation", f'var.reservations["{case}"]')
        return text.replace("google_container_node_pool.gpu-pool", f'var.pools["{case}"]')

    configuration = {
        "variable": {
            "reservations": {"type": RESERVATION_TYPE, "default": {case: row[0] for case, row in CASES.items()}},
            "pools": {
                "type": POOL_TYPE,
                "default": {
                    case: {"node_count": row[1], "autoscaling": [{"total_max_node_count": 2}]}
                    for case, row in CASES.items()
                },
            },
        },
        "output": {
            "outcomes": {
                "value": {
                    case: [{key: of_case(text, case) for key, text in one.items()} for one in asserts] for case in CASES
                }
            }
        },
    }
    (folder / "main.tf.json").write_text(json.dumps(configuration), encoding="utf-8")
    environment = {**os.environ, "TF_CLI_CONFIG_FILE": os.devnull, "CHECKPOINT_DISABLE": "1"}
    for command in (["plan", "-input=false", "-out=plan"], ["show", "-json", "plan"]):
        done = subprocess.run(
            [TERRAFORM or "", *command], cwd=folder, env=environment, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)["planned_values"]["outputs"]["outcomes"]["value"]
    return {case: [one["error_message"] for one in lines if not one["condition"]] for case, lines in outcomes.items()}
