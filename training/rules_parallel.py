"""Rules on how models are spread over GPUs, in training and in generation.

Source lines at v0.5.0: models/policy/lm_policy.py:84-251, models/policy/workers/dtensor_policy_worker.py:208,289-318,
models/dtensor/parallelize.py:603-655, models/generation/vllm/vllm_generation.py:63-114, algorithms/grpo.py:348,500-519.
"""

from __future__ import annotations

from collections.abc import Iterator

from catalog.models import MODELS, is_gemma_3
from settings.findings import Finding
from training.run import Run

_TOP_K = 8000
_TOP_P = 0.99


def one_backend_trains(run: Run) -> Iterator[Finding]:
    f = run.figures
    if f.dtensor == f.megatron:
        yield Finding(
            run.place("megatron" if run.place("megatron") != "recipe" else "dtensor"),
            f"makes {run.shown('dtensor')} and {run.shown('megatron')}; write true for exactly one of them",
        )


def the_backend_is_the_recipes(run: Run) -> Iterator[Finding]:
    """The parallelism that a job states goes to the recipe's backend, and the recipe is tuned for it."""
    if run.figures.megatron != run.shipped.megatron and run.figures.dtensor != run.figures.megatron:
        kind = "Megatron" if run.shipped.megatron else "DTensor"
        yield Finding(
            run.place("megatron"), f"changes the backend that trains; the recipe is one for {kind}: take another recipe"
        )


def training_gpus_hold_whole_copies(run: Run) -> Iterator[Finding]:
    if run.training_gpus % run.model_gpus:
        tensor, pipeline, context = run.parallel
        place = run.place(run.tensor_parallel_field)
        yield Finding(
            place if place != "recipe" else "nodes.training",
            f"makes {run.job.nodes.training} x {run.job.nodes.gpus} = {run.training_gpus} training GPUs, but one model"
            f" copy takes tensor {tensor} x pipeline {pipeline} x context {context} = {run.model_gpus}; write numbers"
            " of which the first is a multiple of the second",
        )


def generation_gpus_hold_whole_engines(run: Run) -> Iterator[Finding]:
    f = run.figures
    engine = f.generation_tensor_parallel * f.generation_pipeline_parallel
    if run.generation_gpus % engine:
        place = run.place("generation_tensor_parallel")
        yield Finding(
            place if place != "recipe" else "tensor_parallel.generation",
            f"makes engines of tensor {f.generation_tensor_parallel} x pipeline {f.generation_pipeline_parallel} ="
            f" {engine} GPUs, but {run.generation_gpus} GPUs generate; write a divisor of {run.generation_gpus}",
        )


def an_engine_stays_on_its_node(run: Run) -> Iterator[Finding]:
    """Across nodes NeMo RL switches NVLS off (vllm_generation.py:170-178), and every token crosses the network."""
    tensor, gpus = run.figures.generation_tensor_parallel, run.job.nodes.gpus
    if tensor > gpus:
        yield Finding(
            "tensor_parallel.generation",
            f"is {tensor}, but the job uses {gpus} GPUs a node; an engine that spans nodes is slow: write at most"
            f" {gpus}",
        )


def heads_divide_by_tensor_parallelism(run: Run) -> Iterator[Finding]:
    model, tensor = MODELS.get(run.figures.model), run.parallel[0]
    if model is None or run.figures.megatron or tensor < 1:
        return
    if model.heads % tensor or model.kv_heads % tensor:
        place = run.place(run.tensor_parallel_field)
        fitting = [n for n in (8, 4, 2, 1) if not model.heads % n and not model.kv_heads % n]
        yield Finding(
            place if place != "recipe" else "tensor_parallel.training",
            f"is {tensor}, but {model.name} has {model.heads} attention heads and {model.kv_heads} key-value heads;"
            f" write {' or '.join(map(str, fitting))}",
        )


def batching_is_packed_or_dynamic(run: Run) -> Iterator[Finding]:
    f = run.figures
    place = run.place("packing" if run.place("packing") != "recipe" else "dynamic_batching")
    if f.packing and f.dynamic_batching:
        yield Finding(
            place,
            f"makes {run.shown('packing')} and {run.shown('dynamic_batching')}, which exclude each other; write false"
            " for one of them",
        )
    if f.dynamic_batching and run.parallel[1] > 1:
        yield Finding(
            place,
            f"makes {run.shown('dynamic_batching')} with pipeline parallelism {run.parallel[1]}, which takes none;"
            " write policy.dynamic_batching.enabled: false",
        )


def context_parallelism_has_its_limits(run: Run) -> Iterator[Finding]:
    f = run.figures
    if f.megatron or f.context_parallel <= 1:
        return
    place, what = run.place("context_parallel"), run.shown("context_parallel")
    if f.packing:
        yield Finding(place, f"makes {what} with {run.shown('packing')}; write false there, or context parallelism 1")
    if is_gemma_3(f.model):
        yield Finding(place, f"makes {what}, which NeMo RL does not have for Gemma 3; write 1")
    if f.sequence_parallel and f.tensor_parallel > 1:
        yield Finding(
            place,
            f"makes {what} with {run.shown('sequence_parallel')} and tensor parallelism {f.tensor_parallel}; write"
            " sequence_parallel: false, or context parallelism 1",
        )


def lora_takes_the_second_worker(run: Run) -> Iterator[Finding]:
    f = run.figures
    if f.lora and f.dtensor and not f.dtensor_v2:
        yield Finding(
            run.place("lora"),
            f"is true with {run.shown('dtensor_v2')}; write overrides: {{policy.dtensor_cfg._v2: true}}",
        )


def megatron_generates_only_colocated(run: Run) -> Iterator[Finding]:
    if run.release.order < (0, 7) and run.figures.backend == "megatron" and run.job.nodes.generation:
        yield Finding(
            run.place("backend"),
            f"is megatron, but nodes.generation is {run.job.nodes.generation}, which NeMo RL {run.release.version} has"
            " for vllm only; write vllm, or nodes.generation: 0",
        )


def engines_agree_with_their_parallelism(run: Run) -> Iterator[Finding]:
    f = run.figures
    if f.generation_pipeline_parallel > 1 and not f.async_engine:
        yield Finding(
            run.place("generation_pipeline_parallel"),
            f"makes {run.shown('generation_pipeline_parallel')}, which takes the asynchronous engine; write"
            " policy.generation.vllm_cfg.async_engine: true",
        )
    expert, tensor = f.generation_expert_parallel, f.generation_tensor_parallel
    if expert <= 1:
        return
    place = run.place("generation_expert_parallel")
    if expert % tensor:
        yield Finding(place, f"makes {run.shown('generation_expert_parallel')}; write a multiple of tensor's {tensor}")
    elif expert != tensor and f.async_engine:
        yield Finding(
            place,
            f"makes {run.shown('generation_expert_parallel')} over tensor {tensor}, which excludes the asynchronous"
            f" engine; write {tensor}, or policy.generation.vllm_cfg.async_engine: false",
        )


def sampling_keeps_all_tokens(run: Run) -> Iterator[Finding]:
    """v0.5.0 only: vLLM gives no log-probabilities after filtering (NVIDIA-NeMo/RL #69, #237)."""
    f = run.figures
    if run.release.order >= (0, 6):
        return
    if f.top_k is not None and f.top_k != -1 and f.top_k < _TOP_K:
        yield Finding(
            run.place("top_k"), f"is {f.top_k}, which NeMo RL {run.release.version} refuses; write null, -1 or {_TOP_K}"
        )
    if f.top_p < _TOP_P:
        yield Finding(
            run.place("top_p"), f"is {f.top_p}, which NeMo RL {run.release.version} refuses; write {_TOP_P} to 1.0"
        )


def eight_bit_generation_has_its_conditions(run: Run) -> Iterator[Finding]:
    f = run.figures
    if f.backend != "vllm":
        return
    if f.vllm_precision == "fp8" and not f.importance_sampling:
        yield Finding(
            run.place("vllm_precision"), "is fp8; write loss_fn.use_importance_sampling_correction: true with it"
        )
    if not f.kv_cache.startswith("fp8"):
        return
    place, cache = run.place("kv_cache"), f.kv_cache
    if f.vllm_precision != "fp8":
        yield Finding(place, f"is {cache} with {run.shown('vllm_precision')}; write fp8 there too")
    if f.dtensor:
        yield Finding(place, f"is {cache}, which excludes the DTensor backend; write auto, or take a Megatron recipe")
    if f.async_engine:
        yield Finding(place, f"is {cache}, which excludes {run.shown('async_engine')}; write auto, or false there")
    if f.megatron_pipeline_parallel > 1:
        yield Finding(place, f"is {cache}, which excludes {run.shown('megatron_pipeline_parallel')}; write auto")


def asynchronous_training_has_its_conditions(run: Run) -> Iterator[Finding]:
    """algorithms/grpo.py:1857-1905, and run_grpo.py before it."""
    f = run.figures
    if not f.async_grpo:
        return
    place = run.place("async_grpo")
    wants = (
        (f.backend == "vllm" and f.async_engine, "policy.generation.vllm_cfg.async_engine: true"),
        (f.importance_sampling, "loss_fn.use_importance_sampling_correction: true"),
        (run.job.nodes.generation > 0, "nodes.generation: 1 or more"),
        (not f.dynamic_sampling, "grpo.use_dynamic_sampling: false"),
        (not f.reward_scaling, "grpo.reward_scaling.enabled: false"),
        (not f.reward_shaping, "grpo.reward_shaping.enabled: false"),
    )
    for holds, remedy in wants:
        if not holds:
            yield Finding(place, f"is true; write {remedy} with it")
