"""Writing Terraform JSON: made beside the old one, and put in its place only when it is whole."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cdktf import App

from stacks.site import add_site
from training.checkout import Checkout

#: Signals that ask a synth to stop. They wait while the finished output is being moved into place.
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, kw_only=True)
class StackSummary:
    """One synthesized stack: its id, how many resources it manages, what it depends on and where its state is."""

    stack: str
    resources: int
    depends_on: tuple[str, ...]
    state: str


def synthesize(checkout: Checkout, output: Path) -> tuple[StackSummary, ...]:
    """Writes the Terraform JSON of all sites to `output`, the folder that Terraform and the cdktf CLI read.

    Only `manifest.json`, `assets/` and each stack's `cdk.tf.json` are replaced, and those of stacks that are no more
    removed; what Terraform keeps there (`.terraform/`, lock files, state) stays. When anything fails or interrupts
    before the end, `output` is as it was. Raises `OSError` where `output` cannot be written.
    """
    output = output.resolve()  # of a link: what is made beside its target can be renamed into it
    output.parent.mkdir(parents=True, exist_ok=True)
    staging = output.with_name(f"{output.name}.partial")
    with _alone(output.parent):
        shutil.rmtree(staging, ignore_errors=True)
        try:
            app = App(outdir=str(staging))
            places = {
                stack.stack_id: environment.state.place(stack.stack_id)
                for environment in checkout.environments
                for stack in add_site(app, environment, jobs=checkout.jobs.of(environment), scripts=checkout.scripts)
            }
            app.synth()
            summaries = tuple(_summaries(staging, places))
            _publish(staging, output)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return summaries


@contextmanager
def _alone(folder: Path) -> Generator[None]:
    """Lets one synth at a time write into the folder; a second one waits."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def _signals_wait() -> Generator[None]:
    """Keeps the signals that ask to stop until the end.

    Blocking them would not do: jsii's own thread takes them, and Python then runs their handlers here all the same.
    """
    came: list[int] = []
    handlers = {number: signal.signal(number, lambda number, _: came.append(number)) for number in _STOPPING}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def _publish(staging: Path, output: Path) -> None:
    with _signals_wait():
        made = {path.relative_to(staging) for path in staging.rglob("cdk.tf.json")}
        for name in sorted(made):
            (output / name).parent.mkdir(parents=True, exist_ok=True)
            (staging / name).replace(output / name)
        for old in output.glob("stacks/*/cdk.tf.json"):
            if old.relative_to(output) not in made:
                old.unlink()
        for assets in staging.glob("stacks/*/assets"):
            _replace_folder(assets, output / assets.relative_to(staging))
        (staging / "manifest.json").replace(output / "manifest.json")


def _replace_folder(new: Path, old: Path) -> None:
    shutil.rmtree(old, ignore_errors=True)
    new.replace(old)


def _summaries(staging: Path, places: dict[str, str]) -> Iterator[StackSummary]:
    manifest = json.loads((staging / "manifest.json").read_text(encoding="utf-8"))
    for name, stack in manifest["stacks"].items():
        content = json.loads((staging / stack["synthesizedStackPath"]).read_text(encoding="utf-8"))
        yield StackSummary(
            stack=name,
            resources=sum(len(named) for named in content.get("resource", {}).values()),
            depends_on=tuple(stack["dependencies"]),
            state=places[name],
        )
