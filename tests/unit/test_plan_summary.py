"""What a plan does is said by address, and what is dangerous about it on top, in plain words."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tools.plan_summary import LIMIT, as_markdown, as_text, summarize, upstream

Json = dict[str, Any]


def change(
    address: str, actions: list[str], before: Json | None = None, after: Json | None = None, **more: Any
) -> Json:
    """One entry of `resource_changes`, in the documented format."""
    rest = {key: more.pop(key) for key in ("before_sensitive", "after_sensitive", "after_unknown") if key in more}
    rest |= {key: more.pop(key) for key in ("replace_paths", "importing") if key in more}
    return {
        "address": address,
        "mode": "managed",
        "type": address.partition(".")[0],
        "change": {"actions": actions, "before": before, "after": after, **rest},
        **more,
    }


def plan(*changes: Json, checks: list[Json] | None = None) -> Json:
    return {"format_version": "1.2", "resource_changes": list(changes), "checks": checks or []}


def test_a_plan_without_changes_says_so_and_ends_with_0() -> None:
    summary = summarize(plan(change("google_compute_network.main", ["no-op"], {}, {})))
    assert (as_text("prod_network", summary), summary.status) == ("prod_network: no changes\n", 0)


def test_changes_are_listed_by_what_happens_with_old_and_new_values() -> None:
    summary = summarize(
        plan(
            change("google_compute_subnetwork.rdma-subnet-0", ["create"], None, {"name": "a"}),
            change(
                "google_container_node_pool.gpu-pool",
                ["update"],
                {"autoscaling": [{"total_max_node_count": 2}], "id": "x"},
                {"autoscaling": [{"total_max_node_count": 3}], "id": "x"},
            ),
            change("google_compute_network.old", ["no-op"], {}, {}, previous_address="google_compute_network.older"),
            change("google_compute_network.main", ["no-op"], {}, {}, importing={"id": "projects/p/net"}),
            {
                "address": "data.google_compute_network.main",
                "mode": "data",
                "type": "x",
                "change": {"actions": ["read"]},
            },
        )
    )
    assert summary.status == 2
    assert as_text("prod_cluster", summary) == (
        "prod_cluster: 1 changed, 1 created, 1 imported, 1 moved\n\n"
        "Changed\n  google_container_node_pool.gpu-pool\n"
        '    autoscaling: [{"total_max_node_count": 2}] -> [{"total_max_node_count": 3}]\n\n'
        "Created\n  google_compute_subnetwork.rdma-subnet-0\n\n"
        "Imported\n  google_compute_network.main\n\n"
        "Moved\n  google_compute_network.old\n"
    )


GPU = {"node_config": [{"guest_accelerator": [{"type": "nvidia-b200"}]}]}
DANGEROUS: list[tuple[Json, str]] = [
    (
        change("google_lustre_instance.lustre", ["delete"], {"name": "l"}),
        "DESTROYS the Lustre instance, with all data on it: google_lustre_instance.lustre",
    ),
    (
        change("google_lustre_instance.lustre", ["delete", "create"], {}, {}),
        "REPLACES the Lustre instance, with all data on it: google_lustre_instance.lustre",
    ),
    (
        change("google_container_node_pool.gpu-pool", ["delete", "create"], GPU, GPU),
        "REPLACES the GPU pool: every GPU node and what runs there: google_container_node_pool.gpu-pool",
    ),
    (
        change("google_container_node_pool.cpu-pool", ["delete"], {"node_config": [{}]}),
        "DESTROYS the CPU pool: every CPU node, the Ray head's too: google_container_node_pool.cpu-pool",
    ),
    (
        change("google_container_cluster.cluster", ["create", "delete"], {}, {}),
        "REPLACES the cluster, with all that runs in it: google_container_cluster.cluster",
    ),
    (
        change("google_compute_subnetwork.rdma-subnet-3", ["delete"], {}),
        "DESTROYS a subnet, and whatever stands in it with it: google_compute_subnetwork.rdma-subnet-3",
    ),
    (
        change("kubernetes_manifest.job", ["delete", "create"], {"manifest": {"kind": "RayJob"}}, {}),
        "REPLACES a RayJob, which stops it if it still runs: kubernetes_manifest.job",
    ),
    (
        change("helm_release.ray", ["delete", "create"], {"chart": "ray-cluster"}, {"chart": "ray-cluster"}),
        "REPLACES the RayCluster: all Ray pods go, and a running job ends: helm_release.ray",
    ),
    (
        change("kubernetes_persistent_volume_claim_v1.lustre", ["delete"], {}),
        "DESTROYS what the Ray pods live on: kubernetes_persistent_volume_claim_v1.lustre",
    ),
]


@pytest.mark.parametrize(("entry", "line"), DANGEROUS, ids=[line for _, line in DANGEROUS])
def test_what_is_dangerous_here_comes_first_in_plain_words_and_ends_with_3(entry: Json, line: str) -> None:
    summary = summarize(plan(entry))
    assert (summary.dangers, summary.status) == ((line,), 3)
    assert as_text("s", summary).splitlines()[2:4] == ["Look twice", f"  {line}"]


def test_a_changed_number_of_workers_is_no_danger() -> None:
    entry = change("helm_release.ray", ["update"], {"chart": "ray-cluster"}, {"chart": "ray-cluster", "version": "2"})
    assert summarize(plan(entry)).dangers == ()


def test_sensitive_values_stay_masked_at_any_depth() -> None:
    secret = "hf_recognisable"
    text = as_markdown(
        "s",
        summarize(
            plan(
                change(
                    "kubernetes_secret_v1.tokens",
                    ["update"],
                    {"data": {"token": secret, "open": "a"}, "list": [{"key": secret}], "all": secret},
                    {
                        "data": {"token": secret + "2", "open": "b"},
                        "list": [{"key": secret + "2"}],
                        "all": "2" + secret,
                    },
                    before_sensitive={"data": {"token": True}, "list": [{"key": True}], "all": True},
                    after_sensitive={"data": {"token": True}, "list": [{"key": True}], "all": True},
                )
            )
        ),
    )
    assert "recognisable" not in text
    assert '`data: {"open": "a", "token": "(sensitive)"} -> {"open": "b", "token": "(sensitive)"}`' in text


def test_what_forces_a_replacement_and_what_is_not_known_yet_is_said() -> None:
    entry = change(
        "google_container_node_pool.gpu-pool",
        ["delete", "create"],
        {"placement_policy": [], "id": "a", **GPU},
        {"placement_policy": [{"type": "COMPACT"}], **GPU},
        after_unknown={"id": True},
        replace_paths=[["placement_policy"]],
    )
    (replaced,) = summarize(plan(entry)).changes
    assert replaced.edits == ('placement_policy: [] -> [{"type": "COMPACT"}] (forces replacement)',)


def test_a_check_that_failed_is_told() -> None:
    check: Json = {"instances": [{"status": "fail", "problems": [{"message": "The job failed."}]}], "address": {}}
    assert as_text("s", summarize(plan(checks=[check]))).splitlines() == [
        "s: no changes",
        "",
        "Checks that failed",
        "  The job failed.",
    ]


def test_a_comment_begins_with_its_marker_and_fits_githubs_limit() -> None:
    many = [change(f"google_compute_network.n{index}", ["create"], None, {}) for index in range(5000)]
    text = as_markdown("prod_network", summarize(plan(*many)))
    assert text.startswith("<!-- plan of prod_network -->\n**prod_network**: 5000 created\n")
    assert LIMIT < len(text) < 65_536


def test_a_stack_whose_upstream_is_not_there_waits_and_another_failure_does_not() -> None:
    absent = "Error: projects/p/global/networks/prod-net not found\n\n  with data.google_compute_network.main\n"
    broken = "Error: Reference to undeclared resource\n"
    assert upstream("prod_cluster", absent, ["prod_network"]) == "waits for prod_network, which does not exist yet"
    assert upstream("prod_cluster", broken, ["prod_network"]) is None
    assert upstream("prod_cluster", absent + broken, ["prod_network"]) is None


@pytest.mark.skipif(not shutil.which("terraform"), reason="terraform is not on the PATH")
def test_a_plan_of_the_real_terraform_is_read(tmp_path: Path) -> None:
    stack = {
        "variable": {"token": {"type": "string", "sensitive": True, "default": "hf_recognisable"}},
        "resource": {"terraform_data": {"network": {"input": "a"}, "secret": {"input": "${var.token}"}}},
    }
    (tmp_path / "main.tf.json").write_text(json.dumps(stack), encoding="utf-8")
    for arguments in (["init", "-input=false"], ["plan", "-input=false", "-out=plan"]):
        subprocess.run(["terraform", *arguments], cwd=tmp_path, check=True, capture_output=True)
    shown = subprocess.run(["terraform", "show", "-json", "plan"], cwd=tmp_path, check=True, capture_output=True)
    text = as_text("s", summarize(json.loads(shown.stdout)))
    assert text == "s: 2 created\n\nCreated\n  terraform_data.network\n  terraform_data.secret\n"
