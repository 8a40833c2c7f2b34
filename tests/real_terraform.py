"""The machine's own Terraform as a judge of texts: does it hand on exactly what somebody wrote?"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

TERRAFORM = shutil.which("terraform")
needs_terraform = pytest.mark.skipif(TERRAFORM is None, reason="terraform is not installed")


def planned(folder: Path, texts: Mapping[str, str]) -> dict[str, str]:
    """What a plan makes of texts as they stand in our JSON: one `terraform_data`, which needs no registry."""
    configuration = {"resource": {"terraform_data": {"texts": {"input": dict(texts)}}}}
    (folder / "main.tf.json").write_text(json.dumps(configuration), encoding="utf-8")
    for command in (["init", "-input=false"], ["plan", "-input=false", "-out=plan"]):
        _terraform(folder, *command)
    plan = json.loads(_terraform(folder, "show", "-json", "plan"))
    (resource,) = plan["planned_values"]["root_module"]["resources"]
    return resource["values"]["input"]


def _terraform(folder: Path, *arguments: str) -> str:
    assert TERRAFORM
    result = subprocess.run([TERRAFORM, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout
