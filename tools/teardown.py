"""Destroys a site: its jobs first, then its layers from the top down. Refuses before anything is destroyed.

    python -m tools.teardown SITE CDKTF        (`make destroy ENV=SITE` does it; CDKTF is the cdktf command line)

It refuses while a protection is on, in the environment file or, for the cluster, in what was last applied, and while a
job that the file no longer lists still has state. Exit status 2 when it refuses, otherwise that of cdktf.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from settings.environment import Environment
from settings.faults import SettingsError
from settings.sites import read_sites

ROOT = Path(__file__).resolve().parents[1]
LAYERS = ("network", "storage", "cluster", "platform")


def refusals(env: Environment, state: dict[str, Any] | None, left_over: tuple[str, ...]) -> Iterator[str]:
    """Why the site may not be destroyed, a line each.

    `state` is the cluster stack's, as `terraform show -json` writes it, or None where it cannot be read; `left_over`
    are stacks of jobs that have state and are no longer listed.
    """
    where = f"environments/{env.name}.yaml"
    if env.lustre.deletion_protection:
        yield (
            f"{where}: lustre.deletion_protection is on; copy away what you keep (docs/teardown.md), then write false"
            " (no apply is needed)"
        )
    if env.cluster.deletion_protection:
        yield (
            f"{where}: cluster.deletion_protection is on; write false and deploy {env.stack('cluster')}, since the"
            " cluster itself keeps the switch"
        )
    elif _protected(state):
        yield (
            f"{where}: cluster.deletion_protection is false, but not applied yet; deploy {env.stack('cluster')} first"
        )
    for stack in left_over:
        job = stack.removeprefix(f"job_{env.name}_")
        yield f"{where}: jobs does not list {job}, which still has state; list it again, and destroy then"


def _protected(state: dict[str, Any] | None) -> bool:
    """Whether the cluster in the state has its protection on."""
    values: dict[str, Any] = (state or {}).get("values") or {}
    resources: list[dict[str, Any]] = values.get("root_module", {}).get("resources", [])
    return any(
        one["type"] == "google_container_cluster" and one["values"].get("deletion_protection") is True
        for one in resources
        if one.get("mode") == "managed"
    )


def stacks(env: Environment) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The stacks of the site's jobs, and those of its layers."""
    return tuple(f"job_{env.name}_{job}" for job in env.jobs), tuple(env.stack(layer) for layer in LAYERS)


def _left_over(env: Environment) -> tuple[str, ...]:
    """Stacks of jobs with a local state that holds something, which the environment no longer lists."""
    listed, _ = stacks(env)
    found = sorted((ROOT / "state").glob(f"job_{env.name}_*.tfstate"))
    holding = (path.stem for path in found if json.loads(path.read_text(encoding="utf-8")).get("resources"))
    return tuple(stack for stack in holding if stack not in listed)


def _state(stack: str) -> dict[str, Any] | None:
    """The state of a stack that was initialized here; None where there is none to read."""
    folder = ROOT / "cdktf.out" / "stacks" / stack
    if not (folder / ".terraform").exists():
        return None
    command = ["terraform", f"-chdir={folder}", "show", "-json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def main(arguments: list[str]) -> int:
    """See above."""
    if len(arguments) != 2:
        print("write: python -m tools.teardown SITE CDKTF, or `make destroy ENV=SITE`", file=sys.stderr)
        return 2
    site, cdktf = arguments
    try:
        sites = {env.name: env for env in read_sites(ROOT).environments}
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    if site not in sites:
        print(f"no environment is called {site}; there are {', '.join(sites)}", file=sys.stderr)
        return 2
    env = sites[site]
    lines = list(refusals(env, _state(env.stack("cluster")), _left_over(env)))
    for line in lines:
        print(line, file=sys.stderr)
    if lines:
        return 2
    for group in stacks(env):
        if group:
            status = subprocess.run([cdktf, "destroy", *group], cwd=ROOT, check=False).returncode
            if status:
                return status
    print(f"Gone. What Google may have left behind: see `python -m tools.leftovers {site}` and docs/teardown.md.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
