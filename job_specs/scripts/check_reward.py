"""Proves on a prepared dataset that a right answer earns reward 1 and a wrong one 0, before GPUs are spent on it.

    check_reward.py --dataset=/data/datasets/gsm8k --verifier=hf_math_verify

The verifier is the one that the run will use: what NeMo RL's HFVerifyWorker does with one answer
(nemo_rl/environments/math_environment.py, the same in v0.5.0, v0.6.0 and v0.7.0), which silently gives 0 to everything
that it cannot compare. Of both files up to --rows rows are tried, spread over the file. The answers are what a model
writes that follows the prompt file examples/prompts/cot.txt: some words, and the final answer in \\boxed{}.

Exit status: 0 all rewards are as they must be, 1 one is not; one line says how many, with the first row (counted from
1). A reward of 0 for right answers means that the run would learn nothing: the tutorial's own command does that,
because it compares with GSM8K's whole solution text.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steps import StepError, image_module, one_line, run, say

VERIFIERS = ("hf_math_verify",)
FILES = ("train.jsonl", "validation.jsonl")

#: The reward of a response, given the answer that the dataset states.
Verify = Callable[[str, str], float]


@dataclass(frozen=True)
class Row:
    """A row of a prepared file."""

    where: str
    answer: str

    @property
    def final(self) -> str:
        """What a model would put into the box: also of a whole solution, which the dataset should not hold."""
        text = self.answer.rpartition("####")[2].strip()
        boxed = re.findall(r"\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}", text)
        return boxed[-1] if boxed else text.replace(",", "") if "####" in self.answer else text


def main() -> int:
    parser = argparse.ArgumentParser(description="Check the rewards of a prepared dataset.", allow_abbrev=False)
    parser.add_argument("--dataset", type=Path, required=True, help="folder with train.jsonl and validation.jsonl")
    parser.add_argument("--verifier", choices=VERIFIERS, required=True, help="env.math.math_verify_impl of the run")
    parser.add_argument("--rows", type=int, default=16, help="rows to try of each file (default: 16)")
    options = parser.parse_args()
    rows = [row for name in FILES for row in _sample(options.dataset / name, options.rows)]

    verify = _hf_math_verify()
    # The text around the box differs between the right and the wrong answer in nothing.
    right = [verify(_response(row.final), row.answer) for row in rows]
    wrong = [verify(_response(_other(row.final)), row.answer) for row in rows]
    _check("a right", rows, right, 1.0, "the answers of the dataset must be nothing but the final answer")
    _check("a wrong", rows, wrong, 0.0, "the answers of the dataset must be such that a wrong one differs")
    say(f"{len(rows)} rows tried: each right answer earns reward 1, each wrong one 0 ({options.verifier})")
    return 0


def _check(kind: str, rows: list[Row], rewards: list[float], expected: float, remedy: str) -> None:
    bad = [(row, reward) for row, reward in zip(rows, rewards, strict=True) if reward != expected]
    if bad:
        row, reward = bad[0]
        tried = row.final if expected else _other(row.final)
        raise StepError(
            f"{kind} answer earns reward {reward:g} instead of {expected:g} in {len(bad)} of {len(rows)} rows, first in"
            f" {row.where}: \\boxed{{{one_line(tried, 60)}}} for the answer {one_line(row.answer, 200)!r}; {remedy}"
        )


def _sample(path: Path, count: int) -> list[Row]:
    """Rows spread over the file; all rows where there are not more."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise StepError(f"{path} cannot be read: {error.strerror}; prepare_dataset.py makes it") from error
    if not lines:
        raise StepError(f"{path} has no rows")
    places = sorted({index * len(lines) // count for index in range(count)})
    return [_row(lines[place], f"{path} row {place + 1}") for place in places]


def _row(line: str, where: str) -> Row:
    try:
        row: dict[str, Any] = json.loads(line)
        answer = row["output"]
    except (ValueError, TypeError, KeyError) as error:
        raise StepError(f"{where} is not of the form {{'input': ..., 'output': ...}}: {one_line(line, 100)}") from error
    if not isinstance(answer, str) or not answer.strip():
        raise StepError(f"{where} has no answer under 'output': {one_line(line, 100)}")
    return Row(where, answer)


def _response(final: str) -> str:
    return f"Let me think step by step. That settles it.\nThe answer is \\boxed{{{final}}}."


def _other(final: str) -> str:
    """An answer that is another one: the next number, or a number that nobody asked for."""
    return str(int(final) + 1) if re.fullmatch(r"-?\d+", final) else "-987654321"


def _hf_math_verify() -> Verify:
    """One answer through HFVerifyWorker.verify, which runs in a Ray actor otherwise."""
    # math-verify 0.8.0 in NeMo RL v0.5.0 and v0.6.0, 0.9.0 in v0.7.0.
    errors, metric, parser = (image_module(f"math_verify.{name}") for name in ("errors", "metric", "parser"))
    logging.getLogger("math_verify").setLevel(logging.CRITICAL)
    compare = metric.math_metric(
        gold_extraction_target=(parser.LatexExtractionConfig(),),
        pred_extraction_target=(parser.ExprExtractionConfig(), parser.LatexExtractionConfig()),
    )

    def verify(response: str, answer: str) -> float:
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                score, _ = compare(["\\boxed{" + answer + "}"], [response])
            return float(score)
        except (Exception, errors.TimeoutException):  # the latter is no Exception
            return 0.0

    return verify


if __name__ == "__main__":
    run(main)
