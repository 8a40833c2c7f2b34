"""Guards of the layout."""

from importlib import import_module

from tests.support import ROOT


def test_the_constructs_folder_has_no_init() -> None:
    """With one, our folder would hide the PyPI package of the same name."""
    assert not (ROOT / "constructs" / "__init__.py").exists()


def test_both_halves_of_constructs_are_found() -> None:
    theirs = import_module("constructs")
    ours = import_module("constructs.gpu_pool")
    assert hasattr(theirs, "Construct")
    assert str(ours.__file__) == str(ROOT / "constructs" / "gpu_pool.py")


def test_no_module_of_settings_catalog_or_training_needs_the_bindings() -> None:
    slow = ("import cdktf", "from cdktf", "import jsii", "from constructs", "import constructs")
    found = [
        f"{path.relative_to(ROOT)}: {line}"
        for folder in ("settings", "catalog", "training")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip().startswith(slow)
    ]
    assert found == []
