"""Alert policies of one site."""

from __future__ import annotations

from collections.abc import Sequence

from cdktf_cdktf_provider_google.monitoring_alert_policy import (
    MonitoringAlertPolicy,
    MonitoringAlertPolicyConditions,
    MonitoringAlertPolicyConditionsConditionPrometheusQueryLanguage,
    MonitoringAlertPolicyDocumentation,
)

from catalog import metrics
from catalog.terraform import literal
from constructs import Construct
from constructs.ray_pods import SITE_WORKERS


class Alerts(Construct):
    """Two alert policies: idle GPUs that are paid for, and Ray workers that are missing.

    A condition has to hold for the given minutes without a break. Neither policy is checked for whether its metrics
    exist, since a site's first metric comes with its first node.

    Workers are those of the site's RayCluster; the ones that a job brings along hide none of them. With no `workers`
    wanted, none can be missing, and that policy is left out.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        project: str,
        site: str,
        cluster: str,
        namespace: str,
        workers: int,
        idle_gpu_minutes: int,
        missing_worker_minutes: int,
        channels: Sequence[str],
    ) -> None:
        super().__init__(scope, id_)
        self._project, self._site, self._channels = project, site, list(channels)
        ready = (
            f'sum({metrics.CONTAINER_READY}{{cluster="{cluster}",namespace="{namespace}",pod=~"{SITE_WORKERS}",'
            f'container="{metrics.WORKER_CONTAINER}"}})'
        )
        busiest = f'max({metrics.GPU_UTILIZATION}{{cluster="{cluster}"}})'
        self._policy(
            "idle-gpus",
            title="GPUs are idle",
            query=f"({busiest} < 1) and on() ({ready} > 0)",
            minutes=idle_gpu_minutes,
            advice=f"No GPU of the site has computed for {idle_gpu_minutes} minutes, while Ray workers hold its nodes."
            " Start a job, or set ray.workers to 0 and deploy the platform to hand the nodes back.",
        )
        if workers:
            self._policy(
                "missing-workers",
                title="Ray workers are missing",
                query=f"({ready} or vector(0)) < {workers}",
                minutes=missing_worker_minutes,
                advice=f"Fewer than {workers} Ray workers have been ready for {missing_worker_minutes} minutes. See"
                f" `kubectl -n {namespace} get pods` and the troubleshooting table of the README.",
            )

    def _policy(self, id_: str, *, title: str, query: str, minutes: int, advice: str) -> None:
        MonitoringAlertPolicy(
            self,
            id_,
            project=self._project,
            display_name=f"{self._site}: {title}",
            combiner="OR",
            conditions=[
                MonitoringAlertPolicyConditions(
                    display_name=title,
                    condition_prometheus_query_language=MonitoringAlertPolicyConditionsConditionPrometheusQueryLanguage(
                        query=literal(query),
                        duration=f"{minutes * 60}s",
                        evaluation_interval="60s",
                        disable_metric_validation=True,
                    ),
                )
            ],
            notification_channels=self._channels,
            documentation=MonitoringAlertPolicyDocumentation(content=literal(advice), mime_type="text/markdown"),
            severity="WARNING",
        )
