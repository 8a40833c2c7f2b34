"""A reservation is compared at each plan with what the pool wants of it."""

from __future__ import annotations

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
            f"${{try({STATUS} == null ? true : (length({HELD}.guest_accelerators) == 0 ||"
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
