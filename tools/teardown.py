"""Destroys a site: its jobs first, then its layers from the top down. Refuses before anything is destroyed.

    python -m tools.teardown SITE CDKTF [--yes]        (`make destroy ENV=SITE [APPROVE=yes]`)

CDKTF is the cdktf command line, which shows each stack's plan and asks; `--yes` approves them all. Refused is a site

- whose file has a protection on, or whose cluster has it on in the state, which is what the provider goes by;
- with a job that the file no longer lists and that still has a state. gcloud lists those in a bucket. Those on HCP
  Terraform cannot be listed from here: a question at the terminal names where to look, also with `--yes`;
- whose state cannot be read.

cdktf exits with 0 also where somebody dismissed a plan, so the states decide whether to go on: no layer is touched
while a job is still there. Exit status 0 when all is gone, 1 when something failed or was dismissed, 2 when nothing was
tried.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from settings.environment import Environment
from settings.faults import SettingsError
from settings.sites import named
from tools.command import ROOT, run
from tools.synthesized import LAYERS
from tools.terraform_state import (
    TerraformState,
    UnreadableStateError,
    attributes,
    managed,
    output,
    pull,
    read_file,
    stacks_in_bucket,
    terraform,
)
from training.checkout import read_checkout

#: Stack id -> its state; a stack without state has an empty one.
States = Mapping[str, TerraformState]


def job_stacks(env: Environment) -> tuple[str, ...]:
    """The stacks of the jobs that the site lists."""
    return tuple(f"job_{env.name}_{job}" for job in env.jobs)


def layer_stacks(env: Environment) -> tuple[str, ...]:
    """The stacks of the site's layers, each after what it stands on."""
    return tuple(env.stack(layer) for layer in LAYERS)


def refusals_by_file(env: Environment) -> Iterator[str]:
    """Why the environment file alone forbids to destroy the site, a line each."""
    where, names = f"environments/{env.name}.yaml", env.cloud_names
    if env.lustre.deletion_protection:
        yield (
            f"{where}: lustre.deletion_protection is true; copy away what you keep, for example by `gcloud lustre"
            f" instances export-data {names.lustre} --project={env.project} --location={env.zone}"
            " --gcs-path-uri=gs://BUCKET/FOLDER/` (docs/teardown.md), then write false; no apply is needed, since only"
            " Terraform keeps this switch"
        )
    if env.cluster.deletion_protection:
        yield f"{where}: cluster.deletion_protection is true; write false, and apply that: {_apply_cluster(env)}"


def refusals_by_state(env: Environment, states: States) -> Iterator[str]:
    """Why what was last applied forbids to destroy the site, a line each.

    The provider asks the state whether a cluster is protected, not the configuration. A job that is no longer listed
    has no configuration left that could destroy it.
    """
    where = f"environments/{env.name}.yaml"
    clusters = attributes(states.get(env.stack("cluster"), {}), "google_container_cluster")
    if not env.cluster.deletion_protection and any(one.get("deletion_protection") is True for one in clusters):
        yield (
            f"{where}: cluster.deletion_protection is false, but the state of {env.stack('cluster')} says true: the"
            f" change was not applied; apply it: {_apply_cluster(env)}"
        )
    known = {*job_stacks(env), *layer_stacks(env)}
    for stack, state in states.items():
        if stack not in known and managed(state):
            job = stack.removeprefix(f"job_{env.name}_")
            name = output(state, "ray_job") or "NAME"
            yield (
                f"{where}: jobs does not list {job}, but {env.state.place(stack)} still holds it; list it again, or"
                f" delete it by hand, `kubectl --namespace={env.platform.namespace} delete rayjob {name}`, and then"
                " that state"
            )


def _apply_cluster(env: Environment) -> str:
    return f"`make deploy ENV={env.name} STACK=cluster`"


def local_states(env: Environment, root: Path) -> dict[str, TerraformState]:
    """The states that lie under state/: those of the site's stacks, and of jobs that it once listed."""
    once = {path.name.removesuffix(".tfstate") for path in (root / "state").glob(f"job_{env.name}_*.tfstate")}
    stacks = dict.fromkeys((*job_stacks(env), *layer_stacks(env), *sorted(once)))
    return {stack: read_file(root / env.state.place(stack)) for stack in stacks}


def bucket_states(env: Environment) -> dict[str, TerraformState]:
    """The states in the bucket: those of the site's stacks, and of jobs that it once listed."""
    bucket, prefix = env.state.bucket or "", env.state.prefix
    there = stacks_in_bucket(bucket, prefix)
    once = sorted(stack for stack in there if stack.startswith(f"job_{env.name}_"))
    return {
        stack: pull(stack, {"backend": {"gcs": {"bucket": bucket, "prefix": f"{prefix}/{stack}"}}})
        if stack in there
        else {}
        for stack in dict.fromkeys((*job_stacks(env), *layer_stacks(env), *once))
    }


def cloud_states(env: Environment) -> dict[str, TerraformState]:
    """The states on HCP Terraform of the stacks that the site lists; their workspaces exist afterwards."""
    place = {"hostname": env.state.hostname, "organization": env.state.organization}
    return {
        stack: pull(stack, {"cloud": {**place, "workspaces": {"name": stack}}})
        for stack in (*job_stacks(env), *layer_stacks(env))
    }


def holding(stacks: Iterable[str], states: States) -> tuple[str, ...]:
    """Those of the stacks that have resources in their state."""
    return tuple(stack for stack in stacks if managed(states.get(stack, {})))


def unseen(env: Environment) -> str | None:
    """Where the user must look for what this program cannot see."""
    if env.state.backend != "cloud":
        return None
    return (
        "jobs that the file no longer lists cannot be seen from here, and go first; look for workspaces"
        f" {env.state.place(f'job_{env.name}_*')}"
    )


class Teardown:
    """One run for one site, below `root`; `cdktf` is the command line."""

    def __init__(self, env: Environment, root: Path, cdktf: str, *, approved: bool) -> None:
        self._env = env
        self._root = root
        self._cdktf = cdktf
        self._approved = approved

    def run(self) -> int:
        """Exit status for the command line. Raises `UnreadableStateError` before anything is destroyed."""
        env = self._env
        lines = list(refusals_by_file(env))
        if env.state.backend == "local":
            lines += refusals_by_state(env, self._states())
        if lines:
            return _refuse(lines)
        if not self._approved and not sys.stdin.isatty():
            return _refuse(["there is no terminal to approve the plans at; write APPROVE=yes (--yes)"])
        if (place := unseen(env)) and not _nothing_is(place):
            return _refuse([f"{place}, destroy what is in them, and answer yes at a terminal"])
        if not shutil.which(terraform()):
            return _refuse([f"{terraform()} is not on the PATH; install Terraform 1.11 or newer"])
        if status := self._call([sys.executable, "main.py"], quiet=True):
            return status
        states = self._states()
        if lines := list(refusals_by_state(env, states)):
            return _refuse(lines)
        if not self._destroy(holding(job_stacks(env), states)):
            print("The layers were not touched: jobs are left, and go first.", file=sys.stderr)
            return 1
        # All layers at once: cdktf orders them, and takes none whose dependants are not named with it.
        if holding(layer_stacks(env), states) and not self._destroy(layer_stacks(env)):
            return 1
        print(f"{env.name} is gone. What Google may have left behind: python -m tools.leftovers {env.name}")
        return 0

    def _states(self) -> dict[str, TerraformState]:
        match self._env.state.backend:
            case "local":
                return local_states(self._env, self._root)
            case "gcs":
                return bucket_states(self._env)
            case "cloud":
                return cloud_states(self._env)

    def _destroy(self, stacks: tuple[str, ...]) -> bool:
        """Whether nothing is left of the stacks; says what is."""
        if not stacks:
            return True
        approval = ("--auto-approve",) if self._approved else ()
        status = self._call([self._cdktf, "destroy", *stacks, "--skip-synth", *approval])
        try:
            states = self._states()
        except UnreadableStateError as error:
            print(error, file=sys.stderr)
            return False
        left = holding(stacks, states)
        for stack in left:
            print(f"{stack} is still there: {len(managed(states[stack]))} in its state", file=sys.stderr)
        return status == 0 and not left

    def _call(self, command: list[str], *, quiet: bool = False) -> int:
        """Runs a program in the foreground and lets it end by itself when the user interrupts: Terraform then saves
        what it has done."""
        before = signal.signal(signal.SIGINT, _go_on)
        try:
            return subprocess.call(command, cwd=self._root, stdout=subprocess.DEVNULL if quiet else None)
        finally:
            signal.signal(signal.SIGINT, before)


def _nothing_is(place: str) -> bool:
    """Whether the user says that there is nothing; False where there is no terminal to ask at."""
    if not sys.stdin.isatty():
        return False
    try:
        return input(f"{place}. Does none of them hold anything? Only yes goes on: ") == "yes"
    except EOFError:
        return False


def _go_on(_number: int, _frame: object) -> None:
    """A handler, and not SIG_IGN, which the program would inherit."""


def _refuse(lines: Iterable[str]) -> int:
    for line in lines:
        print(line, file=sys.stderr)
    print("Nothing was destroyed.", file=sys.stderr)
    return 2


def main(arguments: list[str], root: Path = ROOT) -> int:
    """See above."""
    match arguments:
        case [site, cdktf, *rest] if rest in ([], ["--yes"]):
            approved = rest == ["--yes"]
        case _:
            return _refuse(["write: python -m tools.teardown SITE CDKTF [--yes], or `make destroy ENV=SITE`"])
    try:
        env = named(read_checkout(root).environments, site)
    except SettingsError as error:
        return _refuse(str(error).splitlines())
    try:
        return Teardown(env, root, cdktf, approved=approved).run()
    except UnreadableStateError as error:
        return _refuse([str(error)])


if __name__ == "__main__":
    run(main)
