"""A site is destroyed only when nothing protects it, neither in its file nor in its state."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from settings.environment import Environment
from tests.support import MINIMAL, ROOT, environment, write_environments
from tools.teardown import (
    doubt,
    holding,
    job_stacks,
    layer_stacks,
    local_states,
    main,
    refusals_by_file,
    refusals_by_state,
)
from tools.terraform_state import UnreadableStateError, pull, read_file

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
        " or delete it by hand, `kubectl --namespace=ray delete rayjob old-1f2e3d`, and then that file"
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


def test_where_states_cannot_be_listed_the_user_is_told_where_to_look() -> None:
    assert doubt(environment(OPEN)) is None
    assert doubt(environment(OPEN + "state: {backend: gcs, bucket: our-states}\n")) == (
        "note: jobs that the file no longer lists are not looked for; see gcloud storage ls"
        " 'gs://our-states/nemo-rl/job_prod_*'"
    )
    assert doubt(environment(OPEN + "state: {backend: cloud, organization: acme}\n")) == (
        "note: jobs that the file no longer lists are not looked for; see the workspaces job_prod_* of acme"
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
def test_terraform_reads_the_state_behind_a_backend_and_says_why_it_cannot(tmp_path: Path) -> None:
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
    with pytest.raises(UnreadableStateError, match=r"^the state of it cannot be read: Error: "):
        pull("it", {"backend": {"there-is-no-such-backend": {}}})
