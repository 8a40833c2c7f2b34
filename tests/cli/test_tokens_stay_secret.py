"""A token, given in every way a user could think of, appears nowhere in what the program prints and writes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import main
from tests.support import MINIMAL, ROOT, faults, write_environments

HUGGING_FACE = "hf_CanaryCanaryCanaryCanaryCanary01"
WANDB = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00"
TOKENS = {"Hugging Face": HUGGING_FACE, "Weights & Biases": WANDB}


def test_tokens_around_a_synth_reach_neither_its_output_nor_the_json(tmp_path: Path) -> None:
    for name in ("catalog", "constructs", "settings", "stacks", "training"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "main.py", tmp_path)
    shutil.copytree(ROOT / "job_specs", tmp_path / "job_specs")
    write_environments(tmp_path, prod=MINIMAL)
    for name in (".env", "terraform.tfvars", "secret.auto.tfvars", "environments/.env"):
        (tmp_path / name).write_text(f'hf_token = "{HUGGING_FACE}"\nwandb_api_key = "{WANDB}"\n', encoding="utf-8")
    given = {
        "TF_VAR_hf_token": HUGGING_FACE,
        "TF_VAR_wandb_api_key": WANDB,
        "HF_TOKEN": HUGGING_FACE,
        "HUGGING_FACE_HUB_TOKEN": HUGGING_FACE,
        "WANDB_API_KEY": WANDB,
    }
    done = subprocess.run(
        [sys.executable, "main.py"],
        cwd=tmp_path,
        env={**os.environ, **given, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made = [path.read_text(encoding="utf-8") for path in (tmp_path / "cdktf.out").rglob("*") if path.is_file()]
    everything = "\n".join([done.stdout, done.stderr, *made])
    assert "var.hf_token" in everything, "the platform's JSON is part of what was looked through"
    assert [name for name, token in TOKENS.items() if token in everything] == []


@pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS)
@pytest.mark.parametrize(
    "lines",
    [
        "tokens: {{hf_token: '{token}'}}",
        "tokens: {{wandb_api_key: '{token}'}}",
        "tokens: {{secret: '{token}'}}",
        "tokens: {{revision: '{token}'}}",
        "tokens: '{token}'",
        "tokens: ['{token}']",
        "hf_token: '{token}'",
        "name: '{token}'",
        "ray: {{env: {{HF_TOKEN: '{token}'}}}}",
        "ray: {{env: {{ANYTHING: '{token}'}}}}",
        "ray: {{workers: '{token}'}}",
        "ray: {{image: '{token}'}}",
        "platform: {{namespace: '{token}'}}",
        "platform: {{credentials: '{token}'}}",
        "platform: {{network_policy: {{allow: [{{namespace: ci, pods: {{app: '{token}'}}}}]}}}}",
        "monitoring: {{alerts: {{channels: ['{token}']}}}}",
        "lustre: {{filesystem: '{token}'}}",
        "hf_token: '{token}",
        "hf_token: {token}: {token}",
    ],
)
def test_a_token_in_an_environment_file_is_refused_and_not_repeated(tmp_path: Path, lines: str, token: str) -> None:
    said = faults(tmp_path, prod=f"{MINIMAL}{lines.format(token=token)}\n")
    assert said != []
    assert [line for line in said if token in line] == []


@pytest.mark.parametrize("argument", [HUGGING_FACE, f"--hf-token={HUGGING_FACE}", WANDB])
def test_a_token_on_the_command_line_is_refused_and_not_repeated(
    argument: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main([argument]) == 2
    said = "".join(capsys.readouterr())
    assert [name for name, token in TOKENS.items() if token in said] == []
