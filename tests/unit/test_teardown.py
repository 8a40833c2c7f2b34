"""A site is destroyed only when nothing protects it, neither in its file nor in its state."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from settings.environment import Environment
from tests.support import MINIMAL, ROOT, environment, write_environments
from tools import teardown
from tools.teardown import (
    holding,
    job_stacks,
    layer_stacks,
    local_states,
    main,
    refusals_by_file,
    refusals_by_state,
    unseen,
)
from tools.terraform_state import TerraformState, UnreadableStateError, pull, read_file, stacks_in_bucket

OPEN = "name: prod\n" + MINIMAL + "lustre: {deletion_protection: false}\ncluster: {deletion_protection: false}\n"


def state(kind: str, outputs: dict[str, Any] | None = None, **attributes: object) -> dict[str, Any]:
    """A state with one resource, as Terraform keeps it."""
    resource = {"mode": "managed", "type": kind, "name": "it", "instances": [{"attributes": attributes}]}
    return {"version": 4, "resources": [resource], "outputs": outputs or {}}


EMPTY: dict[str, Any] = {"version": 4, "resources": [], "outputs": {}}


def test_both_protections_are_named_with_the_apply_that_each_needs_and_how_to_save_the_runs() -> None:
    assert list(refusals_by_file(environment("name: prod\n" + MINIMAL))) == [
        "environments/prod.yaml: lustre.deletion_protection is true; copy away what you keep, for example by `gcloud"
        " lustre instances export-data prod-lustre --project=my-project --location=us-central1-b"
        " --gcs-path-uri=gs://BUCKET/FOLDER/` (docs/teardown.md), then write false; no apply is needed, since only"
        " Terraform keeps this switch",
        "environments/prod.yaml: cluster.deletion_protection is true; write false, and apply that:"
        " `make deploy ENV=prod STACK=cluster`",
    ]
    assert list(refusals_by_file(environment(OPEN))) == []


def test_a_switch_that_was_not_applied_still_protects_the_cluster() -> None:
    env = environment(OPEN)
    protected = {"prod_cluster": state("google_container_cluster", deletion_protection=True)}
    assert list(refusals_by_state(env, protected)) == [
        "environments/prod.yaml: cluster.deletion_protection is false, but the state of prod_cluster says true: the"
        " change was not applied; apply it: `make deploy ENV=prod STACK=cluster`"
    ]


@pytest.mark.parametrize(
    "cluster",
    [
        state("google_container_cluster", deletion_protection=False),
        state("google_service_account", deletion_protection=True),
        EMPTY,
        {},
    ],
    ids=["applied", "of another resource", "nothing left", "no state"],
)
def test_a_cluster_that_the_state_does_not_protect_may_go(cluster: dict[str, Any]) -> None:
    assert list(refusals_by_state(environment(OPEN), {"prod_cluster": cluster})) == []


def test_while_the_file_protects_the_cluster_its_state_adds_no_second_line() -> None:
    env = environment("name: prod\n" + MINIMAL + "lustre: {deletion_protection: false}\n")
    protected = {"prod_cluster": state("google_container_cluster", deletion_protection=True)}
    assert len([*refusals_by_file(env), *refusals_by_state(env, protected)]) == 1


def test_a_job_that_is_no_longer_listed_and_still_has_state_is_named_with_two_ways_out() -> None:
    left = {"job_prod_old": state("kubernetes_manifest", {"ray_job": {"value": "old-1f2e3d"}}), "job_prod_done": EMPTY}
    assert list(refusals_by_state(environment(OPEN), left)) == [
        "environments/prod.yaml: jobs does not list old, but state/job_prod_old.tfstate still holds it; list it again,"
        " or delete it by hand, `kubectl --namespace=ray delete rayjob old-1f2e3d`, and then that state"
    ]


def test_local_states_are_those_of_the_sites_own_stacks_and_of_jobs_that_it_once_listed(tmp_path: Path) -> None:
    env = environment(OPEN + "jobs: [gemma3-1b-smoke]\n")
    folder = tmp_path / "state"
    folder.mkdir()
    there = ("prod_network", "job_prod_old", "prod-eu_network", "job_prod-eu_old")
    for stack in there:
        (folder / f"{stack}.tfstate").write_text(json.dumps(state("terraform_data")), encoding="utf-8")
    (folder / "job_prod_old.tfstate.backup").write_text("{}", encoding="utf-8")
    states = local_states(env, tmp_path)
    assert tuple(states) == (*job_stacks(env), *layer_stacks(env), "job_prod_old")
    assert holding(states, states) == ("prod_network", "job_prod_old")


def test_the_stacks_of_a_site_are_its_jobs_and_its_layers() -> None:
    env: Environment = environment(OPEN + "jobs: [gemma3-1b-smoke]\n")
    assert job_stacks(env) == ("job_prod_gemma3-1b-smoke",)
    assert layer_stacks(env) == ("prod_network", "prod_storage", "prod_cluster", "prod_platform")


def test_data_sources_and_resources_without_instances_hold_nothing() -> None:
    looked_up: dict[str, Any] = {
        "mode": "data",
        "type": "google_container_cluster",
        "name": "it",
        "instances": [{"attributes": {}}],
    }
    gone: dict[str, Any] = {"mode": "managed", "type": "google_lustre_instance", "name": "it", "instances": []}
    assert holding(["prod_platform"], {"prod_platform": {"resources": [looked_up, gone]}}) == ()


@pytest.mark.parametrize("text", ["", "{", "[]"])
def test_a_state_file_that_is_none_is_said_so(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prod_network.tfstate"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableStateError, match=r"prod_network\.tfstate: is no Terraform state"):
        read_file(path)


GCS = "state: {backend: gcs, bucket: our-states}\n"
CLOUD = "state: {backend: cloud, organization: acme}\n"


def test_where_states_cannot_be_listed_the_user_is_told_where_to_look() -> None:
    assert unseen(environment(OPEN)) is None
    assert unseen(environment(OPEN + GCS)) is None
    assert unseen(environment(OPEN + CLOUD)) == (
        "jobs that the file no longer lists cannot be seen from here, and go first; look for workspaces"
        " app.terraform.io/acme/job_prod_*"
    )


def test_a_protected_site_is_refused_before_anything_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_environments(tmp_path, prod=MINIMAL)
    assert main(["prod", "/there/is/no/cdktf", "--yes"], tmp_path) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(" is ")[0] for line in lines] == [
        "environments/prod.yaml: lustre.deletion_protection",
        "environments/prod.yaml: cluster.deletion_protection",
        "Nothing was destroyed.",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "write: python -m tools.teardown SITE CDKTF [--yes], or `make destroy ENV=SITE`"),
        (
            ["prod", "cdktf", "--force"],
            "write: python -m tools.teardown SITE CDKTF [--yes], or `make destroy ENV=SITE`",
        ),
        (["test", "cdktf"], "environments: has no site called test; there are prod"),
        (["prod", "cdktf"], "there is no terminal to approve the plans at; write APPROVE=yes (--yes)"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    write_environments(tmp_path, prod=OPEN)
    assert main(arguments, tmp_path) == 2
    assert capsys.readouterr().err.splitlines() == [said, "Nothing was destroyed."]


#: A cdktf that empties the states of the stacks that it is told, but for those in KEEP; as the real one, it exits with
#: 0 also where a plan was dismissed.
CDKTF = """\
#!/bin/sh
echo "$@" >> calls
for stack in "$@"; do
  case " $KEEP " in *" $stack "*) ;; *) test ! -e "state/$stack.tfstate" || echo '{}' > "state/$stack.tfstate" ;; esac
done
"""
JOBS = ("job_prod_gemma3-1b-smoke", "job_prod_gemma3-27b-gsm8k")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A deployed site with two jobs, the second of which was never started."""
    write_environments(tmp_path, prod=OPEN + "jobs: [gemma3-1b-smoke, gemma3-27b-gsm8k]\n")
    (tmp_path / "job_specs").symlink_to(ROOT / "job_specs")
    (tmp_path / "main.py").touch()
    (tmp_path / "cdktf").write_text(CDKTF, encoding="utf-8")
    (tmp_path / "cdktf").chmod(0o755)
    (tmp_path / "state").mkdir()
    for stack in (JOBS[0], "prod_network", "prod_storage", "prod_cluster", "prod_platform"):
        (tmp_path / "state" / f"{stack}.tfstate").write_text(json.dumps(state("terraform_data")), encoding="utf-8")
    monkeypatch.setenv("TERRAFORM_BINARY_NAME", "true")
    return tmp_path


def calls(site: Path) -> list[str]:
    """What cdktf was called with."""
    return (site / "calls").read_text(encoding="utf-8").splitlines()


DESTROY_JOB = "destroy job_prod_gemma3-1b-smoke --skip-synth --auto-approve"
DESTROY_LAYERS = "destroy prod_network prod_storage prod_cluster prod_platform --skip-synth --auto-approve"


def test_jobs_that_have_state_go_before_the_layers(site: Path) -> None:
    assert main(["prod", "./cdktf", "--yes"], site) == 0
    assert calls(site) == [DESTROY_JOB, DESTROY_LAYERS]
    assert main(["prod", "./cdktf", "--yes"], site) == 0
    assert len(calls(site)) == 2, "a site that is gone is not destroyed again"


def test_a_job_whose_plan_was_dismissed_keeps_the_layers(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KEEP", JOBS[0])
    assert main(["prod", "./cdktf", "--yes"], site) == 1
    assert calls(site) == [DESTROY_JOB]
    assert capsys.readouterr().err.splitlines() == [
        "job_prod_gemma3-1b-smoke is still there: 1 in its state",
        "The layers were not touched: jobs are left, and go first.",
    ]


def test_layers_that_stay_are_named_and_the_next_run_takes_them(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KEEP", "prod_network prod_storage")
    assert main(["prod", "./cdktf", "--yes"], site) == 1
    assert capsys.readouterr().err.splitlines() == [
        "prod_network is still there: 1 in its state",
        "prod_storage is still there: 1 in its state",
    ]
    monkeypatch.delenv("KEEP")
    assert main(["prod", "./cdktf", "--yes"], site) == 0
    assert calls(site) == [DESTROY_JOB, DESTROY_LAYERS, DESTROY_LAYERS]


def test_a_program_that_fails_is_a_failure_also_where_nothing_is_left(site: Path) -> None:
    (site / "cdktf").write_text(CDKTF + "exit 1\n", encoding="utf-8")
    assert main(["prod", "./cdktf", "--yes"], site) == 1
    assert calls(site) == [DESTROY_JOB]


def test_a_state_that_cannot_be_read_after_the_jobs_keeps_the_layers(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (site / "cdktf").write_text(CDKTF + "echo [] > state/prod_network.tfstate\n", encoding="utf-8")
    assert main(["prod", "./cdktf", "--yes"], site) == 1
    assert calls(site) == [DESTROY_JOB]
    assert capsys.readouterr().err.splitlines() == [
        f"{site}/state/prod_network.tfstate: is no Terraform state (not a mapping)",
        "The layers were not touched: jobs are left, and go first.",
    ]


def test_a_state_that_cannot_be_read_is_a_refusal_before_anything_runs(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (site / "main.py").write_text("raise SystemExit(1)", encoding="utf-8")
    (site / "state" / "prod_network.tfstate").write_text("{", encoding="utf-8")
    assert main(["prod", "./cdktf", "--yes"], site) == 2
    assert "is no Terraform state" in capsys.readouterr().err


def test_a_local_state_that_protects_the_cluster_refuses_before_the_synth(site: Path) -> None:
    (site / "main.py").write_text("raise SystemExit(1)", encoding="utf-8")
    (site / "state" / "prod_cluster.tfstate").write_text(json.dumps(PROTECTED), encoding="utf-8")
    assert main(["prod", "./cdktf", "--yes"], site) == 2


def test_ctrl_c_reaches_the_program_that_runs_and_lets_it_end_by_itself(site: Path) -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: heard.append(number))
    try:
        (site / "cdktf").write_text(CDKTF.replace("echo", "kill -INT $PPID; echo", 1), encoding="utf-8")
        assert main(["prod", "./cdktf", "--yes"], site) == 0
        assert (heard, calls(site)) == ([], [DESTROY_JOB, DESTROY_LAYERS])
        os.kill(os.getpid(), signal.SIGINT)
        assert heard == [signal.SIGINT], "afterwards Ctrl-C is what it was"
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_synths_table_is_not_shown(site: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (site / "main.py").write_text("print('a table')", encoding="utf-8")
    assert main(["prod", "./cdktf", "--yes"], site) == 0
    assert "a table" not in capfd.readouterr().out


PROTECTED = state("google_container_cluster", deletion_protection=True)
STATES: dict[str, TerraformState] = {
    stack: state("terraform_data")
    for stack in (JOBS[0], "prod_network", "prod_storage", "prod_cluster", "prod_platform")
}


class Distant:
    """States behind a backend; a cdktf below `root` empties those that it is told."""

    def __init__(self, root: Path, states: dict[str, TerraformState]) -> None:
        self.states = states
        self.pulled: list[str] = []
        self.blocks: dict[str, Any] = {}
        self._calls = root / "calls"

    def stacks(self, bucket: str, prefix: str) -> frozenset[str]:
        assert (bucket, prefix) == ("our-states", "nemo-rl")
        return frozenset(self.states)

    def pull(self, stack: str, block: dict[str, Any]) -> TerraformState:
        self.pulled.append(stack)
        self.blocks[stack] = block
        destroyed = self._calls.read_text(encoding="utf-8").split() if self._calls.exists() else []
        return {} if stack in destroyed else self.states.get(stack, {})


@pytest.fixture
def distant(site: Path, monkeypatch: pytest.MonkeyPatch) -> Distant:
    """The deployed site, with its states in a bucket."""
    it = Distant(site, dict(STATES))
    shutil.rmtree(site / "state")
    write_environments(site, prod=OPEN + GCS + "jobs: [gemma3-1b-smoke, gemma3-27b-gsm8k]\n")
    monkeypatch.setattr(teardown, "stacks_in_bucket", it.stacks)
    monkeypatch.setattr(teardown, "pull", it.pull)
    return it


def test_a_site_in_a_bucket_goes_as_one_on_this_machine_and_what_has_no_state_is_not_pulled(
    site: Path, distant: Distant
) -> None:
    assert main(["prod", "./cdktf", "--yes"], site) == 0
    assert calls(site) == [DESTROY_JOB, DESTROY_LAYERS]
    assert set(distant.pulled) == set(STATES), "terraform would write an empty state for a stack that has none"
    assert distant.blocks[JOBS[0]] == {"backend": {"gcs": {"bucket": "our-states", "prefix": f"nemo-rl/{JOBS[0]}"}}}


@pytest.mark.parametrize(
    ("stack", "held", "said"),
    [
        (
            "prod_cluster",
            PROTECTED,
            "environments/prod.yaml: cluster.deletion_protection is false, but the state of prod_cluster says true: the"
            " change was not applied; apply it: `make deploy ENV=prod STACK=cluster`",
        ),
        (
            "job_prod_old",
            state("kubernetes_manifest", {"ray_job": {"value": "old-1f2e3d"}}),
            "environments/prod.yaml: jobs does not list old, but gs://our-states/nemo-rl/job_prod_old still holds it;"
            " list it again, or delete it by hand, `kubectl --namespace=ray delete rayjob old-1f2e3d`, and then that"
            " state",
        ),
    ],
    ids=["protected", "a job that is no longer listed"],
)
def test_a_state_in_a_bucket_refuses_as_one_on_this_machine(
    stack: str,
    held: TerraformState,
    said: str,
    site: Path,
    distant: Distant,
    capsys: pytest.CaptureFixture[str],
) -> None:
    distant.states[stack] = held
    assert main(["prod", "./cdktf", "--yes"], site) == 2
    assert capsys.readouterr().err.splitlines() == [said, "Nothing was destroyed."]
    assert not (site / "calls").exists()


def test_states_of_other_sites_in_the_bucket_are_left_alone(site: Path, distant: Distant) -> None:
    distant.states |= {"job_prod-eu_smoke": state("terraform_data"), "prod-eu_network": state("terraform_data")}
    assert main(["prod", "./cdktf", "--yes"], site) == 0
    assert set(distant.pulled) == set(STATES)


def test_a_bucket_that_cannot_be_read_is_a_refusal_with_what_was_said(
    site: Path, distant: Distant, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_arguments: object) -> TerraformState:
        raise UnreadableStateError("the state of it cannot be read: Error: 403")

    monkeypatch.setattr(teardown, "pull", refuse)
    assert main(["prod", "./cdktf", "--yes"], site) == 2
    assert capsys.readouterr().err.splitlines() == [
        "the state of it cannot be read: Error: 403",
        "Nothing was destroyed.",
    ]
    assert distant.pulled == []


class Terminal(io.StringIO):
    """A terminal at which this is typed."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("typed", "status"), [("yes\n", 0), ("y\n", 2), ("", 2), (None, 2)], ids=["yes", "y", "Ctrl-D", "no terminal"]
)
def test_on_hcp_terraform_somebody_must_have_looked_for_jobs_that_are_no_longer_listed(
    typed: str | None,
    status: int,
    site: Path,
    distant: Distant,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_environments(site, prod=OPEN + CLOUD + "jobs: [gemma3-1b-smoke, gemma3-27b-gsm8k]\n")
    monkeypatch.setattr("sys.stdin", io.StringIO() if typed is None else Terminal(typed))
    assert main(["prod", "./cdktf", "--yes"], site) == status
    told = capsys.readouterr()
    place = (
        "jobs that the file no longer lists cannot be seen from here, and go first; look for workspaces"
        " app.terraform.io/acme/job_prod_*"
    )
    if status == 0:
        assert told.out.startswith(f"{place}. Does none of them hold anything? Only yes goes on: ")
        assert calls(site) == [DESTROY_JOB, DESTROY_LAYERS]
        assert distant.blocks["prod_network"] == {
            "cloud": {"hostname": "app.terraform.io", "organization": "acme", "workspaces": {"name": "prod_network"}}
        }
    else:
        assert told.err.splitlines() == [
            f"{place}, destroy what is in them, and answer yes at a terminal",
            "Nothing was destroyed.",
        ]
        assert distant.pulled == [], "a pull would make the workspaces"


@pytest.mark.parametrize(
    ("gcloud", "found"),
    [
        (
            "echo gs://our-states/a/b/prod_network/default.tfstate; echo gs://our-states/a/b/job_x_y/default.tfstate",
            {"prod_network", "job_x_y"},
        ),
        ("echo 'ERROR: (gcloud.storage.ls) One or more URLs matched no objects.' >&2; exit 1", set[str]()),
    ],
    ids=["some", "none"],
)
def test_gcloud_lists_the_states_in_a_bucket(
    gcloud: str, found: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub_gcloud(tmp_path, monkeypatch, f'test "$*" = "storage ls gs://our-states/a/b/*/default.tfstate" && {gcloud}')
    assert stacks_in_bucket("our-states", "a/b") == found


def test_a_bucket_that_cannot_be_listed_is_said_with_what_gcloud_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub_gcloud(tmp_path, monkeypatch, "echo 'ERROR: (gcloud.storage.ls) HTTPError 403: no.' >&2; exit 1")
    with pytest.raises(UnreadableStateError) as refusal:
        stacks_in_bucket("our-states", "a")
    assert str(refusal.value) == (
        "the states in gs://our-states/a/ cannot be listed: ERROR: (gcloud.storage.ls) HTTPError 403: no."
    )
    (tmp_path / "gcloud").unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnreadableStateError) as refusal:
        stacks_in_bucket("our-states", "a")
    assert str(refusal.value) == "gcloud cannot be run (No such file or directory); install the Google Cloud CLI"


def stub_gcloud(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    (folder / "gcloud").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (folder / "gcloud").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_what_terraform_said_first_is_told_on_one_line_without_its_frame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    framed = "printf '╷\\n│ Error: no bucket\\n│ \\n│ It is gone.\\n╵\\n' >&2; exit 1"
    path = tmp_path / "terraform"
    path.write_text(f'#!/bin/sh\ncase $2 in init) {framed} ;; *) echo "Error: run init" >&2; exit 1 ;; esac\n')
    path.chmod(0o755)
    monkeypatch.setenv("TERRAFORM_BINARY_NAME", str(path))
    with pytest.raises(UnreadableStateError) as refusal:
        pull("it", {})
    assert str(refusal.value) == "the state of it cannot be read: Error: no bucket It is gone."


def test_a_terraform_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERRAFORM_BINARY_NAME", "there-is-no-terraform")
    with pytest.raises(UnreadableStateError) as refusal:
        pull("it", {})
    assert str(refusal.value) == "there-is-no-terraform cannot be run (No such file or directory); install Terraform"


def test_a_synth_that_fails_ends_it(site: Path) -> None:
    (site / "main.py").write_text("raise SystemExit(1)", encoding="utf-8")
    assert main(["prod", "./cdktf", "--yes"], site) == 1
    assert not (site / "calls").exists()


def test_without_terraform_nothing_is_tried(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERRAFORM_BINARY_NAME", "there-is-no-terraform")
    assert main(["prod", "./cdktf", "--yes"], site) == 2
    assert capsys.readouterr().err.splitlines() == [
        "there-is-no-terraform is not on the PATH; install Terraform 1.11 or newer",
        "Nothing was destroyed.",
    ]


@pytest.mark.skipif(not shutil.which("terraform"), reason="needs terraform on the PATH")
def test_terraform_reads_the_state_behind_a_backend_and_says_why_it_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_DATA_DIR", str(tmp_path / "data"))  # of the user's own; it is not touched
    file = tmp_path / "prod_cluster.tfstate"
    kept: dict[str, Any] = {
        **state("google_container_cluster", deletion_protection=True),
        "terraform_version": "1.11.4",
        "serial": 1,
        "lineage": "5f6d3c1e-7d0c-4f5e-9d57-d5a4f7f2c001",
    }
    kept["resources"][0]["provider"] = 'provider["registry.terraform.io/hashicorp/google"]'
    kept["resources"][0]["instances"][0]["schema_version"] = 2
    file.write_text(json.dumps(kept), encoding="utf-8")
    block = {
        "backend": {"local": {"path": str(file)}},
        "required_providers": {"google": {"source": "hashicorp/google"}},
    }
    assert holding(["it"], {"it": pull("it", block)}) == ("it",)
    assert pull("it", {"backend": {"local": {"path": str(tmp_path / "none.tfstate")}}}) == {}
    with pytest.raises(
        UnreadableStateError, match=r'^the state of it cannot be read: Error: .*"no-such-backend"'
    ) as it:
        pull("it", {"backend": {"no-such-backend": {}}})
    assert "│" not in str(it.value)
    assert not (tmp_path / "data").exists()
