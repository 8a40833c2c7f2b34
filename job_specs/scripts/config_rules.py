"""What NeMo RL asserts about its configuration, asked before a GPU is touched.

NeMo RL asks most of this after the model is loaded, the arithmetic of a batch at the first training step, the format of
a checkpoint at the first checkpoint. Each rule here looks at the whole configuration, resolved as the training will see
it, and yields one line a fault: the key, its value, why, and what to write. The lines in brackets are those of v0.5.0.

Not asked: reward models and NeMo-Gym, which have GPUs and data of their own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

TENSOR = "policy.dtensor_cfg.tensor_parallel_size"
MEGATRON_TENSOR = "policy.megatron_cfg.tensor_model_parallel_size"
RESOURCES = "policy.generation.colocated.resources"
VLLM = "policy.generation.vllm_cfg"
GYM = "env.should_use_nemo_gym"

#: What a validation measures, but for NeMo-Gym's [grpo.py:1778; v0.6.0: :2311; v0.7.0: :3238].
VALIDATION_METRICS = ("val:accuracy", "val:avg_length")


class CountError(ValueError):
    """A value with which nothing can be counted."""


@dataclass(frozen=True)
class Config:
    """A resolved configuration, read by dotted keys, and the release of NeMo RL that reads it, as numbers."""

    values: Mapping[str, Any]
    release: tuple[int, ...]

    def get(self, key: str) -> Any:
        """The value, or None where the key or a section above it is not there."""
        value: Any = self.values
        for part in key.split("."):
            if not isinstance(value, Mapping):
                return None
            value = value.get(part)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] # any YAML
        return value  # pyright: ignore[reportUnknownVariableType]

    def on(self, key: str) -> bool:
        return bool(self.get(key))

    def count(self, key: str, least: int = 1) -> int:
        """A whole number of at least `least`; raises `CountError` where it is none."""
        value = self.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise CountError(f"{key} is {shown(value)}; write a whole number, {least} or more")
        return value

    # What the rules count with.

    @property
    def megatron(self) -> bool:
        return self.on("policy.megatron_cfg.enabled")

    @property
    def apart(self) -> bool:
        """Whether generation has GPUs of its own."""
        return not self.on("policy.generation.colocated.enabled")

    @cached_property
    def gpus(self) -> tuple[int, int]:
        """GPUs that train, and GPUs that generate (grpo.py:315-425)."""
        nodes, per_node = self.count("cluster.num_nodes"), self.count("cluster.gpus_per_node")
        if not self.apart:
            return nodes * per_node, nodes * per_node
        generation = self.count(f"{RESOURCES}.gpus_per_node")
        if nodes == 1:
            return per_node - generation, generation
        own = self.count(f"{RESOURCES}.num_nodes")
        return (nodes - own) * per_node, own * generation

    @cached_property
    def parallel(self) -> tuple[int, int, int]:
        """Tensor, pipeline and context parallelism of the backend that trains."""
        if self.megatron:
            section = "policy.megatron_cfg"
            return (
                self.count(MEGATRON_TENSOR),
                self.count(f"{section}.pipeline_model_parallel_size"),
                self.count(f"{section}.context_parallel_size"),
            )
        return self.count(TENSOR), 1, self.count("policy.dtensor_cfg.context_parallel_size")

    @property
    def tensor_key(self) -> str:
        return MEGATRON_TENSOR if self.megatron else TENSOR

    @cached_property
    def copies(self) -> int:
        """Copies of the model in training; 0 where the GPUs do not hold one."""
        tensor, pipeline, context = self.parallel
        return max(0, self.gpus[0]) // (tensor * pipeline * context)

    @cached_property
    def samples(self) -> int:
        """Answers in one step."""
        return self.count("grpo.num_prompts_per_step") * self.count("grpo.num_generations_per_prompt")

    @property
    def validates(self) -> bool:
        period = self.get("grpo.val_period")
        at_end = self.release >= (0, 6) and self.on("grpo.val_at_end")
        return (isinstance(period, int) and period > 0) or self.on("grpo.val_at_start") or at_end

    @property
    def arithmetic(self) -> str:
        """How the samples of a step come about, for error lines."""
        prompts, generations = self.get("grpo.num_prompts_per_step"), self.get("grpo.num_generations_per_prompt")
        return (
            f"grpo.num_prompts_per_step {prompts} x grpo.num_generations_per_prompt {generations} ="
            f" {self.samples} samples a step"
        )

    @property
    def sharing(self) -> str:
        """How the copies of the model come about, for error lines."""
        tensor, pipeline, context = self.parallel
        copies = "copy" if self.copies == 1 else "copies"
        return (
            f"{self.copies} model {copies} ({self.gpus[0]} training GPUs / tensor {tensor} x pipeline {pipeline} x"
            f" context {context})"
        )


Rule = Callable[[Config], Iterator[str]]


def shown(value: Any) -> str:
    """A value as YAML writes it, near enough."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else repr(value) if isinstance(value, str) else str(value)


def faults(config: Config) -> list[str]:
    """Every fault, each once, in the order of the rules."""
    if not isinstance(config.get("policy.generation"), Mapping):  # [grpo.py:221]
        return ["policy.generation is not there, and GRPO generates answers; take a recipe for GRPO"]
    return list(dict.fromkeys(fault for rule in RULES for fault in _ask(rule, config)))


def doubts(config: Config) -> list[str]:
    """What NeMo RL lets pass, and what a person should know."""
    return list(dict.fromkeys(doubt for rule in DOUBTS for doubt in _ask(rule, config)))


def _ask(rule: Rule, config: Config) -> Iterator[str]:
    try:
        yield from rule(config)
    except CountError as fault:
        yield str(fault)


# Words


def words_of_a_choice_are_known(config: Config) -> Iterator[str]:
    """[grpo.py:486; dtensor_policy_worker.py:202, when the workers start]; sglang since v0.6.0: grpo.py:700"""
    backends = ("vllm", "megatron") if config.release < (0, 6) else ("vllm", "megatron", "sglang")
    for key, words in (
        ("policy.generation.backend", backends),
        ("policy.precision", ("bfloat16", "float16", "float32")),
    ):
        if config.get(key) not in words:
            yield f"{key} is {shown(config.get(key))}; write {' or '.join(words)}"


# Nodes and parallelism


def one_backend_trains(config: Config) -> Iterator[str]:
    """[lm_policy.py:84,104]"""
    dtensor, megatron = config.on("policy.dtensor_cfg.enabled"), config.megatron
    if dtensor == megatron:
        both = shown(dtensor)
        yield f"policy.dtensor_cfg.enabled and policy.megatron_cfg.enabled are both {both}; write true for one of them"
    if megatron and "TORCH_CUDA_ARCH_LIST" not in os.environ:
        yield "policy.megatron_cfg.enabled is true, but the image sets no TORCH_CUDA_ARCH_LIST; export one, like '9.0'"


def both_sides_have_gpus(config: Config) -> Iterator[str]:
    """[grpo.py:348-406], and from v0.7.0 grpo.py:662, whose fault earlier releases let pass."""
    if not config.apart:
        return
    backend, nodes = config.get("policy.generation.backend"), config.count("cluster.num_nodes")
    per_node, own_nodes = config.count("cluster.gpus_per_node"), config.get(f"{RESOURCES}.num_nodes")
    if backend == "megatron" and config.release < (0, 7):
        yield (
            "policy.generation.backend is megatron, which generates only on the training GPUs in this release; write"
            " vllm, or policy.generation.colocated.enabled=true"
        )
    own = config.count(f"{RESOURCES}.gpus_per_node")
    if nodes == 1:
        if own_nodes not in (None, 1):
            yield f"{RESOURCES}.num_nodes is {shown(own_nodes)} on one node; write null"
        if own >= per_node:
            yield (
                f"{RESOURCES}.gpus_per_node is {own} of the {per_node} GPUs of the only node, so none trains; write at"
                f" most {per_node - 1}"
            )
        return
    if own != per_node:
        yield f"{RESOURCES}.gpus_per_node is {own}, but cluster.gpus_per_node is {per_node}; write {per_node}"
    if config.count(f"{RESOURCES}.num_nodes") >= nodes:
        yield f"{RESOURCES}.num_nodes is {own_nodes} of {nodes} nodes, so none trains; write at most {nodes - 1}"


def training_gpus_hold_whole_copies(config: Config) -> Iterator[str]:
    """[lm_policy.py:136-151]"""
    tensor, pipeline, context = config.parallel
    model, training = tensor * pipeline * context, config.gpus[0]
    if training > 0 and (training < model or training % model):
        yield (
            f"{config.tensor_key} is {tensor}, and a model copy takes tensor {tensor} x pipeline {pipeline} x context"
            f" {context} = {model} GPUs, but {training} train; write numbers of which the second is a multiple of the"
            " first"
        )


def engines_fill_the_generation_gpus(config: Config) -> Iterator[str]:
    """[vllm_generation.py:63-87]"""
    if config.get("policy.generation.backend") != "vllm":
        return
    tensor, pipeline = config.count(f"{VLLM}.tensor_parallel_size"), config.count(f"{VLLM}.pipeline_parallel_size")
    generating = config.gpus[1]
    if generating > 0 and generating % (tensor * pipeline):
        yield (
            f"{VLLM}.tensor_parallel_size is {tensor}, and an engine takes tensor {tensor} x pipeline {pipeline} ="
            f" {tensor * pipeline} GPUs, but {generating} generate; write a divisor of {generating}"
        )
    asynchronous, expert = config.on(f"{VLLM}.async_engine"), config.get(f"{VLLM}.expert_parallel_size") or 1
    if pipeline > 1 and not asynchronous:
        yield f"{VLLM}.pipeline_parallel_size is {pipeline}; write {VLLM}.async_engine=true with it"
    if expert > 1 and expert % tensor:
        yield f"{VLLM}.expert_parallel_size is {expert}; write a multiple of {VLLM}.tensor_parallel_size {tensor}"
    elif expert > 1 and expert != tensor and asynchronous:
        yield f"{VLLM}.expert_parallel_size is {expert}; write {tensor}, or {VLLM}.async_engine=false"


def context_parallelism_has_its_limits(config: Config) -> Iterator[str]:
    """[dtensor_policy_worker.py:289-318]"""
    context = config.parallel[2]
    if config.megatron or context == 1:
        return
    key = f"policy.dtensor_cfg.context_parallel_size is {context}"
    if config.on("policy.sequence_packing.enabled"):
        yield f"{key}, which excludes packing; write 1, or policy.sequence_packing.enabled=false"
    if config.parallel[0] > 1 and config.on("policy.dtensor_cfg.sequence_parallel"):
        yield f"{key}, which excludes sequence parallelism; write 1, or policy.dtensor_cfg.sequence_parallel=false"
    if "gemma-3" in str(config.get("policy.model_name")).lower():
        yield f"{key}, which Gemma 3 does not take; write 1"


def heads_divide_by_tensor_parallelism(config: Config, heads: int, kv_heads: int) -> Iterator[str]:
    """[parallelize.py:603-608]; the heads are in the model's own config.json, so this is no rule of the list below."""
    if config.megatron:
        return
    tensor = config.parallel[0]
    if heads % tensor or kv_heads % tensor:
        fitting = [str(n) for n in (8, 4, 2, 1) if not heads % n and not kv_heads % n]
        yield (
            f"{TENSOR} is {tensor}, but {config.get('policy.model_name')} has {heads} attention heads and {kv_heads}"
            f" key-value heads; write {' or '.join(fitting)}"
        )


def lora_takes_the_second_worker(config: Config) -> Iterator[str]:
    """[lm_policy.py:121]"""
    if (
        not config.megatron
        and config.on("policy.dtensor_cfg.lora_cfg.enabled")
        and not config.on("policy.dtensor_cfg._v2")
    ):
        yield "policy.dtensor_cfg.lora_cfg.enabled is true; write policy.dtensor_cfg._v2=true with it"


# Batches


def batching_is_packed_or_dynamic(config: Config) -> Iterator[str]:
    """[lm_policy.py:210-251]"""
    if not config.on("policy.dynamic_batching.enabled"):
        return
    if config.on("policy.sequence_packing.enabled"):
        yield "policy.dynamic_batching.enabled and policy.sequence_packing.enabled are both true; write false for one"
    if config.parallel[1] > 1:
        yield f"policy.dynamic_batching.enabled is true with {config.parallel[1]} pipeline stages; write false"


def samples_fill_the_batches(config: Config) -> Iterator[str]:
    """[batched_data_dict.py:374,378,807, at the first training step]"""
    batch, copies = config.count("policy.train_global_batch_size"), config.copies
    if config.samples % batch:
        yield (
            f"policy.train_global_batch_size is {batch}, no divisor of {config.arithmetic}; write {config.samples}, or"
            " a divisor of it"
        )
    if not copies:
        return
    if batch % copies:
        yield f"policy.train_global_batch_size is {batch}, and {config.sharing} share it; write a multiple of {copies}"
    if config.samples % copies:
        yield f"{config.arithmetic}, and {config.sharing} share them; write a multiple of {copies}"
    if config.on("policy.sequence_packing.enabled") or config.on("policy.dynamic_batching.enabled"):
        return
    micro, logprob = config.count("policy.train_micro_batch_size"), config.count("policy.logprob_batch_size")
    for key, value, total, name in (
        ("policy.train_micro_batch_size", micro, batch, f"policy.train_global_batch_size {batch}"),
        ("policy.logprob_batch_size", logprob, config.samples, config.arithmetic),
    ):
        if not total % copies and total // copies % value:
            share = total // copies
            yield f"{key} is {value}, no divisor of {share} = {name} / {config.sharing}; write a divisor of {share}"


def on_policy_ratio_takes_one_batch_a_step(config: Config) -> Iterator[str]:
    """[grpo.py:605]"""
    batch = config.count("policy.train_global_batch_size")
    if config.on("loss_fn.force_on_policy_ratio") and config.samples != batch:
        yield (
            f"loss_fn.force_on_policy_ratio is true, but {config.arithmetic} and policy.train_global_batch_size is"
            f" {batch}; write {config.samples} there, or false here"
        )


def wide_tensor_parallelism_takes_equal_micro_batches(config: Config) -> Iterator[str]:
    """v0.6.0: lm_policy.py:160-177, v0.7.0: :178-195. With other numbers the two passes round differently."""
    if config.release < (0, 6) or config.parallel[0] < 4 or os.environ.get("NRL_IGNORE_TP_ACCURACY_CHECK"):
        return
    micro, logprob = config.get("policy.train_micro_batch_size"), config.get("policy.logprob_batch_size")
    if logprob is not None and micro != logprob and not config.on("loss_fn.force_on_policy_ratio"):
        yield (
            f"policy.logprob_batch_size is {logprob} and policy.train_micro_batch_size is {micro}, which must be equal"
            f" with {config.tensor_key} {config.parallel[0]} (4 or more); write policy.logprob_batch_size={micro}"
        )


# Sampling and the loss


def sampling_keeps_all_tokens(config: Config) -> Iterator[str]:
    """v0.5.0 only [vllm_generation.py:92-114]: vLLM gives no log-probabilities after filtering."""
    if config.release >= (0, 6) or config.get("policy.generation.backend") != "vllm":
        return
    top_k, top_p = config.get("policy.generation.top_k"), config.get("policy.generation.top_p")
    if top_k is not None and top_k != -1 and top_k < 8000:
        yield f"policy.generation.top_k is {top_k}; write null, -1, or 8000 and more"
    if top_p is not None and top_p < 0.99:
        yield f"policy.generation.top_p is {top_p}; write 0.99 to 1.0"


def eight_bit_generation_has_its_conditions(config: Config) -> Iterator[str]:
    """[grpo.py:500-519]"""
    if config.get("policy.generation.backend") != "vllm":
        return
    precision, cache = config.get(f"{VLLM}.precision"), str(config.get(f"{VLLM}.kv_cache_dtype"))
    if precision == "fp8" and not config.on("loss_fn.use_importance_sampling_correction"):
        yield f"{VLLM}.precision is fp8; write loss_fn.use_importance_sampling_correction=true with it"
    if not cache.startswith("fp8"):
        return
    key = f"{VLLM}.kv_cache_dtype is {cache}"
    if precision != "fp8":
        yield f"{key}, but {VLLM}.precision is {precision}; write fp8 there too, or auto here"
    if config.on("policy.dtensor_cfg.enabled"):
        yield f"{key}, which excludes DTensor; write auto"
    if config.on(f"{VLLM}.async_engine"):
        yield f"{key}, which excludes {VLLM}.async_engine; write auto, or false there"
    if config.megatron and config.parallel[1] > 1:
        yield f"{key}, which excludes {config.parallel[1]} pipeline stages; write auto"


def asynchronous_training_has_its_conditions(config: Config) -> Iterator[str]:
    """[run_grpo.py, grpo.py:1857-1905]; v0.7.0 has asynchronous engines beside vLLM's (grpo.py:1646)."""
    if not config.on("grpo.async_grpo.enabled"):
        return
    engines = {"vllm": f"{VLLM}.async_engine"}
    if config.release >= (0, 7):
        engines["megatron"] = "policy.generation.mcore_generation_config.async_engine"
        engines["sglang"] = "policy.generation.use_async_rollouts"
    backend = config.get("policy.generation.backend")
    engine = backend in engines and config.on(engines[backend])
    for holds, remedy in (
        (engine, f"policy.generation.backend=vllm and {VLLM}.async_engine=true"),
        (config.on("loss_fn.use_importance_sampling_correction"), "loss_fn.use_importance_sampling_correction=true"),
        (config.apart, "policy.generation.colocated.enabled=false"),
        (not config.on("grpo.use_dynamic_sampling"), "grpo.use_dynamic_sampling=false"),
        (not config.on("grpo.reward_scaling.enabled"), "grpo.reward_scaling.enabled=false"),
        (not config.on("grpo.reward_shaping.enabled"), "grpo.reward_shaping.enabled=false"),
        (not config.on("data.use_multiple_dataloader"), "data.use_multiple_dataloader=false"),
    ):
        if not holds:
            yield f"grpo.async_grpo.enabled is true; write {remedy} with it"


def dynamic_sampling_alone_multiplies_batches(config: Config) -> Iterator[str]:
    """[grpo.py:252]"""
    multiplier = config.get("grpo.batch_multiplier")
    if not config.on("grpo.use_dynamic_sampling") and multiplier not in (None, 1):
        yield f"grpo.batch_multiplier is {multiplier}; write 1, or grpo.use_dynamic_sampling=true"


def skipping_the_reference_takes_no_penalty(config: Config) -> Iterator[str]:
    """v0.6.0: grpo.py:1339; v0.7.0: grpo.py:441"""
    penalty = config.get("loss_fn.reference_policy_kl_penalty")
    if config.release >= (0, 6) and config.on("grpo.skip_reference_policy_logprobs_calculation") and penalty:
        yield (
            f"loss_fn.reference_policy_kl_penalty is {penalty}, but the reference is skipped; write 0, or"
            " grpo.skip_reference_policy_logprobs_calculation=false"
        )


# Data and validation


def the_prompt_is_there(config: Config) -> Iterator[str]:
    """Read relative to NeMo RL's tree, after Ray has started [interfaces.py:60-71]."""
    key = "data.prompt_file" if config.release < (0, 6) else "data.default.prompt_file"
    prompt = config.get(key)
    if isinstance(prompt, str) and not Path(prompt).is_file():
        yield f"{key} is {prompt}, which is not there; write a file of NeMo RL's tree, or one on Lustre"


def the_data_fill_a_step(config: Config) -> Iterator[str]:
    """Ours: an incomplete batch is dropped [grpo.py:263]; with too few rows a run ends well, having done nothing."""
    path = train_file(config)
    if path is None:
        return
    if not Path(path).is_file():
        yield f"{path} is not there, and the job trains on it; prepare_dataset.py makes it"
        return
    with Path(path).open("rb") as file:
        rows = sum(1 for _ in file)
    prompts = config.count("grpo.num_prompts_per_step")
    if config.on("grpo.use_dynamic_sampling"):
        prompts = int(prompts * (config.get("grpo.batch_multiplier") or 1))
    epochs, steps = config.get("grpo.max_num_epochs") or 1, config.count("grpo.max_num_steps")
    if rows < prompts:
        yield f"grpo.num_prompts_per_step is {prompts}, but {path} has {rows} rows; write at most {rows}"
    elif rows // prompts * epochs < steps:
        yield (
            f"grpo.max_num_steps is {steps}, but {rows} rows / {prompts} prompts x {epochs} epochs end after"
            f" {rows // prompts * epochs} steps; write that, or grpo.max_num_epochs={-(-steps // (rows // prompts))}"
        )


def loaders_share_the_prompts(config: Config) -> Iterator[str]:
    """v0.6.0: grpo.py:299"""
    if config.release < (0, 6) or not config.on("data.use_multiple_dataloader"):
        return
    each, prompts = config.count("data.num_prompts_per_dataloader"), config.count("grpo.num_prompts_per_step")
    if prompts % each:
        yield f"data.num_prompts_per_dataloader is {each}; write a divisor of grpo.num_prompts_per_step {prompts}"


def validation_has_data(config: Config) -> Iterator[str]:
    """[grpo.py:278; v0.6.0: :361]; asked of the dataset that jobs use, and of gsm8k, which has no part to hold back."""
    if not config.validates:
        return
    if config.release < (0, 6):
        if config.get("data.dataset_name") == "ResponseDataset" and not config.get("data.val_data_path"):
            yield "data.val_data_path is null, but the run validates; write a file, or grpo.val_period=0"
    elif config.get("data.validation") is None and isinstance(config.get("data.train"), Mapping):
        name, held_back = config.get("data.train.dataset_name"), config.get("data.train.split_validation_size")
        if str(name).lower() == "gsm8k" or (name == "ResponseDataset" and not held_back):
            yield "data.validation is null, but the run validates; write a dataset, or grpo.val_period=0"


def validation_fills_a_batch(config: Config) -> Iterator[str]:
    """Ours: batches of validation are counted by whole division [grpo.py:1705]; a larger batch is none at all."""
    if not config.validates:
        return
    samples, batch = config.get("grpo.max_val_samples"), config.count("grpo.val_batch_size")
    if isinstance(samples, int) and samples < batch:
        yield f"grpo.val_batch_size is {batch}, more than grpo.max_val_samples {samples}; write at most {samples}"


# Checkpoints


def the_metric_exists(config: Config) -> Iterator[str]:
    """[grpo.py:1495-1522, at the first checkpoint]"""
    metric = config.get("checkpointing.metric_name")
    if not config.on("checkpointing.enabled") or metric is None:
        return
    if not str(metric).startswith(("train:", "val:")):
        yield f"checkpointing.metric_name is {shown(metric)}; write null, or a metric that begins with train: or val:"
    elif str(metric).startswith("val:") and metric not in VALIDATION_METRICS and not config.on(GYM):
        yield f"checkpointing.metric_name is {shown(metric)}; write null, or {' or '.join(VALIDATION_METRICS)}"
    elif str(metric).startswith("val:") and not config.validates:
        yield f"checkpointing.metric_name is {shown(metric)}, but the run does not validate; write null"


def the_first_worker_has_one_format(config: Config) -> Iterator[str]:
    """[lm_policy.py:811-818, at the first checkpoint]"""
    form = config.get("checkpointing.model_save_format")
    first = config.on("policy.dtensor_cfg.enabled") and not config.on("policy.dtensor_cfg._v2")
    if config.on("checkpointing.enabled") and first and form is not None:
        yield f"checkpointing.model_save_format is {form}, but policy.dtensor_cfg._v2 is false; write null"


def save_by_is_a_duration(config: Config) -> Iterator[str]:
    """[timer.py:264-321]"""
    limit = config.get("checkpointing.checkpoint_must_save_by")
    if limit is not None and not re.fullmatch(r"\d+:\d{1,2}:\d{1,2}:\d{1,2}", str(limit)):
        yield f"checkpointing.checkpoint_must_save_by is {shown(limit)}; write DD:HH:MM:SS, like '00:03:45:00'"


# Doubts


def engines_stay_on_their_nodes(config: Config) -> Iterator[str]:
    """Across nodes NeMo RL switches NVLS off [vllm_generation.py:170-178]; some of its own recipes want that."""
    if config.get("policy.generation.backend") != "vllm":
        return
    tensor, gpus = config.count(f"{VLLM}.tensor_parallel_size"), config.count("cluster.gpus_per_node")
    if tensor > gpus:
        yield f"{VLLM}.tensor_parallel_size is {tensor}, so that an engine of vLLM spans nodes of {gpus} GPUs, slowly"


def checkpoints_meet_validations(config: Config) -> Iterator[str]:
    """A checkpoint without the metric sorts last among those to keep, and is the first to go."""
    metric = str(config.get("checkpointing.metric_name"))
    if not config.on("checkpointing.enabled") or not metric.startswith("val:") or not config.get("grpo.val_period"):
        return
    every, period = config.count("checkpointing.save_period"), config.count("grpo.val_period")
    if every % period:
        yield (
            f"checkpointing.save_period is {every}, no multiple of grpo.val_period {period}: a checkpoint without a"
            " validation is pruned first"
        )


def segments_are_not_on_gke(config: Config) -> Iterator[str]:
    if config.get("cluster.segment_size") is not None:
        yield f"cluster.segment_size is {config.get('cluster.segment_size')}, but no node belongs to an NVLink domain"


RULES: tuple[Rule, ...] = (
    words_of_a_choice_are_known,
    one_backend_trains,
    both_sides_have_gpus,
    training_gpus_hold_whole_copies,
    engines_fill_the_generation_gpus,
    context_parallelism_has_its_limits,
    lora_takes_the_second_worker,
    batching_is_packed_or_dynamic,
    samples_fill_the_batches,
    on_policy_ratio_takes_one_batch_a_step,
    wide_tensor_parallelism_takes_equal_micro_batches,
    sampling_keeps_all_tokens,
    eight_bit_generation_has_its_conditions,
    asynchronous_training_has_its_conditions,
    dynamic_sampling_alone_multiplies_batches,
    skipping_the_reference_takes_no_penalty,
    the_prompt_is_there,
    the_data_fill_a_step,
    loaders_share_the_prompts,
    validation_has_data,
    validation_fills_a_batch,
    the_metric_exists,
    the_first_worker_has_one_format,
    save_by_is_a_duration,
)
DOUBTS: tuple[Rule, ...] = (engines_stay_on_their_nodes, checkpoints_meet_validations, segments_are_not_on_gke)


def train_file(config: Config) -> str | None:
    """The prepared file that the run trains on; None where it trains on something else.

    It is told by the shape of `data`, since v0.6.0 nested: a checkpoint may be of an earlier release.
    """
    train = config.get("data.train")
    if train is None:
        return config.get("data.train_data_path")
    if isinstance(train, list):  # as NeMo RL itself rewrites it, and so it stands in a checkpoint
        return Config({"train": train[0]}, config.release).get("train.data_path") if len(train) == 1 else None  # pyright: ignore[reportUnknownArgumentType]
    return config.get("data.train.data_path")
