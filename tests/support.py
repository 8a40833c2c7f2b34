"""Helpers of the tests: environments from YAML text, faults as users see them, stacks read from disk."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from textwrap import dedent
from typing import Any

from settings.environment import Environment
from settings.faults import SettingsError
from settings.sites import read_sites

ROOT = Path(__file__).resolve().parents[1]

#: Stack id -> the content of its cdk.tf.json.
Stacks = dict[str, dict[str, Any]]

#: The smallest good environment.
MINIMAL = """\
project: my-project
region: us-central1
zone: us-central1-b
gpu_pool:
  gpu: nvidia-b200
  machine: a4-highgpu-8g
  reservation: {name: my-reservation}
"""


def write_environments(root: Path, **texts: str) -> None:
    """Writes `environments/<name>.yaml` under `root` for each keyword; `_` in a keyword stands for `-`."""
    folder = root / "environments"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name.replace('_', '-')}.yaml").write_text(dedent(text), encoding="utf-8")


def environment(text: str) -> Environment:
    """The environment that a YAML text describes; it must state its name."""
    import tempfile

    with tempfile.TemporaryDirectory() as root:
        write_environments(Path(root), test=text)
        return read_sites(Path(root)).environments[0]


def faults(root: Path, **texts: str) -> list[str]:
    """The error lines that these environment files give; empty when they are good."""
    write_environments(root, **texts)
    try:
        read_sites(root)
    except SettingsError as error:
        return str(error).splitlines()
    return []


def doubts(root: Path, **texts: str) -> list[str]:
    """The notes that these environment files give, but for those on the placeholders that `MINIMAL` has."""
    write_environments(root, **texts)
    lines = [str(doubt) for doubt in read_sites(root).doubts]
    return [line for line in lines if "the example's; going on" not in line]


def read_stacks(output: Path) -> Stacks:
    """Every stack below a cdktf.out folder."""
    return {
        path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in output.glob("stacks/*/cdk.tf.json")
    }


#: The job files that come with the project; a user's own stand beside them.
JOBS = (
    "gemma3-1b-smoke",
    "gemma3-27b-convert",
    "gemma3-27b-evaluate",
    "gemma3-27b-gsm8k",
    "gemma3-27b-gsm8k-long",
    "llama3-8b-gsm8k",
    "qwen2-1-5b-gsm8k",
)
#: What main.py and the tools need of the checkout, besides the files that users write.
PARTS = ("main.py", "settings", "catalog", "training", "constructs", "stacks", "tools", "cdktf.json")


def copy_examples(target: Path) -> Path:
    """The example sites, the job files that come with the project, and the scripts, in another folder.

    What else a user has in the checkout stays out: no test depends on it.
    """
    (target / "environments").mkdir(parents=True)
    for path in (ROOT / "environments").glob("example-*.yaml"):
        shutil.copy(path, target / "environments")
    shutil.copytree(
        ROOT / "job_specs" / "scripts", target / "job_specs" / "scripts", ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in JOBS:
        shutil.copy(ROOT / "job_specs" / f"{name}.yaml", target / "job_specs")
    return target


def copy_checkout(target: Path) -> Path:
    """The checkout in another folder, without tests and documents, with the examples as its only sites."""
    copy_examples(target)
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, target / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, target / part)
    return target


def files_in(output: Path) -> dict[str, bytes]:
    """Every generated file below a cdktf.out."""
    files = sorted(path for path in output.rglob("*") if path.is_file())
    return {str(path.relative_to(output)): path.read_bytes() for path in files}
