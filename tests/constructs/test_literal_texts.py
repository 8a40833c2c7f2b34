"""Texts that a construct is given reach the cloud as they are: Terraform finds no expression in them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from constructs.alerts import Alerts
from constructs.dashboard import Dashboard
from constructs.kuberay_operator import KubeRayOperator
from stacks.site_stack import SiteStack
from tests.constructs.one_stack import built
from tests.stacks.one_platform import LIVE, texts

TEXT = "${text} %{text}"


def alerts(stack: SiteStack) -> None:
    Alerts(
        stack,
        "alerts",
        project="my-project",
        site="prod",
        cluster="prod",
        namespace=TEXT,
        workers=2,
        idle_gpu_minutes=30,
        missing_worker_minutes=30,
        channels=[],
    )


def dashboard(stack: SiteStack) -> None:
    Dashboard(
        stack,
        "dashboard",
        project="my-project",
        title=TEXT,
        cluster="prod",
        namespace="ray",
        lustre="prod-lustre",
        workers=2,
        ray_metrics=True,
    )


def operator(stack: SiteStack) -> None:
    KubeRayOperator(
        stack,
        "operator",
        namespace="kuberay-system",
        name="kuberay-operator",
        repository="https://example.com/",
        version="1.6.2",
        watched_namespace=TEXT,
        addon_enabled="false",
    )


#: Each construct -> how many texts of its JSON hold the text.
PLACES: dict[Callable[[SiteStack], None], int] = {alerts: 3, dashboard: 1, operator: 1}


@pytest.mark.parametrize("construct", PLACES, ids=lambda construct: construct.__name__)
def test_terraform_gets_no_expression_from_a_text(construct: Callable[[SiteStack], None]) -> None:
    found = [text for _, text in texts(built(construct)["resource"]) if "{text}" in text]
    assert len(found) == PLACES[construct]
    assert [text for text in found if LIVE.search(text)] == []
