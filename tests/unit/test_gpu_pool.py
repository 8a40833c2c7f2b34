"""The GPU pool and where its nodes come from: what may stand together, and what is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import MINIMAL, faults

POOL = MINIMAL.replace("  reservation: {name: my-reservation}\n", "")

GOOD = {
    "a reservation": MINIMAL,
    "a reservation, said": MINIMAL + "  capacity: reservation\n",
    "Spot VMs": POOL + "  capacity: spot\n",
    "flex-start": POOL + "  capacity: flex-start\n",
    "flex-start for a day": POOL + "  capacity: flex-start\n  max_run_hours: 24\n",
    "flex-start for a week": POOL + "  capacity: flex-start\n  max_run_hours: 168\n",
    "on demand, standing": POOL + "  capacity: on-demand\n  min_nodes: 2\n",
    "a fixed number": MINIMAL + "  min_nodes: 2\n  max_nodes: 2\n",
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_what_fits_together_is_taken(text: str, tmp_path: Path) -> None:
    assert faults(tmp_path, prod=text) == []


_SEVERAL = "is given, but gpu_pool.capacity is {0}; remove it, or write capacity: reservation"
REFUSED: dict[str, list[str]] = {
    MINIMAL + "  capacity: on-demand\n": ["gpu_pool.reservation " + _SEVERAL.format("on-demand")],
    MINIMAL + "  capacity: flex-start\n  max_run_hours: 24\n": [
        "gpu_pool.reservation " + _SEVERAL.format("flex-start")
    ],
    POOL + "  capacity: spot\n  max_run_hours: 24\n": [
        "gpu_pool.max_run_hours is 24, but gpu_pool.capacity is spot; remove it, or write capacity: flex-start"
    ],
    POOL + "  capacity: flex-start\n  max_run_hours: 200\n": ["gpu_pool.max_run_hours is 200; write 168 or less"],
    POOL + "  capacity: dws\n": [
        "gpu_pool.capacity is \"dws\"; write one of 'reservation', 'spot', 'flex-start' or 'on-demand'"
    ],
    POOL + "  reservation: my-reservation\n": [
        'gpu_pool.reservation is "my-reservation", a text; write a mapping (name: ...)'
    ],
    POOL + "  reservation: {}\n": [
        "gpu_pool.reservation.name is missing (NAME, or projects/PROJECT/reservations/NAME for one that another project"
        " shares; either may go on with /reservationBlocks/BLOCK and /reservationSubBlocks/SUB_BLOCK); write it"
    ],
    POOL + "  reservation: {name: r, block: b, project: p, zone: z, sub_block: s}\n": [
        "gpu_pool.reservation.block is not supported: write it into name, NAME/reservationBlocks/BLOCK",
        "gpu_pool.reservation.project is not supported: write it into name, projects/PROJECT/reservations/NAME",
        "gpu_pool.reservation.zone is not supported: a reservation is in the site's zone; remove it",
        "gpu_pool.reservation.sub_block is not supported: write it into name,"
        " NAME/reservationBlocks/BLOCK/reservationSubBlocks/SUB_BLOCK",
    ],
    POOL + "  spot: true\n  flex_start: true\n  on_demand: true\n": [
        "gpu_pool.spot is not supported: where nodes come from is one setting; write capacity: spot",
        "gpu_pool.flex_start is not supported: where nodes come from is one setting; write capacity: flex-start",
        "gpu_pool.on_demand is not supported: where nodes come from is one setting; write capacity: on-demand",
    ],
    MINIMAL + "  dranet: true\n  queued_provisioning: true\n  zones: [a]\n  node_locations: [a]\n": [
        "gpu_pool.dranet is not supported: the pinned provider has no field for it (7.31 has); remove it",
        "gpu_pool.queued_provisioning is not supported: the pool grows by the cluster autoscaler alone; remove it",
        "gpu_pool.zones is not supported: the pool is in the site's one zone; remove it",
        "gpu_pool.node_locations is not supported: the pool is in the site's one zone; remove it",
    ],
    MINIMAL + "  nodes: 2\n": ["gpu_pool.nodes is unknown; did you mean min_nodes or max_nodes?"],
    MINIMAL + "  min_nodes: -1\n  max_nodes: 0\n": [
        "gpu_pool.min_nodes is -1; write 0 or more",
        "gpu_pool.max_nodes is 0; write 1 or more",
    ],
    MINIMAL + f"  name: {'x' * 37}\n": [f'gpu_pool.name is "{"x" * 37}", 37 characters; write at most 36'],
    MINIMAL + "  disk_gib: 49\ncpu_pool: {disk_gib: 65537}\n": [
        "gpu_pool.disk_gib is 49; write 50 or more",
        "cpu_pool.disk_gib is 65537; write 65536 or less",
    ],
    MINIMAL.replace("nvidia-b200", "b200"): [
        "gpu_pool.gpu is \"b200\"; write one of 'nvidia-b200' or 'nvidia-h200-141gb'"
    ],
    MINIMAL.replace("a4-highgpu-8g", ""): ["gpu_pool.machine is null; write a value"],
    MINIMAL.replace("nvidia-b200", "nvidia-h200-141gb"): [
        "gpu_pool.machine is a4-highgpu-8g, but gpu_pool.gpu is nvidia-h200-141gb; write a3-ultragpu-8g"
    ],
}


@pytest.mark.parametrize(("text", "lines"), REFUSED.items(), ids=range(len(REFUSED)))
def test_what_cannot_be_is_refused_with_what_to_write(text: str, lines: list[str], tmp_path: Path) -> None:
    found = faults(tmp_path, prod=text)
    assert sorted(found) == sorted(f"environments/prod.yaml: {line}" for line in lines)
