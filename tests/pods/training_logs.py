"""Logs as NeMo RL leaves them: one folder for each start of the training (utils/logger.py, algorithms/grpo.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.pods.scripts import write_jsonl

#: What a model may write: it must not be taken for the keys of the log.
TEXT = 'So "rewards": [7.0], \\"rewards": [7.0], {"input_lengths": [7]} \\'


def write_step(
    attempt: Path,
    step: int,
    rewards: Sequence[float],
    tokens: int = 100,
    later: bool = False,
    filtered: Sequence[float] | None = None,
) -> Path:
    """The answers of a step, with the keys in the order of v0.5.0, or of v0.6.0 and v0.7.0 (`later`).

    With dynamic sampling there are also the rewards of those that are trained on (`filtered`). Each value is a list of
    one, because NeMo RL cuts its batch into batches of one.
    """
    probabilities = {"generation_logprobs": [[-0.25] * tokens], "prev_logprobs": [[-0.25] * tokens]}
    lengths = {"input_lengths": [tokens]}
    more = {"token_ids": [[1] * tokens], "advantages": [[0.5] * tokens]}
    return write_jsonl(
        attempt / f"train_data_step{step}.jsonl",
        (
            {"content": [TEXT], "rewards": [reward]}
            | ({"filtered_rewards": [filtered[index]]} if filtered else {})
            | ({**lengths, **more, **probabilities} if later else {**probabilities, **lengths})
            | {"idx": index}
            for index, reward in enumerate(rewards)
        ),
    )


def write_scalars(attempt: Path, scalars: Mapping[str, Mapping[int, float]]) -> None:
    """What torch's SummaryWriter writes for tag -> step -> value."""
    # tensorboard has no types.
    event: Any = import_module("tensorboard.compat.proto.event_pb2").Event
    summary: Any = import_module("tensorboard.compat.proto.summary_pb2").Summary
    writer: Any = import_module("tensorboard.summary.writer.event_file_writer").EventFileWriter(
        str(attempt / "tensorboard")
    )
    for tag, values in scalars.items():
        for step, value in values.items():
            one = summary(value=[summary.Value(tag=tag, simple_value=value)])
            writer.add_event(event(wall_time=0.0, step=step, summary=one))
    writer.close()
