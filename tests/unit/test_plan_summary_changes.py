"""A plan is read as the format is documented: what happens to each object, value by value, and nothing secret."""

from __future__ import annotations

from typing import Any

import pytest

from tests.plans import REPLACE, entry, plan
from tools.plan_summary.changes import Edit, PlanFormatError, read_plan

SECRET = "hf_recognisable"


@pytest.mark.parametrize(
    ("actions", "action"),
    [
        (["create"], "create"),
        (["read"], "read"),
        (["update"], "update"),
        (["delete"], "destroy"),
        (["forget"], "forget"),
        (["delete", "create"], "replace"),
        (["create", "delete"], "replace"),
        (["create", "forget"], "replace"),
        (["forget", "create"], "replace"),
        (["dance"], "dance"),
    ],
)
def test_each_documented_action_has_its_word_and_an_unknown_one_keeps_its_own(actions: list[str], action: str) -> None:
    (change,) = plan(entry("terraform_data.a", actions, {}, {})).changes
    assert change.action == action


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("replace_because_tainted", "tainted"),
        ("replace_by_request", "asked for by -replace"),
        ("replace_by_triggers", "asked for by replace_triggered_by"),
        ("delete_because_no_resource_config", "no longer in the code"),
        ("delete_because_no_module", "no longer in the code"),
        ("delete_because_no_move_target", "no longer in the code"),
        ("replace_because_cannot_update", ""),
    ],
)
def test_a_reason_is_told_as_one_would_say_it_where_it_says_something(code: str, reason: str) -> None:
    (change,) = plan(entry("terraform_data.a", REPLACE, {}, {}, action_reason=code)).changes
    assert change.reason == reason


def test_a_member_that_is_known_only_after_the_apply_is_told_at_its_place() -> None:
    (change,) = plan(
        entry(
            "terraform_data.a",
            "update",
            {"input": ["a", "b"]},
            {"input": ["a", None]},
            after_unknown={"input": [False, True]},
        )
    ).changes
    assert change.edits == (Edit(path=("input", 1), old="b", new=None, unknown=True),)


def test_a_secret_that_is_known_only_after_the_apply_changes_too() -> None:
    (change,) = plan(
        entry("a.b", "update", {"x": None}, {"x": None}, after_sensitive={"x": True}, after_unknown={"x": True})
    ).changes
    assert change.edits == (Edit(path=("x",), old="(sensitive)", new="(sensitive)"),)


@pytest.mark.parametrize("forced", [["x"], ["x", 0], ["x", 0, "y"], ["x", 0, "y", "z"]])
def test_a_path_above_or_below_a_value_forces_its_replacement_too(forced: list[str | int]) -> None:
    (change,) = plan(
        entry("a.b", REPLACE, {"x": [{"y": 1}], "w": 1}, {"x": [{"y": 2}], "w": 2}, replace_paths=[forced])
    ).changes
    assert [(edit.place, edit.forces) for edit in change.edits] == [("w", False), ("x[0].y", True)]


def test_a_plan_of_nothing_but_values_is_a_plan() -> None:
    assert read_plan({"format_version": "1.2", "planned_values": {}}).changes == ()


def test_an_import_by_an_identity_is_told_without_an_id() -> None:
    (change,) = plan(entry("a.b", "no-op", {}, {}, importing={"identity": {"name": "n"}})).changes
    assert change.imported == "an identity"


def test_what_stays_as_it_is_is_left_out() -> None:
    assert plan(entry("terraform_data.a", "no-op", {"input": 1}, {"input": 1})).changes == ()


def test_an_import_and_a_move_are_told_with_where_they_come_from() -> None:
    imported, moved, both = plan(
        entry("google_compute_network.main", "no-op", {}, {}, importing={"id": "projects/p/global/networks/n"}),
        entry("google_compute_network.new", "no-op", {}, {}, previous_address="google_compute_network.old"),
        entry("google_compute_network.mtu", "update", {"mtu": 1460}, {"mtu": 8896}, importing={"id": "n"}),
    ).changes
    assert (imported.action, imported.imported) == ("none", "projects/p/global/networks/n")
    assert (moved.action, moved.moved) == ("none", "google_compute_network.old")
    assert (both.action, both.imported, both.edits) == ("update", "n", (Edit(path=("mtu",), old=1460, new=8896),))


def test_a_changed_value_is_found_at_its_own_place_and_what_forces_the_replacement_is_marked() -> None:
    (change,) = plan(
        entry(
            "google_container_node_pool.gpu-pool",
            REPLACE,
            {"id": "x", "node_config": [{"spot": False, "disk_size_gb": 100}], "name": "gpu-pool"},
            {"node_config": [{"spot": True, "disk_size_gb": 200}], "name": "gpu-pool"},
            after_unknown={"id": True, "node_config": [{}]},
            replace_paths=[["node_config", 0, "spot"]],
        )
    ).changes
    assert change.edits == (
        Edit(path=("node_config", 0, "disk_size_gb"), old=100, new=200),
        Edit(path=("node_config", 0, "spot"), old=False, new=True, forces=True),
    )
    assert [edit.place for edit in change.edits] == ["node_config[0].disk_size_gb", "node_config[0].spot"]


def test_a_value_known_only_after_the_apply_is_told_where_it_forces_a_replacement_or_is_all_that_changes() -> None:
    forced, alone, new = plan(
        entry("terraform_data.a", REPLACE, {"x": 1, "y": 1}, {}, after_unknown={"x": True}, replace_paths=[["x"]]),
        entry("terraform_data.b", "update", {"x": 1}, {}, after_unknown={"x": True}),
        entry("terraform_data.c", "update", {}, {}, after_unknown={"x": True}),
    ).changes
    assert forced.edits[0] == Edit(path=("x",), old=1, new=None, unknown=True, forces=True)
    assert alone.edits == (Edit(path=("x",), old=1, new=None, unknown=True),)
    assert new.edits == (Edit(path=("x",), old=None, new=None, unknown=True),)


def test_a_list_that_grows_or_shrinks_tells_which_members_come_and_go() -> None:
    (change,) = plan(
        entry("google_container_cluster.cluster", "update", {"zones": ["a", "b", "c"]}, {"zones": ["b"]})
    ).changes
    assert change.edits == (Edit(path=("zones",), old=["a", "c"], new=[], items=True),)


def test_a_member_that_a_list_has_less_often_goes() -> None:
    (change,) = plan(entry("terraform_data.a", "update", {"input": [1, 1]}, {"input": [1]})).changes
    assert change.edits == (Edit(path=("input",), old=[1], new=[], items=True),)


def test_true_and_1_are_two_values() -> None:
    (change,) = plan(entry("terraform_data.a", "update", {"input": True}, {"input": 1})).changes
    assert [(edit.old, edit.new) for edit in change.edits] == [(True, 1)]


def test_members_of_a_list_in_another_order_are_changes_since_the_order_of_cards_matters() -> None:
    (change,) = plan(
        entry(
            "google_container_node_pool.gpu-pool",
            "update",
            {"nets": [{"n": 1}, {"n": 2}]},
            {"nets": [{"n": 2}, {"n": 1}]},
        )
    ).changes
    assert [(edit.place, edit.old, edit.new) for edit in change.edits] == [("nets[0].n", 1, 2), ("nets[1].n", 2, 1)]


def test_null_for_an_empty_value_is_no_change_except_in_a_manifest() -> None:
    pool, manifest = plan(
        entry("google_container_node_pool.p", "update", {"tags": [], "a": 1}, {"tags": None, "a": 2}),
        entry("kubernetes_manifest.m", "update", {"manifest": {"a": False}}, {"manifest": {"a": None}}),
    ).changes
    assert [edit.place for edit in pool.edits] == ["a"]
    assert [edit.place for edit in manifest.edits] == ["manifest.a"]


def test_a_manifest_is_told_once_though_the_provider_has_it_twice() -> None:
    both, by_hand = plan(
        entry(
            "kubernetes_manifest.m",
            "update",
            {"manifest": {"a": 1}, "object": {"a": 1}},
            {"manifest": {"a": 2}, "object": {"a": 2}},
        ),
        entry("kubernetes_manifest.n", "update", {"object": {"a": 1}}, {"object": {"a": 2}}),
    ).changes
    assert [edit.place for edit in both.edits] == ["manifest.a"]
    assert [edit.place for edit in by_hand.edits] == ["object.a"]


def test_a_text_that_holds_json_is_compared_value_by_value() -> None:
    (change,) = plan(
        entry(
            "helm_release.ray",
            "update",
            {"manifest": '{"raycluster/ray": {"spec": {"replicas": 2}}}'},
            {"manifest": '{"raycluster/ray": {"spec": {"replicas": 3}}}'},
        )
    ).changes
    assert change.edits == (Edit(path=("manifest", "raycluster/ray", "spec", "replicas"), old=2, new=3),)


SECRETS: list[tuple[str, Any, Any, Any, Any]] = [
    ("whole", {"a": SECRET}, {"a": SECRET + "2"}, {"a": True}, {"a": True}),
    ("in a block", {"a": [{"b": {"c": SECRET}}]}, {"a": [{"b": {"c": "x"}}]}, {"a": [{"b": {"c": True}}]}, {}),
    ("all of it", {"a": SECRET}, {"a": "x"}, True, False),
    ("marked no longer", {"a": SECRET}, {"a": SECRET, "b": 1}, {"a": True}, {}),
    ("marked from now on", {"a": SECRET}, {"a": SECRET, "b": 1}, {}, {"a": True}),
    ("in a list that grows", {"a": [SECRET]}, {"a": ["x", SECRET]}, {"a": [True]}, {"a": [False, True]}),
    ("in a list that shrinks", {"a": ["x", "y", SECRET]}, {"a": [SECRET, "z"]}, {}, {"a": [True, False]}),
    (
        "in a block of a list that grows",
        {"a": [{"b": SECRET}]},
        {"a": [{}, {"b": SECRET, "c": 1}]},
        {},
        {"a": [{}, {"b": True}]},
    ),
    ("moved in a list", {"a": ["x", SECRET]}, {"a": [SECRET, "x"]}, {"a": [True, False]}, {"a": [True, False]}),
    ("moved from a map to a list", {"a": {"k": {"b": SECRET}}}, {"a": [{"b": SECRET}]}, {}, {"a": [{"b": True}]}),
    ("moved from a list to a map", {"a": [{"b": SECRET}]}, {"a": {"k": {"b": SECRET}}}, {}, {"a": {"k": {"b": True}}}),
    ("moved into a block", {"a": SECRET}, {"a": {"b": SECRET}}, {}, {"a": {"b": True}}),
    ("in a block that goes", {"a": {"b": SECRET}}, {"a": None}, {"a": {"b": True}}, {}),
    ("in a text of JSON", {"a": f'{{"t": "{SECRET}"}}'}, {"a": '{"t": 1}'}, {"a": True}, {"a": True}),
]


@pytest.mark.parametrize(
    ("before", "after", "was", "will"), [case[1:] for case in SECRETS], ids=[case[0] for case in SECRETS]
)
@pytest.mark.parametrize("actions", ["update", REPLACE], ids=["update", "replace"])
def test_nothing_that_either_side_marks_as_sensitive_is_kept(
    actions: str | list[str], before: Any, after: Any, was: Any, will: Any
) -> None:
    it = plan(entry("a.b", actions, before, after, before_sensitive=was, after_sensitive=will))
    assert "recognisable" not in repr(it)
    assert it.changes[0].edits


def test_a_secret_that_changes_is_told_without_its_values() -> None:
    (change,) = plan(
        entry(
            "kubernetes_secret_v1.tokens",
            "update",
            {"data": {"hf": SECRET, "open": "a"}},
            {"data": {"hf": SECRET + "2", "open": "b"}},
            before_sensitive={"data": {"hf": True}},
            after_sensitive={"data": {"hf": True}},
        )
    ).changes
    assert change.edits == (
        Edit(path=("data", "hf"), old="(sensitive)", new="(sensitive)"),
        Edit(path=("data", "open"), old="a", new="b"),
    )


def test_outputs_are_told_and_sensitive_ones_masked() -> None:
    it = plan(
        output_changes={
            "mount_point": {"actions": ["create"], "before": None, "after": None, "after_unknown": True},
            "network": {"actions": ["no-op"], "before": "n", "after": "n"},
            "token": {"actions": ["update"], "before": SECRET, "after": "x", "before_sensitive": True},
        }
    )
    assert it.outputs == (
        Edit(path=("mount_point",), old=None, new=None, unknown=True),
        Edit(path=("token",), old="(sensitive)", new="(sensitive)"),
    )


def test_drift_is_told_where_something_is_gone_or_has_a_part_in_the_plan() -> None:
    it = plan(
        relevant_attributes=[{"resource": "google_compute_network.main", "attribute": ["mtu"]}],
        resource_drift=[
            entry("google_compute_network.main", "update", {"mtu": 8896}, {"mtu": 1460}),
            entry("google_compute_network.rdma", "update", {"etag": 1}, {"etag": 2}),
            entry("google_compute_firewall.gvnic", "delete", {"name": "f"}),
        ],
    )
    assert [change.address for change in it.drift] == ["google_compute_network.main", "google_compute_firewall.gvnic"]


def test_checks_that_fail_or_cannot_be_evaluated_are_told() -> None:
    address = {"to_display": "check.ray-job"}
    it = plan(
        checks=[
            {"address": address, "instances": [{"status": "fail", "problems": [{"message": "RayJob x is FAILED."}]}]},
            {"address": address, "instances": [{"status": "fail"}, {"status": "pass"}, {"status": "unknown"}]},
            {"address": address, "instances": [{"address": address, "status": "error"}]},
            {"address": address, "status": "pass"},
        ]
    )
    assert it.failed_checks == (
        "RayJob x is FAILED.",
        "check.ray-job failed",
        "check.ray-job could not be evaluated",
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "it has no format_version; make it with: terraform show -json PLAN"),
        ({"resource_changes": []}, "it has no format_version; make it with: terraform show -json PLAN"),
        ({"format_version": "2.0", "resource_changes": []}, "its format_version is 2.0, and only 1.x is known here"),
        ({"format_version": "1.0", "values": {}}, "it is a state and no plan; write: terraform show -json PLAN"),
    ],
)
def test_what_is_no_plan_of_a_known_format_is_refused(given: Any, message: str) -> None:
    with pytest.raises(PlanFormatError) as refusal:
        read_plan(given)
    assert str(refusal.value) == message
