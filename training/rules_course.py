"""Rules on the course of a run: steps, data, validation, checkpoints."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from catalog.datasets import DATASETS
from settings.findings import Finding
from training.run import SEQUENCE_KEYS, Run

#: What a validation in the environment `math` measures: `val_metrics` in grpo.py of v0.5.0 (1778) to v0.7.0 (3238).
VALIDATION_METRICS = ("val:accuracy", "val:avg_length")

_SAVE_BY = re.compile(r"\d+:\d{1,2}:\d{1,2}:\d{1,2}")


def dynamic_sampling_alone_multiplies_batches(run: Run) -> Iterator[Finding]:
    f = run.figures
    if not f.dynamic_sampling and f.batch_multiplier != 1:
        yield Finding(
            run.place("batch_multiplier"),
            f"makes {run.shown('batch_multiplier')} with {run.shown('dynamic_sampling')}; write 1, or"
            " grpo.use_dynamic_sampling: true",
        )


def skipping_the_reference_takes_no_penalty(run: Run) -> Iterator[Finding]:
    """v0.6.0: grpo.py:1339, when the models are loaded; v0.7.0: grpo.py:441."""
    f = run.figures
    if run.release.order >= (0, 6) and f.skip_reference_logprobs and f.kl_penalty != 0:
        yield Finding(
            run.place("skip_reference_logprobs"),
            f"is true with {run.shown('kl_penalty')}; write loss_fn.reference_policy_kl_penalty: 0, or false",
        )


def the_data_fill_a_step(run: Run) -> Iterator[Finding]:
    """An incomplete last batch is dropped (grpo.py:263): too few rows, and the run ends well, having done nothing."""
    rows, f = _rows(run), run.figures
    if rows is None:
        return
    asked = int(f.prompts * f.batch_multiplier)
    if rows < asked:
        yield Finding(
            run.place("prompts"),
            f"makes {asked} prompts a step, but {run.job.dataset.source} has {rows} training rows, so no step would"
            " run; write fewer",
        )
        return
    steps = rows // asked * f.max_epochs
    if f.max_steps > steps:
        yield Finding(
            "grpo.max_steps",
            f"is {f.max_steps}, but {rows} rows / {asked} prompts x {f.max_epochs} epochs end after {steps} steps;"
            f" write at most {steps}, or overrides: {{grpo.max_num_epochs: {-(-f.max_steps // (rows // asked))}}}",
        )


def validation_fills_a_batch(run: Run) -> Iterator[Finding]:
    """Batches of validation are counted by whole division (grpo.py:1705): a larger batch is none at all."""
    f = run.figures
    if _validates(run) and f.max_val_samples < f.val_batch:
        yield Finding(
            run.place("max_val_samples" if run.place("max_val_samples") != "recipe" else "val_batch"),
            f"makes {run.shown('max_val_samples')} and {run.shown('val_batch')}, so nothing would be validated; write"
            f" grpo.val_batch_size: {f.max_val_samples}",
        )


def the_metric_exists(run: Run) -> Iterator[Finding]:
    f = run.figures
    if not f.checkpoints or f.metric is None:
        return
    if not f.metric.startswith(("train:", "val:")):
        yield Finding(run.place("metric"), f'is "{f.metric}"; write null, or a metric that begins with train: or val:')
    elif f.metric.startswith("val:") and f.metric not in VALIDATION_METRICS:
        yield Finding(
            run.place("metric"),
            f"is {f.metric}, which no validation here makes; {_one_of(f.metric, VALIDATION_METRICS)}",
        )
    elif f.metric.startswith("val:") and not _validates(run):
        yield Finding(
            run.place("metric"),
            f"makes {run.shown('metric')}, but nothing is validated; write grpo.validate_every, or overrides:"
            " {checkpointing.metric_name: null}",
        )


def metrics_of_training_are_taken_on_trust(run: Run) -> Iterator[Finding]:
    """A doubt: what a training step measures depends on loss and backend; a metric that it lacks ends the run."""
    f = run.figures
    if f.checkpoints and f.metric and f.metric.startswith("train:") and f.metric != "train:reward":
        yield Finding(
            run.place("metric"),
            f"is {f.metric}, which is not checked; a run that does not measure it ends at its first checkpoint",
        )


def the_first_worker_has_one_format(run: Run) -> Iterator[Finding]:
    f = run.figures
    if f.checkpoints and f.dtensor and not f.dtensor_v2 and f.save_format is not None:
        yield Finding(
            run.place("save_format"),
            f"makes {run.shown('save_format')} with {run.shown('dtensor_v2')}, which would fail at the first"
            " checkpoint; write overrides: {checkpointing.model_save_format: null}",
        )


def save_by_is_a_duration(run: Run) -> Iterator[Finding]:
    save_by = run.figures.save_by
    if save_by is not None and not _SAVE_BY.fullmatch(save_by):
        yield Finding(run.place("save_by"), f'is "{save_by}"; write DD:HH:MM:SS, like "00:03:45:00"')


def sequences_have_one_length(run: Run) -> Iterator[Finding]:
    """A doubt: recipes write the four lengths out, so changing one of them leaves the others behind."""
    f = run.figures
    if len({f.sequence, f.max_new_tokens, f.max_model_len}) > 1 and any(key in run.overrides for key in SEQUENCE_KEYS):
        yield Finding(
            "overrides",
            f"leave {run.shown('sequence')}, {run.shown('max_new_tokens')} and {run.shown('max_model_len')};"
            " max_sequence_length sets them together",
        )


def checkpoints_meet_validations(run: Run) -> Iterator[Finding]:
    """A doubt: a checkpoint without the metric sorts last among those to keep, and is the first to go."""
    f = run.figures
    if not f.checkpoints or not f.metric or not f.metric.startswith("val:") or f.val_period < 1:
        return
    if f.save_period % f.val_period:
        yield Finding(
            "checkpoints.every",
            f"is {f.save_period}, no multiple of {run.shown('val_period')}; a checkpoint without a validation is pruned"
            f" first: write checkpoints.every: {-(-f.save_period // f.val_period) * f.val_period}, or"
            f" grpo.validate_every: {f.save_period}",
        )
    if f.max_steps % f.val_period and not f.val_at_end:
        at_end = ", or overrides: {grpo.val_at_end: true}" if run.release.order >= (0, 6) else ""
        yield Finding(
            "grpo.max_steps",
            f"is {f.max_steps}, no multiple of {run.shown('val_period')}; the last checkpoint gets no validation and is"
            f" pruned first: write a multiple{at_end}",
        )


def segments_are_not_on_gke(run: Run) -> Iterator[Finding]:
    """A doubt: without Ray resources for NVLink domains NeMo RL only warns."""
    if run.figures.segment_size is not None:
        yield Finding(
            run.place("segment_size"),
            f"makes {run.shown('segment_size')}, but no node here belongs to an NVLink domain; write null",
        )


def _one_of(given: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(given, known, n=1)
    return f"did you mean {near[0]}?" if near else f"write {' or '.join(known)}"


def _validates(run: Run) -> bool:
    f = run.figures
    return f.val_period > 0 or f.val_at_start or f.val_at_end


def _rows(run: Run) -> int | None:
    known = DATASETS.get(run.job.dataset.source)
    return known.rows.get(run.job.dataset.train_split) if known else None
