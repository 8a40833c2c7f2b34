"""`python -m tools.jobs`: the jobs of a checkout as a table, and what each site makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from settings.faults import SettingsError
from tests.jobs import SMALL, TUTORIAL
from tests.support import MINIMAL, write_environments
from tools import jobs as command
from tools.jobs import main, report

CONVERT = "kind: convert\nmodel: google/gemma-3-27b-it\ncheckpoint: {run: gemma}\n"
EVALUATE = "kind: evaluate\nmodel: google/gemma-3-27b-it\ncheckpoint: {run: gemma}\ndataset: gsm8k\n"


def checkout(root: Path, **jobs: str) -> Path:
    write_environments(root, small=f"{MINIMAL}ray: {{workers: 1}}\njobs: [small]\n", large=MINIMAL)
    (root / "job_specs").mkdir()
    for name, text in jobs.items():
        (root / "job_specs" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return root


def test_jobs_are_listed_with_what_they_take_and_what_each_site_says(tmp_path: Path) -> None:
    root = checkout(
        tmp_path, convert=CONVERT, evaluate=EVALUATE, gemma=f"{TUTORIAL}wandb: {{project: grpo}}\n", small=SMALL
    )
    assert list(report(root)) == [
        "job       kind      model                  nodes  GPUs  steps  needs",
        "convert   convert   google/gemma-3-27b-it  0      0     -      the model's licence; a checkpoint of gemma; 204"
        " GiB on the head",
        "evaluate  evaluate  google/gemma-3-27b-it  1      8     -      the model's licence; the export of gemma",
        "gemma     grpo      google/gemma-3-27b-it  2      16    10     the model's licence; a W&B key",
        "small     grpo      Qwen/Qwen2.5-1.5B      1      8     10     -",
        "",
        "large (2 Ray workers, NeMo RL v0.5.0):",
        "  convert: fits, and is not listed",
        "  evaluate: fits, and is not listed",
        "  gemma: fits, and is not listed",
        "  small: fits, and is not listed",
        "",
        "small (1 Ray worker, NeMo RL v0.5.0):",
        "  convert: fits, and is not listed",
        "  evaluate: fits, and is not listed",
        "  gemma: nodes is 1 to train + 1 to generate = 2, but ray.workers is 1; raise it, or take fewer nodes",
        "  small: listed",
    ]


def test_a_file_that_a_site_does_not_list_speaks_for_itself_alone(tmp_path: Path) -> None:
    root = checkout(
        tmp_path, small=SMALL, copy=SMALL, zoo=SMALL.replace("run: small", "run: zoo"), **{"My Job": CONVERT}
    )
    assert list(report(root))[-4:] == [
        "  My Job: cannot be listed under this name; rename the file, to lower-case letters, digits and -",
        "  copy: checkpoints.run is small, as in small.yaml; write another one",
        "  small: listed",
        "  zoo: fits, and is not listed",
    ]


def test_a_job_with_a_cluster_of_its_own_says_so(tmp_path: Path) -> None:
    root = checkout(tmp_path, small=f"{SMALL}cluster: own\n")
    assert list(report(root))[1].endswith("a RayCluster of its own")


def test_a_token_in_a_job_file_is_not_repeated(tmp_path: Path) -> None:
    token = "hf_CanaryCanaryCanaryCanaryCanary01"
    text = SMALL.replace("recipe: ", f"recipe: {token}/").replace("model: Qwen", f"model: {token}")
    lines = list(report(checkout(tmp_path, small=text)))
    assert any("holds a token" in line for line in lines)
    assert not [line for line in lines if token in line]


def test_files_that_cannot_be_used_are_named_all_at_once(tmp_path: Path) -> None:
    root = checkout(tmp_path, a="kind: x\n", b="model: x/y\n")
    with pytest.raises(SettingsError) as caught:
        list(report(root))
    assert [line.split(" ")[0] for line in str(caught.value).splitlines()] == [
        "job_specs/a.yaml:",
        "job_specs/b.yaml:",
    ]


def test_the_command_takes_no_arguments(
    examples_root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "ROOT", examples_root)
    assert main(["x"]) == 2
    assert capsys.readouterr().err == "write: python -m tools.jobs\n"
    assert main([]) == 0
    assert "gemma3-27b-gsm8k" in capsys.readouterr().out
