"""The GPU node pool of a site and the capacity that it takes its nodes from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from catalog.machines import GpuType
from settings.fields import CLOUD_NAME, MOST_DISK_GIB, Count, longest
from settings.yaml_file import Section

_RESERVATION = re.compile(
    r"(projects/(?P<project>([a-z0-9.-]+:)?[a-z][-a-z0-9]{4,28}[a-z0-9])/reservations/)?"
    r"(?P<name>[a-z]([-a-z0-9]{0,61}[a-z0-9])?)"
    r"(/reservationBlocks/(?P<block>[-\w]+)(/reservationSubBlocks/(?P<sub_block>[-\w]+))?)?",
    re.ASCII,
)


def _reservation_path(text: str) -> str:
    if not _RESERVATION.fullmatch(text):
        raise ValueError(
            ", not a reservation; write NAME or projects/PROJECT/reservations/NAME, and to stay inside a block"
            " /reservationBlocks/BLOCK[/reservationSubBlocks/SUB_BLOCK] after it"
        )
    return text


class Reservation(Section):
    """A reservation of GPU machines in the site's zone."""

    name: Annotated[str, AfterValidator(_reservation_path)]
    """NAME, or projects/PROJECT/reservations/NAME for one that another project shares; either may go on with
    /reservationBlocks/BLOCK and /reservationSubBlocks/SUB_BLOCK."""

    verify: bool | None = None
    """Whether each plan reads the reservation and compares its machine, GPU and state with the pool. Default: true
    for a reservation of the site's own project, false for another project's, which one often may not read."""

    @classmethod
    def unsupported(cls) -> Mapping[str, str]:
        return {
            "project": "write it into name, projects/PROJECT/reservations/NAME",
            "zone": "a reservation is in the site's zone; remove it",
            **dict.fromkeys(("block", "reservation_block"), "write it into name, NAME/reservationBlocks/BLOCK"),
            **dict.fromkeys(
                ("sub_block", "reservation_sub_block"),
                "write it into name, NAME/reservationBlocks/BLOCK/reservationSubBlocks/SUB_BLOCK",
            ),
        }

    def project(self, own: str) -> str:
        """The project that owns the reservation; `own` is the site's."""
        return self._parts()["project"] or own

    def short_name(self) -> str:
        """The reservation's bare name."""
        return self._parts()["name"]

    def affinity(self, own: str) -> str:
        """The value that a node pool names it by: the bare name only for a whole reservation of the own project.

        The API takes no bare name with a block (`NAME/reservationBlocks/B` answers 404), so the path is written out.
        """
        if self.name == self.short_name() or self.name == f"projects/{own}/reservations/{self.short_name()}":
            return self.short_name()
        return self.name if self.name.startswith("projects/") else f"projects/{own}/reservations/{self.name}"

    def verified(self, own: str) -> bool:
        """Whether the plan reads the reservation."""
        return self.project(own) == own if self.verify is None else self.verify

    def _parts(self) -> re.Match[str]:
        parts = _RESERVATION.fullmatch(self.name)
        assert parts, "the name was checked when the file was read"
        return parts


class GpuPool(Section):
    """The pool of eight-GPU nodes, in one zone, that the Ray workers run on."""

    name: Annotated[str, CLOUD_NAME, AfterValidator(longest(36))] = "gpu-pool"
    """Name of the node pool, and its Terraform address."""

    gpu: GpuType
    """The GPU: nvidia-b200 or nvidia-h200-141gb."""

    machine: str
    """The machine type: a4-highgpu-8g for B200, a3-ultragpu-8g for H200."""

    capacity: Literal["reservation", "spot", "flex-start", "on-demand"] = "reservation"
    """Where nodes come from: a reservation, Spot VMs (may be taken back at any time), flex-start (wait for capacity,
    keep it for a limited time), or plain on-demand capacity."""

    reservation: Reservation | None = None
    """The reservation, with `capacity: reservation` only."""

    max_run_hours: Annotated[int, Field(ge=1, le=168)] | None = None
    """Hours after which a flex-start node is taken back, at most 168; with `capacity: flex-start` only."""

    min_nodes: Count = 0
    """Fewest nodes; 0 hands them all back when nothing runs."""

    max_nodes: Annotated[int, Field(ge=1)] = 2
    """Most nodes of eight GPUs each."""

    compact_placement: bool = False
    """Place the nodes close to each other. A reservation that was made so already does it by itself. Changing it
    later replaces the pool."""

    disk_gib: Annotated[int, Field(ge=50, le=MOST_DISK_GIB)] = 100
    """Boot disk in GiB. Images and containers live on the machine's local SSDs."""

    @classmethod
    def unsupported(cls) -> Mapping[str, str]:
        one_zone = "the pool is in the site's one zone; remove it"
        return {
            "dranet": "the pinned provider has no field for it (7.31 has); remove it",
            "queued_provisioning": "the pool grows by the cluster autoscaler alone; remove it",
            "spot": "where nodes come from is one setting; write capacity: spot",
            "flex_start": "where nodes come from is one setting; write capacity: flex-start",
            "on_demand": "where nodes come from is one setting; write capacity: on-demand",
            "zones": one_zone,
            "node_locations": one_zone,
        }
