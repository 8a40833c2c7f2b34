"""Sums up a training run from NeMo RL's own logs: steps, rewards, loss and speed, as JSON, as a table and as a plot.

    summarize.py --logs=/data/logs/RUN --checkpoints=/data/checkpoints/RUN --max-steps=10 --compared=32 \\
        --output=/data/summaries/RUN

Afterwards the output folder holds `summary.json`, `summary.md` and `summary.svg`, each replaced whole. They are made of
what NeMo RL v0.5.0, v0.6.0 and v0.7.0 write alike (algorithms/grpo.py, utils/logger.py):

- `exp_NNN/train_data_step<N>.jsonl`: reward and tokens of each answer of a step. It is written whatever loggers are on.
- `exp_NNN/tensorboard/`: loss, seconds, tokens a second and validation accuracy, only with logger.tensorboard_enabled.
  Without it these are left out: the printed lines that have them too go away with the Ray head's pod.
- `step_N/training_info.json` of the newest checkpoint: the steps that a resumed run would not make again.

Each start of the training logs to the next exp_NNN. Where two of them have the same step, the later one counts; steps
that came after the checkpoint from which a later one went on are left out.

Exit status: 0 all steps are made and taught something; 1 there is nothing to sum up (one line says why); 3 no learning
signal: nowhere did two answers that are compared get different rewards, so that every advantage was 0 and nothing was
learned; 4 the run stopped before its last step, as `checkpointing.checkpoint_must_save_by` makes it do, and goes on
with the next attempt. With 3 and 4 the files are written too.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from steps import StepError, image_module, run, say, whole_file

NO_SIGNAL = 3
UNFINISHED = 4

#: Tag in TensorBoard -> the field of a step.
TAGS = {
    "train/loss": "loss",
    "timing/train/total_step_time": "seconds",
    "performance/tokens_per_sec": "tokens_per_second",
    "validation/accuracy": "accuracy",
}

_NUMBER = re.compile(rb"-?\d[-+.\deE]*(?=\])")


@dataclass(frozen=True, kw_only=True)
class Step:
    """What is known about one step. Rewards and tokens are those of its answers, question and answer counted together.

    `groups` counts the sets of answers that are compared with each other, `differing` those of them with different
    rewards in them: only differences make advantages other than 0. `accuracy` is the mean reward on the validation
    questions after this step.
    """

    step: int
    attempt: str
    answers: int
    groups: int
    differing: int
    reward: float
    lowest_reward: float
    highest_reward: float
    tokens: int
    loss: float | None = None
    seconds: float | None = None
    tokens_per_second: float | None = None
    accuracy: float | None = None


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One start of the training: the steps that it finished, and the validation before all steps, if it made that."""

    steps: tuple[Step, ...]
    accuracy_at_start: float | None


@dataclass(frozen=True, kw_only=True)
class Summary:
    """A run, in the order of its steps."""

    run: str
    max_steps: int
    steps_done: int
    accuracy_at_start: float | None
    steps: tuple[Step, ...]

    @property
    def learning_signal(self) -> bool:
        return any(step.differing for step in self.steps)

    @property
    def complete(self) -> bool:
        return self.steps_done >= self.max_steps

    @property
    def verdict(self) -> str:
        """What to know first, in one line."""
        parts = [f"{self.steps_done} of {self.max_steps} steps"]
        if not self.learning_signal:
            rewards = {reward for step in self.steps for reward in (step.lowest_reward, step.highest_reward)}
            always = f"is always {rewards.pop():g}" if len(rewards) == 1 else "never differs where answers are compared"
            parts.append(f"no learning signal: the reward {always}")
        else:
            parts.append(f"reward {self.steps[0].reward:.4f} at first, {self.steps[-1].reward:.4f} at last")
        if silent := [step.step for step in self.steps if not step.differing] if self.learning_signal else []:
            parts.append(f"no learning signal in {_numbers(silent)}")
        if broken := [step.step for step in self.steps if step.loss is not None and not math.isfinite(step.loss)]:
            parts.append(f"the loss is no number in {_numbers(broken)}")
        return "; ".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description="Sum up a training run.", allow_abbrev=False)
    parser.add_argument("--logs", type=Path, required=True, help="logger.log_dir of the run")
    parser.add_argument("--checkpoints", type=Path, help="checkpointing.checkpoint_dir, of a run that has checkpoints")
    parser.add_argument("--max-steps", type=int, required=True, help="grpo.max_num_steps of the run")
    parser.add_argument("--compared", type=int, required=True, help="how many answers in a row are compared")
    parser.add_argument("--output", type=Path, required=True, help="folder for the summary")
    options = parser.parse_args()

    attempts = [_attempt(folder, options.compared) for folder in _folders(options.logs)]
    steps = _steps(attempts)
    if not steps:
        raise StepError(f"{options.logs} has no train_data_step<N>.jsonl: the training did not finish a step")
    summary = Summary(
        run=options.logs.name,
        max_steps=options.max_steps,
        steps_done=steps[-1].step if options.checkpoints is None else _saved(options.checkpoints),
        accuracy_at_start=next(
            (it.accuracy_at_start for it in reversed(attempts) if it.accuracy_at_start is not None), None
        ),
        steps=steps,
    )
    with whole_file(options.output / "summary.json") as file:
        json.dump(_json(summary), file, indent=2, allow_nan=False)
        file.write("\n")
    with whole_file(options.output / "summary.md") as file:
        file.write(_table(summary))
    with whole_file(options.output / "summary.svg") as file:
        _plot(summary, file)
    say(f"{summary.verdict}; see {options.output}/summary.md")
    if not summary.learning_signal:
        return NO_SIGNAL
    return 0 if summary.complete else UNFINISHED


# Reading


def _folders(logs: Path) -> list[Path]:
    """The log folders of the starts of a training, oldest first."""
    found = {int(path.name[4:]): path for path in logs.glob("exp_*") if path.name[4:].isdecimal()}
    return [found[number] for number in sorted(found)]


def _attempt(folder: Path, compared: int) -> Attempt:
    names = (re.fullmatch(r"train_data_step(\d+)\.jsonl", path.name) for path in folder.iterdir())
    numbers = sorted(int(match[1]) for match in names if match)
    scalars = _scalars(folder)
    steps = tuple(step for number in numbers if (step := _step(folder, number, compared, scalars)) is not None)
    return Attempt(steps=steps, accuracy_at_start=scalars["accuracy"].get(0))


def _steps(attempts: Iterable[Attempt]) -> tuple[Step, ...]:
    """The steps that made the model what it is."""
    kept: list[Step] = []
    for attempt in attempts:
        if attempt.steps:  # it went on before its first step, without what was made after that
            kept = [step for step in kept if step.step < attempt.steps[0].step]
        kept += attempt.steps
    return tuple(kept)


def _step(folder: Path, number: int, compared: int, scalars: Mapping[str, Mapping[int, float]]) -> Step | None:
    """One step; None where the file was opened and the training stopped before a line was whole."""
    rewards: list[float] = []
    trained: list[float] = []
    tokens = 0
    path = folder / f"train_data_step{number}.jsonl"
    with path.open("rb") as file:
        for line_number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                break
            try:
                rewards.append(_only(line, b"rewards"))
                # With dynamic sampling `rewards` are of all answers, in another order than those that are trained on.
                trained.append(_only(line, b"filtered_rewards" if b'"filtered_rewards": [' in line else b"rewards"))
                tokens += int(_only(line, b"input_lengths"))
            except ValueError as error:
                raise StepError(f"{path} line {line_number} {error}") from error
    if not rewards:
        return None
    groups = [trained[start : start + compared] for start in range(0, len(trained), compared)]
    return Step(
        step=number,
        attempt=folder.name,
        answers=len(rewards),
        groups=len(groups),
        differing=sum(min(group) != max(group) for group in groups),
        reward=math.fsum(rewards) / len(rewards),
        lowest_reward=min(rewards),
        highest_reward=max(rewards),
        tokens=tokens,
        **{field: values.get(number) for field, values in scalars.items()},
    )


def _only(line: bytes, key: bytes) -> float:
    """The number in a list of one. Raises ValueError, which continues "line N".

    Such a line also holds the log-probability of every token, a megabyte or more, so it is searched and not parsed. In
    a text JSON puts a backslash before each quote, so only a key is found.
    """
    start = b'"%s": [' % key
    found = _NUMBER.match(line, line.find(start) + len(start)) if start in line else None
    if found is None:
        raise ValueError(f"has no {key.decode()} with one number, as NeMo RL v0.5.0 to v0.7.0 writes it")
    return float(found[0])


def _scalars(folder: Path) -> dict[str, dict[int, float]]:
    """For each field that only TensorBoard has: step -> value. The step of a validation before training is 0."""
    logs = folder / "tensorboard"
    if not logs.is_dir():
        return {field: {} for field in TAGS.values()}
    # tensorboard 2.20.0 in all three releases; without a limit of 0 it keeps a sample of long runs only.
    events = image_module("tensorboard.backend.event_processing.event_accumulator")
    logging.getLogger("tensorboard").setLevel(logging.ERROR)
    accumulator = events.EventAccumulator(str(logs), size_guidance={events.SCALARS: 0})
    accumulator.Reload()
    there = set(accumulator.Tags()[events.SCALARS])
    return {
        field: {event.step: float(event.value) for event in accumulator.Scalars(tag)} if tag in there else {}
        for tag, field in TAGS.items()
    }


def _saved(checkpoints: Path) -> int:
    """The steps of the newest checkpoint, which NeMo RL also writes after the last step; 0 without one."""
    numbers = [int(path.name[5:]) for path in checkpoints.glob("step_*") if path.name[5:].isdecimal()]
    if not numbers:
        return 0
    path = checkpoints / f"step_{max(numbers)}" / "training_info.json"
    try:
        return int(json.loads(path.read_text(encoding="utf-8"))["total_steps"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StepError(f"{path} does not tell total_steps: {type(error).__name__}: {error}") from error


# Writing


def _json(summary: Summary) -> dict[str, Any]:
    """The summary for programs; a loss that is no number becomes null, because JSON has no word for it."""
    return {
        "run": summary.run,
        "verdict": summary.verdict,
        "complete": summary.complete,
        "learning_signal": summary.learning_signal,
        "max_steps": summary.max_steps,
        "steps_done": summary.steps_done,
        "accuracy_at_start": summary.accuracy_at_start,
        "steps": [
            {
                name: None if isinstance(value, float) and not math.isfinite(value) else value
                for name, value in asdict(step).items()
            }
            for step in summary.steps
        ],
    }


def _table(summary: Summary) -> str:
    return "".join(f"{line}\n" for line in _lines(summary))


def _lines(summary: Summary) -> Iterator[str]:
    yield f"# {summary.run}"
    yield ""
    yield f"{summary.verdict}."
    if summary.accuracy_at_start is not None:
        yield f"Validation accuracy before training: {summary.accuracy_at_start:.4f}."
    yield ""
    yield "| step | reward | differing | loss | validation | answers | tokens | seconds | tokens/s | attempt |"
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|"
    for step in summary.steps:
        cells = (
            f"{step.step}",
            f"{step.reward:.4f}",
            f"{step.differing} of {step.groups}",
            _cell(step.loss, ".4f"),
            _cell(step.accuracy, ".4f"),
            f"{step.answers}",
            f"{step.tokens}",
            _cell(step.seconds, ".1f"),
            _cell(step.tokens_per_second, ".0f"),
            step.attempt,
        )
        yield f"| {' | '.join(cells)} |"


def _cell(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _plot(summary: Summary, file: TextIO) -> None:
    """Reward, loss and speed over the steps, one below the other; the same bytes for the same summary."""
    # matplotlib 3.10.5 in NeMo RL v0.5.0 and v0.6.0, 3.10.9 in v0.7.0. Its Figure needs no display.
    matplotlib = image_module("matplotlib")
    figure = image_module("matplotlib.figure").Figure(figsize=(8, 8), layout="constrained")
    rewards, losses, speeds = figure.subplots(3, sharex=True)
    _line(rewards, "training", {step.step: step.reward for step in summary.steps})
    start = {} if summary.accuracy_at_start is None else {0: summary.accuracy_at_start}
    _line(rewards, "validation", start | {step.step: step.accuracy for step in summary.steps})
    rewards.legend()
    _line(losses, "loss", {step.step: step.loss for step in summary.steps})
    _line(speeds, "speed", {step.step: step.tokens_per_second for step in summary.steps})
    rewards.set(ylabel="reward", title=summary.run)
    losses.set(ylabel="loss")
    speeds.set(ylabel="tokens/s", xlabel="step")
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": summary.run}):
        figure.savefig(file, format="svg", metadata={"Date": None})


def _line(axes: Any, label: str, values: Mapping[int, float | None]) -> None:
    there = {step: value for step, value in values.items() if value is not None}
    axes.plot(list(there), list(there.values()), marker="o", markersize=3, label=label)


def _numbers(steps: list[int]) -> str:
    shown = ", ".join(map(str, steps[:10]))
    return f"step {shown}" if len(steps) == 1 else f"steps {shown}{' ...' if len(steps) > 10 else ''}"


if __name__ == "__main__":
    run(main)
