from __future__ import annotations

import json
from typing import Any

from constructs.dashboard import Dashboard
from tests.constructs.one_stack import built


def tiles(*, ray_metrics: bool) -> list[dict[str, Any]]:
    stack = built(
        lambda stack: Dashboard(
            stack,
            "dashboard",
            project="my-project",
            title="prod: Ray on GPUs",
            cluster="prod",
            namespace="ray",
            lustre="prod-lustre",
            workers=4,
            ray_metrics=ray_metrics,
        )
    )
    board = stack["resource"]["google_monitoring_dashboard"]["dashboard"]
    assert board["project"] == "my-project"
    content = json.loads(board["dashboard_json"])
    assert content["displayName"] == "prod: Ray on GPUs"
    return content["mosaicLayout"]["tiles"]


def queries(tile: dict[str, Any]) -> list[dict[str, Any]]:
    return [one["timeSeriesQuery"] for one in tile["widget"]["xyChart"]["dataSets"]]


def test_wanted_and_ready_workers_stand_in_one_chart() -> None:
    assert queries(tiles(ray_metrics=False)[0]) == [
        {
            "prometheusQuery": 'sum(kube_pod_container_status_ready{cluster="prod",namespace="ray",'
            'pod=~"ray-[0-9a-f]{10}-gpu-worker-.+",container="ray-worker"}) or vector(0)'
        },
        {"prometheusQuery": "vector(4)"},
    ]


def test_lustre_is_counted_for_the_sites_own_instance() -> None:
    tile = next(tile for tile in tiles(ray_metrics=False) if "read and written" in tile["widget"]["title"])
    assert [query["timeSeriesFilter"]["filter"] for query in queries(tile)] == [
        f'metric.type="lustre.googleapis.com/instance/{name}" resource.type="lustre.googleapis.com/Instance"'
        ' resource.label."instance_id"="prod-lustre"'
        for name in ("read_bytes_total", "write_bytes_total")
    ]


def test_rays_charts_are_there_only_where_rays_metrics_are() -> None:
    def names(with_ray: bool) -> set[str]:
        return {query.get("prometheusQuery", "") for tile in tiles(ray_metrics=with_ray) for query in queries(tile)}

    assert not [query for query in names(False) if "ray_" in query]
    assert 'sum by (State) (ray_resources{cluster="prod",namespace="ray",Name="GPU"})' in names(True)


def test_no_tile_covers_another_and_no_zero_is_written() -> None:
    placed = tiles(ray_metrics=True)
    corners = [(tile.get("xPos", 0), tile.get("yPos", 0)) for tile in placed]
    assert len(set(corners)) == len(placed)
    assert {(tile["width"], tile["height"]) for tile in placed} == {(24, 16)}
    assert {x for x, _ in corners} <= {0, 24}
    # The API leaves zeros out of its answers, so a written one would be a change at every plan.
    assert all(value for tile in placed for value in tile.values())
