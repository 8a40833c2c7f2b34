"""The workspaces of a site are those of its stacks, in the order of their runs; workflows plan what is in a bucket."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tools import workspaces as command
from tools.plan_stacks import plannable
from tools.synthesized import Stack, stack_orders, stacks_of
from tools.workspaces import Workspace, table, workspaces

DEPENDENCIES = {
    "job_prod_smoke": [],
    "prod-eu_network": [],
    "prod_cluster": ["prod_network"],
    "prod_network": [],
    "prod_platform": ["prod_storage", "prod_cluster"],
    "prod_storage": ["prod_network"],
}
PROVIDER: dict[str, Any] = {"google": [{}]}
GCS = {"terraform": {"backend": {"gcs": {"bucket": "b"}}}, "provider": PROVIDER}
LOCAL = {"terraform": {"backend": {"local": {"path": "p"}}}, "provider": PROVIDER}
CLOUD = {"terraform": {"cloud": {"organization": "o"}}, "provider": PROVIDER}


def write(output: Path, **contents: Any) -> None:
    """A cdktf.out with these stacks."""
    for name in DEPENDENCIES:
        folder = output / "stacks" / name
        folder.mkdir(parents=True)
        (folder / "cdk.tf.json").write_text(json.dumps(contents.get(name, GCS)), encoding="utf-8")
    stacks = {
        name: {
            "dependencies": below,
            "workingDirectory": f"stacks/{name}",
            "synthesizedStackPath": f"stacks/{name}/cdk.tf.json",
        }
        for name, below in DEPENDENCIES.items()
    }
    (output / "manifest.json").write_text(json.dumps({"stacks": stacks}), encoding="utf-8")


@pytest.fixture
def output(tmp_path: Path) -> Path:
    folder = tmp_path / "cdktf.out"
    write(folder, prod_platform={**GCS, "variable": {"wandb_api_key": {}, "hf_token": {}}})
    return folder


def test_a_stack_comes_after_all_that_it_depends_on_and_a_job_after_its_site() -> None:
    assert stack_orders(DEPENDENCIES) == {
        "prod_network": 1,
        "prod_cluster": 2,
        "prod_storage": 2,
        "prod_platform": 3,
        "job_prod_smoke": 4,
        "prod-eu_network": 1,
    }


def test_each_stack_of_the_site_is_a_workspace_triggered_by_the_order_before_except_a_job(output: Path) -> None:
    assert workspaces(stacks_of("prod", output)) == (
        Workspace(
            order=1,
            name="prod_network",
            working_directory="cdktf.out/stacks/prod_network",
            triggered_by=(),
            sensitive_variables=(),
        ),
        Workspace(
            order=2,
            name="prod_cluster",
            working_directory="cdktf.out/stacks/prod_cluster",
            triggered_by=("prod_network",),
            sensitive_variables=(),
        ),
        Workspace(
            order=2,
            name="prod_storage",
            working_directory="cdktf.out/stacks/prod_storage",
            triggered_by=("prod_network",),
            sensitive_variables=(),
        ),
        Workspace(
            order=3,
            name="prod_platform",
            working_directory="cdktf.out/stacks/prod_platform",
            triggered_by=("prod_cluster", "prod_storage"),
            sensitive_variables=("hf_token", "wandb_api_key"),
        ),
        Workspace(
            order=4,
            name="job_prod_smoke",
            working_directory="cdktf.out/stacks/job_prod_smoke",
            triggered_by=(),
            sensitive_variables=(),
        ),
    )


def test_the_table_has_a_line_a_workspace(output: Path) -> None:
    lines = table(workspaces(stacks_of("prod", output))).splitlines()
    assert [line.split() for line in lines[:2]] == [
        ["order", "workspace", "working", "directory", "triggered", "by", "sensitive", "variables"],
        ["1", "prod_network", "cdktf.out/stacks/prod_network", "-", "-"],
    ]
    assert lines[4].split(None, 3)[-1].split() == ["prod_cluster,", "prod_storage", "hf_token,", "wandb_api_key"]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["prod"], 0, ""),
        (["prod", "--json"], 0, ""),
        (
            ["test"],
            2,
            "cdktf.out has no stack of a site called test; there are prod, prod-eu (`make synth` writes others)\n",
        ),
        ([], 2, "write: python -m tools.workspaces SITE [--json]\n"),
        (["--table"], 2, "write: python -m tools.workspaces SITE [--json]\n"),
    ],
)
def test_the_command_says_what_is_wrong(
    arguments: list[str],
    status: int,
    message: str,
    output: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(command, "stacks_of", partial(stacks_of, output=output))
    assert command.main(arguments) == status
    told = capsys.readouterr()
    assert told.err == message
    if "--json" in arguments:
        assert [one["name"] for one in json.loads(told.out)][:2] == ["prod_network", "prod_cluster"]


def stack(name: str, order: int, content: dict[str, Any]) -> Stack:
    return Stack(name=name, folder=f"cdktf.out/stacks/{name}", order=order, content=content)


STACKS = [
    stack("job_prod_smoke", 4, {**GCS, "provider": {"google": [{}], "kubernetes": [{}]}}),
    stack("prod_platform", 3, {**GCS, "provider": {"google": [{}], "helm": [{}], "kubernetes": [{}]}}),
    stack("prod_cluster", 2, {**GCS, "provider": {"google": [{}]}}),
    stack("prod_network", 1, {**GCS, "provider": {"google": [{}]}}),
    stack("test_network", 1, {**LOCAL, "provider": {"google": [{}]}}),
    stack("hcp_network", 1, {**CLOUD, "provider": {"google": [{}]}}),
]


def test_a_workflow_plans_what_has_its_state_in_a_bucket_lower_layers_first() -> None:
    assert plannable(STACKS, in_cluster=True) == ["prod_network", "prod_cluster", "prod_platform", "job_prod_smoke"]


def test_what_looks_into_a_cluster_is_planned_only_on_request() -> None:
    assert plannable(STACKS, in_cluster=False) == ["prod_network", "prod_cluster"]
