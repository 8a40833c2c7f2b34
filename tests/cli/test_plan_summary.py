"""The summary of plans that the real terraform made, run as a workflow runs it: by a bare Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import ROOT

terraform = pytest.mark.skipif(not shutil.which("terraform"), reason="terraform is not on the PATH")


def summary(arguments: list[str], given: str) -> subprocess.CompletedProcess[str]:
    """Runs the command by an interpreter that has no installed packages."""
    return subprocess.run(
        [sys.executable, "-S", "-m", "tools.plan_summary", *arguments],
        cwd=ROOT,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


def run(folder: Path, *arguments: str, ok: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run(
        ["terraform", *arguments],
        cwd=folder,
        env={**os.environ, "CHECKPOINT_DISABLE": "1", "TF_CLI_CONFIG_FILE": os.devnull},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in ok, done.stdout + done.stderr
    return done.stdout


def write(folder: Path, **stack: Any) -> None:
    variable = {"token": {"type": "string", "sensitive": True, "default": "hf_recognisable"}}
    (folder / "cdk.tf.json").write_text(json.dumps({"variable": variable, **stack}), encoding="utf-8")


@terraform
def test_every_kind_of_change_of_a_real_plan_is_told(tmp_path: Path) -> None:
    write(
        tmp_path,
        resource={
            "terraform_data": {
                "changes": {"input": {"nodes": 2, "deep": {"token": "${var.token}"}}},
                "replaced": {"triggers_replace": ["a"]},
                "dropped": {"input": 1},
                "forgotten": {"input": 1},
                "old-name": {"input": 1},
            }
        },
    )
    run(tmp_path, "init", "-input=false")
    run(tmp_path, "apply", "-input=false", "-auto-approve")
    write(
        tmp_path,
        resource={
            "terraform_data": {
                "changes": {"input": {"nodes": 3, "deep": {"token": "new ${var.token}"}}},
                "replaced": {"triggers_replace": ["b"]},
                "new-name": {"input": 1},
                "by-hand": {},
                "new": {"input": "${var.token}"},
            }
        },
        moved=[{"from": "terraform_data.old-name", "to": "terraform_data.new-name"}],
        removed=[{"from": "terraform_data.forgotten", "lifecycle": {"destroy": False}}],
        check={"nodes": {"assert": [{"condition": "${var.token == null}", "error_message": "A check failed."}]}},
        output={"nodes": {"value": 3}},
        **{"import": [{"to": "terraform_data.by-hand", "id": "some-id"}]},
    )
    run(tmp_path, "plan", "-input=false", "-out=plan")
    shown = run(tmp_path, "show", "-json", "plan")
    assert "recognisable" in shown, "terraform itself masks nothing in its JSON"
    done = summary(["prod_network"], shown)
    assert done.stdout == (
        "prod_network: 1 destroyed, 1 replaced, 1 changed, 1 created, 1 imported, 1 moved, 1 forgotten, 1 output\n"
        "\n"
        "Checks that fail\n"
        "  A check failed.\n"
        "\n"
        "Destroyed\n"
        "  terraform_data.dropped (no longer in the code)\n"
        "\n"
        "Replaced\n"
        "  terraform_data.replaced\n"
        '    triggers_replace[0]: "a" -> "b" (forces replacement)\n'
        "\n"
        "Changed\n"
        "  terraform_data.changes\n"
        "    input.deep.token: (sensitive) changes\n"
        "    input.nodes: 2 -> 3\n"
        "\n"
        "Created\n"
        "  terraform_data.new\n"
        "\n"
        "Imported\n"
        "  terraform_data.by-hand (imported by some-id)\n"
        "\n"
        "Moved\n"
        "  terraform_data.new-name (was terraform_data.old-name)\n"
        "\n"
        "Forgotten, and left as it is\n"
        "  terraform_data.forgotten (no longer in the code)\n"
        "\n"
        "Outputs\n"
        "  nodes: null -> 3\n"
    )
    assert (done.returncode, done.stderr) == (2, "")


@terraform
def test_a_real_plan_that_fails_is_told_with_its_error(tmp_path: Path) -> None:
    reads = {"terraform_remote_state": {"network": {"backend": "local", "config": {"path": "none.tfstate"}}}}
    write(tmp_path, data=reads)
    run(tmp_path, "init", "-input=false")
    log = tmp_path / "log"
    log.write_text(run(tmp_path, "plan", "-input=false", "-json", ok=(1,)), encoding="utf-8")
    done = summary(["prod_cluster", "--failed", str(log)], "")
    assert done.returncode == 1
    assert done.stdout.startswith(
        "prod_cluster could not be planned\n  data.terraform_remote_state.network: Unable to find remote state\n"
    )
