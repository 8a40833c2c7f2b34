"""What a synth left is read as a whole, or a line says what to do; workflows get the list of what they can plan."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tools import plan_stacks
from tools.synthesized import NotSynthesizedError, stacks_of, synthesized_stacks

CONTENT: dict[str, Any] = {"terraform": {"backend": {"gcs": {"bucket": "b"}}}, "provider": {"google": [{}]}}


def write(output: Path, **contents: dict[str, Any]) -> Path:
    """A cdktf.out with these stacks, none of which depends on another."""
    output.mkdir()
    for name, content in contents.items():
        (output / name).mkdir()
        (output / name / "cdk.tf.json").write_text(json.dumps(content), encoding="utf-8")
    stacks: dict[str, Any] = {
        name: {"dependencies": [], "workingDirectory": name, "synthesizedStackPath": f"{name}/cdk.tf.json"}
        for name in contents
    }
    (output / "manifest.json").write_text(json.dumps({"stacks": stacks}), encoding="utf-8")
    return output


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return write(
        tmp_path / "cdktf.out", prod_network=CONTENT, prod_platform={**CONTENT, "provider": {"kubernetes": [{}]}}
    )


def test_nothing_synthesized_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotSynthesizedError) as refusal:
        synthesized_stacks(tmp_path / "cdktf.out")
    assert str(refusal.value) == "cdktf.out does not exist: run `make synth` first"


def cut(name: str, text: str) -> Callable[[Path], object]:
    """Leaves nothing but this text of a file."""
    return lambda output: (output / name).write_text(text, encoding="utf-8")


def without(name: str) -> Callable[[Path], object]:
    """Removes a file."""
    return lambda output: (output / name).unlink()


@pytest.mark.parametrize(
    "damage",
    [
        cut("manifest.json", '{"stacks": {'),
        cut("manifest.json", "{}"),
        cut("manifest.json", "[]"),
        cut("manifest.json", '{"stacks": {"a": {"dependencies": ["b"]}}}'),
        cut("manifest.json", '{"stacks": {"a": {"dependencies": ["a"]}}}'),
        without("manifest.json"),
        without("prod_network/cdk.tf.json"),
        cut("prod_network/cdk.tf.json", '{"terraform": {'),
        cut("prod_network/cdk.tf.json", "{}"),
        cut("prod_network/cdk.tf.json", "[]"),
    ],
    ids=[
        "half a manifest",
        "empty manifest",
        "a list",
        "unknown dependency",
        "on itself",
        "no manifest",
        "no stack",
        "half a stack",
        "empty stack",
        "a list as a stack",
    ],
)
def test_what_a_synth_left_half_written_is_said(damage: Callable[[Path], object], output: Path) -> None:
    damage(output)
    with pytest.raises(NotSynthesizedError) as refusal:
        synthesized_stacks(output)
    assert str(refusal.value) == "cdktf.out is half-written: run `make synth`"


def test_a_file_in_place_of_the_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "cdktf.out").touch()
    with pytest.raises(NotSynthesizedError, match=r"cdktf\.out is half-written"):
        synthesized_stacks(tmp_path / "cdktf.out")


@pytest.mark.parametrize(("contents", "there"), [({}, "none at all"), ({"prod_network": CONTENT}, "prod")])
def test_a_site_that_is_not_there_is_said_on_one_line(contents: dict[str, Any], there: str, tmp_path: Path) -> None:
    with pytest.raises(NotSynthesizedError) as refusal:
        stacks_of("no\nsuch", write(tmp_path / "cdktf.out", **contents))
    assert str(refusal.value) == (
        f"cdktf.out has no stack of a site called no\\nsuch; there are {there} (`make synth` writes others)"
    )


@pytest.mark.parametrize(
    ("terraform", "backend"),
    [
        ({"cloud": {"organization": "o"}}, "cloud"),
        ({"backend": {"gcs": {"bucket": "b"}}}, "gcs"),
        ({"backend": {"local": {"path": "p"}}}, "local"),
        ({}, "local"),
    ],
)
def test_a_stack_knows_where_its_state_lies(terraform: dict[str, Any], backend: str, tmp_path: Path) -> None:
    (stack,) = synthesized_stacks(write(tmp_path / "cdktf.out", prod_network={**CONTENT, "terraform": terraform}))
    assert stack.backend == backend


@pytest.mark.parametrize(
    ("arguments", "planned"),
    [([], ["prod_network"]), (["--in-cluster"], ["prod_network", "prod_platform"])],
)
def test_the_list_for_workflows_is_json(
    arguments: list[str],
    planned: list[str],
    output: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(plan_stacks, "synthesized_stacks", partial(synthesized_stacks, output))
    assert plan_stacks.main(arguments) == 0
    assert json.loads(capsys.readouterr().out) == planned


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["prod"], "write: python -m tools.plan_stacks [--in-cluster]\n"),
        ([], "cdktf.out does not exist: run `make synth` first\n"),
    ],
)
def test_without_a_list_workflows_get_a_reason_and_2(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(plan_stacks, "synthesized_stacks", partial(synthesized_stacks, tmp_path / "cdktf.out"))
    assert plan_stacks.main(arguments) == 2
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", said)
