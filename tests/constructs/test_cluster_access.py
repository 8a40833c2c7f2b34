from __future__ import annotations

from typing import Any, Literal

import pytest

from constructs.cluster_access import ClusterAccess, HelmAccess
from stacks.site_stack import SiteStack
from tests.constructs.one_stack import built

CLUSTER = "data.google_container_cluster.cluster"
AUTHORITY = f"${{base64decode({CLUSTER}.master_auth[0].cluster_ca_certificate)}}"
TOKEN = "${data.google_client_config.cluster-client.access_token}"
PLUGIN = {"api_version": "client.authentication.k8s.io/v1beta1", "command": "gke-gcloud-auth-plugin"}


def signed_in(
    *,
    endpoint: Literal["dns", "public", "private"] = "dns",
    credentials: Literal["token", "plugin"] = "token",
    show_manifests: bool = False,
) -> dict[str, Any]:
    def build(stack: SiteStack) -> None:
        access = ClusterAccess(
            stack,
            "cluster",
            project="my-project",
            location="us-central1",
            cluster="prod",
            endpoint=endpoint,
            credentials=credentials,
        )
        HelmAccess(stack, "helm", cluster=access, show_manifests=show_manifests)
        access.warn_of_another_minor(stack, minor="1.34")

    return built(build)


def test_the_cluster_is_read_by_its_name_and_waits_for_nothing() -> None:
    assert signed_in()["data"]["google_container_cluster"] == {
        "cluster": {"name": "prod", "project": "my-project", "location": "us-central1"}
    }


def test_the_dns_endpoint_has_a_public_certificate_so_no_authority_is_named() -> None:
    host = f"https://${{{CLUSTER}.control_plane_endpoints_config[0].dns_endpoint_config[0].endpoint}}"
    providers = signed_in(endpoint="dns")["provider"]
    assert providers["kubernetes"] == [{"host": host, "token": TOKEN}]
    assert providers["helm"] == [{"kubernetes": {"host": host, "token": TOKEN}}]


@pytest.mark.parametrize(
    ("endpoint", "address"),
    [("public", f"{CLUSTER}.endpoint"), ("private", f"{CLUSTER}.private_cluster_config[0].private_endpoint")],
)
def test_an_address_comes_with_the_clusters_own_authority(endpoint: Literal["public", "private"], address: str) -> None:
    signed = {"host": f"https://${{{address}}}", "cluster_ca_certificate": AUTHORITY, "token": TOKEN}
    providers = signed_in(endpoint=endpoint)["provider"]
    assert providers["kubernetes"] == [signed]
    assert providers["helm"] == [{"kubernetes": signed}]


def test_with_the_plugin_nothing_that_signs_in_is_read_and_so_kept_in_the_state() -> None:
    stack = signed_in(credentials="plugin")
    assert list(stack["data"]) == ["google_container_cluster"]
    assert stack["provider"]["kubernetes"][0]["exec"] == [PLUGIN]
    assert stack["provider"]["helm"][0]["kubernetes"]["exec"] == PLUGIN
    assert "token" not in stack["provider"]["kubernetes"][0]
    assert "token" not in stack["provider"]["helm"][0]["kubernetes"]


def test_plans_show_what_releases_render_to_only_on_request() -> None:
    assert "experiments" not in signed_in(show_manifests=False)["provider"]["helm"][0]
    assert signed_in(show_manifests=True)["provider"]["helm"][0]["experiments"] == {"manifest": True}


def test_another_minor_of_the_control_plane_is_a_warning_that_survives_a_missing_cluster() -> None:
    (assertion,) = signed_in()["check"]["gke-version"]["assert"]
    assert assertion["condition"] == f'${{try(startswith({CLUSTER}.master_version, "1.34."), false)}}'
    assert assertion["error_message"].startswith("cluster.version is 1.34, but the control plane runs ${try(")
