"""The synthesized JSON of the examples is what the golden files say; `make golden` rewrites them for review."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from catalog.terraform import literal
from tests.support import ROOT, Stacks

GOLDEN = ROOT / "tests" / "golden"
REWRITE = os.environ.get("UPDATE_GOLDEN") == "1"


def golden_text(stack: dict[str, Any]) -> str:
    """The JSON of a stack as a reviewer reads it.

    Without cdktf's notes on where a construct was made; and a text that is a script of job_specs/scripts, whole and
    escaped for Terraform, stands as the script's path.
    """
    return json.dumps(_bare(stack), indent=2, ensure_ascii=False, sort_keys=True) + "\n"


SCRIPTS = {
    literal(path.read_text(encoding="utf-8")): str(path.relative_to(ROOT))
    for path in (ROOT / "job_specs" / "scripts").glob("*.py")
}


def _bare(node: Any) -> Any:
    match node:
        case dict():
            return {key: _bare(value) for key, value in node.items() if key != "//"}  # pyright: ignore[reportUnknownVariableType] # JSON
        case list():
            return [_bare(item) for item in node]  # pyright: ignore[reportUnknownVariableType] # JSON
        case str():
            return SCRIPTS.get(node, node)
        case _:
            return node


def test_each_stack_has_its_golden_file_and_each_golden_file_its_stack(examples: Stacks) -> None:
    if REWRITE:
        for old in GOLDEN.glob("*.json"):
            old.unlink()
        for name, stack in examples.items():
            (GOLDEN / f"{name}.json").write_text(golden_text(stack), encoding="utf-8")
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(examples)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_a_stack_matches_its_golden_file(path: Path, examples: Stacks) -> None:
    assert golden_text(examples[path.stem]) == path.read_text(encoding="utf-8")


def test_a_larger_gpu_pool_is_a_one_line_change_of_the_cluster(examples: Stacks, synthesize: Any) -> None:
    text = (ROOT / "environments" / "example-b200.yaml").read_text(encoding="utf-8")
    larger = synthesize("name: example-b200\n" + text.replace("max_nodes: 2", "max_nodes: 3"))
    before = golden_text(examples["example-b200_cluster"]).splitlines()
    after = golden_text(larger["example-b200_cluster"]).splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert changed == [('          "total_max_node_count": 2,', '          "total_max_node_count": 3,')]
