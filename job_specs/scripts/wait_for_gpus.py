"""Waits until Ray has enough nodes with enough free GPUs, and says meanwhile who holds them.

    wait_for_gpus.py --nodes=2 --gpus-per-node=8 --minutes=60

NeMo RL looks for its GPUs for about a minute, without asking whether another job uses them; then it fails, or waits in
a placement group for three minutes more. Exit status: 0 the GPUs are free, 1 the time is over (one line says what is
missing and who has it).

Nothing is reserved: of two jobs that wait for the same GPUs both go on, and NeMo RL makes one of them wait again.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

from steps import StepError, image_module, one_line, run, say

# Ray 2.49.2 in NeMo RL v0.5.0, 2.54.0 in v0.6.0, 2.55.1 in v0.7.0. What is called here is the same in all of them. The
# free GPUs of each node are in no public module; the sum over all nodes is.
ray = image_module("ray")
ray_state = image_module("ray._private.state")
ray_lists = image_module("ray.util.state")

#: Seconds after which an unchanged state is said again, so that the log shows that the job waits on purpose.
REMINDER = 300


@dataclass(frozen=True)
class Wanted:
    nodes: int
    gpus: int

    def __str__(self) -> str:
        return f"{self.nodes} {'node' if self.nodes == 1 else 'nodes'} with {self.gpus} free GPUs each"


def main() -> int:
    parser = argparse.ArgumentParser(description="Wait for free GPUs in this Ray cluster.", allow_abbrev=False)
    parser.add_argument("--nodes", type=int, required=True, help="nodes that the job takes")
    parser.add_argument("--gpus-per-node", type=int, required=True, help="GPUs that must be free on each of them")
    parser.add_argument("--minutes", type=float, required=True, help="give up after so many minutes")
    parser.add_argument("--every", type=float, default=15, help="seconds between two looks (default: 15)")
    options = parser.parse_args()
    wanted = Wanted(options.nodes, options.gpus_per_node)

    try:
        ray.init(address="auto", log_to_driver=False, logging_level="WARNING")
    except ConnectionError as error:
        raise StepError(f"there is no Ray cluster here: {error}") from error
    end = time.monotonic() + options.minutes * 60
    said, last = "", 0.0
    while (missing := _missing(wanted)) is not None:
        now = time.monotonic()
        if now >= end:
            raise StepError(
                f"waited {options.minutes:g} minutes for {wanted}, in vain: {missing}; run the job again, with the next"
                " attempt, when they are free (limits.wait_minutes says how long it waits)"
            )
        if missing != said or now - last >= REMINDER:
            say(f"waiting for {wanted}: {missing}")
            said, last = missing, now
        time.sleep(min(options.every, max(0.0, end - now)))
    say(f"found {wanted}")
    return 0


def _missing(wanted: Wanted) -> str | None:
    """What is there instead of the wanted nodes; None when they are there."""
    total: dict[str, int] = {
        node["NodeID"]: int(node["Resources"].get("GPU", 0))
        for node in ray.nodes()
        if node["Alive"] and node["Resources"].get("GPU", 0)
    }
    # A node all of whose GPUs are taken has no entry "GPU" here.
    available: dict[str, dict[str, float]] = ray_state.available_resources_per_node()
    free = {node: int(available.get(node, {}).get("GPU", 0)) for node in total}
    if sum(gpus >= wanted.gpus for gpus in free.values()) >= wanted.nodes:
        return None
    shown = ", ".join(f"{free[node]} of {total[node]}" for node in sorted(total, key=lambda node: (-free[node], node)))
    if sum(gpus >= wanted.gpus for gpus in total.values()) < wanted.nodes:
        return f"only {len(total)} GPU nodes have joined Ray (free GPUs: {shown or 'none'}){_held(total, free)}"
    return f"free GPUs by node: {shown}{_held(total, free)}"


def _held(total: dict[str, int], free: dict[str, int]) -> str:
    taken = sum(total.values()) - sum(free.values())
    if not taken:
        return ""
    try:
        holders = _holders()
    except Exception as error:  # the state API goes through the dashboard, which may be slow or down
        return f"; {taken} GPUs are held by jobs that Ray's dashboard does not tell ({one_line(str(error), 200)})"
    unknown = taken - sum(holders.values())
    if unknown > 0:
        holders["tasks that Ray does not tell apart"] += unknown
    return "; held by " + ", ".join(f"{name} ({gpus} GPUs)" for name, gpus in holders.most_common())


def _holders() -> Counter[str]:
    """GPUs by the job that holds them, in placement groups (as NeMo RL does) or in actors outside of these."""
    by_job: Counter[str] = Counter()
    for group in ray_lists.list_placement_groups(filters=[("state", "=", "CREATED")], detail=True, limit=10_000):
        gpus = sum(int(bundle["unit_resources"].get("GPU", 0)) for bundle in group.bundles or ())
        by_job[group.creator_job_id] += gpus
    for actor in ray_lists.list_actors(filters=[("state", "=", "ALIVE")], detail=True, limit=10_000):
        # In a placement group the resource has another name, GPU_group_...
        resources: dict[str, float] = actor.required_resources or {}
        by_job[actor.job_id] += int(resources.get("GPU", 0))
    # A submitted job starts several drivers, and Ray lists the last one; the GPUs belong to that one, too, because the
    # training comes last of all that touches Ray.
    jobs: dict[str, Any] = {job.job_id: job for job in ray_lists.list_jobs(limit=10_000) if job.job_id}
    named: Counter[str] = Counter()
    for job_id, gpus in by_job.items():
        if gpus:
            named[_name(jobs.get(job_id), job_id)] += gpus
    return named


def _name(job: Any, job_id: str) -> str:
    if job is None:
        return f"a driver of Ray job {job_id}"
    if job.submission_id:
        return f"job {job.submission_id}"
    return f"driver {one_line(job.entrypoint or '', 100) or '?'} (Ray job {job_id})"


if __name__ == "__main__":
    run(main)
