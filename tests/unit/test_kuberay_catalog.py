"""The catalog of KubeRay against the custom resource definitions, and its own words against each other."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.kuberay import ADDON_KUBERAY, CHART_KUBERAY, KUBERAY, RAY_CLUSTER_CHART
from tests.crds.schemas import schema


def _fields(node: dict[str, Any]) -> frozenset[str]:
    return frozenset(node["properties"])


@pytest.mark.parametrize("minor", KUBERAY)
def test_the_fields_are_those_of_the_custom_resource_definition(minor: str) -> None:
    spec = schema("rayclusters", minor)["properties"]["spec"]
    row = KUBERAY[minor]

    assert row.ray_cluster == _fields(spec)
    assert row.head_group == _fields(spec["properties"]["headGroupSpec"])
    assert row.worker_group == _fields(spec["properties"]["workerGroupSpecs"]["items"])


def test_a_rayjob_has_these_fields_from_these_minors_on() -> None:
    since = {
        "entrypoint": ["1.3", "1.4", "1.5", "1.6", "1.7"],
        "deletionPolicy": ["1.3", "1.4"],
        "deletionStrategy": ["1.5", "1.6", "1.7"],
        "preRunningDeadlineSeconds": ["1.6", "1.7"],
    }

    assert {name: [minor for minor, row in KUBERAY.items() if name in row.ray_job] for name in since} == since


@pytest.mark.parametrize("minor", KUBERAY)
def test_chart_and_image_of_the_operator_are_of_its_minor(minor: str) -> None:
    row = KUBERAY[minor]

    assert row.operator_chart.startswith(f"{minor}.")
    assert row.operator_image == f"quay.io/kuberay/operator:v{row.operator_chart}"


def test_minors_compare_as_numbers() -> None:
    assert [row.minor for row in sorted(KUBERAY.values(), key=lambda row: row.order)] == [
        *("1.3", "1.4", "1.5", "1.6", "1.7")
    ]


def test_the_addon_is_what_googles_table_says() -> None:
    assert ADDON_KUBERAY == {
        "1.29": "1.1",
        "1.30": "1.1",
        "1.31": "1.2",
        "1.32": "1.2",
        "1.33": "1.3",
        "1.34": "1.4",
        "1.35": "1.5",
    }


def test_the_operator_chart_installs_a_minor_that_leaves_a_shared_cluster_alone() -> None:
    assert KUBERAY[CHART_KUBERAY].order >= (1, 6)
    assert RAY_CLUSTER_CHART == "1.7.0"
