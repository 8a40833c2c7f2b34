"""Lists the job files: what each one does and needs, and what is wrong with it on each site.

    python -m tools.jobs

Exit status 2 when a file cannot be used at all, or a site has a fault of its own; a job that does not fit a site is
listed as such, whether the site lists it or not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from catalog.models import MODELS, is_gated
from settings.columns import in_columns
from settings.environment import Environment
from settings.faults import SettingsError, one_line
from settings.fields import DnsLabel
from settings.job import ConvertJob, EvaluateJob, GrpoJob, Job
from settings.sites import find_sites
from tools.command import run
from training.jobs import job_names, read_job, site_faults
from training.rules_site import conversion_gib

ROOT = Path(__file__).resolve().parents[1]

_HEADER = ("job", "kind", "model", "nodes", "GPUs", "steps", "needs")


def listing(jobs: Mapping[str, Job]) -> Iterator[str]:
    """A table of the jobs, a row each."""
    rows = [_HEADER, *(tuple(map(one_line, _row(name, job))) for name, job in jobs.items())]
    yield from in_columns(rows)


def verdicts(env: Environment, jobs: Mapping[str, Job]) -> Iterator[str]:
    """What one site makes of the jobs: a line a job, or a line a fault.

    Its listed jobs are judged beside each other, each of the rest as if it were listed too.
    """
    listed = {name: job for name, job in jobs.items() if name in env.jobs}
    for name, job in jobs.items():
        found = site_faults(env, {**listed, name: job})
        faults = [one_line(f"{finding.path} {finding.text}".strip()) for whose, finding in found if whose == name]
        if not _can_be_listed(name):
            faults.append("cannot be listed under this name; rename the file, to lower-case letters, digits and -")
        verdict = "listed" if name in listed else "fits, and is not listed"
        yield from (f"{name}: {line}" for line in faults or [verdict])


def _can_be_listed(name: str) -> bool:
    try:
        TypeAdapter(DnsLabel).validate_python(name)
    except ValidationError:
        return False
    return True


def _row(name: str, job: Job) -> tuple[str, ...]:
    needs = "; ".join(_needs(job)) or "-"
    match job:
        case GrpoJob():
            nodes, gpus, steps = job.nodes.total, job.nodes.total * job.nodes.gpus, str(job.grpo.max_steps)
        case EvaluateJob():
            nodes, gpus, steps = 1, job.gpus, "-"
        case ConvertJob():
            nodes, gpus, steps = 0, 0, "-"
    return (name, job.kind, job.model, str(nodes), str(gpus), steps, needs)


def _needs(job: Job) -> Iterator[str]:
    if is_gated(job.model):
        yield "the model's licence"
    if isinstance(job, GrpoJob) and job.wandb:
        yield "a W&B key"
    if isinstance(job, ConvertJob):
        yield f"a checkpoint of {job.checkpoint.run}"
        if job.model in MODELS:
            yield f"{conversion_gib(job.model)} GiB on the head"
    if isinstance(job, EvaluateJob) and job.checkpoint:
        yield f"the export of {job.checkpoint.run}"
    if job.cluster == "own":
        yield "a RayCluster of its own"


def _read(root: Path) -> tuple[dict[str, Job], tuple[Environment, ...]]:
    sites = find_sites(root)
    jobs: dict[str, Job] = {}
    faults = list(sites.faults)
    for name in job_names(root):
        job = read_job(root, name)
        if isinstance(job, list):
            faults += job
        else:
            jobs[name] = job
    if faults:
        raise SettingsError(faults)
    return jobs, sites.environments


def report(root: Path) -> Iterator[str]:
    """All that the command prints. Raises `SettingsError` for files that cannot be used."""
    jobs, environments = _read(root)
    yield from listing(jobs)
    for env in environments:
        yield ""
        yield f"{env.name} ({_ray(env)}):"
        yield from (f"  {line}" for line in verdicts(env, jobs))


def _ray(env: Environment) -> str:
    workers = env.ray.workers
    return f"{workers} Ray {'worker' if workers == 1 else 'workers'}, NeMo RL {env.ray.nemo_rl}"


def main(arguments: Iterable[str]) -> int:
    """Exit status for the command line."""
    if any(True for _ in arguments):
        print("write: python -m tools.jobs", file=sys.stderr)
        return 2
    try:
        for line in report(ROOT):
            print(line)
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    run(main)
