"""What all tests share: the examples, synthesized once a session, and a way to synthesize any environment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

import stacks.bindings  # noqa: F401 # pyright: ignore[reportUnusedImport] # makes the import of cdktf quick
from tests.support import ROOT, Stacks, read_stacks, write_environments

# How long an example takes says more about the machine than about the code.
hypothesis.settings.register_profile("steady", deadline=None)
hypothesis.settings.load_profile("steady")


@pytest.fixture(scope="session")
def synthesize(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Stacks]:
    """Synthesizes one environment, given as YAML text, by a real `App.synth()`: stack id -> Terraform JSON."""

    def run(*texts: str) -> Stacks:
        from stacks.synthesis import synthesize
        from training.checkout import read_checkout

        root = tmp_path_factory.mktemp("synth")
        write_environments(root, **{f"site-{index}": text for index, text in enumerate(texts)})
        (root / "job_specs").symlink_to(ROOT / "job_specs")
        output = root / "cdktf.out"
        synthesize(read_checkout(root), output)
        return read_stacks(output)

    return run


@pytest.fixture(scope="session")
def examples_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cdktf.out of a synth of both examples."""
    from stacks.synthesis import synthesize
    from training.checkout import read_checkout

    output: Path = tmp_path_factory.mktemp("examples") / "cdktf.out"
    synthesize(read_checkout(ROOT), output)
    return output


@pytest.fixture(scope="session")
def examples(examples_folder: Path) -> Stacks:
    """Every stack of both example environments: stack id -> Terraform JSON."""
    return read_stacks(examples_folder)
