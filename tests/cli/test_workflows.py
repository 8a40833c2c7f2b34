"""The workflows give forks nothing, write no more than they must, and leave one comment a stack."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
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
    assert (done.returncode == 1, "run make synth and commit it" in done.stdout) == (fails, fails)


def test_a_fork_gets_no_plan_no_identity_and_no_writing_rights() -> None:
    diff = workflow("diff")
    assert diff["on"] == "pull_request", "pull_request_target would run a fork's code with our rights"
    assert diff["jobs"]["synth"]["if"] == (
        "vars.PLAN_IDENTITY_PROVIDER != '' && github.event.pull_request.head.repo.full_name == github.repository"
    )
    assert diff["permissions"] == {"contents": "read"}
    assert diff["jobs"]["plan"]["needs"] == "synth"
    assert diff["jobs"]["plan"]["permissions"] == {
        "contents": "read",
        "id-token": "write",
        "pull-requests": "write",
    }
    assert diff["jobs"]["gone"]["needs"] == "synth"
    assert diff["jobs"]["gone"]["permissions"] == {"contents": "read", "pull-requests": "write"}


@pytest.mark.parametrize("name", ["check", "diff"])
def test_no_workflow_reads_a_secret_and_every_action_is_one_commit_with_its_version_beside_it(name: str) -> None:
    text = (FOLDER / f"{name}.yml").read_text(encoding="utf-8")
    assert "secrets." not in text
    uses = re.findall(r"uses: (.*)", text)
    assert [line for line in uses if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", line)] == []
    steps = [step for job in workflow(name)["jobs"].values() for step in job["steps"]]
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    assert {step["with"]["persist-credentials"] for step in checkouts} == {False}, "a later step could push"


def test_only_stacks_whose_state_a_workflow_can_read_are_planned() -> None:
    jobs = workflow("diff")["jobs"]
    listing = next(step for step in jobs["synth"]["steps"] if step.get("id") == "stacks")
    assert listing["env"] == {"IN_CLUSTER": "${{ vars.PLAN_IN_CLUSTER == 'true' && 'yes' || '' }}"}
    assert jobs["plan"]["if"] == "needs.synth.outputs.stacks != '[]'", "an empty matrix is an error"


@pytest.mark.parametrize(("option", "planned"), [("", ["prod_network"]), ("yes", ["prod_network", "prod_platform"])])
def test_the_stacks_are_listed_by_a_python_that_has_no_packages(
    option: str, planned: list[str], tmp_path: Path
) -> None:
    copy_tools(tmp_path)
    write_stack(tmp_path, "prod_network", {"google": [{}]})
    write_stack(tmp_path, "prod_platform", {"google": [{}], "kubernetes": [{}]})
    commands = tmp_path / "bin"
    stub(commands, "python", f'exec {sys.executable} -S "$@"')
    (step,) = [step for step in workflow("diff")["jobs"]["synth"]["steps"] if step.get("id") == "stacks"]
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        cwd=tmp_path,
        env={
            "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
            "IN_CLUSTER": option,
            "GITHUB_OUTPUT": str(tmp_path / "output"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "output").read_text(encoding="utf-8") == f"stacks={json.dumps(planned)}\n"


def test_each_planned_stack_gets_its_comment_and_the_others_are_marked() -> None:
    diff = workflow("diff")
    assert diff["env"] == {
        "PULL_REQUEST": "${{ github.event.pull_request.number }}",
        "COMMIT": "${{ github.event.pull_request.head.sha }}",
    }
    plan, gone = diff["jobs"]["plan"], diff["jobs"]["gone"]
    assert plan["strategy"]["matrix"] == {"stack": "${{ fromJSON(needs.synth.outputs.stacks) }}"}
    assert plan["steps"][-1] == {
        "run": '.github/plan-stack "$STACK"',
        "env": {"STACK": "${{ matrix.stack }}", "GH_TOKEN": "${{ github.token }}"},
    }
    assert gone["needs"] == "synth"
    assert "if" not in gone, "with an empty list all comments are of stacks that are gone"
    assert gone["steps"][-1] == {
        "run": '.github/mark-gone "$STACKS"',
        "env": {"STACKS": "${{ needs.synth.outputs.stacks }}", "GH_TOKEN": "${{ github.token }}"},
    }


def test_a_push_ends_what_runs_for_the_push_before_it_and_nothing_else() -> None:
    assert workflow("diff")["concurrency"] == {
        "group": "diff-${{ github.event.pull_request.number }}",
        "cancel-in-progress": True,
    }
    assert workflow("check")["concurrency"] == {
        "group": "check-${{ github.ref }}",
        "cancel-in-progress": "${{ github.event_name == 'pull_request' }}",
    }


def copy_tools(root: Path) -> None:
    shutil.copytree(ROOT / "tools", root / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "settings").symlink_to(ROOT / "settings")
    (root / "cdktf.out").mkdir()
    (root / "cdktf.out" / "manifest.json").write_text('{"stacks": {}}', encoding="utf-8")


def write_stack(root: Path, name: str, provider: dict[str, Any]) -> None:
    """Adds a stack, whose state is in a bucket, to the cdktf.out below `root`."""
    backend = {"gcs": {"bucket": "our-states", "prefix": f"nemo-rl/{name}"}}
    folder = root / "cdktf.out" / "stacks" / name
    folder.mkdir(parents=True)
    content = {"terraform": {"backend": backend}, "provider": provider}
    (folder / "cdk.tf.json").write_text(json.dumps(content), encoding="utf-8")
    manifest = root / "cdktf.out" / "manifest.json"
    stacks = json.loads(manifest.read_text(encoding="utf-8"))["stacks"]
    stacks[name] = {
        "dependencies": [],
        "workingDirectory": f"stacks/{name}",
        "synthesizedStackPath": f"stacks/{name}/cdk.tf.json",
    }
    manifest.write_text(json.dumps({"stacks": stacks}), encoding="utf-8")


def stub(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


LUSTRE_GOES: dict[str, Any] = {
    "address": "google_lustre_instance.lustre",
    "type": "google_lustre_instance",
    "change": {"actions": ["delete"], "before": {}, "after": None},
}
COMES: dict[str, Any] = {
    "address": "google_compute_network.main",
    "type": "google_compute_network",
    "change": {"actions": ["create"], "before": None, "after": {}},
}


def shown(*changes: Any, **more: Any) -> str:
    """What `terraform show -json` prints of a plan."""
    return json.dumps({"format_version": "1.2", "resource_changes": changes, **more})


def failing(text: str, address: str = "") -> str:
    """A `terraform plan -json` that ends with this error."""
    diagnostic = {"severity": "error", "summary": text, "detail": "", "address": address}
    line = json.dumps({"type": "diagnostic", "diagnostic": diagnostic})
    return f"echo '{line}'; false"


def comment(number: int, body: str | None, user: str = "github-actions[bot]") -> dict[str, Any]:
    return {"id": number, "body": body, "user": {"login": user}}


OURS = "<!-- plan of prod_cluster -->\n**prod_cluster**: no changes\n"
#: None of them is ours: another stack's, one that quotes ours, and one that somebody else posted.
OTHERS = [
    comment(70, "<!-- plan of prod_cluster-eu -->\n"),
    comment(71, f"> {OURS}"),
    comment(72, OURS, user="octocat"),
]

#: gh as the scripts use it: it filters comments as the real one does, and keeps what it is told to write.
GH = """\
case "$*" in
*--paginate*) test -e comments && jq --raw-output "$5" comments ;;
*) echo "$4 $5" >> calls; test "$GH_FAILS" != "$4" && printf '%s' "${7#body=}" | sed 's/^@//' > "body-${5##*/}" &&
  case $7 in body=@*) cat "${7#body=@}" > "body-${5##*/}" ;; esac ;;
esac"""

needs_jq = pytest.mark.skipif(not shutil.which("jq"), reason="jq is not on the PATH")


class Run:
    """One run of a script under .github/ below `root`, with stand-ins for gh, terraform and gcloud."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._bin = root / "bin"
        copy_tools(root)
        stub(self._bin, "gh", GH)
        self.comments([])
        self.terraform()
        self.gcloud("echo gs://our-states/nemo-rl/prod_cluster/default.tfstate")

    def comments(self, comments: list[dict[str, Any]] | None) -> None:
        """Those that the pull request has; None where they cannot be listed."""
        path = self._root / "comments"
        path.unlink(missing_ok=True)
        if comments is not None:
            path.write_text(json.dumps(comments), encoding="utf-8")

    def terraform(self, *, init: str = "true", plan: str = "true", show: str = shown()) -> None:
        (self._root / "shown").write_text(show, encoding="utf-8")
        cases = f"init) {init} ;; plan) {plan} ;; show) cat shown ;;"
        stub(self._bin, "terraform", f'echo "$*" >> terraform-calls; case $2 in {cases} esac')

    def gcloud(self, script: str) -> None:
        stub(self._bin, "gcloud", f'echo "$*" >> gcloud-calls; {script}')

    def run(self, script: str, argument: str, **environment: str) -> int:
        done = subprocess.run(
            [ROOT / ".github" / script, argument],
            cwd=self._root,
            env={
                "PATH": f"{self._bin}{os.pathsep}{os.environ['PATH']}",
                "GITHUB_REPOSITORY": "o/r",
                "PULL_REQUEST": "5",
                "COMMIT": "0a1b2c",
                **environment,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode

    def lines(self, name: str) -> list[str]:
        """What a stand-in has written down; none where it was not called."""
        path = self._root / name
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


@pytest.fixture
def it(tmp_path: Path) -> Run:
    """A pull request without comments, and a stack prod_cluster whose plan is empty."""
    run = Run(tmp_path)
    write_stack(tmp_path, "prod_cluster", {"google": [{}]})
    return run


POST = "POST repos/o/r/issues/5/comments"


@needs_jq
@pytest.mark.parametrize(
    ("comments", "call"),
    [
        ([], POST),
        (OTHERS, POST),
        ([*OTHERS, comment(77, OURS), comment(78, OURS)], "PATCH repos/o/r/issues/comments/77"),
        ([comment(76, None), comment(77, OURS)], "PATCH repos/o/r/issues/comments/77"),
    ],
    ids=["first push", "first push among others", "next push", "beside one without a text"],
)
def test_a_stack_has_one_comment(comments: list[dict[str, Any]], call: str, it: Run) -> None:
    it.comments(comments)
    assert it.run("plan-stack", "prod_cluster") == 0
    assert it.lines("calls") == [call]
    assert it.lines(f"body-{call.rpartition('/')[2]}") == [
        "<!-- plan of prod_cluster -->",
        "**prod_cluster**: no changes",
        "",
        "Planned at 0a1b2c.",
    ]
    assert it.lines("terraform-calls") == [
        "-chdir=cdktf.out/stacks/prod_cluster init -input=false -no-color",
        "-chdir=cdktf.out/stacks/prod_cluster plan -input=false -lock=false -out=plan -json",
        "-chdir=cdktf.out/stacks/prod_cluster show -no-color plan",
        "-chdir=cdktf.out/stacks/prod_cluster show -json plan",
    ]


@needs_jq
@pytest.mark.parametrize(
    ("terraform", "status", "line"),
    [
        ({"show": shown(COMES)}, 0, "**prod_cluster**: 1 created"),
        ({"show": shown(LUSTRE_GOES)}, 0, "**prod_cluster**: 1 destroyed"),
        ({"show": shown(errored=True)}, 1, "**prod_cluster**: the plan failed part-way"),
        (
            {"plan": failing("projects/p/global/networks/net not found", "data.google_compute_network.main")},
            0,
            "**prod_cluster** waits for prod_network, which does not exist yet",
        ),
        ({"plan": failing("no credentials")}, 1, "**prod_cluster** could not be planned: see the job's log"),
        ({"init": "false"}, 1, "**prod_cluster** could not be planned: see the job's log"),
    ],
    ids=["changes", "dangerous", "failed part-way", "upstream missing", "failed", "not initialized"],
)
def test_a_comment_says_what_became_of_the_plan(terraform: dict[str, str], status: int, line: str, it: Run) -> None:
    it.terraform(**terraform)
    assert it.run("plan-stack", "prod_cluster") == status
    assert it.lines("body-comments")[1] == line


def test_what_is_no_plan_makes_no_comment(it: Run) -> None:
    it.terraform(show="no plan")
    assert it.run("plan-stack", "prod_cluster") == 1
    assert it.lines("calls") == []


def test_comments_that_cannot_be_listed_make_no_second_one(it: Run) -> None:
    it.comments(None)
    assert it.run("plan-stack", "prod_cluster") == 1
    assert it.lines("calls") == []


@needs_jq
@pytest.mark.parametrize(("comments", "method"), [([], "POST"), ([comment(77, OURS)], "PATCH")])
def test_a_comment_that_cannot_be_written_fails_the_run(comments: list[dict[str, Any]], method: str, it: Run) -> None:
    it.comments(comments)
    assert it.run("plan-stack", "prod_cluster", GH_FAILS=method) == 1
    assert [line.split()[0] for line in it.lines("calls")] == [method]


OVERRIDE = "cdktf.out/stacks/prod_cluster/backend_override.tf.json"


@needs_jq
def test_without_a_state_nothing_is_written_to_the_bucket(it: Run) -> None:
    it.gcloud("echo 'ERROR: (gcloud.storage.ls) One or more URLs matched no objects.' >&2; exit 1")
    it.terraform(init=f"test -e {OVERRIDE}")  # with the bucket it would write there, and may not
    assert it.run("plan-stack", "prod_cluster") == 0
    assert it.lines("gcloud-calls") == ["storage ls gs://our-states/nemo-rl/prod_cluster/default.tfstate"]
    assert it.lines(OVERRIDE) == ['{"terraform": {"backend": {"local": {}}}}']


@needs_jq
@pytest.mark.parametrize(
    "script",
    ["echo gs://our-states/nemo-rl/prod_cluster/default.tfstate", "echo 'ERROR: HTTPError 403' >&2; exit 1"],
    ids=["there", "not known"],
)
def test_with_a_state_it_is_read_from_the_bucket(script: str, it: Run) -> None:
    it.gcloud(script)
    assert it.run("plan-stack", "prod_cluster") == 0
    assert it.lines(OVERRIDE) == []


@pytest.mark.skipif(not shutil.which("terraform"), reason="terraform is not on the PATH")
def test_terraform_takes_the_backend_on_this_machine_in_place_of_the_bucket(it: Run, tmp_path: Path) -> None:
    it.gcloud("echo 'ERROR: (gcloud.storage.ls) One or more URLs matched no objects.' >&2; exit 1")
    it.run("plan-stack", "prod_cluster")
    stack = tmp_path / "cdktf.out" / "stacks" / "prod_cluster"
    content = json.loads((stack / "cdk.tf.json").read_text(encoding="utf-8"))
    del content["provider"]
    (stack / "cdk.tf.json").write_text(json.dumps(content), encoding="utf-8")
    env = {**os.environ, "TF_CLI_CONFIG_FILE": os.devnull, "CHECKPOINT_DISABLE": "1"}
    subprocess.run(["terraform", "init", "-input=false"], cwd=stack, env=env, capture_output=True, check=True)
    kept = json.loads((stack / ".terraform" / "terraform.tfstate").read_text(encoding="utf-8"))
    assert kept["backend"]["type"] == "local"


@needs_jq
def test_comments_of_stacks_that_are_gone_say_so(it: Run) -> None:
    it.comments([*OTHERS, comment(76, None), comment(77, OURS), comment(78, "<!-- plan of job_prod_old -->\n")])
    assert it.run("mark-gone", '["prod_cluster", "prod_network"]') == 0
    assert it.lines("calls") == ["PATCH repos/o/r/issues/comments/70", "PATCH repos/o/r/issues/comments/78"]
    assert it.lines("body-78") == [
        "<!-- plan of job_prod_old -->",
        "**job_prod_old** is no longer planned at 0a1b2c, and nothing here destroys what it made: see"
        " docs/pull-requests.md.",
    ]


@needs_jq
@pytest.mark.parametrize(("stacks", "calls"), [('["prod_cluster"]', 0), ("[]", 1)])
def test_a_stack_that_is_planned_is_not_gone(stacks: str, calls: int, it: Run) -> None:
    it.comments([comment(77, OURS)])
    assert it.run("mark-gone", stacks) == 0
    assert len(it.lines("calls")) == calls
    it.comments([])
    assert it.run("mark-gone", stacks) == 0
    assert len(it.lines("calls")) == calls


def test_comments_that_cannot_be_listed_fail_the_marking(it: Run) -> None:
    it.comments(None)
    assert it.run("mark-gone", "[]") == 1


@needs_jq
def test_a_mark_that_cannot_be_written_fails_the_marking(it: Run) -> None:
    it.comments([comment(77, OURS)])
    assert it.run("mark-gone", "[]", GH_FAILS="PATCH") == 1
