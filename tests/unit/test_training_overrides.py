"""Overrides as Hydra reads them. Hydra itself cannot stand beside math-verify (two versions of one parser runtime), so
a small reader of its quoted texts, written from its grammar, stands in; each line of the table was read by Hydra 1.3.2.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.nemo_rl_recipes import Value
from training.overrides import flatten, text, word


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (16, "16"),
        (3e-07, "3e-07"),
        (1.0, "1.0"),
        ("google/gemma-3-27b-it", "google/gemma-3-27b-it"),
        ("/data/checkpoints/a_b.c", "/data/checkpoints/a_b.c"),
        ("", '""'),
        ("16", '"16"'),
        ("true", '"true"'),
        ("Null", '"Null"'),
        ("val:accuracy", '"val:accuracy"'),
        ("a b", '"a b"'),
        ('say "x"', '"say \\"x\\""'),
        ("it's", '"it\'s"'),
        ("back\\slash", '"back\\slash"'),
        ("ends in \\", '"ends in \\\\"'),
        ('\\"', '"\\\\\\""'),
        ("a\nb", '"a\nb"'),
        ("é", '"é"'),
        ("${policy.precision}", '"${policy.precision}"'),
        ((), "[]"),
        ((1, "a", (True,)), "[1,a,[true]]"),
        ({}, "{}"),
        ({"a": 1, "b": {"c": "x y"}}, '{a:1,b:{c:"x y"}}'),
    ],
)
def test_a_value_is_written_so_that_hydra_reads_it_back(value: Value, written: str) -> None:
    assert text(value) == written


def unquoted(written: str) -> str:
    """What Hydra makes of one text: OverridesVisitor._unescape_quoted_string, over the grammar's QUOTED_VALUE."""
    if not written.startswith('"'):
        return written
    assert re.fullmatch(r'"((\\\\)*|(?s:.)*?[^\\](\\\\)*)"', written), "the lexer would not take it"
    inside, result, backslashes = written[1:-1], "", 0
    for character in inside:
        if character == "\\":
            backslashes += 1
            continue
        if character == '"':
            assert backslashes % 2 == 1, "the text would end here"
            result += "\\" * (backslashes // 2) + '"'
        else:
            result += "\\" * backslashes + character
        backslashes = 0
    assert backslashes % 2 == 0
    return result + "\\" * (backslashes // 2)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back(value: str) -> None:
    assert unquoted(text(value)) == value


@given(st.text('\\"a ', max_size=12))
def test_any_mixture_of_backslashes_and_quotes_comes_back(value: str) -> None:
    assert unquoted(text(value)) == value


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_only_a_plain_name_or_path_stands_without_quotes(value: str) -> None:
    if not text(value).startswith('"'):
        assert re.fullmatch(r"[A-Za-z_/][A-Za-z0-9_./-]*", value)
        assert value.lower() not in ("true", "false", "null", "inf", "nan")


def test_a_key_that_the_files_lack_gets_two_plus_signs() -> None:
    assert word("grpo.seed", 1, "v0.5.0") == "grpo.seed=1"
    assert word("logger.wandb.entity", "team", "v0.5.0") == "++logger.wandb.entity=team"
    assert word("policy.generation.vllm_kwargs.a", 1, "v0.5.0") == "++policy.generation.vllm_kwargs.a=1"
    assert word("loss_fn.disable_ppo_ratio", True, "v0.6.0") == "++loss_fn.disable_ppo_ratio=true"
    assert word("loss_fn.disable_ppo_ratio", True, "v0.7.0") == "loss_fn.disable_ppo_ratio=true"


def test_nested_and_dotted_overrides_are_one_list_in_the_order_of_the_file() -> None:
    overrides = {
        "grpo": {"seed": 1, "reward_scaling": {"enabled": True}},
        "policy.scheduler": ({"name": "x"},),
        "a": {},
    }
    assert list(flatten(overrides)) == [
        ("grpo.seed", 1),
        ("grpo.reward_scaling.enabled", True),
        ("policy.scheduler", ({"name": "x"},)),
        ("a", {}),
    ]
