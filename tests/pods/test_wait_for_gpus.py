"""wait_for_gpus.py against a stand-in for Ray that has the shapes that Ray 2.49.2 and 2.55.1 gave on a cluster of two
made-up GPU nodes: a node without a free GPU has no entry for it, and in a placement group a GPU has another name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.pods.scripts import Result, run_script

#: Ray as far as the script asks it. Each look takes the next state of the list, the last one again and again.
RAY = """\
import json, os
from pathlib import Path
from types import SimpleNamespace

STATES = json.loads(Path(__file__).with_name("states.json").read_text())

def init(address, log_to_driver, logging_level):
    assert address == "auto"
    if STATES is None:
        raise ConnectionError("Could not find any running Ray instance.")

def nodes():
    if len(STATES) > 1:
        STATES.pop(0)
    return [
        {"NodeID": name, "Alive": alive, "Resources": {"CPU": 4.0} | ({"GPU": float(total)} if total else {})}
        for name, total, _, alive in STATES[0]["nodes"]
    ]

def available_resources_per_node():
    return {name: {"CPU": 4.0} | ({"GPU": float(free)} if free else {}) for name, _, free, _ in STATES[0]["nodes"]}

def listed(kind):
    def list_them(filters=None, detail=False, limit=100):
        found = STATES[0].get(kind, [])
        if found == "down":
            raise RuntimeError("Failed to make request to\\n http://127.0.0.1:8265")
        return [SimpleNamespace(**row) for row in found]
    return list_them
"""


def ray(folder: Path, states: list[dict[str, Any]] | None) -> Path:
    """The stand-in's folder. The first state is given twice over, because each look moves on by one."""
    package = folder / "modules" / "ray"
    (package / "_private").mkdir(parents=True)
    (package / "util" / "state").mkdir(parents=True)
    (package / "__init__.py").write_text(RAY, encoding="utf-8")
    (package / "states.json").write_text(json.dumps(states and [states[0], *states]), encoding="utf-8")
    (package / "_private" / "__init__.py").touch()
    (package / "_private" / "state.py").write_text("from ray import available_resources_per_node\n", encoding="utf-8")
    (package / "util" / "__init__.py").touch()
    (package / "util" / "state" / "__init__.py").write_text(
        "from ray import listed\n"
        "list_actors, list_jobs, list_placement_groups = map(listed, ('actors', 'jobs', 'groups'))\n",
        encoding="utf-8",
    )
    return folder / "modules"


def wait(folder: Path, states: list[dict[str, Any]] | None, nodes: int = 2, minutes: str = "0.002") -> Result:
    return run_script(
        "wait_for_gpus.py",
        f"--nodes={nodes}",
        "--gpus-per-node=8",
        f"--minutes={minutes}",
        "--every=0.01",
        cwd=folder,
        modules=ray(folder, states),
    )


HEAD = ("head", 0, 0, True)
FREE: dict[str, Any] = {"nodes": [HEAD, ("a", 8, 8, True), ("b", 8, 8, True)]}
GROUP = {"creator_job_id": "03000000", "bundles": [{"unit_resources": {"CPU": 1.0, "GPU": 1.0}}] * 8}
TAKEN: dict[str, Any] = {
    "nodes": [HEAD, ("a", 8, 0, True), ("b", 8, 6, True)],
    "groups": [GROUP],
    "actors": [
        {"job_id": "01000000", "required_resources": {}},
        {"job_id": "03000000", "required_resources": {"GPU_group_2bde": 1.0}},
        {"job_id": "04000000", "required_resources": {"CPU": 1.0, "GPU": 1.0}},
    ],
    "jobs": [
        {"job_id": "03000000", "submission_id": "gemma3-27b-1a2b3c-x7k2p", "entrypoint": "exec bash\n..."},
        {"job_id": "04000000", "submission_id": None, "entrypoint": "python\nnotebook.py"},
        {"job_id": None, "submission_id": "waiting", "entrypoint": "exec bash"},
    ],
}
HOLDERS = (
    "free GPUs by node: 6 of 8, 0 of 8; held by job gemma3-27b-1a2b3c-x7k2p (8 GPUs), "
    "driver python notebook.py (Ray job 04000000) (1 GPUs), tasks that Ray does not tell apart (1 GPUs)"
)


def test_free_gpus_end_the_wait_at_once(tmp_path: Path) -> None:
    assert wait(tmp_path, [FREE]) == Result(0, "found 2 nodes with 8 free GPUs each\n", "")


def test_the_wait_ends_when_the_gpus_become_free_and_names_who_held_them(tmp_path: Path) -> None:
    result = wait(tmp_path, [TAKEN, TAKEN, FREE], minutes="1")
    assert result == Result(
        0,
        f"waiting for 2 nodes with 8 free GPUs each: {HOLDERS}\nfound 2 nodes with 8 free GPUs each\n",
        "",
    )


def test_the_wait_ends_at_its_limit_with_one_line(tmp_path: Path) -> None:
    result = wait(tmp_path, [TAKEN])
    assert result.status == 1
    assert result.fault == (
        f"wait_for_gpus.py: waited 0.002 minutes for 2 nodes with 8 free GPUs each, in vain: {HOLDERS}; run the job"
        " again, with the next attempt, when they are free (limits.wait_minutes says how long it waits)"
    )


@pytest.mark.parametrize("second", [("b", 8, 8, False), ("b", 4, 4, True)], ids=["dead", "too small"])
def test_a_node_that_is_dead_or_too_small_does_not_count(tmp_path: Path, second: tuple[str, int, int, bool]) -> None:
    result = wait(tmp_path, [{"nodes": [HEAD, ("a", 8, 8, True), second]}])
    assert result.status == 1
    joined = "1 GPU nodes have joined Ray (free GPUs: 8 of 8)" if not second[3] else "2 GPU nodes have joined Ray"
    assert f"only {joined}" in result.fault


def test_gpus_that_are_free_on_too_many_nodes_do_not_add_up(tmp_path: Path) -> None:
    result = wait(tmp_path, [{"nodes": [("a", 8, 4, True), ("b", 8, 4, True)]}], nodes=1)
    assert "free GPUs by node: 4 of 8, 4 of 8; held by tasks that Ray does not tell apart (8 GPUs)" in result.fault


def test_a_dashboard_that_is_down_only_costs_the_names(tmp_path: Path) -> None:
    result = wait(tmp_path, [TAKEN | {"groups": "down"}])
    assert (
        "; 10 GPUs are held by jobs that Ray's dashboard does not tell (Failed to make request to http://127.0.0.1:8265)"
        in result.fault
    )


def test_without_a_ray_cluster_the_script_says_so(tmp_path: Path) -> None:
    result = wait(tmp_path, None)
    assert result.status == 1
    assert result.fault == ("wait_for_gpus.py: there is no Ray cluster here: Could not find any running Ray instance.")
