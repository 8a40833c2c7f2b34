"""The workflows give forks nothing, write no more than they must, and leave one comment a stack."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.support import ROOT

FOLDER = ROOT / ".github" / "workflows"


def workflow(name: str) -> dict[str, Any]:
    reader: Any = YAML(typ="safe", pure=True)  # untyped
    return reader.load((FOLDER / f"{name}.yml").read_text(encoding="utf-8"))


def test_a_pull_request_is_checked_by_what_ci_runs_with_reading_rights_only() -> None:
    check = workflow("check")
    assert check["permissions"] == {"contents": "read"}
    first, _ = [step["run"] for step in check["jobs"]["check"]["steps"] if "run" in step]
    assert first == ".ci/run"


@pytest.mark.parametrize(
    ("ignored", "change", "fails"),
    [
        ("cdktf.out/", "a", False),
        (".terraform/", "", False),
        (".terraform/", "a", True),
        (".terraform/", "b", True),
        (".terraform/", "gone", True),
    ],
    ids=["ignored", "fresh", "stale", "new stack", "stack that is no more"],
)
def test_a_committed_output_that_is_stale_fails_the_check(
    ignored: str, change: str, fails: bool, tmp_path: Path
) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.com"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    def stack(name: str) -> Path:
        folder = tmp_path / "cdktf.out" / "stacks" / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder / "cdk.tf.json"

    (tmp_path / ".gitignore").write_text(ignored, encoding="utf-8")
    stack("a").write_text("{}", encoding="utf-8")
    git("init")
    git("add", ".")
    git("commit", "--message", "first")
    if change == "gone":
        stack("a").unlink()
    elif change:
        stack(change).write_text('{"changed": true}', encoding="utf-8")
    (step,) = [step for step in workflow("check")["jobs"]["check"]["steps"] if step.get("id") == "committed"]
    done = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode == 1, "run `make synth` and commit it" in done.stdout) == (fails, fails)


def test_a_fork_gets_no_plan_no_identity_and_no_writing_rights() -> None:
    diff = workflow("diff")
    assert diff["on"] == "pull_request", "pull_request_target would run a fork's code with our rights"
    assert "github.event.pull_request.head.repo.full_name == github.repository" in diff["jobs"]["synth"]["if"]
    assert diff["permissions"] == {"contents": "read"}
    assert diff["jobs"]["plan"]["needs"] == "synth"
    assert diff["jobs"]["plan"]["permissions"] == {
        "contents": "read",
        "id-token": "write",
        "pull-requests": "write",
    }


@pytest.mark.parametrize("name", ["check", "diff"])
def test_no_workflow_reads_a_secret_and_every_action_has_a_version(name: str) -> None:
    text = (FOLDER / f"{name}.yml").read_text(encoding="utf-8")
    assert "secrets." not in text
    uses = [step["uses"] for job in workflow(name)["jobs"].values() for step in job["steps"] if "uses" in step]
    assert all("@v" in action for action in uses)


def test_only_stacks_whose_state_a_workflow_can_read_are_planned() -> None:
    jobs = workflow("diff")["jobs"]
    listing = next(step for step in jobs["synth"]["steps"] if step.get("id") == "stacks")
    assert "python -m tools.plan_stacks $IN_CLUSTER" in listing["run"]
    assert listing["env"] == {"IN_CLUSTER": "${{ vars.PLAN_IN_CLUSTER == 'true' && '--in-cluster' || '' }}"}
    assert jobs["plan"]["if"] == "needs.synth.outputs.stacks != '[]'", "an empty matrix is an error"


PLAN = '{"format_version": "1.2", "resource_changes": []}'


def failing(text: str, address: str = "") -> str:
    """A `terraform plan -json` that ends with this error."""
    diagnostic = {"severity": "error", "summary": text, "detail": "", "address": address}
    line = json.dumps({"type": "diagnostic", "diagnostic": diagnostic})
    return f"echo '{line}'; false"


def stub(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("plan", "old", "status", "call", "line"),
    [
        ("true", "", 0, "POST", "**prod_cluster**: no changes"),
        ("true", "77", 0, "PATCH", "**prod_cluster**: no changes"),
        (
            failing("projects/p/global/networks/net not found", "data.google_compute_network.main"),
            "",
            0,
            "POST",
            "**prod_cluster** waits for prod_network, which does not exist yet",
        ),
        (failing("no credentials"), "", 1, "POST", "**prod_cluster** could not be planned"),
    ],
    ids=["first push", "next push", "upstream missing", "failed"],
)
def test_a_stack_has_one_comment(plan: str, old: str, status: int, call: str, line: str, tmp_path: Path) -> None:
    (tmp_path / "tools").symlink_to(ROOT / "tools")
    (tmp_path / "cdktf.out" / "stacks" / "prod_cluster").mkdir(parents=True)
    (tmp_path / "cdktf.out" / "manifest.json").write_text('{"stacks": {}}', encoding="utf-8")
    commands = tmp_path / "bin"
    commands.mkdir()
    stub(commands, "terraform", f"case $2 in plan) {plan} ;; show) echo '{PLAN}' ;; esac")
    stub(
        commands,
        "gh",
        f'case "$*" in *--paginate*) echo {old} ;; *) echo "$*" > call; cat "${{7#body=@}}" > body ;; esac',
    )
    done = subprocess.run(
        [ROOT / ".github" / "plan-stack", "prod_cluster"],
        cwd=tmp_path,
        env={
            "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_REPOSITORY": "o/r",
            "PULL_REQUEST": "5",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    assert f"--method {call}" in (tmp_path / "call").read_text(encoding="utf-8")
    body = (tmp_path / "body").read_text(encoding="utf-8").splitlines()
    assert body[0] == "<!-- plan of prod_cluster -->"
    assert body[1].startswith(line)
