"""A reservation of GPU machines, read at each plan and compared with what the pool wants of it."""

from __future__ import annotations

from cdktf import Precondition, TerraformStack
from cdktf_cdktf_provider_google.data_google_compute_reservation import DataGoogleComputeReservation

from constructs import Construct


class Reservation(Construct):
    """The data source of a reservation, and the `preconditions` that a pool on it must meet.

    A reservation that does not exist is no error to the provider: it answers with nulls, so each condition is safe
    against them. None of the conditions blocks a destroy.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        name: str,
        project: str,
        zone: str,
        machine: str,
        gpu: str,
        gpus: int,
        local_ssds: int,
    ) -> None:
        super().__init__(scope, id_)
        data = DataGoogleComputeReservation(self, "Default", name=name, project=project, zone=zone)
        self._address = f"data.google_compute_reservation.{data.friendly_unique_id}"
        self._described = f"reservation {name} (project {project}, zone {zone})"
        properties = f"{self._address}.specific_reservation[0].instance_properties[0]"
        accelerator = f"{properties}.guest_accelerators[0]"
        self.preconditions = (
            Precondition(
                condition=f"${{{self._address}.status != null}}",
                error_message=f"The {self._described} does not exist, or whoever runs this may not read it; correct"
                " gpu_pool.reservation.name or zone, or write verify: false.",
            ),
            self._unless_absent(
                f'{self._address}.status == "READY"',
                f'is not ready: its status is ${{try(coalesce({self._address}.status), "unknown")}}',
            ),
            self._unless_absent(
                f"{self._address}.specific_reservation_required",
                "is open to any VM; the pool names it, which needs one made with --require-specific-reservation",
            ),
            self._unless_absent(
                f'{properties}.machine_type == "{machine}"',
                f'holds ${{try(coalesce({properties}.machine_type), "no machine type")}}, and gpu_pool.machine is'
                f" {machine}",
            ),
            self._unless_absent(
                # Machine types that come with their GPUs may be reserved without naming them. By `?`, because Terraform
                # 1.11 looks at both sides of `||`, and there is no first one in an empty list.
                f"length({properties}.guest_accelerators) == 0 ? true : ({accelerator}.accelerator_type == "
                f'"{gpu}" && {accelerator}.accelerator_count == {gpus})',
                f"holds ${{try({accelerator}.accelerator_count, 0)}} x"
                f' ${{try(coalesce({accelerator}.accelerator_type), "no GPU")}}, and the pool takes {gpus} x {gpu}',
            ),
            self._unless_absent(
                f"length({properties}.local_ssds) == 0 || length({properties}.local_ssds) == {local_ssds}",
                f"holds machines with ${{try(length({properties}.local_ssds), 0)}} local SSDs, and the pool's have"
                f" {local_ssds}",
            ),
        )

    def warn_when_short(self, stack: TerraformStack, *, pool: str) -> None:
        """Adds a check block to the stack: a warning, no more, when the reservation cannot give the pool all its nodes.

        `pool` is the pool's address. Nodes that it runs already count as used by the reservation, so they are taken
        off; before the pool exists, that part of the check waits for the apply.
        """
        reserved = f"{self._address}.specific_reservation[0]"
        wanted = f"{pool}.autoscaling[0].total_max_node_count"
        free = f"{reserved}.count - {reserved}.in_use_count + {pool}.node_count"
        stack.add_override(
            "check.reservation-capacity",
            {
                "assert": [
                    {
                        "condition": f"${{try({reserved}.count >= {wanted}, true)}}",
                        "error_message": f"The {self._described} has ${{try({reserved}.count, 0)}} machines;"
                        f" gpu_pool.max_nodes is ${{{wanted}}}.",
                    },
                    {
                        "condition": f"${{try({free} >= {wanted}, true)}}",
                        "error_message": f"The {self._described} has ${{try({free}, 0)}} machines that are free or this"
                        f" pool's; gpu_pool.max_nodes is ${{{wanted}}}. Nodes beyond that wait until others are given"
                        " back.",
                    },
                ]
            },
        )

    def _unless_absent(self, condition: str, otherwise: str) -> Precondition:
        """Of a reservation that does not exist, the first precondition alone speaks."""
        absent = f"{self._address}.status == null"
        return Precondition(
            # Terraform 1.11 looks at both sides of `||`, and at what is null on the other side: hence the second.
            condition=f"${{try({absent} ? true : ({condition}), {absent})}}",
            error_message=f"The {self._described} {otherwise}.",
        )
