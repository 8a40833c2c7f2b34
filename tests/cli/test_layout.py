"""Guards of the layout."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from tests.support import ROOT

#: Layer -> the layers of ours that it may import. `main` is for nobody.
BELOW = {
    "catalog": {"catalog"},
    "settings": {"settings", "catalog"},
    "training": {"training", "settings", "catalog"},
    "constructs": {"constructs", "catalog"},
    "stacks": {"stacks", "constructs", "training", "settings", "catalog"},
}
#: What makes a program slow to start: these layers are read before a fault is reported.
SLOW = {"cdktf", "jsii", "constructs"}
#: How a program looks at the machine that it runs on, which a construct does not.
MACHINE = {"os", "pathlib", "subprocess", "shutil", "tempfile", "glob", "time", "random", "datetime"}


def imported(path: Path) -> Iterator[str]:
    """The module names that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module=str(module)):
                yield module
            case _:
                pass


def imports(layer: str) -> Iterator[tuple[str, str]]:
    """Each file of a layer with each package that it imports."""
    for path in sorted((ROOT / layer).rglob("*.py")):
        for module in imported(path):
            yield str(path.relative_to(ROOT)), module.partition(".")[0]


def test_the_constructs_folder_has_no_init() -> None:
    """With one, our folder would hide the PyPI package of the same name."""
    assert not (ROOT / "constructs" / "__init__.py").exists()


def test_both_halves_of_constructs_are_found() -> None:
    theirs = import_module("constructs")
    ours = import_module("constructs.gpu_pool")
    assert hasattr(theirs, "Construct")
    assert str(ours.__file__) == str(ROOT / "constructs" / "gpu_pool.py")


@pytest.mark.parametrize("layer", BELOW)
def test_a_layer_imports_only_those_below_it(layer: str) -> None:
    ours = {*BELOW, "main", "tools", "tests"}
    wrong = [(path, package) for path, package in imports(layer) if package in ours - BELOW[layer]]
    assert wrong == []


@pytest.mark.parametrize("layer", ["settings", "catalog", "training"])
def test_what_is_read_before_a_fault_is_reported_needs_no_bindings(layer: str) -> None:
    assert [(path, package) for path, package in imports(layer) if package in SLOW] == []


def test_a_construct_reads_neither_files_nor_the_environment_nor_the_clock() -> None:
    assert [(path, package) for path, package in imports("constructs") if package in MACHINE] == []


def test_no_module_imports_a_whole_provider_package() -> None:
    """It would load 1,500 modules, and the registered package has nothing in it."""
    providers = {f"cdktf_cdktf_provider_{name}" for name in ("google", "kubernetes", "helm")}
    wrong = [
        path
        for layer in ("stacks", "constructs")
        for path in sorted((ROOT / layer).rglob("*.py"))
        if not providers.isdisjoint(imported(path))
    ]
    assert wrong == []
