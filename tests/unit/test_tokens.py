from __future__ import annotations

from pathlib import Path

import pytest

from catalog.tokens import HUGGING_FACE, WANDB
from settings.tokens import Tokens, missing_tokens
from tests.support import MINIMAL, faults


def test_both_tokens_enter_as_variables_of_the_apply() -> None:
    assert [token.environment_variable for token in Tokens().variables] == ["TF_VAR_hf_token", "TF_VAR_wandb_api_key"]


def test_weights_and_biases_is_optional() -> None:
    assert Tokens(wandb=False).variables == (HUGGING_FACE,)


def test_a_secret_of_the_users_own_leaves_no_variable() -> None:
    tokens = Tokens(secret="team-tokens")
    assert tokens.variables == ()
    assert tokens.secret_name == "team-tokens"


def test_the_platforms_own_secret_has_a_name() -> None:
    assert Tokens().secret_name == "ray-tokens"


def test_what_an_apply_would_miss_is_said_by_name_and_an_empty_value_counts_as_none() -> None:
    assert missing_tokens(Tokens(), {"TF_VAR_hf_token": "x", "TF_VAR_wandb_api_key": ""}) == (WANDB,)
    assert missing_tokens(Tokens(), {"TF_VAR_hf_token": "x", "TF_VAR_wandb_api_key": "y"}) == ()
    assert missing_tokens(Tokens(secret="team-tokens"), {}) == ()


@pytest.mark.parametrize(
    "key", ["hf_token", "HF_TOKEN", "TF_VAR_hf_token", "hf", "wandb_api_key", "WANDB_API_KEY", "wandb_key"]
)
def test_a_token_in_the_file_is_refused_with_the_way_in_and_without_its_value(tmp_path: Path, key: str) -> None:
    variable = "TF_VAR_hf_token" if "hf" in key.lower() else "TF_VAR_wandb_api_key"
    assert faults(tmp_path, prod=f"{MINIMAL}tokens: {{{key}: hf_secretsecretsecret}}\n") == [
        f"environments/prod.yaml: tokens.{key} is not supported: a token never stands in a file; set {variable} in the"
        " environment of the apply"
    ]


@pytest.mark.parametrize(
    "name", ["hf_abcdefghijklmnop", "0123456789abcdef0123456789abcdef01234567", "Team", "-x", "a..b", "a" * 254]
)
def test_a_token_or_a_typo_is_no_name_of_a_secret_and_is_not_repeated(tmp_path: Path, name: str) -> None:
    assert faults(tmp_path, prod=f"{MINIMAL}tokens: {{secret: '{name}'}}\n") == [
        "environments/prod.yaml: tokens.secret is given (not shown), not the name of a Secret; write its name in"
        " lower-case letters, digits, - and ."
    ]


def test_the_secret_that_the_platform_makes_is_not_named_as_somebody_elses(tmp_path: Path) -> None:
    assert faults(tmp_path, prod=f"{MINIMAL}tokens: {{secret: ray-tokens}}\n") == [
        "environments/prod.yaml: tokens.secret is given (not shown), but ray-tokens is the Secret that the platform"
        " makes where this key is left out; write another name"
    ]


def test_a_revision_counts_from_one(tmp_path: Path) -> None:
    assert faults(tmp_path, prod=f"{MINIMAL}tokens: {{revision: 0}}\n") == [
        "environments/prod.yaml: tokens.revision is given (not shown); write 1 or more"
    ]
