"""What the commands that need a cloud would run; make prints it and runs nothing."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT, copy_checkout


def dry_run(*arguments: str) -> list[str]:
    done = subprocess.run(["make", "--dry-run", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    lines = [line for line in done.stdout.splitlines() if "tools." in line or "bin/cdktf" in line]
    return [line[line.index("tools.") if "tools." in line else line.index("bin/cdktf") :] for line in lines]


@pytest.mark.parametrize(
    ("arguments", "commands"),
    [
        ("diff ENV=prod", ["tools.target 'prod'", "bin/cdktf diff 'prod_network'"]),
        ("diff ENV=prod STACK=cluster", ["tools.target 'prod' layer 'cluster'", "bin/cdktf diff 'prod_cluster'"]),
        ("deploy ENV=prod", ["tools.target 'prod'", "tools.tokens 'prod'", "bin/cdktf deploy 'prod_*'"]),
        (
            "deploy ENV=prod TOKENS=keep",
            ["tools.target 'prod'", "tools.tokens 'prod' --keep", "bin/cdktf deploy 'prod_*'"],
        ),
        (
            "deploy ENV=prod STACK=cluster",
            [
                "tools.target 'prod' layer 'cluster'",
                "tools.tokens 'prod' --keep",
                "bin/cdktf deploy 'prod_cluster' --ignore-missing-stack-dependencies",
            ],
        ),
        (
            "deploy ENV=prod STACK=platform",
            [
                "tools.target 'prod' layer 'platform'",
                "tools.tokens 'prod'",
                "bin/cdktf deploy 'prod_platform' --ignore-missing-stack-dependencies",
            ],
        ),
        (
            "deploy ENV=prod APPROVE=yes",
            ["tools.target 'prod'", "tools.tokens 'prod'", "bin/cdktf deploy 'prod_*' --auto-approve"],
        ),
        ("run ENV=prod JOB=smoke", ["tools.target 'prod' job 'smoke'", "bin/cdktf deploy 'job_prod_smoke'"]),
        (
            "run ENV=prod JOB=smoke APPROVE=yes",
            ["tools.target 'prod' job 'smoke'", "bin/cdktf deploy 'job_prod_smoke' --auto-approve"],
        ),
        ("destroy ENV=prod", ["tools.teardown 'prod' node_modules/.bin/cdktf"]),
        ("destroy ENV=prod APPROVE=yes", ["tools.teardown 'prod' node_modules/.bin/cdktf --yes"]),
        ("cdktf 'ARGS=destroy prod_platform'", ["bin/cdktf destroy prod_platform"]),
    ],
)
def test_make_wraps_cdktf(arguments: str, commands: list[str]) -> None:
    assert [" ".join(line.split()) for line in dry_run(*shlex.split(arguments))] == commands


@pytest.mark.parametrize(
    ("command", "said"), [("deploy", "say which site: make ... ENV=name"), ("run ENV=prod", "say which job: make run")]
)
def test_make_asks_for_what_it_needs(command: str, said: str) -> None:
    done = subprocess.run(["make", *command.split()], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(said)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("diff ENV=nowhere", "environments: has no site called nowhere;"),
        ("deploy ENV=example-b200 STACK=storge", "STACK=storge is no layer of a site; did you mean storage?"),
        ("run ENV=example-b200 JOB=nope", "environments/example-b200.yaml: jobs does not list nope;"),
    ],
)
def test_make_looks_for_what_is_named_before_it_starts_cdktf(command: str, said: str, tmp_path: Path) -> None:
    root = copy_checkout(tmp_path / "site")
    shutil.copy(ROOT / "Makefile", root)
    (root / ".venv").symlink_to(sys.prefix)
    (root / "node_modules" / ".bin").mkdir(parents=True)
    (root / "node_modules" / ".bin" / "cdktf").symlink_to("/bin/false")
    ready = [f"--old-file={name}" for name in (".venv/runtime", "node_modules/.package-lock.json")]
    for name in ("requirements.txt", "package-lock.json", "node_modules/.package-lock.json"):
        (root / name).touch()
    done = subprocess.run(["make", *ready, *command.split()], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(said)
    assert "cdktf" not in done.stdout
