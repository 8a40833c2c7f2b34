"""What the commands that need a cloud would run; make prints it and runs nothing."""

from __future__ import annotations

import subprocess

import pytest

from tests.support import ROOT


def dry_run(*arguments: str) -> list[str]:
    done = subprocess.run(["make", "--dry-run", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    lines = [line for line in done.stdout.splitlines() if "tools." in line or "bin/cdktf" in line]
    return [line[line.index("tools.") if "tools." in line else line.index("bin/cdktf") :] for line in lines]


@pytest.mark.parametrize(
    ("arguments", "commands"),
    [
        ("diff ENV=prod", ["bin/cdktf diff 'prod_network'"]),
        ("diff ENV=prod STACK=cluster", ["bin/cdktf diff 'prod_cluster'"]),
        ("deploy ENV=prod", ["tools.tokens prod", "bin/cdktf deploy 'prod_*'"]),
        ("deploy ENV=prod TOKENS=keep", ["tools.tokens prod --keep", "bin/cdktf deploy 'prod_*'"]),
        (
            "deploy ENV=prod STACK=cluster",
            ["tools.tokens prod --keep", "bin/cdktf deploy 'prod_cluster' --ignore-missing-stack-dependencies"],
        ),
        (
            "deploy ENV=prod STACK=platform",
            ["tools.tokens prod", "bin/cdktf deploy 'prod_platform' --ignore-missing-stack-dependencies"],
        ),
        (
            "deploy ENV=prod APPROVE=yes",
            ["tools.tokens prod", "bin/cdktf deploy 'prod_*' --auto-approve"],
        ),
        ("run ENV=prod JOB=smoke", ["bin/cdktf deploy 'job_prod_smoke'"]),
        ("run ENV=prod JOB=smoke APPROVE=yes", ["bin/cdktf deploy 'job_prod_smoke' --auto-approve"]),
        ("destroy ENV=prod", ["tools.teardown prod node_modules/.bin/cdktf"]),
        ("destroy ENV=prod APPROVE=yes", ["tools.teardown prod node_modules/.bin/cdktf --yes"]),
    ],
)
def test_make_wraps_cdktf(arguments: str, commands: list[str]) -> None:
    assert [" ".join(line.split()) for line in dry_run(*arguments.split())] == commands


@pytest.mark.parametrize(
    ("command", "said"), [("deploy", "say which site: make ... ENV=name"), ("run ENV=prod", "say which job: make run")]
)
def test_make_asks_for_what_it_needs(command: str, said: str) -> None:
    done = subprocess.run(["make", *command.split()], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(said)
