"""What a command of the Makefile is about is looked for before cdktf starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import target
from tools.target import main


@pytest.mark.parametrize(
    "arguments", [["example-b200"], ["example-b200", "layer", "storage"], ["example-b200", "job", "gemma3-1b-smoke"]]
)
def test_what_there_is_goes_on(arguments: list[str], examples_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target, "ROOT", examples_root)
    assert main(arguments) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "write: python -m tools.target SITE [layer LAYER | job JOB]"),
        (["example-b200", "storage"], "write: python -m tools.target SITE [layer LAYER | job JOB]"),
        (["nowhere"], "environments: has no site called nowhere; there are example-b200, example-h200"),
        (["example-b200", "layer", "storge"], "STACK=storge is no layer of a site; did you mean storage?"),
        (
            ["example-b200", "layer", "gemma3-27b"],
            "STACK=gemma3-27b is no layer of a site; there are network, storage, cluster, platform",
        ),
        (
            ["example-b200", "job", "llama3-8b-gsm8k"],
            "environments/example-b200.yaml: jobs does not list llama3-8b-gsm8k; add it",
        ),
        (
            ["example-b200", "job", "gemma3-27b-gsmk"],
            "environments/example-b200.yaml: jobs does not list gemma3-27b-gsmk; did you mean gemma3-27b-gsm8k?",
        ),
        (
            ["example-b200", "job", "nope"],
            "environments/example-b200.yaml: jobs does not list nope; there are gemma3-1b-smoke, gemma3-27b-gsm8k,"
            " gemma3-27b-convert, gemma3-27b-evaluate",
        ),
    ],
)
def test_what_there_is_not_is_one_line_with_what_to_write(
    arguments: list[str],
    said: str,
    examples_root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(target, "ROOT", examples_root)
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"{said}\n"


def test_faults_of_the_files_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(target, "ROOT", tmp_path)
    assert main(["prod"]) == 2
    assert capsys.readouterr().err == "environments: holds no .yaml file; copy one of the examples into it\n"
