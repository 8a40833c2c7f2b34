"""All that stands in a checkout: its sites, their jobs and the jobs' scripts, read and checked together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from settings.environment import Environment
from settings.faults import Fault, SettingsError
from settings.job_scripts import FOLDER, read_scripts
from settings.sites import find_sites
from training.entrypoint import scripts_of
from training.jobs import SiteJobs, find_site_jobs


@dataclass(frozen=True, kw_only=True)
class Checkout:
    """What one synth is made of, and what is doubtful about it."""

    environments: tuple[Environment, ...]
    jobs: SiteJobs
    scripts: Mapping[str, str]
    doubts: tuple[Fault, ...]


def read_checkout(root: Path) -> Checkout:
    """Reads environments/, the job files that they list, and job_specs/scripts/ under `root`.

    Raises `SettingsError` with every fault of all of them.
    """
    sites = find_sites(root)
    jobs = find_site_jobs(root, sites)
    scripts, faulty_scripts = _scripts(root, jobs)
    if faults := (*sites.faults, *jobs.faults, *faulty_scripts):
        raise SettingsError(faults)
    return Checkout(
        environments=sites.environments,
        jobs=jobs,
        scripts=scripts,
        doubts=(*sites.doubts, *jobs.doubts),
    )


def _scripts(root: Path, jobs: SiteJobs) -> tuple[Mapping[str, str], list[Fault]]:
    """The scripts, or what is wrong with them."""
    try:
        scripts = read_scripts(root)
    except SettingsError as error:
        return {}, list(error.faults)
    missing = sorted({name for it in jobs.jobs for name in scripts_of(it)} - set(scripts))
    return scripts, [
        Fault(f"{FOLDER}/{name}", "", "does not exist, but jobs run it; bring it back") for name in missing
    ]
