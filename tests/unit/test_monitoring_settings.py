from __future__ import annotations

from pathlib import Path

import pytest

from settings.monitoring import Monitoring
from tests.support import MINIMAL, faults


def test_logs_metrics_and_dashboard_are_on_and_alerts_are_off() -> None:
    monitoring = Monitoring()
    assert (monitoring.logs, monitoring.metrics, monitoring.dashboard) == (True, True, True)
    assert monitoring.alerts.enabled is False


@pytest.mark.parametrize(
    ("alerts", "fault"),
    [
        (
            "channels: [me@example.com]",
            'channels[0] is "me@example.com", not a notification channel; write'
            " projects/PROJECT/notificationChannels/ID",
        ),
        ("idle_gpu_minutes: 1", "idle_gpu_minutes is 1; write 5 or more"),
        ("missing_worker_minutes: 2000", "missing_worker_minutes is 2000; write 1380 or less"),
    ],
)
def test_what_cloud_monitoring_would_refuse_is_refused_here(tmp_path: Path, alerts: str, fault: str) -> None:
    assert faults(tmp_path, prod=f"{MINIMAL}monitoring: {{alerts: {{{alerts}}}}}\n") == [
        f"environments/prod.yaml: monitoring.alerts.{fault}"
    ]
