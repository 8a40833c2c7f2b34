"""Checks the configuration that the training will see, before a GPU is touched.

    check_config.py --nemo-rl=v0.6.0 --config=examples/configs/recipes/llm/x.yaml --checkpoints=/data/checkpoints/x \\
        -- grpo.max_num_steps=10 ...

It runs in NeMo RL's tree and loads recipe and overrides with the image's own loader, as examples/run_grpo.py does.
Then it asks

- whether this is the release that the job was made for;
- the rules of config_rules.py, among them the arithmetic that NeMo RL asserts at the first training step only;
- whether the model can be read (a gated one needs an accepted licence and a token) and its heads fit the parallelism;
- whether the newest checkpoint of the run, from which the training would go on, was made with the same model,
  parallelism, batch and data. Other settings may change: steps, lengths, micro batches, periods. A changed learning
  rate is a doubt: the optimizer's own comes back with the checkpoint.

Exit status: 0 nothing is wrong (doubts are printed), 1 something is; one line a fault, with what to write.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from config_rules import Config, doubts, faults, heads_divide_by_tensor_parallelism, shown, train_file
from steps import StepError, image_module, one_line, run, say

#: What a checkpoint cannot be resumed with when it is another one: weights and optimizer state are cut by the
#: parallelism, and the position in the data is counted in batches of prompts.
SAME = (
    "policy.model_name",
    "policy.dtensor_cfg.enabled",
    "policy.dtensor_cfg._v2",
    "policy.dtensor_cfg.tensor_parallel_size",
    "policy.dtensor_cfg.context_parallel_size",
    "policy.dtensor_cfg.lora_cfg.enabled",
    "policy.megatron_cfg.enabled",
    "policy.megatron_cfg.tensor_model_parallel_size",
    "policy.megatron_cfg.pipeline_model_parallel_size",
    "policy.megatron_cfg.context_parallel_size",
    "policy.megatron_cfg.expert_model_parallel_size",
    "policy.train_global_batch_size",
    "grpo.num_prompts_per_step",
    "grpo.num_generations_per_prompt",
)


#: Restored with the optimizer and its schedule (utils/native_checkpoint.py), whatever the configuration says.
KEPT = ("policy.optimizer.kwargs.lr", "policy.megatron_cfg.optimizer.lr")


def main() -> int:
    parser = argparse.ArgumentParser(description="Check NeMo RL's configuration.", allow_abbrev=False)
    parser.add_argument("--nemo-rl", required=True, help="release that the job was made for, like v0.6.0")
    parser.add_argument("--config", required=True, help="recipe, as a path in NeMo RL's tree")
    parser.add_argument("--checkpoints", type=Path, help="folder of the run's checkpoints; left out, it keeps none")
    parser.add_argument("overrides", nargs="*", help="Hydra overrides, after --")
    options = parser.parse_args()

    release = tuple(int(part) for part in options.nemo_rl.removeprefix("v").split("."))
    # The tree is the working directory; in the image its package is installed from there, too.
    sys.path.append(str(Path.cwd()))
    config = Config(_load(options.config, options.overrides), release)
    found = [*_other_release(options.nemo_rl), *faults(config), *_model_faults(config)]
    if options.checkpoints is not None:
        found += _checkpoint_faults(config, options.checkpoints)
    for doubt in doubts(config):
        say(f"doubt: {doubt}")
    if found:
        raise StepError(*found)
    say(f"the configuration holds: {_shape(config)}")
    return 0


def _load(recipe: str, overrides: Sequence[str]) -> dict[str, Any]:
    """The configuration as examples/run_grpo.py resolves it."""
    # omegaconf 2.3.0 and hydra-core 1.3.2 in NeMo RL v0.5.0, v0.6.0 and v0.7.0.
    omegaconf, loader = image_module("omegaconf").OmegaConf, image_module("nemo_rl.utils.config")
    if hasattr(loader, "register_omegaconf_resolvers"):  # since v0.6.0
        loader.register_omegaconf_resolvers()
    else:  # v0.5.0: run_grpo.py:42
        omegaconf.register_new_resolver("mul", lambda a, b: a * b)  # pyright: ignore[reportUnknownLambdaType]
    try:
        config = loader.load_config(recipe)
    except FileNotFoundError as error:
        raise StepError(f"{recipe} cannot be loaded: {error.filename} is not there") from error
    try:
        config = loader.parse_hydra_overrides(config, list(overrides)) if overrides else config
        return omegaconf.to_container(config, resolve=True)
    except Exception as error:  # whatever Hydra or OmegaConf find in the overrides
        raise StepError(f"the overrides do not go with {recipe}: {error}") from error


def _other_release(wanted: str) -> Iterator[str]:
    there = getattr(image_module("nemo_rl"), "__version__", wanted)
    if not re.match(rf"{re.escape(wanted.removeprefix('v'))}(?!\d)", there):
        yield f"this image holds NeMo RL {there}, but the job was made for {wanted}; deploy the job again"


def _shape(config: Config) -> str:
    return (
        f"{config.get('policy.model_name')}, {config.sharing}, {config.arithmetic} in"
        f" {config.samples // config.count('policy.train_global_batch_size')} optimizer steps,"
        f" {config.get('grpo.max_num_steps')} steps"
    )


# The model


def _model_faults(config: Config) -> Iterator[str]:
    name = config.get("policy.model_name")
    if not isinstance(name, str):
        yield f"policy.model_name is {shown(name)}; write a Hugging Face name or a folder"
        return
    # huggingface_hub 0.34.4 in NeMo RL v0.5.0, 1.4.1 in v0.6.0, 1.14.0 in v0.7.0.
    hub, errors = image_module("huggingface_hub"), image_module("huggingface_hub.errors")
    if name.startswith("/") and not (Path(name) / "config.json").is_file():
        yield f"policy.model_name is {name}, which holds no config.json; write the folder of a model"
        return
    try:
        file = Path(name) / "config.json" if Path(name).is_dir() else Path(hub.hf_hub_download(name, "config.json"))
        model: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except errors.GatedRepoError:
        yield f"policy.model_name is {name}, a gated model: accept its licence on Hugging Face with the token's account"
    except errors.RepositoryNotFoundError:
        yield f"policy.model_name is {name}, which is not on Hugging Face, or not for the token's account"
    except Exception as error:  # no way to the Hub, for one: the training may have better luck with its cache
        say(f"doubt: the model's config.json cannot be read: {one_line(f'{type(error).__name__}: {error}', 200)}")
    else:
        text = model.get("text_config") or model  # models that also see keep the language model's figures apart
        heads = text.get("num_attention_heads")
        kv_heads = text.get("num_key_value_heads", heads)
        if isinstance(heads, int) and isinstance(kv_heads, int):
            yield from heads_divide_by_tensor_parallelism(config, heads, kv_heads)


# The checkpoint


def _checkpoint_faults(config: Config, folder: Path) -> Iterator[str]:
    steps = {int(path.name[5:]): path for path in folder.glob("step_*") if re.fullmatch(r"step_\d+", path.name)}
    if not steps:
        return
    newest = steps[max(steps)]
    try:
        values = image_module("yaml").safe_load((newest / "config.yaml").read_text(encoding="utf-8"))
        done = int(json.loads((newest / "training_info.json").read_text(encoding="utf-8"))["total_steps"])
    except Exception as error:  # whatever a stray folder may hold
        yield f"{newest} is no whole checkpoint ({one_line(str(error), 200)}); move it away, and the one before counts"
        return
    before = Config(values, config.release)
    if differing := list(differences(before, config)):
        yield (
            f"{newest} was made otherwise: {', '.join(differing)}; write the old values, or begin a new run with"
            " another checkpoints.run"
        )
        return
    for key in KEPT:
        if (old := before.get(key)) != (new := config.get(key)):
            say(f"doubt: {key} is {shown(new)}, but the training goes on with the checkpoint's {shown(old)}")
    limit = config.get("grpo.max_num_steps")
    rest = "nothing is left to train" if isinstance(limit, int) and done >= limit else "the training goes on from there"
    say(f"{newest} has done {done} of {limit} steps: {rest}")


def differences(before: Config, now: Config) -> Iterator[str]:
    """What is otherwise than it was when the checkpoint was made, of what must be the same."""
    for name, old, new in _compared(before, now):
        if old != new:
            yield f"{name} was {shown(old)} and is {shown(new)}"


def _compared(before: Config, now: Config) -> Iterator[tuple[str, Any, Any]]:
    for key in SAME:
        old, new = before.get(key), now.get(key)
        # What is switched off is left out by one release and written as false by the next.
        yield (key, bool(old), bool(new)) if key.endswith((".enabled", "._v2")) else (key, old, new)
    yield "the number of training GPUs", before.gpus[0], now.gpus[0]
    yield "the training data", train_file(before), train_file(now)


if __name__ == "__main__":
    run(main)
