"""A Cloud Monitoring dashboard of one site: GPUs, Ray, Lustre, network."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from cdktf_cdktf_provider_google.monitoring_dashboard import MonitoringDashboard

from catalog import metrics
from catalog.terraform import literal
from constructs import Construct
from constructs.ray_pods import SITE_WORKERS

_COLUMNS, _WIDTH, _HEIGHT = 48, 24, 16
_Json = Mapping[str, Any]


class Dashboard(Construct):
    """A dashboard with two charts a row, all with metrics of `catalog/metrics.py`.

    `ray_metrics` says whether Ray's own metrics are collected; without them their charts are left out.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        project: str,
        title: str,
        cluster: str,
        namespace: str,
        lustre: str,
        workers: int,
        ray_metrics: bool,
    ) -> None:
        super().__init__(scope, id_)
        charts = [*_gpus(cluster, namespace, workers), *_lustre(lustre), *_nodes(cluster)]
        if ray_metrics:
            charts += _ray(cluster, namespace)
        board = {
            "displayName": title,
            "mosaicLayout": {"columns": _COLUMNS, "tiles": [_tile(place, chart) for place, chart in enumerate(charts)]},
        }
        MonitoringDashboard(self, "Default", project=project, dashboard_json=literal(json.dumps(board, sort_keys=True)))


def _gpus(cluster: str, namespace: str, workers: int) -> list[_Json]:
    ready = f'{metrics.CONTAINER_READY}{{cluster="{cluster}",namespace="{namespace}",pod=~"{SITE_WORKERS}"'
    return [
        _chart(
            "Ray workers: ready, and wanted",
            _promql(f'sum({ready},container="{metrics.WORKER_CONTAINER}"}}) or vector(0)'),
            _promql(f"vector({workers})"),
        ),
        _chart(
            "GPU utilization by node, percent",
            _promql(f'avg by (instance) ({metrics.GPU_UTILIZATION}{{cluster="{cluster}"}})'),
        ),
        _chart(
            "GPU memory in use by node, MiB",
            _promql(f'sum by (instance) ({metrics.GPU_MEMORY_USED}{{cluster="{cluster}"}})'),
        ),
    ]


def _ray(cluster: str, namespace: str) -> list[_Json]:
    site = f'cluster="{cluster}",namespace="{namespace}"'
    return [
        _chart(
            "GPUs that Ray has given out, and has left",
            _promql(f'sum by (State) ({metrics.RAY_RESOURCES}{{{site},Name="GPU"}})'),
        ),
        _chart("Ray actors by state", _promql(f"sum by (State) ({metrics.RAY_ACTORS}{{{site}}})")),
        _chart(
            "Memory in use by Ray node, bytes",
            _promql(f"sum by (instance) ({metrics.RAY_NODE_MEMORY_USED}{{{site}}})"),
        ),
        _chart(
            "Ray object store by location, bytes",
            _promql(f"sum by (Location) ({metrics.RAY_OBJECT_STORE_MEMORY}{{{site}}})"),
        ),
    ]


def _lustre(instance: str) -> list[_Json]:
    one = f'resource.type="{metrics.LUSTRE_RESOURCE}" resource.label."instance_id"="{instance}"'
    return [
        _chart(
            "Lustre: read and written, bytes a second",
            _filter(f'metric.type="{metrics.LUSTRE_READ_BYTES}" {one}', rate=True, by=()),
            _filter(f'metric.type="{metrics.LUSTRE_WRITTEN_BYTES}" {one}', rate=True, by=()),
        ),
        _chart(
            "Lustre: space left by component, bytes",
            _filter(
                f'metric.type="{metrics.LUSTRE_AVAILABLE_BYTES}" {one}', rate=False, by=('metric.label."component"',)
            ),
        ),
    ]


def _nodes(cluster: str) -> list[_Json]:
    one = f'resource.type="k8s_node" resource.label."cluster_name"="{cluster}"'
    by = ('resource.label."node_name"',)
    return [
        _chart(
            "Network of the nodes, as GKE counts it: received and sent, bytes a second",
            _filter(f'metric.type="{metrics.NODE_RECEIVED_BYTES}" {one}', rate=True, by=by),
            _filter(f'metric.type="{metrics.NODE_SENT_BYTES}" {one}', rate=True, by=by),
        ),
    ]


def _promql(query: str) -> _Json:
    return {"prometheusQuery": query}


def _filter(text: str, *, rate: bool, by: Sequence[str]) -> _Json:
    """Points a minute apart: the rate of a count or the mean of a level, summed by the given labels."""
    aggregation: dict[str, Any] = {
        "alignmentPeriod": "60s",
        "perSeriesAligner": "ALIGN_RATE" if rate else "ALIGN_MEAN",
        "crossSeriesReducer": "REDUCE_SUM",
    }
    if by:
        aggregation["groupByFields"] = list(by)
    return {"timeSeriesFilter": {"filter": text, "aggregation": aggregation}}


def _chart(title: str, *queries: _Json) -> _Json:
    return {
        "title": title,
        "xyChart": {"dataSets": [{"timeSeriesQuery": query, "plotType": "LINE"} for query in queries]},
    }


def _tile(place: int, chart: _Json) -> _Json:
    row, column = divmod(place, _COLUMNS // _WIDTH)
    # The API leaves zeros out of its answer, which Terraform would take for a change: none are written.
    position = {name: value for name, value in (("xPos", column * _WIDTH), ("yPos", row * _HEIGHT)) if value}
    return {"width": _WIDTH, "height": _HEIGHT, "widget": chart, **position}
