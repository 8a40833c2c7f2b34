"""Logs, metrics, dashboard and alerts of the Ray cluster."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from settings.yaml_file import Section

_CHANNEL = re.compile(r"projects/[^/\s]+/notificationChannels/[^/\s]+")


def _channel(name: str) -> str:
    if not _CHANNEL.fullmatch(name):
        raise ValueError(", not a notification channel; write projects/PROJECT/notificationChannels/ID")
    return name


class Alerts(Section):
    """Alert policies in Cloud Monitoring."""

    enabled: bool = False
    """Whether the alert policies exist."""

    idle_gpu_minutes: Annotated[int, Field(ge=5, le=1380)] = 30
    """Minutes for which no GPU of the site computes, while Ray workers are up, before an alert opens."""

    missing_worker_minutes: Annotated[int, Field(ge=5, le=1380)] = 30
    """Minutes for which fewer Ray workers are ready than `ray.workers` says before an alert opens. Leave time for a GPU
    node to come up and to pull an image of more than 20 GB."""

    channels: tuple[Annotated[str, AfterValidator(_channel)], ...] = ()
    """Notification channels, `projects/PROJECT/notificationChannels/ID`. Left out, an alert only shows in the
    console."""


class Monitoring(Section):
    """What is collected from the Ray pods, and what is made of it."""

    logs: bool = True
    """Whether Ray's log files reach Cloud Logging: by the Ray add-on, or, with the operator chart, by a fluent-bit
    container in each Ray pod. Never both."""

    metrics: bool = True
    """Whether Ray's metrics reach Managed Prometheus: by the Ray add-on, or, with the operator chart, by a
    PodMonitoring object. Never both."""

    dashboard: bool = True
    """Whether there is a Cloud Monitoring dashboard of the GPUs and of Ray."""

    alerts: Alerts = Alerts()
    """Alert policies; off unless enabled."""
