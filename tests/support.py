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
    """The notes that these environment files give."""
    write_environments(root, **texts)
    return [str(doubt) for doubt in read_sites(root).doubts]


def read_stacks(output: Path) -> Stacks:
    """Every stack below a cdktf.out folder."""
    return {
        path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in output.glob("stacks/*/cdk.tf.json")
    }


#: What main.py needs of the checkout.
PARTS = (
    "main.py",
    "settings",
    "catalog",
    "training",
    "constructs",
    "stacks",
    "environments",
    "job_specs",
    "cdktf.json",
)


def copy_checkout(target: Path) -> Path:
    """The checkout in another folder, without tests and tools."""
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, target / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / part, target / part)
    return target


def files_in(output: Path) -> dict[str, bytes]:
    """Every generated file below a cdktf.out."""
    files = sorted(path for path in output.rglob("*") if path.is_file())
    return {str(path.relative_to(output)): path.read_bytes() for path in files}
