"""summarize.py on logs in the shape of NeMo RL's, with the real tensorboard and matplotlib."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.pods.scripts import Result, call_script, run_script
from tests.pods.training_logs import write_scalars, write_step


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "gsm8k"


def words(folder: Path, steps: int, *more: str) -> list[str]:
    logs, output = folder / "logs" / "gsm8k", folder / "out"
    return [f"--logs={logs}", f"--max-steps={steps}", "--compared=2", f"--output={output}", *more]


def summarize(folder: Path, steps: int, *more: str) -> Result:
    return run_script("summarize.py", *words(folder, steps, *more), cwd=folder)


def summarize_here(folder: Path, steps: int, *more: str) -> Result:
    """The same in this process, which has imported matplotlib once for all tests."""
    return call_script("summarize.py", *words(folder, steps, *more))


def summary(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "out" / "summary.json").read_text(encoding="utf-8"))


def checkpoint(folder: Path, step: int, text: str | None = None) -> str:
    """A checkpoint, as the option that names its folder."""
    path = folder / "checkpoints" / f"step_{step}"
    path.mkdir(parents=True)
    (path / "training_info.json").write_text(text or json.dumps({"total_steps": step, "consumed_samples": 8}))
    return f"--checkpoints={folder / 'checkpoints'}"


def test_a_run_that_was_resumed_is_summed_up_as_one(tmp_path: Path, logs: Path) -> None:
    """The first attempt saves step 2 and stops while it logs step 4; the second one goes on from the checkpoint."""
    first, second = logs / "exp_001", logs / "exp_002"
    write_step(first, 1, [0, 0, 0, 1])
    write_step(first, 2, [0, 1, 1, 0])
    write_step(first, 3, [0, 0, 0, 0])
    (first / "train_data_step4.jsonl").write_text('{"content": ["So"], "rewards": [1.0], "generation_log')
    write_scalars(
        first,
        {
            "train/loss": {1: 0.5, 2: 0.25, 3: 0.0},
            "timing/train/total_step_time": {1: 100.0, 2: 90.0, 3: 80.0},
            "performance/tokens_per_sec": {1: 4.0, 2: 4.5, 3: 5.0},
            "validation/accuracy": {0: 0.125, 2: 0.25},
            "ray/node.0.gpu.0.util": {1: 99.0},
        },
    )
    write_step(second, 3, [0, 1, 1, 1], tokens=200)
    (logs / "exp_003").mkdir()  # a start that came to nothing
    (logs / "notes").mkdir()
    for step in (2, 3):
        option = checkpoint(tmp_path, step)
    (tmp_path / "checkpoints" / "tmp_step_9").mkdir()

    result = summarize(tmp_path, 3, option)

    verdict = "3 of 3 steps; reward 0.2500 at first, 0.7500 at last"
    assert result == Result(0, f"{verdict}; see {tmp_path / 'out'}/summary.md\n", "")
    found = {"answers": 4, "groups": 2, "differing": 1, "lowest_reward": 0.0, "highest_reward": 1.0, "tokens": 400}
    nothing = {"loss": None, "seconds": None, "tokens_per_second": None, "accuracy": None}
    assert summary(tmp_path) == {
        "run": "gsm8k",
        "verdict": verdict,
        "complete": True,
        "learning_signal": True,
        "max_steps": 3,
        "steps_done": 3,
        "accuracy_at_start": 0.125,
        "steps": [
            {"step": 1, "attempt": "exp_001", "reward": 0.25}
            | found
            | {"loss": 0.5, "seconds": 100.0, "tokens_per_second": 4.0, "accuracy": None},
            {"step": 2, "attempt": "exp_001", "reward": 0.5}
            | found
            | {"differing": 2}
            | {"loss": 0.25, "seconds": 90.0, "tokens_per_second": 4.5, "accuracy": 0.25},
            {"step": 3, "attempt": "exp_002", "reward": 0.75} | found | {"tokens": 800} | nothing,
        ],
    }
    assert (tmp_path / "out" / "summary.md").read_text(encoding="utf-8") == (
        "# gsm8k\n"
        "\n"
        "3 of 3 steps; reward 0.2500 at first, 0.7500 at last.\n"
        "Validation accuracy before training: 0.1250.\n"
        "\n"
        "| step | reward | differing | loss | validation | answers | tokens | seconds | tokens/s | attempt |\n"
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n"
        "| 1 | 0.2500 | 1 of 2 | 0.5000 | - | 4 | 400 | 100.0 | 4 | exp_001 |\n"
        "| 2 | 0.5000 | 2 of 2 | 0.2500 | 0.2500 | 4 | 400 | 90.0 | 4 | exp_001 |\n"
        "| 3 | 0.7500 | 1 of 2 | - | - | 4 | 800 | - | - | exp_002 |\n"
    )
    plot = ElementTree.parse(tmp_path / "out" / "summary.svg")
    texts = {element.text for element in plot.iter("{http://www.w3.org/2000/svg}text")}
    assert {"gsm8k", "reward", "training", "validation", "loss", "tokens/s", "step"} <= texts
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["summary.json", "summary.md", "summary.svg"]


def test_equal_rewards_are_no_learning_signal(tmp_path: Path, logs: Path) -> None:
    """What the tutorial's command makes: ten steps, every reward 0, and a job that says SUCCEEDED."""
    for step in range(1, 11):
        write_step(logs / "exp_001", step, [0.0] * 4, later=True)

    result = summarize(tmp_path, 10)

    verdict = "10 of 10 steps; no learning signal: the reward is always 0"
    assert result == Result(3, f"{verdict}; see {tmp_path / 'out'}/summary.md\n", "")
    found = summary(tmp_path)
    assert (found["verdict"], found["learning_signal"], found["complete"]) == (verdict, False, True)


@pytest.mark.parametrize("steps", [([1, 1, 1, 1], [0, 0, 0, 0]), ([1, 1, 0, 0], [0, 0, 1, 1])])
def test_rewards_that_differ_only_between_questions_are_no_learning_signal(
    tmp_path: Path, logs: Path, steps: tuple[list[float], list[float]]
) -> None:
    for number, rewards in enumerate(steps, start=1):
        write_step(logs / "exp_001", number, rewards)
    result = summarize_here(tmp_path, 2)
    assert result.status == 3
    assert result.out.startswith(
        "2 of 2 steps; no learning signal: the reward never differs where answers are compared; see "
    )


def test_with_dynamic_sampling_the_answers_that_are_trained_on_are_compared(tmp_path: Path, logs: Path) -> None:
    write_step(logs / "exp_001", 1, [0, 0, 0, 0, 1, 1, 0, 0], filtered=[0, 1] * 4)
    result = summarize_here(tmp_path, 1)
    assert result.status == 0
    (step,) = summary(tmp_path)["steps"]
    assert (step["reward"], step["differing"], step["groups"]) == (0.25, 4, 4)


def test_a_run_that_stopped_early_is_unfinished_and_names_what_is_odd(tmp_path: Path, logs: Path) -> None:
    for step, rewards in enumerate([[0, 1], [1, 1], [1, 0], [0.5, 0.5]], start=1):
        write_step(logs / "exp_001", step, rewards, later=True)
    write_scalars(logs / "exp_001", {"train/loss": {1: 0.5, 2: 0.0, 3: math.nan}})

    result = summarize_here(tmp_path, 10, checkpoint(tmp_path, 3))

    verdict = (
        "3 of 10 steps; reward 0.5000 at first, 0.5000 at last; no learning signal in steps 2, 4; the loss is no number"
        " in step 3"
    )
    assert result == Result(4, f"{verdict}; see {tmp_path / 'out'}/summary.md\n", "")
    found = summary(tmp_path)
    assert found["complete"] is False
    assert [step["loss"] for step in found["steps"]] == [0.5, 0.0, None, None]


def test_the_same_run_gives_the_same_files(tmp_path: Path, logs: Path) -> None:
    write_step(logs / "exp_001", 1, [0, 1])
    files: list[dict[str, bytes]] = []
    for _ in range(2):
        summarize_here(tmp_path, 1)
        files.append({path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()})
    assert files[0] == files[1]


def test_a_run_without_checkpoints_that_started_anew_counts_from_there(tmp_path: Path, logs: Path) -> None:
    for step in (1, 2, 3):
        write_step(logs / "exp_999", step, [0, 1])
    write_step(logs / "exp_1000", 1, [0, 1])
    result = summarize_here(tmp_path, 3)
    assert result.status == 4
    assert [(step["step"], step["attempt"]) for step in summary(tmp_path)["steps"]] == [(1, "exp_1000")]


def test_a_run_without_a_step_says_so(tmp_path: Path, logs: Path) -> None:
    (logs / "exp_001").mkdir(parents=True)
    result = summarize(tmp_path, 3)
    assert (result.status, result.fault) == (
        1,
        f"summarize.py: {logs} has no train_data_step<N>.jsonl: the training did not finish a step",
    )
    assert not (tmp_path / "out").exists()


def test_a_log_of_another_shape_is_named_with_its_line(tmp_path: Path, logs: Path) -> None:
    path = write_step(logs / "exp_001", 1, [0.0, 1.0])
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(', "rewards": [1.0]', ', "rewards": [[1.0, 0.0]]'), encoding="utf-8")
    result = summarize_here(tmp_path, 1)
    assert (result.status, result.fault) == (
        1,
        f"summarize.py: {path} line 2 has no rewards with one number, as NeMo RL v0.5.0 to v0.7.0 writes it",
    )


def test_a_checkpoint_that_does_not_tell_its_steps_is_named(tmp_path: Path, logs: Path) -> None:
    write_step(logs / "exp_001", 1, [0.0, 1.0])
    result = summarize_here(tmp_path, 1, checkpoint(tmp_path, 1, "{}"))
    path = tmp_path / "checkpoints" / "step_1" / "training_info.json"
    assert result.fault == f"summarize.py: {path} does not tell total_steps: KeyError: 'total_steps'"
