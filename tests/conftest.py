"""What all tests share: the examples, synthesized once a session, and a way to synthesize any environment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import stacks.bindings  # noqa: F401 # pyright: ignore[reportUnusedImport] # makes the import of cdktf quick
from tests.support import ROOT, Stacks, environment, read_stacks


@pytest.fixture(scope="session")
def synthesize(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Stacks]:
    """Synthesizes one environment, given as YAML text, by a real `App.synth()`: stack id -> Terraform JSON."""

    def run(*texts: str) -> Stacks:
        from settings.sites import Sites
        from stacks.synthesis import synthesize

        output = tmp_path_factory.mktemp("synth") / "cdktf.out"
        synthesize(Sites(environments=tuple(environment(text) for text in texts), doubts=()), output)
        return read_stacks(output)

    return run


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Stacks:
    """Every stack of both example environments: stack id -> Terraform JSON."""
    from settings.sites import read_sites
    from stacks.synthesis import synthesize

    output: Path = tmp_path_factory.mktemp("examples") / "cdktf.out"
    synthesize(read_sites(ROOT), output)
    return read_stacks(output)
