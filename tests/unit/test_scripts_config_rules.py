"""Each rule of job_specs/scripts/config_rules.py from both sides: a configuration that holds, and one changed value."""

from __future__ import annotations

import copy
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.support import ROOT

GENERATION = "policy.generation"
VLLM = "policy.generation.vllm_cfg"
RESOURCES = "policy.generation.colocated.resources"


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, as check_config.py finds it: beside itself."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "job_specs" / "scripts"), *sys.path])
    monkeypatch.delenv("NRL_IGNORE_TP_ACCURACY_CHECK", raising=False)
    return import_module("config_rules")


#: The tutorial's run in the nested layout of v0.6.0: two nodes of eight GPUs, one of which generates.
HOLDS: dict[str, Any] = {
    "cluster": {"num_nodes": 2, "gpus_per_node": 8},
    "grpo": {
        "num_prompts_per_step": 16,
        "num_generations_per_prompt": 32,
        "max_num_steps": 10,
        "max_num_epochs": 1,
        "val_period": 10,
        "val_at_start": False,
        "val_at_end": False,
        "max_val_samples": 256,
        "val_batch_size": 256,
        "batch_multiplier": 1,
        "use_dynamic_sampling": False,
    },
    "loss_fn": {"reference_policy_kl_penalty": 0.01, "use_importance_sampling_correction": False},
    "policy": {
        "model_name": "google/gemma-3-27b-it",
        "train_global_batch_size": 512,
        "train_micro_batch_size": 1,
        "logprob_batch_size": 1,
        "precision": "bfloat16",
        "dtensor_cfg": {
            "enabled": True,
            "_v2": False,
            "tensor_parallel_size": 8,
            "context_parallel_size": 1,
            "sequence_parallel": False,
        },
        "megatron_cfg": {"enabled": False},
        "dynamic_batching": {"enabled": False},
        "sequence_packing": {"enabled": False},
        "generation": {
            "backend": "vllm",
            "top_k": None,
            "top_p": 1.0,
            "colocated": {"enabled": False, "resources": {"num_nodes": 1, "gpus_per_node": 8}},
            "vllm_cfg": {
                "tensor_parallel_size": 8,
                "pipeline_parallel_size": 1,
                "expert_parallel_size": 1,
                "async_engine": False,
                "precision": "bfloat16",
                "kv_cache_dtype": "auto",
            },
        },
    },
    "data": {
        "train": {"dataset_name": "OpenMathInstruct-2", "split_validation_size": 0.05},
        "validation": None,
        "default": {},
    },
    "checkpointing": {
        "enabled": True,
        "save_period": 10,
        "metric_name": "val:accuracy",
        "model_save_format": None,
        "checkpoint_must_save_by": None,
    },
}
MEGATRON = {
    "policy.dtensor_cfg.enabled": False,
    "policy.megatron_cfg": {
        "enabled": True,
        "tensor_model_parallel_size": 2,
        "pipeline_model_parallel_size": 2,
        "context_parallel_size": 1,
    },
}
COLOCATED = {"policy.generation.colocated.enabled": True}
LATE, EARLY = (0, 7, 0), (0, 5, 0)


def changed(changes: dict[str, Any]) -> dict[str, Any]:
    values = copy.deepcopy(HOLDS)
    for key, value in changes.items():
        *sections, name = key.split(".")
        section = values
        for part in sections:
            section = section.setdefault(part, {})
        section[name] = value
    return values


def faults(rules: Any, changes: dict[str, Any], release: tuple[int, ...] = (0, 6, 0)) -> list[str]:
    return rules.faults(rules.Config(changed(changes), release))


@pytest.mark.parametrize("release", [(0, 5, 0), (0, 6, 0), (0, 7, 0)])
def test_the_tutorials_shape_holds(rules: Any, release: tuple[int, ...]) -> None:
    assert faults(rules, {}, release) == []
    assert rules.doubts(rules.Config(HOLDS, release)) == []


@pytest.mark.parametrize(
    "changes",
    [
        COLOCATED,
        {"cluster.num_nodes": 1, f"{RESOURCES}.gpus_per_node": 4, f"{RESOURCES}.num_nodes": None}
        | {"policy.dtensor_cfg.tensor_parallel_size": 4, f"{VLLM}.tensor_parallel_size": 4},
        MEGATRON,
        {"policy.sequence_packing.enabled": True, "policy.train_micro_batch_size": 3, "policy.logprob_batch_size": 3},
        {"loss_fn.force_on_policy_ratio": True, "policy.logprob_batch_size": 4},
        {"grpo.val_period": 0, "checkpointing.metric_name": None, "grpo.val_batch_size": 999},
        {"checkpointing.enabled": False, "checkpointing.metric_name": "accuracy"},
        {"checkpointing.checkpoint_must_save_by": "00:03:45:00", "checkpointing.metric_name": "train:reward"},
    ],
    ids=["colocated", "one node", "megatron", "packed", "on policy", "no validation", "no checkpoints", "save by"],
)
def test_other_shapes_hold_too(rules: Any, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0 10.0")
    assert faults(rules, changes) == []


SHARING = "1 model copy (8 training GPUs / tensor 8 x pipeline 1 x context 1)"
STEP = "grpo.num_prompts_per_step 16 x grpo.num_generations_per_prompt 32 = 512 samples a step"

FAULTS: dict[str, tuple[dict[str, Any], tuple[int, ...], list[str]]] = {
    "no generation": (
        {"policy.generation": None},
        LATE,
        ["policy.generation is not there, and GRPO generates answers; take a recipe for GRPO"],
    ),
    "no backend": (
        {"policy.dtensor_cfg.enabled": False},
        LATE,
        ["policy.dtensor_cfg.enabled and policy.megatron_cfg.enabled are both false; write true for one of them"],
    ),
    "Megatron generation": (
        {f"{GENERATION}.backend": "megatron"},
        EARLY,
        [
            "policy.generation.backend is megatron, which generates only on the training GPUs in this release; write"
            " vllm, or policy.generation.colocated.enabled=true"
        ],
    ),
    "all GPUs generate": (
        {"cluster.num_nodes": 1, f"{RESOURCES}.num_nodes": 1},
        LATE,
        [f"{RESOURCES}.gpus_per_node is 8 of the 8 GPUs of the only node, so none trains; write at most 7"],
    ),
    "two nodes of one": (
        {"cluster.num_nodes": 1, f"{RESOURCES}.num_nodes": 2, f"{RESOURCES}.gpus_per_node": 4}
        | {"policy.dtensor_cfg.tensor_parallel_size": 4, f"{VLLM}.tensor_parallel_size": 4},
        LATE,
        [f"{RESOURCES}.num_nodes is 2 on one node; write null"],
    ),
    "half a node generates": (
        {f"{RESOURCES}.gpus_per_node": 4, f"{VLLM}.tensor_parallel_size": 4},
        LATE,
        [f"{RESOURCES}.gpus_per_node is 4, but cluster.gpus_per_node is 8; write 8"],
    ),
    "all nodes generate": (
        {f"{RESOURCES}.num_nodes": 2},
        EARLY,
        [f"{RESOURCES}.num_nodes is 2 of 2 nodes, so none trains; write at most 1"],
    ),
    "resources left to null": (
        {f"{RESOURCES}.gpus_per_node": None},
        LATE,
        [f"{RESOURCES}.gpus_per_node is null; write a whole number, 1 or more"],
    ),
    "half a copy": (
        {"policy.dtensor_cfg.tensor_parallel_size": 16},
        EARLY,
        [
            "policy.dtensor_cfg.tensor_parallel_size is 16, and a model copy takes tensor 16 x pipeline 1 x"
            " context 1 = 16"
            " GPUs, but 8 train; write numbers of which the second is a multiple of the first"
        ],
    ),
    "engine too large": (
        {f"{VLLM}.tensor_parallel_size": 16},
        LATE,
        [
            f"{VLLM}.tensor_parallel_size is 16, and an engine takes tensor 16 x pipeline 1 = 16 GPUs, but 8 generate;"
            " write a divisor of 8",
        ],
    ),
    "engine in stages": (
        {f"{VLLM}.tensor_parallel_size": 4, f"{VLLM}.pipeline_parallel_size": 2},
        LATE,
        [f"{VLLM}.pipeline_parallel_size is 2; write {VLLM}.async_engine=true with it"],
    ),
    "experts": (
        {f"{VLLM}.expert_parallel_size": 12},
        LATE,
        [f"{VLLM}.expert_parallel_size is 12; write a multiple of {VLLM}.tensor_parallel_size 8"],
    ),
    "experts and asynchronous": (
        {f"{VLLM}.expert_parallel_size": 16, f"{VLLM}.async_engine": True},
        LATE,
        [f"{VLLM}.expert_parallel_size is 16; write 8, or {VLLM}.async_engine=false"],
    ),
    "context": (
        {"policy.dtensor_cfg.context_parallel_size": 2, "policy.dtensor_cfg.tensor_parallel_size": 4}
        | {"policy.dtensor_cfg.sequence_parallel": True, "policy.sequence_packing.enabled": True},
        EARLY,
        [
            "policy.dtensor_cfg.context_parallel_size is 2, which excludes packing; write 1, or"
            " policy.sequence_packing.enabled=false",
            "policy.dtensor_cfg.context_parallel_size is 2, which excludes sequence parallelism; write 1, or"
            " policy.dtensor_cfg.sequence_parallel=false",
            "policy.dtensor_cfg.context_parallel_size is 2, which Gemma 3 does not take; write 1",
        ],
    ),
    "LoRA": (
        {"policy.dtensor_cfg.lora_cfg.enabled": True},
        EARLY,
        ["policy.dtensor_cfg.lora_cfg.enabled is true; write policy.dtensor_cfg._v2=true with it"],
    ),
    "packed and dynamic": (
        {"policy.dynamic_batching.enabled": True, "policy.sequence_packing.enabled": True},
        LATE,
        ["policy.dynamic_batching.enabled and policy.sequence_packing.enabled are both true; write false for one"],
    ),
    "samples": (
        {"grpo.num_prompts_per_step": 15},
        EARLY,
        [
            "policy.train_global_batch_size is 512, no divisor of grpo.num_prompts_per_step 15 x"
            " grpo.num_generations_per_prompt 32 = 480 samples a step; write 480, or a divisor of it"
        ],
    ),
    "copies": (
        {"policy.dtensor_cfg.tensor_parallel_size": 1, "policy.train_global_batch_size": 4},
        LATE,
        [
            "policy.train_global_batch_size is 4, and 8 model copies (8 training GPUs / tensor 1 x pipeline"
            " 1 x context 1)"
            " share it; write a multiple of 8"
        ],
    ),
    "samples and copies": (
        {"policy.dtensor_cfg.tensor_parallel_size": 1, "grpo.num_generations_per_prompt": 3}
        | {"grpo.num_prompts_per_step": 4, "policy.train_global_batch_size": 12},
        LATE,
        [
            "policy.train_global_batch_size is 12, and 8 model copies (8 training GPUs / tensor 1 x"
            " pipeline 1 x context 1)"
            " share it; write a multiple of 8",
            "grpo.num_prompts_per_step 4 x grpo.num_generations_per_prompt 3 = 12 samples a step, and 8 model copies (8"
            " training GPUs / tensor 1 x pipeline 1 x context 1) share them; write a multiple of 8",
        ],
    ),
    "micro batches": (
        {"policy.train_micro_batch_size": 3, "policy.logprob_batch_size": 3},
        LATE,
        [
            f"policy.train_micro_batch_size is 3, no divisor of 512 = policy.train_global_batch_size 512 /"
            f" {SHARING}; write"
            " a divisor of 512",
            f"policy.logprob_batch_size is 3, no divisor of 512 = {STEP} / {SHARING}; write a divisor of 512",
        ],
    ),
    "on policy": (
        {"loss_fn.force_on_policy_ratio": True, "policy.train_global_batch_size": 256},
        LATE,
        [
            f"loss_fn.force_on_policy_ratio is true, but {STEP} and policy.train_global_batch_size is 256;"
            " write 512 there,"
            " or false here"
        ],
    ),
    "wide tensor parallelism": (
        {"policy.logprob_batch_size": 4},
        (0, 6, 0),
        [
            "policy.logprob_batch_size is 4 and policy.train_micro_batch_size is 1, which must be equal with"
            " policy.dtensor_cfg.tensor_parallel_size 8 (4 or more); write policy.logprob_batch_size=1"
        ],
    ),
    "sampling": (
        {f"{GENERATION}.top_k": 50, f"{GENERATION}.top_p": 0.9},
        EARLY,
        [
            "policy.generation.top_k is 50; write null, -1, or 8000 and more",
            "policy.generation.top_p is 0.9; write 0.99 to 1.0",
        ],
    ),
    "eight bits": (
        {f"{VLLM}.precision": "fp8"},
        LATE,
        [f"{VLLM}.precision is fp8; write loss_fn.use_importance_sampling_correction=true with it"],
    ),
    "cache of eight bits": (
        {f"{VLLM}.kv_cache_dtype": "fp8", f"{VLLM}.async_engine": True},
        LATE,
        [
            f"{VLLM}.kv_cache_dtype is fp8, but {VLLM}.precision is bfloat16; write fp8 there too, or auto here",
            f"{VLLM}.kv_cache_dtype is fp8, which excludes DTensor; write auto",
            f"{VLLM}.kv_cache_dtype is fp8, which excludes {VLLM}.async_engine; write auto, or false there",
        ],
    ),
    "asynchronous": (
        COLOCATED | {"grpo.async_grpo.enabled": True, "grpo.reward_scaling.enabled": True},
        LATE,
        [
            f"grpo.async_grpo.enabled is true; write policy.generation.backend=vllm and"
            f" {VLLM}.async_engine=true with it",
            "grpo.async_grpo.enabled is true; write loss_fn.use_importance_sampling_correction=true with it",
            "grpo.async_grpo.enabled is true; write policy.generation.colocated.enabled=false with it",
            "grpo.async_grpo.enabled is true; write grpo.reward_scaling.enabled=false with it",
        ],
    ),
    "multiplied batches": (
        {"grpo.batch_multiplier": 2},
        EARLY,
        ["grpo.batch_multiplier is 2; write 1, or grpo.use_dynamic_sampling=true"],
    ),
    "skipped reference": (
        {"grpo.skip_reference_policy_logprobs_calculation": True},
        (0, 6, 0),
        [
            "loss_fn.reference_policy_kl_penalty is 0.01, but the reference is skipped; write 0, or"
            " grpo.skip_reference_policy_logprobs_calculation=false"
        ],
    ),
    "prompt file": (
        {"data.prompt_file": "nowhere.txt"},
        EARLY,
        ["data.prompt_file is nowhere.txt, which is not there; write a file of NeMo RL's tree, or one on Lustre"],
    ),
    "data file": (
        {"data.train.data_path": "nowhere.jsonl"},
        LATE,
        ["nowhere.jsonl is not there, and the job trains on it; prepare_dataset.py makes it"],
    ),
    "loaders": (
        {"data.use_multiple_dataloader": True, "data.num_prompts_per_dataloader": 5},
        LATE,
        ["data.num_prompts_per_dataloader is 5; write a divisor of grpo.num_prompts_per_step 16"],
    ),
    "validation data": (
        {"data.train": {"dataset_name": "gsm8k", "split_validation_size": 0.05}},
        LATE,
        ["data.validation is null, but the run validates; write a dataset, or grpo.val_period=0"],
    ),
    "flat validation data": (
        {"data": {"dataset_name": "ResponseDataset"}},
        EARLY,
        ["data.val_data_path is null, but the run validates; write a file, or grpo.val_period=0"],
    ),
    "validation batch": (
        {"grpo.max_val_samples": 100},
        LATE,
        ["grpo.val_batch_size is 256, more than grpo.max_val_samples 100; write at most 100"],
    ),
    "metric": (
        {"checkpointing.metric_name": "val_reward"},
        LATE,
        ["checkpointing.metric_name is 'val_reward'; write null, or a metric that begins with train: or val:"],
    ),
    "metric that nothing measures": (
        {"checkpointing.metric_name": "val:acc"},
        EARLY,
        ["checkpointing.metric_name is 'val:acc'; write null, or val:accuracy or val:avg_length"],
    ),
    "words": (
        {"policy.precision": "bf16", f"{GENERATION}.backend": "sglang"},
        EARLY,
        [
            "policy.generation.backend is 'sglang'; write vllm or megatron",
            "policy.precision is 'bf16'; write bfloat16 or float16 or float32",
        ],
    ),
    "metric without validation": (
        {"grpo.val_period": 0},
        LATE,
        ["checkpointing.metric_name is 'val:accuracy', but the run does not validate; write null"],
    ),
    "format": (
        {"checkpointing.model_save_format": "safetensors"},
        EARLY,
        ["checkpointing.model_save_format is safetensors, but policy.dtensor_cfg._v2 is false; write null"],
    ),
    "save by": (
        {"checkpointing.checkpoint_must_save_by": "03:45:00"},
        LATE,
        ["checkpointing.checkpoint_must_save_by is '03:45:00'; write DD:HH:MM:SS, like '00:03:45:00'"],
    ),
    "no number, said once": (
        {"policy.train_global_batch_size": "many"},
        EARLY,
        ["policy.train_global_batch_size is 'many'; write a whole number, 1 or more"],
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_its_numbers_and_what_to_write(rules: Any, name: str) -> None:
    changes, release, expected = FAULTS[name]
    assert faults(rules, changes, release) == expected


@pytest.mark.parametrize("name", ["wide tensor parallelism", "sampling", "skipped reference"])
def test_a_rule_of_some_releases_does_not_stop_the_others(rules: Any, name: str) -> None:
    changes, release, _ = FAULTS[name]
    assert faults(rules, changes, EARLY if release != EARLY else LATE) == []


def test_megatron_has_an_asynchronous_engine_since_the_latest_release(rules: Any) -> None:
    changes = {
        "grpo.async_grpo.enabled": True,
        "loss_fn.use_importance_sampling_correction": True,
        f"{GENERATION}.backend": "megatron",
        f"{GENERATION}.mcore_generation_config.async_engine": True,
    }
    assert faults(rules, changes, LATE) == []
    assert len(faults(rules, changes, EARLY)) == 2


def test_megatron_wants_the_architectures_named(rules: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCH_CUDA_ARCH_LIST", raising=False)
    assert faults(rules, MEGATRON) == [
        "policy.megatron_cfg.enabled is true, but the image sets no TORCH_CUDA_ARCH_LIST; export one, like '9.0'"
    ]


@pytest.mark.parametrize(
    ("rows", "steps", "expected"),
    [
        (160, 10, []),
        (15, 10, ["grpo.num_prompts_per_step is 16, but {path} has 15 rows; write at most 15"]),
        (
            159,
            10,
            [
                "grpo.max_num_steps is 10, but 159 rows / 16 prompts x 1 epochs end after 9 steps; write that, or"
                " grpo.max_num_epochs=2"
            ],
        ),
    ],
)
@pytest.mark.parametrize("layout", ["flat", "nested", "nested, as a list"])
def test_the_rows_of_the_prepared_file_must_do_for_all_steps(
    rules: Any, tmp_path: Path, rows: int, steps: int, expected: list[str], layout: str
) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text(json.dumps({"input": "1?", "output": "1"}) + "\n" + "{}\n" * (rows - 1), encoding="utf-8")
    nested = {"dataset_name": "ResponseDataset", "data_path": str(path), "split_validation_size": 0}
    data, release = {
        "flat": ({"dataset_name": "ResponseDataset", "train_data_path": str(path), "val_data_path": "x"}, EARLY),
        "nested": ({"train": nested, "validation": {"data_path": "x"}}, LATE),
        "nested, as a list": ({"train": [nested], "validation": {"data_path": "x"}}, LATE),
    }[layout]
    found = faults(rules, {"data": data, "grpo.max_num_steps": steps}, release)
    assert found == [line.format(path=path) for line in expected]


def test_doubts_are_said_and_stop_nothing(rules: Any) -> None:
    changes = {"checkpointing.save_period": 15, "cluster.segment_size": 8} | {
        "cluster.num_nodes": 3,
        f"{RESOURCES}.num_nodes": 2,
        f"{VLLM}.tensor_parallel_size": 16,
    }
    assert rules.doubts(rules.Config(changed(changes), LATE)) == [
        f"{VLLM}.tensor_parallel_size is 16, so that an engine of vLLM spans nodes of 8 GPUs, slowly",
        "checkpointing.save_period is 15, no multiple of grpo.val_period 10: a checkpoint without a"
        " validation is pruned"
        " first",
        "cluster.segment_size is 8, but no node belongs to an NVLink domain",
    ]
    assert faults(rules, changes, LATE) == []


def test_heads_must_divide_by_the_tensor_parallelism(rules: Any) -> None:
    config = rules.Config(HOLDS, LATE)
    assert list(rules.heads_divide_by_tensor_parallelism(config, 32, 16)) == []
    assert list(rules.heads_divide_by_tensor_parallelism(config, 32, 4)) == [
        "policy.dtensor_cfg.tensor_parallel_size is 8, but google/gemma-3-27b-it has 32 attention heads and 4 key-value"
        " heads; write 4 or 2 or 1"
    ]


# A checkpoint beside the configuration

#: Key -> another value than the one of HOLDS.
OTHERWISE: dict[str, Any] = {
    "policy.model_name": "other",
    "policy.dtensor_cfg.enabled": False,
    "policy.dtensor_cfg._v2": True,
    "policy.dtensor_cfg.tensor_parallel_size": 2,
    "policy.dtensor_cfg.context_parallel_size": 2,
    "policy.dtensor_cfg.lora_cfg.enabled": True,
    "policy.megatron_cfg.enabled": True,
    "policy.megatron_cfg.tensor_model_parallel_size": 2,
    "policy.megatron_cfg.pipeline_model_parallel_size": 2,
    "policy.megatron_cfg.context_parallel_size": 2,
    "policy.megatron_cfg.expert_model_parallel_size": 2,
    "policy.train_global_batch_size": 32,
    "grpo.num_prompts_per_step": 8,
    "grpo.num_generations_per_prompt": 8,
}


def differences(rules: Any, before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    compare = import_module("check_config").differences
    return list(compare(rules.Config(before, EARLY), rules.Config(now, LATE)))


@pytest.mark.parametrize("key", OTHERWISE)
def test_a_checkpoint_that_differs_in_any_of_these_is_refused(rules: Any, key: str) -> None:
    old, new = (rules.shown(rules.Config(values, LATE).get(key)) for values in (changed({key: OTHERWISE[key]}), HOLDS))
    if isinstance(OTHERWISE[key], bool):
        new = new.replace("null", "false")
    assert differences(rules, changed({key: OTHERWISE[key]}), HOLDS) == [f"{key} was {old} and is {new}"]


def test_a_checkpoint_of_other_gpus_or_data_is_refused(rules: Any) -> None:
    nested = {"data.train": {"dataset_name": "ResponseDataset", "data_path": "/data/new.jsonl"}}
    before = {"cluster.num_nodes": 3, "data": {"train_data_path": "/data/old.jsonl"}}
    assert differences(rules, changed(before), changed(nested)) == [
        "the number of training GPUs was 16 and is 8",
        "the training data was '/data/old.jsonl' and is '/data/new.jsonl'",
    ]


def test_a_checkpoint_of_an_earlier_release_may_leave_out_what_is_off_and_have_its_data_flat(rules: Any) -> None:
    before = changed({"data": {"train_data_path": "/data/train.jsonl"}, "policy.megatron_cfg": {}})
    now = changed(
        {
            "data.train": {"dataset_name": "ResponseDataset", "data_path": "/data/train.jsonl"},
            "policy.dtensor_cfg.lora_cfg": {"enabled": False},
        }
    )
    assert differences(rules, before, now) == []
