"""docs/jobs.md says what the catalog and the reader say."""

from __future__ import annotations

import re

from catalog.nemo_rl_recipes import RECIPES, Recipe
from tests.jobs import SMALL, faults
from tests.support import ROOT

GUIDE = (ROOT / "docs" / "jobs.md").read_text(encoding="utf-8")


def row(path: str, recipe: Recipe) -> str:
    figures = next(iter(recipe.figures.values()))
    backend = "Megatron" if figures.megatron else "DTensor"
    shape = f"{figures.model}, {figures.nodes} x {figures.gpus_per_node} GPUs, {backend}"
    return f"| `{path}` | {shape} | {', '.join(recipe.figures)} |"


def test_the_recipes_are_those_of_the_catalog() -> None:
    rows = [line for line in GUIDE.splitlines() if line.startswith("| `examples/configs/")]
    assert rows == [row(path, recipe) for path, recipe in RECIPES.items()]


def test_the_dataset_of_the_example_is_taken() -> None:
    (example,) = re.findall(r"```yaml\n(dataset:\n.*?)```", GUIDE, flags=re.DOTALL)
    assert faults(SMALL.replace("dataset: gsm8k\n", example)) == []
