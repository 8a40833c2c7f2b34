"""The values document as text: whatever a user writes comes out of YAML as it went in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constructs.ray_values import chart_values, values_yaml
from tests.constructs.test_ray_cluster_name import CLUSTER
from tests.helm.render import parse_yaml

#: No NUL, which ray.env refuses, and no half of a pair of surrogates, which no file holds.
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)
#: Where YAML breaks lines, begins a document, or stops reading.
NASTY = (
    "a\r\nb\n",
    "a\rb\n",
    "a\x1b\n",
    "a\u2028b\n",
    "a\x85b\n",
    "a\x7f\n",
    "\ufeffa\n",
    "a\tb\n",
    "\n",
    " a\n",
    "a\n\n",
    "---\n",
)


def test_the_document_is_the_values() -> None:
    assert parse_yaml(values_yaml(chart_values(CLUSTER))) == chart_values(CLUSTER)


def test_a_script_stands_in_the_document_line_by_line() -> None:
    lines = values_yaml(chart_values(CLUSTER)).splitlines()

    assert "      set -euo pipefail" in lines
    assert '          {"interfaceName": "eth2", "network": "rdma-0"},' in lines


@settings(max_examples=100)
@given(TEXTS | TEXTS.map(lambda text: f"{text}\n"))
def test_any_text_survives(text: str) -> None:
    values: dict[str, Any] = {"env": [{"name": "X", "value": text}]}

    assert parse_yaml(values_yaml(values)) == values


@pytest.mark.parametrize("text", NASTY)
def test_a_text_that_ends_like_a_script_and_is_none_survives(text: str) -> None:
    assert parse_yaml(values_yaml({"value": text})) == {"value": text}


def test_texts_that_yaml_takes_for_something_else_stay_texts() -> None:
    values: dict[str, object] = {"a": ["yes", "off", "0777", "1e3", "null", "~", "2001-01-01", "1:30", "a: b", "#"]}

    assert parse_yaml(values_yaml(values)) == values
