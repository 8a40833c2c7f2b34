"""The Helm release of the RayCluster."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cdktf_cdktf_provider_helm.release import Release

from constructs.ray_pods import RayCluster
from constructs.ray_release import RayRelease
from constructs.ray_values import chart_values
from stacks.site_stack import SiteStack
from tests.constructs.one_stack import built
from tests.constructs.test_ray_cluster_name import CLUSTER
from tests.helm.render import parse_yaml


def release_of(cluster: RayCluster) -> dict[str, Any]:
    def build(stack: SiteStack) -> None:
        claim, before = (Release(stack, name, name=name, chart=name) for name in ("claim", "before"))
        RayRelease(stack, "ray", cluster=cluster, namespace="training", claim=claim, depends_on=[before])

    return built(build)["resource"]["helm_release"]["ray"]


def test_it_is_the_pinned_chart_rolled_back_when_refused() -> None:
    release = release_of(CLUSTER)
    (values,) = release.pop("values")

    assert release == {
        "atomic": True,
        "chart": "ray-cluster",
        "depends_on": ["helm_release.claim", "helm_release.before"],
        "lifecycle": {"replace_triggered_by": ["helm_release.claim.id"]},
        "max_history": 5,
        "name": CLUSTER.name,
        "namespace": "training",
        "repository": "https://ray-project.github.io/kuberay-helm/",
        # Not known while the claim is not there, with which the provider would promise what it cannot keep.
        "set": [
            {"name": "fullnameOverride", "value": f'${{replace(helm_release.claim.id, "/.+/", "{CLUSTER.name}")}}'}
        ],
        "timeout": 600,
        "version": "1.7.0",
    }
    assert parse_yaml(values.replace("$${", "${").replace("%%{", "%{")) == chart_values(CLUSTER)


def test_another_number_of_workers_changes_the_values_and_nothing_else() -> None:
    two, three = release_of(CLUSTER), release_of(replace(CLUSTER, workers=replace(CLUSTER.workers, count=3)))
    values = [release.pop("values")[0].splitlines() for release in (two, three)]

    assert two == three
    assert [(before.strip(), after.strip()) for before, after in zip(*values, strict=True) if before != after] == [
        ("replicas: 2", "replicas: 3"),
        ("minReplicas: 2", "minReplicas: 3"),
        ("maxReplicas: 2", "maxReplicas: 3"),
    ]


def test_another_image_is_another_release() -> None:
    assert release_of(CLUSTER)["name"] != release_of(replace(CLUSTER, image="example.com/nemo-rl:mine"))["name"]


def test_terraform_gets_no_expression_from_a_users_text() -> None:
    (values,) = release_of(replace(CLUSTER, environment={"A": "${b} %{c} $d %e"}))["values"]

    assert 'value: "$${b} %%{c} $d %e"' in values
    assert "$${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" in values
