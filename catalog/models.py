"""Language models: what a job must know about one before it starts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Model:
    """One model on Hugging Face: its parameters in billions, and the heads, which tensor parallelism must divide."""

    name: str
    billions: float
    heads: int
    kv_heads: int


# Attention heads: torchtune's builders of the same models (qwen2_5, qwen3; commits 47a9e198, 010412e0) for dense Qwen;
# public copies of config.json for the others. DeepSeek's distilled 1.5B and Qwen2.5-Math-7B are Qwen2.5 of that size.
# A model that is not here is only not checked.
MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        Model(name="google/gemma-3-1b-it", billions=1.0, heads=4, kv_heads=1),
        Model(name="google/gemma-3-27b-it", billions=27.4, heads=32, kv_heads=16),
        Model(name="meta-llama/Llama-3.1-8B-Instruct", billions=8.0, heads=32, kv_heads=8),
        Model(name="Qwen/Qwen3-0.6B", billions=0.6, heads=16, kv_heads=8),
        Model(name="Qwen/Qwen2.5-1.5B", billions=1.5, heads=12, kv_heads=2),
        Model(name="Qwen/Qwen2.5-1.5B-Instruct", billions=1.5, heads=12, kv_heads=2),
        Model(name="deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", billions=1.5, heads=12, kv_heads=2),
        Model(name="Qwen/Qwen2.5-7B-Instruct", billions=7.6, heads=28, kv_heads=4),
        Model(name="Qwen/Qwen2.5-Math-7B", billions=7.6, heads=28, kv_heads=4),
        Model(name="Qwen/Qwen2.5-32B", billions=32.8, heads=40, kv_heads=8),
        Model(name="Qwen/Qwen3-30B-A3B", billions=30.5, heads=32, kv_heads=4),
    )
}

#: Beginnings of the names of models that Hugging Face gives out only to accounts that accepted their licence.
GATED = ("google/gemma-3-", "meta-llama/Llama-3")


def is_gated(name: str) -> bool:
    """Whether the model's licence must be accepted, with the account of the token, before it can be downloaded."""
    return name.startswith(GATED)


def is_gemma_3(name: str) -> bool:
    """Whether the model is a Gemma 3, for which NeMo RL has no context parallelism."""
    return name.startswith("google/gemma-3-")
