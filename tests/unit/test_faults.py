"""A fault is one line, whatever the user wrote into it, and shows no token."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settings.faults import Fault, SettingsError, one_line, shown

SHOWN: dict[str, tuple[object, str]] = {
    "a text": ("prod", '"prod"'),
    "nothing": (None, "null"),
    "true": (True, "true"),
    "a number": (2, "2"),
    "a mapping": ({"a": 1}, "a mapping"),
    "a list": ((1, 2), "a list"),
    "a long text": ("x" * 100, f'"{"x" * 55}..."'),
    "a text of two lines": ("a\nb", '"a\\nb"'),
    "an escape sequence": ("\x1b[31m", '"\\x1b[31m"'),
    "text from right to left": ("a\u202eb", '"a\\u202eb"'),
    "letters of any language": ("größe 大小", '"größe 大小"'),
    "half a character": ("\ud800", '"\\ud800"'),
}


@pytest.mark.parametrize(("value", "text"), SHOWN.values(), ids=SHOWN)
def test_a_value_is_shown_as_yaml_spells_it_on_one_short_line(value: object, text: str) -> None:
    assert shown(value) == text


TOKENS = {
    "Hugging Face": "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
    "Hugging Face, OAuth": "hf_oauth_eyJhbGciOiJSUzI1NiIsInR5cCI6",
    "Weights & Biases": "0123456789abcdef0123456789abcdef01234567",
    "Weights & Biases, new": "wandb_v1_abcdefghijklmnopqrst",
    "Google, access": "ya29.a0AfH6SMBx-yz",
    "Google, access of a service account": "ya29.c.b0Aaekm1Kabcdefgh",
    "Google, API key": "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "NVIDIA": "nvapi-abcdefghijklmnop-qrstuvwxyz",
    "GitHub": "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "GitHub, fine-grained": "github_pat_11ABCDEFG0123456789",
    "a private key": "-----BEGIN PRIVATE KEY-----",
}


@pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS)
def test_no_token_is_printed_wherever_it_stands(token: str) -> None:
    fault = Fault(f"environments/{token}.yaml", f"names.{token}", f'is "{token}", no name; write one')
    assert token not in str(fault)
    assert str(fault).startswith("environments/***")
    assert shown(token) == '"***"'


@pytest.mark.parametrize(
    "text",
    [
        "wandb_experiments_team",
        "wandb_gemma3_27b_gsm8k",
        "/data/highs_and_lows_dataset",
        "/data/hf_gemma3instructmodel9",
        "/data/hf/hub/models--google--gemma-3-27b-it/snapshots/0123456789abcdef0123456789abcdef01234567",
        "hf_math_verify",
    ],
)
def test_a_name_that_only_begins_like_a_token_is_none(text: str) -> None:
    assert one_line(text) == text


def test_a_fault_of_a_whole_file_has_no_key() -> None:
    assert (
        str(Fault("environments/prod.yaml", "", "is empty; write it")) == "environments/prod.yaml: is empty; write it"
    )


def test_an_error_prints_its_faults_one_a_line() -> None:
    error = SettingsError([Fault("a", "b", "is c; write d"), Fault("e", "", "is f; write g")])
    assert str(error) == "a: b is c; write d\ne: is f; write g"


@given(st.text(max_size=200))
def test_any_text_becomes_one_printable_line(text: str) -> None:
    line = one_line(text)
    assert line.isprintable()
    assert len(shown(text)) <= 60
