"""check_reward.py with the real math-verify. One start of the script tries many rows, because the import is slow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.pods.rows import TEST, TRAIN, gsm8k, prepared, raw
from tests.pods.scripts import Result, call_script, run_script, run_script_often, write_jsonl


def dataset(folder: Path, train: list[Any], validation: list[Any]) -> Path:
    write_jsonl(folder / "train.jsonl", train)
    write_jsonl(folder / "validation.jsonl", validation)
    return folder


def test_prepared_gsm8k_rows_earn_their_rewards(tmp_path: Path) -> None:
    """From the dataset as it is on the Hub to the proof: what a job does before it trains."""
    gsm8k(tmp_path / "gsm8k")
    preparation = run_script(
        "prepare_dataset.py",
        f"--source={tmp_path / 'gsm8k'}",
        "--subset=main",
        "--train-split=train",
        "--validation-split=test",
        "--question-column=question",
        "--answer-column=answer",
        "--answer-after=####",
        f"--output={tmp_path / 'prepared'}",
        cwd=tmp_path,
    )
    assert preparation.status == 0, preparation.err
    words = (f"--dataset={tmp_path / 'prepared'}", "--verifier=hf_math_verify")
    assert run_script("check_reward.py", *words, cwd=tmp_path) == Result(
        0, "6 rows tried: each right answer earns reward 1, each wrong one 0 (hf_math_verify)\n", ""
    )


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Result]]:
    """Three datasets, each with what the script says about it."""
    root = tmp_path_factory.mktemp("tried")
    forms = ("\\frac{1}{2}", "(3, 4)", "x^2 + 1", "\\sqrt{2}", "7/3", "-0.25", "10\\%")
    other = [{"input": "Which?", "output": answer} for answer in forms]
    folders = {
        "raw": dataset(root / "raw", raw(TRAIN), raw(TEST)),
        "other": dataset(root / "other", other, other),
        "mixed": dataset(root / "mixed", prepared(TRAIN), [*prepared(TEST), *raw(TRAIN[:1])]),
    }
    words = ([f"--dataset={folder}", "--verifier=hf_math_verify"] for folder in folders.values())
    results = run_script_often("check_reward.py", *words, cwd=root)
    return {name: (folder, result) for (name, folder), result in zip(folders.items(), results, strict=True)}


def test_the_tutorials_gsm8k_rows_earn_nothing(tried: dict[str, tuple[Path, Result]]) -> None:
    """The tutorial trains on GSM8K's answers as they are: each right answer earns reward 0."""
    folder, result = tried["raw"]
    assert result.status == 1
    assert result.fault.startswith(
        "check_reward.py: a right answer earns reward 0 instead of 1 in 6 of 6 rows, first in"
        f" {folder / 'train.jsonl'} row 1: \\boxed{{45}} for the answer 'The boxes hold 4 * 12 = <<"
    )
    assert result.fault.endswith("; the answers of the dataset must be nothing but the final answer")


def test_answers_that_are_no_numbers_earn_their_rewards_too(tried: dict[str, tuple[Path, Result]]) -> None:
    assert tried["other"][1] == Result(
        0, "14 rows tried: each right answer earns reward 1, each wrong one 0 (hf_math_verify)\n", ""
    )


def test_a_single_broken_row_among_good_ones_is_found(tried: dict[str, tuple[Path, Result]]) -> None:
    folder, result = tried["mixed"]
    assert result.fault.startswith(
        "check_reward.py: a right answer earns reward 0 instead of 1 in 1 of 7 rows, first in"
        f" {folder / 'validation.jsonl'} row 3: \\boxed{{45}} for the answer 'The boxes hold"
    )


def test_a_verifier_that_takes_everything_is_found(tmp_path: Path) -> None:
    package = tmp_path / "modules" / "math_verify"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "errors.py").write_text("class TimeoutException(BaseException): pass\n", encoding="utf-8")
    (package / "parser.py").write_text("ExprExtractionConfig = LatexExtractionConfig = tuple\n", encoding="utf-8")
    (package / "metric.py").write_text(
        "def math_metric(gold_extraction_target, pred_extraction_target):\n"
        "    return lambda golds, predictions: (1.0, None)\n",
        encoding="utf-8",
    )
    folder = dataset(tmp_path / "mine", prepared(TRAIN), prepared(TEST))
    result = run_script(
        "check_reward.py",
        f"--dataset={folder}",
        "--verifier=hf_math_verify",
        cwd=tmp_path,
        modules=tmp_path / "modules",
    )
    assert result.status == 1
    assert result.fault == (
        "check_reward.py: a wrong answer earns reward 1 instead of 0 in 6 of 6 rows, first in"
        f" {folder / 'train.jsonl'} row 1: \\boxed{{46}} for the answer '45'; the answers of the dataset must be such"
        " that a wrong one differs"
    )


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"question": "1?", "answer": "1"}, "is not of the form {'input': ..., 'output': ...}: {\"question\": "),
        ({"input": "1?", "output": 1}, "has no answer under 'output': "),
        ({"input": "1?", "output": " "}, "has no answer under 'output': "),
        ("text", "is not of the form "),
    ],
    ids=["other columns", "number", "empty", "no object"],
)
def test_a_row_of_another_form_is_named(tmp_path: Path, row: Any, fault: str) -> None:
    folder = dataset(tmp_path / "mine", prepared(TRAIN), [*prepared(TEST), row])
    result = call_script("check_reward.py", f"--dataset={folder}", "--verifier=hf_math_verify")
    assert result.status == 1
    assert result.fault.startswith(f"check_reward.py: {folder / 'validation.jsonl'} row 3 {fault}")


def test_missing_and_empty_files_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    words = (f"--dataset={folder}", "--verifier=hf_math_verify")
    assert call_script("check_reward.py", *words).fault == (
        f"check_reward.py: {folder / 'train.jsonl'} cannot be read: No such file or directory; prepare_dataset.py makes"
        " it"
    )
    dataset(folder, prepared(TRAIN), [])
    assert call_script("check_reward.py", *words).fault == f"check_reward.py: {folder / 'validation.jsonl'} has no rows"
