"""check_config.py with a stand-in for the part of NeMo RL that it calls, and, where they are, on NeMo RL's own trees.

The stand-in loads YAML with `defaults` and takes `key=value` with OmegaConf. Hydra, which the image has, does not go
into one environment with the newest OmegaConf; so the trees are tried with an interpreter of their own:

    NEMO_RL_SRC    a folder with the unpacked tags v0.5.0, v0.6.0 and v0.7.0 of https://github.com/NVIDIA-NeMo/RL
    NEMO_RL_PYTHON a Python with omegaconf 2.3.0, hydra-core 1.3.2 and huggingface_hub (left out: the one of the tests)
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.pods.scripts import Result, run_script, write_jsonl
from tests.support import ROOT

LOADER = """\
import yaml
from omegaconf import OmegaConf

def load_config(path):
    config = OmegaConf.load(path)
    if "defaults" in config:
        config = OmegaConf.merge(load_config(config.pop("defaults")), config)
    return config

def parse_hydra_overrides(config, overrides):
    OmegaConf.set_struct(config, True)
    for override in overrides:
        key, _, value = override.partition("=")
        OmegaConf.update(config, key.lstrip("+"), yaml.safe_load(value), force_add=key.startswith("+"))
    return config
"""
RESOLVERS = """
def register_omegaconf_resolvers():
    OmegaConf.register_new_resolver("mul", lambda a, b: a * b)
"""

BASE = """\
cluster: {num_nodes: 1, gpus_per_node: 8}
grpo:
  num_prompts_per_step: 16
  num_generations_per_prompt: 4
  max_num_steps: 10
  max_num_epochs: 1
  val_period: 10
  val_at_start: false
  max_val_samples: 256
  val_batch_size: 256
loss_fn: {force_on_policy_ratio: false}
policy:
  model_name: model
  precision: bfloat16
  train_global_batch_size: ${mul:16, 4}
  train_micro_batch_size: 4
  logprob_batch_size: ${policy.train_micro_batch_size}
  dtensor_cfg: {enabled: true, _v2: true, tensor_parallel_size: 1, context_parallel_size: 1}
  dynamic_batching: {enabled: false}
  sequence_packing: {enabled: false}
  generation:
    backend: vllm
    top_k: null
    top_p: 1.0
    colocated: {enabled: true}
    vllm_cfg: {tensor_parallel_size: 1, pipeline_parallel_size: 1, precision: bfloat16, kv_cache_dtype: auto}
data: {dataset_name: ResponseDataset, prompt_file: prompt.txt}
checkpointing: {enabled: true, save_period: 10, metric_name: "val:accuracy", model_save_format: safetensors}
"""
RECIPE = "defaults: base.yaml\npolicy: {generation: {vllm_cfg: {tensor_parallel_size: 2}}}\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree like NeMo RL's, with a recipe, a model of 8 heads, and 160 rows to train on."""
    folder = tmp_path / "tree"
    package = folder / "nemo_rl" / "utils"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "config.py").write_text(LOADER, encoding="utf-8")
    (package.parent / "__init__.py").write_text('__version__ = "0.5.0rc0"\n', encoding="utf-8")
    (folder / "base.yaml").write_text(BASE, encoding="utf-8")
    (folder / "recipe.yaml").write_text(RECIPE, encoding="utf-8")
    (folder / "prompt.txt").write_text("{}", encoding="utf-8")
    (folder / "model").mkdir()
    (folder / "model" / "config.json").write_text(
        '{"text_config": {"num_attention_heads": 8, "num_key_value_heads": 4}}', encoding="utf-8"
    )
    write_jsonl(tmp_path / "train.jsonl", [{"input": "1?", "output": "1"}] * 160)
    return folder


def check(tree: Path, *overrides: str, release: str = "v0.5.0", modules: Path | None = None) -> Result:
    return run_script(
        "check_config.py",
        f"--nemo-rl={release}",
        "--config=recipe.yaml",
        f"--checkpoints={tree.parent / 'checkpoints'}",
        "--",
        f"+data.train_data_path={tree.parent / 'train.jsonl'}",
        "++data.val_data_path=validation.jsonl",
        *overrides,
        cwd=tree,
        modules=modules,
        # OmegaConf 2.4 warns about the resolvers' registration, which 2.3 of the image has under no other name.
        env={"PYTHONWARNINGS": "ignore::UserWarning"},
    )


def checkpoint(tree: Path, step: int, **changes: Any) -> Path:
    """A checkpoint of the recipe as NeMo RL leaves it, with other values in its `policy` section."""
    import yaml

    folder = tree.parent / "checkpoints" / f"step_{step}"
    folder.mkdir(parents=True)
    config = yaml.safe_load(BASE)
    config["policy"] |= {"train_global_batch_size": 64, "logprob_batch_size": 4} | changes
    config["data"]["train_data_path"] = str(tree.parent / "train.jsonl")
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    (folder / "training_info.json").write_text(json.dumps({"total_steps": step}), encoding="utf-8")
    return folder


SHAPE = (
    "the configuration holds: model, 8 model copies (8 training GPUs / tensor 1 x pipeline 1 x context 1),"
    " grpo.num_prompts_per_step 16 x grpo.num_generations_per_prompt 4 = 64 samples a step in"
    " 1 optimizer steps, {} steps\n"
)


def test_a_configuration_that_holds_is_shown_with_its_arithmetic(tree: Path) -> None:
    assert check(tree, "policy.train_micro_batch_size=8") == Result(0, SHAPE.format(10), "")


def test_every_fault_of_the_resolved_configuration_is_a_line(tree: Path) -> None:
    result = check(tree, "policy.train_micro_batch_size=3", "grpo.max_num_steps=11", "policy.model_name=nowhere/none")
    assert result.status == 1
    sharing = "8 model copies (8 training GPUs / tensor 1 x pipeline 1 x context 1)"
    assert result.err.splitlines() == [
        "check_config.py: policy.train_micro_batch_size is 3, no divisor of 8 = policy.train_global_batch_size 64 /"
        f" {sharing}; write a divisor of 8",
        "check_config.py: policy.logprob_batch_size is 3, no divisor of 8 = grpo.num_prompts_per_step 16 x"
        f" grpo.num_generations_per_prompt 4 = 64 samples a step / {sharing}; write a divisor of 8",
        "check_config.py: grpo.max_num_steps is 11, but 160 rows / 16 prompts x 1 epochs end after"
        " 10 steps; write that, or"
        " grpo.max_num_epochs=2",
    ]
    # There is no way to the Hub in the tests, which is no fault of the configuration.
    assert result.out.startswith("doubt: the model's config.json cannot be read: LocalEntryNotFoundError: ")


def test_heads_and_the_release_are_checked(tree: Path) -> None:
    (tree / "nemo_rl" / "__init__.py").write_text('__version__ = "0.6.0"\n', encoding="utf-8")
    result = check(tree, "policy.dtensor_cfg.tensor_parallel_size=8")
    assert result.err.splitlines() == [
        "check_config.py: this image holds NeMo RL 0.6.0, but the job was made for v0.5.0; deploy the job again",
        "check_config.py: policy.dtensor_cfg.tensor_parallel_size is 8, but model has 8 attention heads and 4 key-value"
        " heads; write 4 or 2 or 1",
    ]


def test_overrides_that_the_recipe_does_not_take_are_named(tree: Path) -> None:
    result = check(tree, "grpo.num_promts_per_step=16")
    assert result.status == 1
    assert result.fault.startswith(
        "check_config.py: the overrides do not go with recipe.yaml: Key 'num_promts_per_step' is not in struct"
    )


def test_a_recipe_that_is_not_there_is_named(tree: Path) -> None:
    (tree / "base.yaml").unlink()
    missing = tree / "base.yaml"
    assert check(tree).fault == f"check_config.py: recipe.yaml cannot be loaded: {missing} is not there"


def test_resolvers_of_later_releases_are_registered(tree: Path) -> None:
    (tree / "nemo_rl" / "utils" / "config.py").write_text(LOADER + RESOLVERS, encoding="utf-8")
    (tree / "nemo_rl" / "__init__.py").write_text('__version__ = "0.6.0"\n', encoding="utf-8")
    result = check(tree, "++data.validation={data_path: x}", release="v0.6.0")
    assert result == Result(0, SHAPE.format(10), "")


def test_the_training_goes_on_from_the_newest_checkpoint_of_the_same_shape(tree: Path) -> None:
    checkpoint(tree, 9, model_name="other")
    newest = checkpoint(tree, 10)
    (newest.parent / "tmp_step_11").mkdir()
    result = check(tree, "grpo.max_num_steps=9", "policy.train_micro_batch_size=8")
    assert result == Result(0, f"{newest} has done 10 of 9 steps: nothing is left to train\n" + SHAPE.format(9), "")
    more = check(tree, "grpo.max_num_epochs=2", "grpo.max_num_steps=20")
    assert more.out.splitlines()[0] == f"{newest} has done 10 of 20 steps: the training goes on from there"


def test_a_checkpoint_of_another_shape_is_refused_with_old_and_new_values(tree: Path) -> None:
    newest = checkpoint(tree, 10, model_name="other")
    write_jsonl(tree.parent / "more.jsonl", [{"input": "1?", "output": "1"}] * 160)
    result = check(
        tree,
        "policy.train_global_batch_size=32",
        "cluster.gpus_per_node=4",
        f"data.train_data_path={tree.parent / 'more.jsonl'}",
    )
    assert result.err.splitlines()[-1] == (
        f"check_config.py: {newest} was made otherwise: policy.model_name was 'other' and is 'model',"
        " policy.train_global_batch_size was 64 and is 32, the number of training GPUs was 8 and"
        " is 4, the training data was"
        f" '{tree.parent / 'train.jsonl'}' and is '{tree.parent / 'more.jsonl'}'; write the old"
        " values, or begin a new run"
        " with another checkpoints.run"
    )


def test_another_learning_rate_is_said_not_to_count(tree: Path) -> None:
    newest = checkpoint(tree, 10, optimizer={"kwargs": {"lr": 1e-6}})
    result = check(tree, "++policy.optimizer.kwargs.lr=3.0e-6", "grpo.max_num_epochs=2", "grpo.max_num_steps=20")
    assert result.status == 0
    assert result.out.splitlines()[:2] == [
        "doubt: policy.optimizer.kwargs.lr is 3e-06, but the training goes on with the checkpoint's 1e-06",
        f"{newest} has done 10 of 20 steps: the training goes on from there",
    ]


def test_a_folder_without_a_model_is_a_fault(tree: Path) -> None:
    folder = tree.parent / "exports" / "gemma"
    fault = f"check_config.py: policy.model_name is {folder}, which holds no config.json; write the folder of a model"
    assert check(tree, f"policy.model_name={folder}").fault == fault
    folder.mkdir(parents=True)
    assert check(tree, f"policy.model_name={folder}").fault == fault


def test_a_gated_model_wants_its_licence_accepted(tree: Path, tmp_path: Path) -> None:
    hub = tmp_path / "modules" / "huggingface_hub"
    hub.mkdir(parents=True)
    (hub / "errors.py").write_text(
        "class RepositoryNotFoundError(Exception): pass\nclass GatedRepoError(RepositoryNotFoundError): pass\n"
    )
    (hub / "__init__.py").write_text(
        "from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError\n"
        "def hf_hub_download(name, file):\n"
        "    raise GatedRepoError() if name.startswith('google/') else RepositoryNotFoundError()\n"
    )
    told = {
        name: check(tree, f"policy.model_name={name}", modules=hub.parent).fault
        for name in ("google/gemma-3-27b-it", "qwen/none")
    }
    assert told == {
        "google/gemma-3-27b-it": "check_config.py: policy.model_name is google/gemma-3-27b-it, a gated model: accept"
        " its licence on Hugging Face with the token's account",
        "qwen/none": "check_config.py: policy.model_name is qwen/none, which is not on Hugging Face, or not for the"
        " token's account",
    }


def test_a_checkpoint_that_cannot_be_read_is_named(tree: Path) -> None:
    folder = tree.parent / "checkpoints" / "step_10"
    folder.mkdir(parents=True)
    result = check(tree)
    assert result.fault.startswith(f"check_config.py: {folder} is no whole checkpoint ([Errno 2] No such file")
    assert result.fault.endswith("; move it away, and the one before counts")


# NeMo RL's own trees

TREES = os.environ.get("NEMO_RL_SRC")
PYTHON = os.environ.get("NEMO_RL_PYTHON", sys.executable)
GEMMA = "examples/configs/recipes/llm/grpo-gemma3-27b-it-8n8g-fsdp2tp8-actckpt-long.yaml"
needs_trees = pytest.mark.skipif(
    TREES is None or subprocess.run([PYTHON, "-c", "import hydra"], capture_output=True).returncode != 0,
    reason="NEMO_RL_SRC names no folder with NeMo RL's trees, or NEMO_RL_PYTHON no Python with hydra-core",
)


def check_tree(folder: Path, release: str, *overrides: str) -> Result:
    """The command line that the program makes for the 27B run, with data in the test's folder."""
    golden = ROOT / "tests" / "golden" / "commands" / f"gemma3-27b-gsm8k_{release}.txt"
    data = folder / "datasets"
    for name in ("train", "validation"):
        write_jsonl(data / "gsm8k" / f"{name}.jsonl", [{"input": "1?", "output": "1"}] * 200)
    _, _, _, _, recipe, *words = golden.read_text(encoding="utf-8").splitlines()
    return run_script(
        "check_config.py",
        f"--nemo-rl={release}",
        f"--config={recipe}",
        f"--checkpoints={folder / 'checkpoints'}",
        "--",
        *(word.replace("/data/datasets", str(data)) for word in words),
        *overrides,
        cwd=Path(TREES or "") / release,
        python=PYTHON,
    )


@needs_trees
@pytest.mark.parametrize("release", ["v0.5.0", "v0.6.0", "v0.7.0"])
def test_the_tutorials_run_holds_on_the_tree_of_each_release(tmp_path: Path, release: str) -> None:
    result = check_tree(tmp_path, release)
    assert (result.status, result.err) == (0, "")
    assert result.out.splitlines()[-1] == (
        "the configuration holds: google/gemma-3-27b-it, 1 model copy (8 training GPUs / tensor 8"
        " x pipeline 1 x context 1),"
        " grpo.num_prompts_per_step 16 x grpo.num_generations_per_prompt 32 = 512 samples a step"
        " in 1 optimizer steps, 10"
        " steps"
    )


@needs_trees
@pytest.mark.parametrize("release", ["v0.6.0", "v0.7.0"])
def test_the_shipped_recipe_breaks_the_rule_on_wide_tensor_parallelism(tmp_path: Path, release: str) -> None:
    result = check_tree(tmp_path, release, "policy.logprob_batch_size=4", "grpo.num_prompts_per_step=15")
    assert result.err.splitlines() == [
        "check_config.py: policy.train_global_batch_size is 512, no divisor of grpo.num_prompts_per_step 15 x"
        " grpo.num_generations_per_prompt 32 = 480 samples a step; write 480, or a divisor of it",
        "check_config.py: policy.logprob_batch_size is 4 and policy.train_micro_batch_size is 1,"
        " which must be equal with"
        " policy.dtensor_cfg.tensor_parallel_size 8 (4 or more); write policy.logprob_batch_size=1",
    ]
