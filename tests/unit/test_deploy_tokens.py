"""A deploy is refused at once, by name, when a token is missing."""

from pathlib import Path

import pytest

from tools import tokens
from tools.tokens import refusals

TOKENS = {"TF_VAR_hf_token": "a", "TF_VAR_wandb_api_key": "b"}


@pytest.fixture(autouse=True)
def _examples(examples_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setattr(tokens, "ROOT", examples_root)


def test_a_deploy_with_all_tokens_goes_on() -> None:
    assert refusals("example-b200", TOKENS, keep=False) == []


def test_each_missing_or_empty_token_is_named() -> None:
    assert refusals("example-b200", {"TF_VAR_hf_token": ""}, keep=False) == [
        "TF_VAR_hf_token is not set: the Hugging Face token of example-b200; set it, or write TOKENS=keep if the Secret"
        " in the cluster stays as it is",
        "TF_VAR_wandb_api_key is not set: the Weights & Biases token of example-b200; set it, or write TOKENS=keep if"
        " the Secret in the cluster stays as it is",
    ]


def test_no_token_is_needed_when_the_secret_stays() -> None:
    assert refusals("example-b200", {}, keep=True) == []


def test_an_unknown_site_is_refused_with_the_names_of_those_there_are() -> None:
    assert refusals("nowhere", TOKENS, keep=False) == [
        "environments: has no site called nowhere; there are example-b200, example-h200"
    ]
