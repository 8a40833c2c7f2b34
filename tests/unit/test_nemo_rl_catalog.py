"""The catalog of NeMo RL against what was collected from its tags, and against the trees where they are at hand."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

import pytest
from ruamel.yaml import YAML

from catalog.nemo_rl import DEFAULT_NEMO_RL, NEMO_RL
from catalog.nemo_rl_keys import KNOWN
from catalog.nemo_rl_recipes import BASE_RECIPE, FIELDS, KEYS, LEADERS, RECIPES
from settings.ray import Ray

#: What NeMo RL's own loader makes of its recipes: release -> recipe -> key -> value, read from its trees at those tags.
COLLECTED = Path(__file__).with_name("nemo-rl-recipes.json.gz")
#: A folder that holds NeMo RL's tree at each tag, in folders named as the tags.
TREES = os.environ.get("NEMO_RL_SRC", "")

needs_trees = pytest.mark.skipif(not TREES, reason="NEMO_RL_SRC names no folder with NeMo RL's trees")


def test_the_releases_have_their_images_and_versions() -> None:
    assert {row.version: (row.image, row.ray, row.python, row.cuda, row.math_verify) for row in NEMO_RL.values()} == {
        "v0.5.0": ("nvcr.io/nvidia/nemo-rl:v0.5.0", "2.49.2", "3.12", "12.9", "0.8.0"),
        "v0.6.0": ("nvcr.io/nvidia/nemo-rl:v0.6.0", "2.54.0", "3.13", "12.9", "0.8.0"),
        "v0.7.0": ("nvcr.io/nvidia/nemo-rl:v0.7.0", "2.55.1", "3.13", "13.2", "0.9.0"),
    }


def test_the_script_is_one_that_all_releases_have() -> None:
    assert {row.script for row in NEMO_RL.values()} == {"examples/run_grpo.py"}


def test_the_data_layout_changed_with_v0_6_0() -> None:
    assert [row.data_layout for row in NEMO_RL.values()] == ["flat", "nested", "nested"]


def test_releases_are_ordered_by_number() -> None:
    assert NEMO_RL["v0.5.0"].order < (0, 6) <= NEMO_RL["v0.6.0"].order < NEMO_RL["v0.7.0"].order


def test_a_site_runs_the_tutorials_release_unless_it_says_otherwise() -> None:
    assert Ray().nemo_rl == DEFAULT_NEMO_RL == "v0.5.0"


def test_figures_that_recipes_leave_to_others_are_figures() -> None:
    names = {*LEADERS, *LEADERS.values(), "length_multiple"}
    assert names <= set(KEYS)
    assert {name for recipe in RECIPES.values() for one in recipe.figures.values() for name in one.follows} <= names


def test_every_correction_is_of_a_key_that_the_release_has() -> None:
    for recipe in RECIPES.values():
        for version, values in recipe.corrections.items():
            assert set(values) <= set(KNOWN[version])
            assert set(values) <= set(FIELDS)


def test_each_recipe_has_the_figures_that_were_read_with_nemo_rls_own_loader() -> None:
    collected: dict[str, dict[str, dict[str, Any] | None]] = json.loads(gzip.decompress(COLLECTED.read_bytes()))
    assert set(collected) == set(NEMO_RL)
    for version, recipes in collected.items():
        assert {path for path, values in recipes.items() if values} == {
            path for path, recipe in RECIPES.items() if version in recipe.figures
        }
        for path, values in recipes.items():
            if values is None:
                continue
            figures = RECIPES[path].figures[version]
            mine = {key: getattr(figures, name) for key, name in FIELDS.items() if key in values}
            assert mine == {key: values[key] for key in mine}, (version, path)
            prompt_file = values.get("data.prompt_file", values.get("data.default.prompt_file"))
            assert figures.prompt_file == prompt_file, (version, path)


@needs_trees
@pytest.mark.parametrize("version", NEMO_RL)
def test_the_keys_are_those_of_the_file_that_all_recipes_start_from(version: str) -> None:
    in_file = {key for key in _leaves(_load(version, BASE_RECIPE)) if not key.startswith("on_policy_distillation")}
    known = {key for key, is_in_file in KNOWN[version].items() if is_in_file}
    # The first is open to any key; it is null in the file, and a mapping where a recipe fills it.
    assert in_file - known == {"policy.megatron_cfg.env_vars"}
    assert known - in_file == set()


@needs_trees
@pytest.mark.parametrize("version", NEMO_RL)
def test_recipes_follow_what_their_files_leave_to_another_key(version: str) -> None:
    for path, recipe in RECIPES.items():
        if version not in recipe.figures:
            continue
        file = _leaves(_load(version, path))
        follows = {
            name
            for name in (*LEADERS, "length_multiple")
            # dapo's multiple is a product, which no single figure leads.
            if "${" in str(file.get(KEYS[name])) and "${mul" not in str(file.get(KEYS[name]))
        }
        figures = recipe.figures[version]
        assert follows == figures.follows, path
        assert figures.validation_is_a_mapping == any(key.startswith("data.validation.") for key in file), path


def _load(version: str, path: str) -> dict[str, Any]:
    """A recipe with the files that it starts from, unresolved."""
    own: dict[str, Any] = YAML(typ="safe", pure=True).load(Path(TREES, version, path))  # pyright: ignore[reportUnknownMemberType] # YAML
    below = own.pop("defaults", [])
    merged: dict[str, Any] = {}
    for name in [below] if isinstance(below, str) else below:
        _merge(merged, _load(version, normpath(join(dirname(path), name))))
    _merge(merged, own)
    return merged


def _merge(into: dict[str, Any], values: dict[str, Any]) -> None:
    for key, value in values.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict) and "_override_" not in value:
            _merge(into[key], value)  # pyright: ignore[reportUnknownArgumentType] # YAML
        else:
            into[key] = value


def _leaves(values: dict[str, Any], above: str = "") -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict) and value:
            leaves |= _leaves(value, f"{above}{key}.")  # pyright: ignore[reportUnknownArgumentType] # YAML
        elif key != "_override_":
            leaves[f"{above}{key}"] = value
    return leaves
