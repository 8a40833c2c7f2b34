from __future__ import annotations

from typing import Any

from constructs.alerts import Alerts
from tests.constructs.one_stack import built

CHANNEL = "projects/my-project/notificationChannels/1"
READY = (
    'sum(kube_pod_container_status_ready{cluster="prod",namespace="ray",pod=~"ray-[0-9a-f]{10}-gpu-worker-.+",'
    'container="ray-worker"})'
)


def policies(*, workers: int) -> dict[str, Any]:
    stack = built(
        lambda stack: Alerts(
            stack,
            "alerts",
            project="my-project",
            site="prod",
            cluster="prod",
            namespace="ray",
            workers=workers,
            idle_gpu_minutes=30,
            missing_worker_minutes=45,
            channels=[CHANNEL],
        )
    )
    return stack["resource"]["google_monitoring_alert_policy"]


def test_idle_gpus_alert_while_workers_are_up() -> None:
    policy = policies(workers=2)["alerts-idle-gpus"]
    assert policy.pop("documentation")["mime_type"] == "text/markdown"
    assert policy == {
        "project": "my-project",
        "display_name": "prod: GPUs are idle",
        "combiner": "OR",
        "severity": "WARNING",
        "notification_channels": [CHANNEL],
        "conditions": [
            {
                "display_name": "GPUs are idle",
                "condition_prometheus_query_language": {
                    "query": f'(max(DCGM_FI_DEV_GPU_UTIL{{cluster="prod"}}) < 1) and on() ({READY} > 0)',
                    "duration": "1800s",
                    "evaluation_interval": "60s",
                    "disable_metric_validation": True,
                },
            }
        ],
    }


def test_missing_workers_alert_even_when_none_is_up() -> None:
    (condition,) = policies(workers=2)["alerts-missing-workers"]["conditions"]
    assert condition["condition_prometheus_query_language"] == {
        "query": f"({READY} or vector(0)) < 2",
        "duration": "2700s",
        "evaluation_interval": "60s",
        "disable_metric_validation": True,
    }


def test_no_worker_can_be_missing_where_none_is_wanted() -> None:
    assert list(policies(workers=0)) == ["alerts-idle-gpus"]
