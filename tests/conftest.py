"""What all tests share: the examples, synthesized once a session, and a way to synthesize any environment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

import stacks.bindings  # noqa: F401 # pyright: ignore[reportUnusedImport] # makes the import of cdktf quick
from settings import sites
from tests.support import ROOT, Stacks, copy_examples, read_stacks, write_environments

# How long an example takes says more about the machine than about the code.
hypothesis.settings.register_profile("steady", deadline=None)
hypothesis.settings.load_profile("steady")


@pytest.fixture(scope="session", autouse=True)
def only_the_examples_are_read() -> Iterator[None]:
    """Refuses to read environments/ of the checkout, where a user's own sites stand beside the examples."""
    read = sites._files  # pyright: ignore[reportPrivateUsage] # the one place that lists the files

    def refuse(folder: Path) -> object:
        assert folder.parent != ROOT, "this reads the sites of the checkout, whatever they are: take `examples_root`"
        return read(folder)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sites, "_files", refuse)
        yield


@pytest.fixture(scope="session")
def examples_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example sites and their jobs, and nothing of a user's."""
    return copy_examples(tmp_path_factory.mktemp("checkout") / "examples")


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
def examples_folder(tmp_path_factory: pytest.TempPathFactory, examples_root: Path) -> Path:
    """The cdktf.out of a synth of both examples."""
    from stacks.synthesis import synthesize
    from training.checkout import read_checkout

    output: Path = tmp_path_factory.mktemp("examples") / "cdktf.out"
    synthesize(read_checkout(examples_root), output)
    return output


@pytest.fixture(scope="session")
def examples(examples_folder: Path) -> Stacks:
    """Every stack of both example environments: stack id -> Terraform JSON."""
    return read_stacks(examples_folder)
