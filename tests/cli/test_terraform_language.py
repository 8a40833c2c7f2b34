"""Texts of users and scripts through Terraform's own template language: they come out as they went in."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from catalog.terraform import literal
from constructs.ray_values import chart_values, values_yaml
from settings.job_scripts import read_scripts
from stacks.ray_cluster import ray_cluster
from tests.stacks.one_platform import platform, site
from tests.support import ROOT

TERRAFORM = shutil.which("terraform")
pytestmark = pytest.mark.skipif(TERRAFORM is None, reason="terraform is not on the PATH")

#: What `$`, `%`, braces, quotes and backslashes can do to each other.
NASTY = (
    "${HOME}",
    "%{ if x }",
    "$${escaped} %%{escaped}",
    "$$${three} %%%{three}",
    "$$$${four}",
    "$ {no} $x $(date) ${",
    "100% %{ %",
    '"${quoted}" \\"${x}\\" \\${y} \\\\',
    "a\n\tb ${c}\r\n",
    "${jsonencode({a = 1})}",
    'eval "exec $KUBERAY_GEN_RAY_START_CMD" ${VAR:+:$VAR}',
)


def evaluated(texts: list[str], folder: Path) -> list[str]:
    """The texts after Terraform planned them as an attribute of a resource."""
    configuration = {"resource": {"terraform_data": {"texts": {"input": texts}}}}
    (folder / "main.tf.json").write_text(json.dumps(configuration), encoding="utf-8")
    _terraform(folder, "init", "-input=false")
    _terraform(folder, "plan", "-input=false", "-out=plan")
    plan = json.loads(_terraform(folder, "show", "-json", "plan"))
    return plan["planned_values"]["root_module"]["resources"][0]["values"]["input"]


def _terraform(folder: Path, *arguments: str) -> str:
    # No user's configuration, and no question to the registry: terraform_data is built in.
    environment = {**os.environ, "TF_CLI_CONFIG_FILE": os.devnull, "CHECKPOINT_DISABLE": "1"}
    return subprocess.run(
        [TERRAFORM or "", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True
    ).stdout


def test_any_text_comes_back_unchanged(tmp_path: Path) -> None:
    chance = random.Random(1)
    texts = [*NASTY, *("".join(chance.choices('$%{}"\\x \n', k=12)) for _ in range(500))]
    assert evaluated([literal(text) for text in texts], tmp_path) == texts


def test_every_text_of_the_platform_reaches_the_cloud_as_it_was_written(tmp_path: Path) -> None:
    environment = {f"TEXT_{index}": text for index, text in enumerate(NASTY)}
    text = f"ray: {{env: {json.dumps(environment)}}}\n"
    scripts = {**read_scripts(ROOT), **{f"nasty-{index}.sh": text for index, text in enumerate(NASTY)}}
    resources: dict[str, Any] = platform(text, scripts=scripts)["resource"]

    written = [*scripts.values(), values_yaml(chart_values(ray_cluster(site(text))))]
    in_the_json = [
        *(resources["kubernetes_config_map_v1"]["job-scripts"]["data"][name] for name in scripts),
        *resources["helm_release"]["ray"]["values"],
    ]
    assert evaluated(in_the_json, tmp_path) == written


VOLUME, CLAIM, RELEASE = (
    "kubernetes_persistent_volume_v1.lustre-volume",
    "kubernetes_persistent_volume_claim_v1.lustre",
    "helm_release.ray",
)


REPLACED, KEPT = ["delete", "create"], ["no-op"]


@pytest.mark.parametrize(
    ("address", "capacity", "expected"),
    [
        ("10.0.0.2", 18000, {"volume": REPLACED, "claim": REPLACED, "release": REPLACED}),
        ("10.0.0.1", 36000, {"volume": ["update"], "claim": KEPT, "release": KEPT}),
    ],
)
def test_another_instance_replaces_claim_and_release_with_the_volume_and_a_larger_one_does_not(
    address: str, capacity: int, expected: dict[str, list[str]], tmp_path: Path
) -> None:
    _write_stand_ins(tmp_path, address="10.0.0.1", capacity=18000)
    _terraform(tmp_path, "init", "-input=false")
    _terraform(tmp_path, "apply", "-input=false", "-auto-approve")

    _write_stand_ins(tmp_path, address=address, capacity=capacity)
    _terraform(tmp_path, "plan", "-input=false", "-out=plan")
    changes = json.loads(_terraform(tmp_path, "show", "-json", "plan"))["resource_changes"]

    planned = {change["name"]: change["change"]["actions"] for change in changes}
    assert {name: planned[name] for name in expected} == expected


def _write_stand_ins(folder: Path, *, address: str, capacity: int) -> None:
    """Volume, claim and release as resources that need no cluster, tied to each other as the platform ties them."""
    resources = platform()["resource"]
    names = {VOLUME: "volume", CLAIM: "claim", RELEASE: "release"}

    def tied(to: str) -> dict[str, Any]:
        kind, name = to.split(".")
        (tie,) = resources[kind][name]["lifecycle"]["replace_triggered_by"]
        for other, stand_in in names.items():
            tie = tie.replace(f"{other}.", f"terraform_data.{stand_in}.")
        return {"lifecycle": {"replace_triggered_by": [tie]}}

    mounted = json.dumps(resources["terraform_data"])
    stand_ins = {
        **json.loads(mounted.replace("${data.google_lustre_instance.lustre-instance.mount_point}", address)),
        "volume": {**tied(VOLUME), "input": capacity},
        "claim": tied(CLAIM),
        "release": tied(RELEASE),
    }
    configuration = {"resource": {"terraform_data": stand_ins}}
    (folder / "main.tf.json").write_text(json.dumps(configuration), encoding="utf-8")
