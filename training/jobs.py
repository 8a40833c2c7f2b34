"""The job files of a checkout, read and checked against the sites that list them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from settings.environment import Environment
from settings.faults import Fault, shown
from settings.findings import Finding
from settings.job import KINDS, Job
from settings.sites import Sites, noted
from settings.yaml_file import parse, read_yaml
from training.rules import doubts_of, faults_of
from training.rules_site import (
    checkpoints_fit_their_use,
    evaluations_keep_their_scores_apart,
    gated_models_need_their_licence,
    jobs_agree_on_datasets,
    jobs_keep_their_runs_apart,
)
from training.site_job import SiteJob

FOLDER = "job_specs"


@dataclass(frozen=True, kw_only=True)
class SiteJobs:
    """The jobs of sites, site by site in the order of their names, and what is wrong and doubtful about them."""

    jobs: tuple[SiteJob, ...]
    faults: tuple[Fault, ...]
    doubts: tuple[Fault, ...]

    def of(self, env: Environment) -> tuple[SiteJob, ...]:
        """The jobs of one site."""
        return tuple(it for it in self.jobs if it.env.name == env.name)


def find_site_jobs(root: Path, sites: Sites) -> SiteJobs:
    """Reads the files under `root`/job_specs that the sites list, with every fault of every file.

    First comes what is missing, is no YAML or has wrong types, and with the rest what does not fit the site or the
    site's other jobs. Jobs of a site that has faults of its own are judged by themselves alone.
    """
    names = job_names(root)
    faults: list[Fault] = []
    read: dict[str, Job] = {}
    for name in dict.fromkeys(name for env in sites.by_file.values() for name in env.jobs):
        if name not in names:
            faults += [_missing(where, name, names) for where, env in sites.by_file.items() if name in env.jobs]
            continue
        job = read_job(root, name)
        if isinstance(job, list):
            faults += job
        else:
            read[name] = job
    environments = sites.environments
    listed = {env.name: {name: read[name] for name in env.jobs if name in read} for env in environments}
    found = [(name, env.name, finding) for env in environments for name, finding in site_faults(env, listed[env.name])]
    faults += _told(found, listed)
    jobs = tuple(SiteJob(name, job, env) for env in environments for name, job in listed[env.name].items())
    faulty = {name for name, _, _ in found}
    told = {env.name: listed[env.name] for env in noted(environments)}
    sound = [it for it in jobs if it.env.name in told and it.name not in faulty]
    doubtful = [(it.name, it.env.name, finding) for it in sound for finding in doubts_of(it)]
    doubtful += [
        (name, site, finding) for site, own in told.items() for name, finding in gated_models_need_their_licence(own)
    ]
    return SiteJobs(jobs=jobs, faults=tuple(faults), doubts=tuple(_told(doubtful, told)))


def job_names(root: Path) -> tuple[str, ...]:
    """Names of the job files."""
    return tuple(sorted(path.stem for path in (root / FOLDER).glob("*.yaml")))


def read_job(root: Path, name: str) -> Job | list[Fault]:
    """One job file as a model, or what is wrong with it by itself."""
    where = _file(name)
    file = read_yaml(root / where, where)
    if isinstance(file, Fault):
        return [file]
    kinds = f"write one of {', '.join(KINDS)}"
    if "kind" not in file.content:
        return [Fault(where, "kind", f"is missing (what the job does); {kinds}")]
    kind = file.content["kind"]
    if not isinstance(kind, str) or kind not in KINDS:
        return [Fault(where, "kind", f"is {shown(kind)}; {kinds}")]
    return parse(KINDS[kind], file)


def site_faults(env: Environment, jobs: Mapping[str, Job]) -> list[tuple[str, Finding]]:
    """What is wrong with jobs on a site, each by itself and beside the others: the job's name and the finding."""
    found = [(name, finding) for name, job in jobs.items() for finding in faults_of(SiteJob(name, job, env))]
    found += jobs_keep_their_runs_apart(jobs)
    found += jobs_agree_on_datasets(jobs)
    found += evaluations_keep_their_scores_apart(jobs)
    found += checkpoints_fit_their_use(jobs, env)
    return found


def _told(found: Iterable[tuple[str, str, Finding]], sites: Mapping[str, Mapping[str, Job]]) -> list[Fault]:
    """One line a finding; it names the site where it does not hold for all sites that list the job."""
    by_finding: dict[tuple[str, Finding], list[str]] = {}
    for name, site, finding in found:
        by_finding.setdefault((name, finding), []).append(site)
    faults: list[Fault] = []
    for (name, finding), where in by_finding.items():
        everywhere = len(where) == sum(name in jobs for jobs in sites.values())
        file = _file(name) if everywhere else f"{_file(name)} on {', '.join(where)}"
        faults.append(Fault(file, finding.path, finding.text))
    return faults


def _missing(where: str, name: str, names: Iterable[str]) -> Fault:
    near = difflib.get_close_matches(name, names, n=1)
    remedy = f"did you mean {near[0]}?" if near else "write the file, or remove the name"
    return Fault(where, "jobs", f"names {name}, but there is no {_file(name)}; {remedy}")


def _file(name: str) -> str:
    return f"{FOLDER}/{name}.yaml"
