"""The tests' own chart against the record of what the upstream chart renders; the upstream chart too, where given."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from catalog.kuberay import RAY_CLUSTER_CHART
from tests.helm.render import Tree, render
from tests.helm.trees import changed_paths, replaced

RECORD: Tree = json.loads(Path(__file__).with_name("ray-cluster-chart.json").read_text(encoding="utf-8"))

#: Every key that constructs/ray_values.py writes, as the record names it. Typed by hand: test_ray_cluster.py
#: holds that there are no others.
POD_KEYS = (
    "rayStartParams annotations command args containerEnv resources volumeMounts serviceAccountName nodeSelector"
    " volumes sidecarContainers"
)
OUR_KEYS = (
    *("fullnameOverride", "annotations", "service.type", "worker.disabled"),
    *("image.repository", "image.tag", "image.pullPolicy"),
    *(f"head.{key}" for key in f"{POD_KEYS} rayVersion ports".split()),
    *(
        f"additionalWorkerGroups.gpu.{key}"
        for key in f"{POD_KEYS} replicas minReplicas maxReplicas tolerations securityContext".split()
    ),
)


def test_the_record_is_of_the_pinned_version() -> None:
    assert RECORD["version"] == RAY_CLUSTER_CHART


def test_the_base_values_render_the_recorded_documents(chart: Path) -> None:
    assert _without_own_chart_label(render(chart, RECORD["base_values"])) == RECORD["base_rendered"]


@pytest.mark.parametrize("key", OUR_KEYS)
def test_a_key_that_we_write_lands_where_the_record_says(chart: Path, key: str) -> None:
    probe, base = RECORD["probes"][key], RECORD["base_values"]

    rendered = render(chart, replaced(base, tuple(key.split(".")), probe["value"]))

    assert _abridged(changed_paths(render(chart, base), rendered)) == probe["rendered"]


@pytest.mark.parametrize("key", OUR_KEYS)
def test_no_key_that_we_write_is_dropped(key: str) -> None:
    assert RECORD["probes"][key]["rendered"] != "dropped"


def _without_own_chart_label(documents: list[Tree]) -> list[Tree]:
    documents = copy.deepcopy(documents)
    for document in documents:
        del document["metadata"]["labels"]["helm.sh/chart"]
    return documents


def _abridged(paths: list[Any]) -> list[str]:
    """The record's form of a long list."""
    return paths if len(paths) <= 12 else [*paths[:12], f"... and {len(paths) - 12} more"]
