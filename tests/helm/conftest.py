"""The charts that these tests render: our own always, and upstream's where RAY_CLUSTER_CHART names its folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from catalog.kuberay import RAY_CLUSTER_CHART
from tests.helm.render import OWN_CHART, parse_yaml

UPSTREAM = os.environ.get("RAY_CLUSTER_CHART")


@pytest.fixture(params=["own", "upstream"] if UPSTREAM else ["own"])
def chart(request: pytest.FixtureRequest) -> Path:
    """The folder of a chart `ray-cluster` at the version that the catalog pins."""
    folder = OWN_CHART if request.param == "own" else Path(UPSTREAM or "").resolve()
    version = parse_yaml((folder / "Chart.yaml").read_text(encoding="utf-8"))["version"]
    assert version == RAY_CLUSTER_CHART, f"{folder} is ray-cluster {version}"
    return folder
