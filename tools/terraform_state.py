"""Reads the state of a stack as Terraform keeps it, without touching the stack's folder.

A local state is a file and is read as such: no Terraform is needed. For a bucket or HCP Terraform, `terraform state
pull` runs in a folder of its own that holds nothing but the stack's backend; no provider is downloaded for it. Where
there is no state yet, its `init` writes an empty one into a bucket, and makes a workspace on HCP Terraform; so look
first, by `stacks_in_bucket`, where that can be done.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

#: The content of a state; empty where there is none.
TerraformState = dict[str, Any]


class UnreadableStateError(Exception):
    """The state cannot be read; the text says whose and why."""


def terraform() -> str:
    """The terraform command, as cdktf finds it."""
    return os.environ.get("TERRAFORM_BINARY_NAME") or "terraform"


def read_file(path: Path) -> TerraformState:
    """The state in a file of the backend `local`. Raises `UnreadableStateError` when the file holds none."""
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UnreadableStateError(f"{path}: is no Terraform state ({error})") from None
    if not isinstance(state, dict):
        raise UnreadableStateError(f"{path}: is no Terraform state (not a mapping)")
    return state  # pyright: ignore[reportUnknownVariableType] # JSON


def stacks_in_bucket(bucket: str, prefix: str) -> frozenset[str]:
    """The stacks that have a state below the prefix of a bucket. gcloud lists them; nothing is written.

    Raises `UnreadableStateError` with what gcloud said: no credentials, no bucket, no gcloud.
    """
    place = f"gs://{bucket}/{prefix}/"
    listed = _run(["gcloud", "storage", "ls", f"{place}*/default.tfstate"], "the Google Cloud CLI")
    if listed.returncode != 0 and "matched no objects" not in listed.stderr:
        raise UnreadableStateError(f"the states in {place} cannot be listed: {_reason(listed.stderr)}")
    return frozenset(line.removeprefix(place).partition("/")[0] for line in listed.stdout.splitlines())


def pull(stack: str, block: dict[str, Any]) -> TerraformState:
    """The state of a stack behind any backend; `block` is the `terraform` block of its JSON.

    Raises `UnreadableStateError` with what Terraform said: no credentials, no bucket, no Terraform.
    """
    backend = {key: block[key] for key in ("backend", "cloud") if key in block}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "main.tf.json").write_text(json.dumps({"terraform": backend}), encoding="utf-8")
        # First the backend, then the providers of what the state holds, of which there are none in this folder: that
        # it fails there does no harm, and whether the backend was reached shows at the pull.
        init = _terraform(folder, "init", "-input=false", "-no-color", f"-plugin-dir={folder}")
        pulled = _terraform(folder, "state", "pull")
        if pulled.returncode != 0:
            raise UnreadableStateError(f"the state of {stack} cannot be read: {_reason(init.stderr or pulled.stderr)}")
    return json.loads(pulled.stdout) if pulled.stdout.strip() else {}


def _terraform(folder: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return _run([terraform(), f"-chdir={folder}", *arguments], "Terraform", TF_DATA_DIR=f"{folder}/.terraform")


def _run(command: list[str], product: str, **environment: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    except OSError as error:
        raise UnreadableStateError(f"{command[0]} cannot be run ({error.strerror}); install {product}") from None


def _reason(text: str) -> str:
    """What is said on standard error, on one line, from Terraform's error on and without the frame around it."""
    plain = " ".join(text.translate(str.maketrans("│╷╵", "   ")).split())
    return plain[max(plain.find("Error: "), 0) :] or "no more is said"


def managed(state: TerraformState) -> list[dict[str, Any]]:
    """The resources that the state holds; data sources are none."""
    found: list[dict[str, Any]] = state.get("resources") or []
    return [one for one in found if one.get("mode") == "managed" and one.get("instances")]


def attributes(state: TerraformState, kind: str) -> list[dict[str, Any]]:
    """The attributes of each instance of each managed resource of one type."""
    return [
        instance.get("attributes") or {}
        for resource in managed(state)
        if resource.get("type") == kind
        for instance in resource["instances"]
    ]


def output(state: TerraformState, name: str) -> str | None:
    """The text of an output, where the state has it."""
    outputs: dict[str, dict[str, Any]] = state.get("outputs") or {}
    value = outputs.get(name, {}).get("value")
    return value if isinstance(value, str) else None
