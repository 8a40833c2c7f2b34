"""Rules on the words of a job file: recipe, override keys, value types, and one home for each value."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from catalog.nemo_rl import NEMO_RL
from catalog.nemo_rl_keys import KNOWN
from catalog.nemo_rl_recipes import FIELDS, Figures
from settings.faults import shown
from settings.findings import Finding
from training import command
from training.overrides import is_open, spelled
from training.run import Run, fits
from training.shell import quoted

#: NeMo RL's key, or the beginning of several -> the field of the job file that speaks of it.
HOMES = {
    "policy.model_name": "model",
    "cluster.num_nodes": "nodes",
    "cluster.gpus_per_node": "nodes.gpus",
    "policy.generation.colocated": "nodes.generation",
    "policy.dtensor_cfg.tensor_parallel_size": "tensor_parallel.training",
    "policy.megatron_cfg.tensor_model_parallel_size": "tensor_parallel.training",
    "policy.generation.vllm_cfg.tensor_parallel_size": "tensor_parallel.generation",
    "grpo.max_num_steps": "grpo.max_steps",
    "grpo.num_prompts_per_step": "grpo.prompts_per_step",
    "grpo.num_generations_per_prompt": "grpo.generations_per_prompt",
    "grpo.val_period": "grpo.validate_every",
    "policy.train_global_batch_size": "grpo.global_batch",
    "checkpointing.enabled": "checkpoints",
    "checkpointing.checkpoint_dir": "checkpoints.run",
    "checkpointing.save_period": "checkpoints.every",
    "checkpointing.keep_top_k": "checkpoints.keep",
    "logger.log_dir": "checkpoints.run",
    "logger.wandb_enabled": "wandb",
    "logger.wandb.project": "wandb.project",
    "logger.wandb.name": "wandb.name",
    "data.dataset_name": "dataset",
    "data.train_data_path": "dataset",
    "data.val_data_path": "dataset",
    "data.train": "dataset",
    "data.validation": "dataset",
}

#: What the program alone decides: runs of one experiment belong together, and prepared datasets have one verifier.
_FIXED = (
    "logger.wandb.id",
    "logger.wandb.resume",
    "data.env_name",
    "data.default.env_name",
    "data.use_multiple_dataloader",
    "env.math.math_verify_impl",
)

#: Mappings of numbers, whose keys another library reads.
_NUMBERS = (
    "policy.optimizer.",
    "policy.scheduler.",
    "policy.megatron_cfg.optimizer.",
    "policy.megatron_cfg.scheduler.",
)
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.IGNORECASE)

#: Bytes. One argument of a program holds 128 KiB on Linux (MAX_ARG_STRLEN); what is left is for the rest of the job. A
#: job file is smaller than this, but quoting makes a text longer.
OVERRIDES_LIMIT = 110_000

#: Figures that others are divided by.
_COUNTED = (
    "batch_multiplier",
    "max_epochs",
    "val_batch",
    "micro_batch",
    "logprob_batch",
    "sequence",
    "length_multiple",
    "tensor_parallel",
    "context_parallel",
    "megatron_tensor_parallel",
    "megatron_pipeline_parallel",
    "megatron_context_parallel",
    "generation_tensor_parallel",
    "generation_pipeline_parallel",
    "generation_expert_parallel",
)

#: Figures that take one of a few words: generation in algorithms/grpo.py, and `Unknown precision` of the workers.
_CHOICES = {"backend": ("vllm", "megatron"), "precision": ("bfloat16", "float16", "float32")}

#: What each figure's type is called.
_KINDS = {"int": "a whole number", "float": "a number", "bool": "true or false", "str": "a text", "None": "null"}


def overrides_are_spelled_right(run: Run) -> Iterator[Finding]:
    yield from spelled(run.job.overrides)


def override_keys_are_known(run: Run) -> Iterator[Finding]:
    version = run.release.version
    known = KNOWN[version]
    for key in run.overrides:
        path = f"overrides.{key}"
        if key in known or is_open(key, version) or key.startswith(("+", "~")) or _home(key) or key in _FIXED:
            continue
        elsewhere = [other for other in NEMO_RL if key in KNOWN[other] or is_open(key, other)]
        if elsewhere:
            yield Finding(path, f"is no key of NeMo RL {version}; it is one of {', '.join(elsewhere)}; remove it")
        elif any(other.startswith(f"{key}.") for other in known):
            yield Finding(path, "is a section and not a value; write the keys inside it")
        elif key.startswith("env.") and not key.startswith("env.math."):
            yield Finding(path, "speaks of another environment than math, which all datasets here have; remove it")
        else:
            yield Finding(path, f"is no key of NeMo RL {version}; {_meant(key, known)}")


def overrides_have_the_right_type(run: Run) -> Iterator[Finding]:
    for key, value in run.overrides.items():
        figure = FIELDS.get(key)
        if figure and not _home(key) and not fits(figure, value):
            yield Finding(f"overrides.{key}", f"is {shown(value)}; write {_wanted(figure)}")
        elif key.startswith(_NUMBERS) and isinstance(value, str) and _NUMBER.fullmatch(value):
            yield Finding(f"overrides.{key}", f"is {shown(value)}, a text; write a number without quotes: {value}")


def the_command_line_has_room(run: Run) -> Iterator[Finding]:
    """Ray hands the entrypoint to sh as one argument."""
    size = sum(len(quoted(word).encode()) for word in command.overrides(run))
    if size > OVERRIDES_LIMIT:
        yield Finding(
            "overrides",
            f"make {size} bytes of the command line, which has room for {OVERRIDES_LIMIT}; shorten the texts, or put"
            " them into a file on Lustre",
        )


def each_value_has_one_home(run: Run) -> Iterator[Finding]:
    """A typed field and an override never speak of the same thing, so that they cannot contradict each other."""
    typed = {setting.key: setting.value for setting in run.settings if setting.origin != "recipe"}
    for key, value in run.overrides.items():
        home = _home(key)
        if key in _FIXED:
            yield Finding(f"overrides.{key}", f"is {shown(value)}, which is not for a job to set; remove it")
            continue
        if key in typed and home is None:
            home = next(setting.origin for setting in run.settings if setting.key == key)
        if home is None:
            continue
        said = f", but the job's {home} makes it {shown(typed[key])}" if key in typed else ""
        yield Finding(f"overrides.{key}", f"is {shown(value)}{said}; it belongs to {home}: write it there")


def figures_are_counted_from_one(run: Run) -> Iterator[Finding]:
    for figure in _COUNTED:
        if getattr(run.figures, figure) < 1:
            yield Finding(run.place(figure), f"makes {run.shown(figure)}; write 1 or more")


def words_of_a_choice_are_known(run: Run) -> Iterator[Finding]:
    """NeMo RL refuses another word when its workers start, with the GPUs taken; of SGLang the catalog has no keys."""
    for figure, words in _CHOICES.items():
        if getattr(run.figures, figure) not in words:
            yield Finding(run.place(figure), f"makes {run.shown(figure)}; write {' or '.join(words)}")


def _home(key: str) -> str | None:
    return next((home for prefix, home in HOMES.items() if key == prefix or key.startswith(f"{prefix}.")), None)


def _wanted(figure: str) -> str:
    kinds = str(Figures.__annotations__[figure]).split(" | ")
    return " or ".join(_KINDS[kind] for kind in kinds)


def _meant(key: str, known: dict[str, bool]) -> str:
    section, _, name = key.rpartition(".")
    inside = {other.removeprefix(f"{section}."): other for other in known if other.rpartition(".")[0] == section}
    near = difflib.get_close_matches(name, inside, n=1, cutoff=0.6)
    if near:
        return f"did you mean {inside[near[0]]}?"
    far = difflib.get_close_matches(key, known, n=1, cutoff=0.75) or [o for o in known if o.endswith(f".{name}")]
    if far:
        return f"did you mean {far[0]}?"
    return f"known there: {', '.join(sorted(inside))}" if inside else "there is no such section; remove it"
