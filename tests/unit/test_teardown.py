"""A site is destroyed only when nothing protects it, its jobs first."""

from __future__ import annotations

from typing import Any

from settings.environment import Environment
from tests.support import MINIMAL, environment
from tools.leftovers import commands
from tools.teardown import refusals, stacks

OPEN = "name: prod\n" + MINIMAL + "lustre: {deletion_protection: false}\ncluster: {deletion_protection: false}\n"


def state(*, protected: bool) -> dict[str, Any]:
    """The cluster stack's state, as `terraform show -json` writes it."""
    cluster = {"mode": "managed", "type": "google_container_cluster", "values": {"deletion_protection": protected}}
    return {"format_version": "1.0", "values": {"root_module": {"resources": [cluster]}}}


def test_both_protections_are_named_with_what_takes_them_off() -> None:
    env = environment("name: prod\n" + MINIMAL)
    assert list(refusals(env, None, ())) == [
        "environments/prod.yaml: lustre.deletion_protection is on; copy away what you keep (docs/teardown.md), then"
        " write false (no apply is needed)",
        "environments/prod.yaml: cluster.deletion_protection is on; write false and deploy prod_cluster, since the"
        " cluster itself keeps the switch",
    ]


def test_a_switch_that_was_not_applied_still_protects_the_cluster() -> None:
    env = environment(OPEN)
    assert list(refusals(env, state(protected=True), ())) == [
        "environments/prod.yaml: cluster.deletion_protection is false, but not applied yet; deploy prod_cluster first"
    ]
    assert list(refusals(env, state(protected=False), ())) == []
    assert list(refusals(env, {"format_version": "1.0"}, ())) == []


def test_a_job_that_is_no_longer_listed_and_still_has_state_is_named() -> None:
    assert list(refusals(environment(OPEN), None, ("job_prod_old",))) == [
        "environments/prod.yaml: jobs does not list old, which still has state; list it again, and destroy then"
    ]


def test_jobs_go_before_the_layers() -> None:
    env: Environment = environment(OPEN + "jobs: [gemma3-1b-smoke]\n")
    assert stacks(env) == (
        ("job_prod_gemma3-1b-smoke",),
        ("prod_network", "prod_storage", "prod_cluster", "prod_platform"),
    )


def test_leftovers_are_named_by_this_sites_cluster_and_networks_and_nothing_is_deleted() -> None:
    lines = list(commands(environment("name: prod\n" + MINIMAL)))
    assert (
        "gcloud compute firewall-rules list --project=my-project"
        " --filter='network:prod-net AND name~^(gke-prod-|k8s-)'" in lines
    )
    assert "gcloud compute networks peerings list --project=my-project --network=prod-net" in lines
    assert [line for line in lines if " delete " in line and not line.startswith("# ")] == []
