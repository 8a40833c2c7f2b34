"""The values document as text: whatever a user writes comes out of YAML as it went in."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from constructs.ray_values import chart_values, values_yaml
from tests.constructs.test_ray_cluster_name import CLUSTER
from tests.helm.render import parse_yaml

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], include_characters="\n\t"), min_size=1)


def test_the_document_is_the_values() -> None:
    assert parse_yaml(values_yaml(chart_values(CLUSTER))) == chart_values(CLUSTER)


def test_a_script_stands_in_the_document_line_by_line() -> None:
    lines = values_yaml(chart_values(CLUSTER)).splitlines()

    assert "      set -euo pipefail" in lines
    assert '          {"interfaceName": "eth2", "network": "rdma-0"},' in lines


@settings(max_examples=50)
@given(TEXTS)
def test_any_text_survives(text: str) -> None:
    values: dict[str, Any] = {"env": [{"name": "X", "value": text}]}

    assert parse_yaml(values_yaml(values)) == values


def test_texts_that_yaml_takes_for_something_else_stay_texts() -> None:
    values: dict[str, object] = {"a": ["yes", "off", "0777", "1e3", "null", "~", "2001-01-01", "1:30", "a: b", "#"]}

    assert parse_yaml(values_yaml(values)) == values
