"""Rules on the arithmetic of a step: samples, batches and the GPUs that share them.

NeMo RL asserts most of them at the first training step, after the model is loaded and answers are generated.
Source lines: nemo_rl/distributed/batched_data_dict.py:374,378,807 and algorithms/grpo.py of v0.5.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from settings.findings import Finding
from training.run import Run


def samples_fill_the_global_batches(run: Run) -> Iterator[Finding]:
    f = run.figures
    if run.samples % f.global_batch:
        multiple = max(1, round(run.samples / f.global_batch)) * f.global_batch
        fitting = f"grpo.prompts_per_step: {multiple // f.generations}, or " if multiple % f.generations == 0 else ""
        yield Finding(
            run.place("prompts" if run.place("prompts") != "recipe" else "global_batch"),
            f"makes {f.prompts} prompts x {f.generations} generations = {run.samples} samples a step, no multiple of"
            f" {run.shown('global_batch')}; write {fitting}grpo.global_batch: {run.samples}",
        )


def global_batch_divides_among_the_copies(run: Run) -> Iterator[Finding]:
    f, copies = run.figures, run.data_parallel
    if not copies:
        return
    if f.global_batch % copies:
        yield Finding(
            _place(run, "global_batch"),
            f"makes {run.shown('global_batch')}, which {_copies(run)} cannot share evenly; write a multiple of"
            f" {copies} under grpo.global_batch",
        )
    elif not f.packing and not f.dynamic_batching and (f.global_batch // copies) % f.micro_batch:
        share = f.global_batch // copies
        yield Finding(
            _place(run, "micro_batch"),
            f"makes {run.shown('micro_batch')}, no divisor of the {share} samples that each of {_copies(run)} gets of"
            f" {run.shown('global_batch')}; write a divisor of {share}",
        )


def samples_divide_among_the_copies(run: Run) -> Iterator[Finding]:
    f, copies = run.figures, run.data_parallel
    if not copies:
        return
    if run.samples % copies:
        yield Finding(
            _place(run, "prompts"),
            f"makes {f.prompts} prompts x {f.generations} generations = {run.samples} samples a step, which"
            f" {_copies(run)} cannot share evenly; write a multiple of {copies}",
        )
    elif not f.packing and not f.dynamic_batching and (run.samples // copies) % f.logprob_batch:
        share = run.samples // copies
        yield Finding(
            _place(run, "logprob_batch"),
            f"makes {run.shown('logprob_batch')}, no divisor of the {share} samples that each of {_copies(run)} gets;"
            f" write a divisor of {share}",
        )


def on_policy_ratio_takes_one_batch_a_step(run: Run) -> Iterator[Finding]:
    f = run.figures
    if f.on_policy_ratio and run.samples != f.global_batch:
        yield Finding(
            run.place("on_policy_ratio"),
            f"is true, but {f.prompts} prompts x {f.generations} generations = {run.samples} samples a step and"
            f" {run.shown('global_batch')}; write grpo.global_batch: {run.samples}, or false",
        )


def wide_tensor_parallelism_takes_equal_micro_batches(run: Run) -> Iterator[Finding]:
    """Since v0.6.0: lm_policy.py:160-177; with other numbers the two passes round differently."""
    f, tensor = run.figures, run.parallel[0]
    if run.env.ray.env.get("NRL_IGNORE_TP_ACCURACY_CHECK"):  # NeMo RL asks for it in its environment, too
        return
    if run.release.order >= (0, 6) and tensor >= 4 and f.micro_batch != f.logprob_batch and not f.on_policy_ratio:
        yield Finding(
            run.place("logprob_batch"),
            f"makes {run.shown('logprob_batch')} and {run.shown('micro_batch')}, which NeMo RL {run.release.version}"
            f" wants equal with tensor parallelism {tensor} (4 or more); write overrides: {{policy.logprob_batch_size:"
            f" {f.micro_batch}}}",
        )


def _place(run: Run, figure: str) -> str:
    """Where the file speaks of a figure, or else of the nodes that it is shared among."""
    place = run.place(figure)
    return "nodes" if place == "recipe" and "nodes" in run.job.model_fields_set else place


def _copies(run: Run) -> str:
    tensor, pipeline, context = run.parallel
    parts = [f"tensor {tensor}"]
    parts += [f"pipeline {pipeline}"] if pipeline > 1 else []
    parts += [f"context {context}"] if context > 1 else []
    return (
        f"{run.data_parallel} model {'copy' if run.data_parallel == 1 else 'copies'}"
        f" ({run.training_gpus} training GPUs / {' x '.join(parts)})"
    )
