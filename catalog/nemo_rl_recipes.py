"""The recipes of NeMo RL that jobs may name, with the figures of each that the checks need.

A recipe is a YAML file inside the image; a job changes it by overrides. What is here was read from the three tags with
NeMo RL's own loader, so that a wrong number is found at synth. `examples/configs/grpo_math_1B.yaml` is the file that
all others start from: its figures are the defaults of `Figures`, and each row says what differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from catalog.nemo_rl import NEMO_RL

BASE_RECIPE = "examples/configs/grpo_math_1B.yaml"
_LLM = "examples/configs/recipes/llm"

#: What an override can hold: a scalar, a list or a mapping, as YAML reads it.
Value = str | int | float | bool | None | tuple["Value", ...] | Mapping[str, "Value"]

#: The fields that `${policy.max_total_sequence_length}` fills in most recipes.
_LENGTHS = frozenset({"max_new_tokens", "max_model_len", "max_input_length"})


def _at(key: str, default: Any) -> Any:
    return field(default=default, metadata={"key": key})


@dataclass(frozen=True, kw_only=True)
class Figures:
    """The values of one configuration that rules look at; `KEYS` gives NeMo RL's own name of each.

    `follows` names the fields that the recipe's file leaves to another one (`${policy.max_total_sequence_length}`),
    so that changing that one changes them too.
    """

    model: str = _at("policy.model_name", "Qwen/Qwen2.5-1.5B")
    nodes: int = _at("cluster.num_nodes", 1)
    gpus_per_node: int = _at("cluster.gpus_per_node", 1)
    segment_size: int | None = _at("cluster.segment_size", None)

    max_steps: int = _at("grpo.max_num_steps", 1_000_000)
    max_epochs: int = _at("grpo.max_num_epochs", 1)
    prompts: int = _at("grpo.num_prompts_per_step", 32)
    generations: int = _at("grpo.num_generations_per_prompt", 16)
    batch_multiplier: float = _at("grpo.batch_multiplier", 1)
    dynamic_sampling: bool = _at("grpo.use_dynamic_sampling", False)
    reward_scaling: bool = _at("grpo.reward_scaling.enabled", False)
    reward_shaping: bool = _at("grpo.reward_shaping.enabled", False)
    async_grpo: bool = _at("grpo.async_grpo.enabled", False)
    estimator: str = _at("grpo.adv_estimator.name", "grpo")
    minus_baseline: bool = _at("grpo.adv_estimator.minus_baseline", True)
    skip_reference_logprobs: bool = _at("grpo.skip_reference_policy_logprobs_calculation", False)
    val_period: int = _at("grpo.val_period", 10)
    val_at_start: bool = _at("grpo.val_at_start", False)
    val_at_end: bool = _at("grpo.val_at_end", False)
    max_val_samples: int = _at("grpo.max_val_samples", 256)
    val_batch: int = _at("grpo.val_batch_size", 256)

    kl_penalty: float = _at("loss_fn.reference_policy_kl_penalty", 0.01)
    importance_sampling: bool = _at("loss_fn.use_importance_sampling_correction", False)
    on_policy_ratio: bool = _at("loss_fn.force_on_policy_ratio", False)

    checkpoints: bool = _at("checkpointing.enabled", True)
    save_period: int = _at("checkpointing.save_period", 10)
    keep: int | None = _at("checkpointing.keep_top_k", 3)
    metric: str | None = _at("checkpointing.metric_name", "val:accuracy")
    save_format: str | None = _at("checkpointing.model_save_format", "safetensors")
    save_by: str | None = _at("checkpointing.checkpoint_must_save_by", None)

    global_batch: int = _at("policy.train_global_batch_size", 512)
    micro_batch: int = _at("policy.train_micro_batch_size", 4)
    logprob_batch: int = _at("policy.logprob_batch_size", 4)
    precision: str = _at("policy.precision", "bfloat16")
    sequence: int = _at("policy.max_total_sequence_length", 512)
    length_multiple: int = _at("policy.make_sequence_length_divisible_by", 1)
    dynamic_batching: bool = _at("policy.dynamic_batching.enabled", False)
    packing: bool = _at("policy.sequence_packing.enabled", True)

    dtensor: bool = _at("policy.dtensor_cfg.enabled", True)
    dtensor_v2: bool = _at("policy.dtensor_cfg._v2", True)
    tensor_parallel: int = _at("policy.dtensor_cfg.tensor_parallel_size", 1)
    context_parallel: int = _at("policy.dtensor_cfg.context_parallel_size", 1)
    sequence_parallel: bool = _at("policy.dtensor_cfg.sequence_parallel", False)
    lora: bool = _at("policy.dtensor_cfg.lora_cfg.enabled", False)
    megatron: bool = _at("policy.megatron_cfg.enabled", False)
    megatron_tensor_parallel: int = _at("policy.megatron_cfg.tensor_model_parallel_size", 1)
    megatron_pipeline_parallel: int = _at("policy.megatron_cfg.pipeline_model_parallel_size", 1)
    megatron_context_parallel: int = _at("policy.megatron_cfg.context_parallel_size", 1)

    backend: str = _at("policy.generation.backend", "vllm")
    max_new_tokens: int = _at("policy.generation.max_new_tokens", 512)
    top_k: int | None = _at("policy.generation.top_k", None)
    top_p: float = _at("policy.generation.top_p", 1.0)
    colocated: bool = _at("policy.generation.colocated.enabled", True)
    generation_nodes: int | None = _at("policy.generation.colocated.resources.num_nodes", None)
    generation_gpus_per_node: int | None = _at("policy.generation.colocated.resources.gpus_per_node", None)
    generation_tensor_parallel: int = _at("policy.generation.vllm_cfg.tensor_parallel_size", 1)
    generation_pipeline_parallel: int = _at("policy.generation.vllm_cfg.pipeline_parallel_size", 1)
    generation_expert_parallel: int = _at("policy.generation.vllm_cfg.expert_parallel_size", 1)
    async_engine: bool = _at("policy.generation.vllm_cfg.async_engine", False)
    max_model_len: int = _at("policy.generation.vllm_cfg.max_model_len", 512)
    vllm_precision: str = _at("policy.generation.vllm_cfg.precision", "bfloat16")
    kv_cache: str = _at("policy.generation.vllm_cfg.kv_cache_dtype", "auto")

    max_input_length: int | None = _at("data.max_input_seq_length", 512)
    many_loaders: bool = _at("data.use_multiple_dataloader", False)
    verifier: str = _at("env.math.math_verify_impl", "hf_math_verify")
    logs_to_wandb: bool = _at("logger.wandb_enabled", False)

    prompt_file: str | None = "examples/prompts/cot.txt"
    """`data.prompt_file` in the flat layout of the data section, `data.default.prompt_file` in the nested one."""

    validation_is_a_mapping: bool = False
    """Whether the recipe itself fills `data.validation` (nested layout), which then takes dotted overrides only."""

    follows: frozenset[str] = frozenset()


#: Field of `Figures` -> NeMo RL's key.
KEYS: dict[str, str] = {f.name: f.metadata["key"] for f in fields(Figures) if "key" in f.metadata}
#: NeMo RL's key -> field of `Figures`.
FIELDS: dict[str, str] = {key: name for name, key in KEYS.items()}

#: Field -> the field that it follows, in the recipes whose figures say that it does. `length_multiple` follows the
#: tensor parallelism of the backend that trains.
LEADERS: dict[str, str] = {
    "max_new_tokens": "sequence",
    "max_model_len": "sequence",
    "max_input_length": "sequence",
    "logprob_batch": "micro_batch",
}


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One recipe: its path in the image and, for each release that has it, its figures.

    `corrections` are overrides that a release needs before its own recipe passes its own checks; the program writes
    them unless the job says otherwise. `note` is what is known about running it.
    """

    path: str
    figures: Mapping[str, Figures]
    corrections: Mapping[str, Mapping[str, Value]] = field(default_factory=dict[str, Mapping[str, Value]])
    note: str = ""


_EVERYWHERE = tuple(NEMO_RL)
_NESTED = _EVERYWHERE[1:]


def _alike(figures: Figures) -> dict[str, Figures]:
    return dict.fromkeys(_EVERYWHERE, figures)


def _unlike(figures: Figures, **later: Any) -> dict[str, Figures]:
    """The figures of v0.5.0, and what the later releases changed."""
    return {_EVERYWHERE[0]: figures, **dict.fromkeys(_NESTED, replace(figures, **later))}


_FOLLOWING = _LENGTHS | {"length_multiple"}

_GEMMA_27B = Figures(
    model="google/gemma-3-27b-it",
    nodes=8,
    gpus_per_node=8,
    max_steps=20,
    prompts=64,
    generations=32,
    save_format=None,
    micro_batch=1,
    logprob_batch=2,
    sequence=16384,
    length_multiple=8,
    packing=False,
    dtensor_v2=False,
    tensor_parallel=8,
    max_new_tokens=16384,
    generation_tensor_parallel=4,
    max_model_len=16384,
    max_input_length=16384,
    logs_to_wandb=True,
)
_GEMMA_27B_FOUR_GPUS = replace(
    _GEMMA_27B, gpus_per_node=4, length_multiple=4, tensor_parallel=4, generation_tensor_parallel=2
)
_LLAMA_8B = Figures(
    model="meta-llama/Llama-3.1-8B-Instruct",
    gpus_per_node=8,
    prompts=64,
    generations=32,
    micro_batch=1,
    logprob_batch=2,
    sequence=4096,
    max_new_tokens=4096,
    max_model_len=4096,
    max_input_length=4096,
    follows=_FOLLOWING,
)
_DAPO_7B = Figures(
    model="Qwen/Qwen2.5-Math-7B",
    nodes=16,
    gpus_per_node=8,
    max_steps=10_000,
    prompts=512,
    batch_multiplier=3,
    dynamic_sampling=True,
    reward_scaling=True,
    reward_shaping=True,
    val_period=20,
    max_val_samples=960,
    val_batch=960,
    kl_penalty=0.0,
    save_period=5,
    keep=5,
    save_format=None,
    micro_batch=1,
    logprob_batch=1,
    sequence=16384,
    length_multiple=8,
    packing=False,
    dtensor_v2=False,
    context_parallel=4,
    megatron_tensor_parallel=4,
    megatron_pipeline_parallel=2,
    megatron_context_parallel=2,
    max_new_tokens=16384,
    generation_tensor_parallel=2,
    max_model_len=16384,
    max_input_length=2048,
    verifier="dapo_math_verify",
    prompt_file=None,
    follows=frozenset({"max_model_len"}),
)
#: With tensor parallelism of 4 or more, these releases want the two micro batches equal; these recipes do not have
#: them so (NVIDIA's own test scripts switch the check off instead).
_EQUAL_MICRO_BATCHES: dict[str, Mapping[str, Value]] = {
    release: {"policy.logprob_batch_size": 1} for release in _NESTED
}

# Values: read from the tags v0.5.0, v0.6.0 and v0.7.0 with each tag's own loader. The test compares them again with
# the collected values, and with the trees themselves, where these are at hand.
RECIPES: dict[str, Recipe] = {
    recipe.path: recipe
    for recipe in (
        Recipe(
            path="examples/configs/grpo_smoke.yaml",
            figures={
                "v0.7.0": Figures(
                    model="Qwen/Qwen3-0.6B",
                    max_steps=10,
                    prompts=2,
                    generations=4,
                    val_period=-1,
                    checkpoints=False,
                    global_batch=8,
                    micro_batch=8,
                    logprob_batch=8,
                    follows=_FOLLOWING | {"logprob_batch"},
                )
            },
            note="the shortest run there is; on one GPU as shipped",
        ),
        Recipe(
            path=BASE_RECIPE,
            figures=_unlike(Figures(follows=_FOLLOWING), follows=_FOLLOWING | {"logprob_batch"}),
            note="the file that every other recipe starts from",
        ),
        Recipe(path="examples/configs/grpo_math_8B.yaml", figures=_alike(_LLAMA_8B)),
        Recipe(
            path=f"{_LLM}/grpo-gemma3-1b-it-1n8g-fsdp2tp1.yaml",
            figures=_unlike(
                Figures(
                    model="google/gemma-3-1b-it",
                    gpus_per_node=8,
                    max_steps=500,
                    dynamic_batching=True,
                    packing=False,
                    logs_to_wandb=True,
                ),
                follows=frozenset({"logprob_batch"}),
            ),
        ),
        Recipe(
            path=f"{_LLM}/grpo-llama3.1-8b-instruct-2n8g-fsdp2tp1-noncolocated.yaml",
            figures=_alike(
                replace(
                    _LLAMA_8B,
                    nodes=2,
                    max_steps=500,
                    dynamic_batching=True,
                    packing=False,
                    colocated=False,
                    generation_nodes=1,
                    generation_gpus_per_node=8,
                    async_engine=True,
                    logs_to_wandb=True,
                    follows=frozenset(),
                )
            ),
            note="shipped with generation on a node of its own",
        ),
        Recipe(
            path=f"{_LLM}/grpo-deepscaler-1.5b-8K.yaml",
            figures=_unlike(
                Figures(
                    model="deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B",
                    gpus_per_node=8,
                    prompts=128,
                    generations=8,
                    max_val_samples=480,
                    val_batch=32,
                    kl_penalty=0.0,
                    keep=10,
                    save_format=None,
                    global_batch=64,
                    micro_batch=1,
                    sequence=8192,
                    packing=False,
                    dtensor_v2=False,
                    max_new_tokens=8192,
                    max_model_len=8192,
                    max_input_length=8192,
                    follows=_FOLLOWING,
                ),
                logprob_batch=1,
                validation_is_a_mapping=True,
                follows=_FOLLOWING | {"logprob_batch"},
            ),
        ),
        Recipe(
            path=f"{_LLM}/grpo-qwen2.5-7b-instruct-4n8g-megatron.yaml",
            figures=_alike(
                Figures(
                    model="Qwen/Qwen2.5-7B-Instruct",
                    nodes=4,
                    gpus_per_node=8,
                    max_steps=30,
                    prompts=64,
                    generations=32,
                    checkpoints=False,
                    save_period=100,
                    micro_batch=1,
                    logprob_batch=2,
                    sequence=4096,
                    length_multiple=4,
                    dtensor=False,
                    megatron=True,
                    megatron_tensor_parallel=2,
                    max_new_tokens=4096,
                    generation_tensor_parallel=4,
                    max_model_len=4096,
                    max_input_length=4096,
                    logs_to_wandb=True,
                )
            ),
        ),
        Recipe(
            path=f"{_LLM}/grpo-gemma3-27b-it-8n8g-fsdp2tp8-actckpt-long.yaml",
            figures=_unlike(_GEMMA_27B, logprob_batch=4),
            corrections=_EQUAL_MICRO_BATCHES,
            note="run by Google on 2 training nodes and 1 generation node of B200",
        ),
        Recipe(
            path=f"{_LLM}/grpo-gemma3-27b-it-8n4g-fsdp2tp4-actckpt-long.yaml",
            figures={
                "v0.5.0": _GEMMA_27B_FOUR_GPUS,
                "v0.6.0": replace(_GEMMA_27B_FOUR_GPUS, logprob_batch=4),
                "v0.7.0": replace(_GEMMA_27B_FOUR_GPUS, logprob_batch=4, segment_size=8),
            },
            # Segments are NVLink domains of GB200 racks; on GKE no node belongs to one.
            corrections={
                "v0.6.0": {"policy.logprob_batch_size": 1},
                "v0.7.0": {"policy.logprob_batch_size": 1, "cluster.segment_size": None},
            },
            note="made for GB200 with 4 GPUs a node; the tutorial stretched it to 8, for which the 8n8g recipe is",
        ),
        Recipe(
            path=f"{_LLM}/grpo-qwen2.5-32b-32n8g-fsdp2tp8-actckpt.v3.yaml",
            figures=_unlike(
                Figures(
                    model="Qwen/Qwen2.5-32B",
                    nodes=32,
                    gpus_per_node=8,
                    max_steps=2,
                    prompts=64,
                    generations=32,
                    micro_batch=1,
                    logprob_batch=2,
                    sequence=16384,
                    length_multiple=8,
                    dynamic_batching=True,
                    packing=False,
                    tensor_parallel=8,
                    max_new_tokens=16384,
                    generation_tensor_parallel=4,
                    max_model_len=16384,
                    max_input_length=16384,
                    logs_to_wandb=True,
                ),
                logprob_batch=1,
                follows=frozenset({"logprob_batch"}),
            ),
        ),
        Recipe(
            path=f"{_LLM}/grpo-qwen3-30ba3b-8n8g-megatron.yaml",
            figures=_alike(
                Figures(
                    model="Qwen/Qwen3-30B-A3B",
                    nodes=8,
                    gpus_per_node=8,
                    prompts=64,
                    generations=32,
                    checkpoints=False,
                    micro_batch=1,
                    sequence=4096,
                    length_multiple=4,
                    packing=False,
                    dtensor=False,
                    megatron=True,
                    megatron_tensor_parallel=4,
                    megatron_pipeline_parallel=4,
                    max_new_tokens=4096,
                    generation_tensor_parallel=4,
                    max_model_len=4096,
                    max_input_length=4096,
                    logs_to_wandb=True,
                    follows=_FOLLOWING,
                )
            ),
            corrections=_EQUAL_MICRO_BATCHES,
        ),
        Recipe(
            path=f"{_LLM}/dapo-qwen2.5-7b.yaml",
            figures={
                "v0.5.0": _DAPO_7B,
                "v0.6.0": replace(_DAPO_7B, validation_is_a_mapping=True),
            },
        ),
    )
}
