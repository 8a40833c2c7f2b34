"""The command lines that jobs are compiled to: those of the tutorial's run are golden, at every release."""

from __future__ import annotations

import os

import pytest

from catalog.nemo_rl import NEMO_RL
from settings.job import EvaluateJob, GrpoJob
from tests.jobs import BASE, SMALL, TUTORIAL, on_site, run, site, with_overrides
from tests.support import JOBS, ROOT
from training import command
from training.jobs import read_job

GOLDEN = ROOT / "tests" / "golden" / "commands"


def line(text: str, version: str) -> list[str]:
    found = run(text, site(version))
    return [*command.training(found), *command.overrides(found)]


@pytest.mark.parametrize("version", NEMO_RL)
def test_the_27b_run_has_its_golden_command_line(version: str) -> None:
    text = (ROOT / "job_specs" / "gemma3-27b-gsm8k.yaml").read_text(encoding="utf-8")
    path = GOLDEN / f"gemma3-27b-gsm8k_{version}.txt"
    words = "\n".join(line(text, version)) + "\n"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(words, encoding="utf-8")
    assert words == path.read_text(encoding="utf-8")


#: The corrected command lines of the tutorial's run as they were tried on the three tags with NeMo RL's own loader.
SHARED = {
    "cluster.num_nodes=2",
    "grpo.num_prompts_per_step=16",
    "grpo.num_generations_per_prompt=32",
    "policy.generation.colocated.enabled=false",
    "policy.generation.colocated.resources.num_nodes=1",
    "policy.generation.colocated.resources.gpus_per_node=8",
    "policy.generation.vllm_cfg.tensor_parallel_size=8",
}
FLAT = {
    "data.dataset_name=ResponseDataset",
    "++data.train_data_path=/data/datasets/gsm8k/train.jsonl",
    "++data.val_data_path=/data/datasets/gsm8k/validation.jsonl",
}
NESTED = {
    "data.train.dataset_name=ResponseDataset",
    "++data.train.data_path=/data/datasets/gsm8k/train.jsonl",
    "data.train.split_validation_size=0",
    "data.validation={dataset_name:ResponseDataset,data_path:/data/datasets/gsm8k/validation.jsonl}",
    "policy.logprob_batch_size=1",
}


@pytest.mark.parametrize(
    ("version", "present", "absent"),
    [("v0.5.0", SHARED | FLAT, NESTED), ("v0.6.0", SHARED | NESTED, FLAT), ("v0.7.0", SHARED | NESTED, FLAT)],
)
def test_the_27b_run_says_what_was_tried_on_its_release(version: str, present: set[str], absent: set[str]) -> None:
    words = set(line(TUTORIAL, version))
    assert present - words == set()
    assert absent & words == set()


@pytest.mark.parametrize("version", NEMO_RL)
@pytest.mark.parametrize("name", JOBS)
def test_no_command_line_says_anything_twice(name: str, version: str) -> None:
    text = (ROOT / "job_specs" / f"{name}.yaml").read_text(encoding="utf-8")
    if isinstance(read_job(ROOT, name), GrpoJob):
        keys = [word.lstrip("+").split("=")[0] for word in line(text, version) if "=" in word]
        assert sorted(set(keys)) == sorted(keys)


def test_a_run_without_checkpoints_switches_them_off() -> None:
    words = line(SMALL.replace("checkpoints: {run: small}\n", ""), "v0.5.0")
    assert "checkpointing.enabled=false" in words
    assert not any(word.startswith("checkpointing.checkpoint_dir") for word in words)
    assert "logger.log_dir=/data/logs/x" in words


@pytest.mark.parametrize(
    ("overrides", "compared"),
    [
        ("", 16),
        ("overrides: {grpo.adv_estimator.name: gdpo}\n", 16),
        ("overrides: {grpo.adv_estimator.name: reinforce_plus_plus}\n", 16),
        ("overrides: {grpo.adv_estimator: {name: reinforce_plus_plus, minus_baseline: false}}\n", 512),
    ],
)
def test_answers_are_compared_as_their_advantages_are_made(overrides: str, compared: int) -> None:
    assert run(f"{SMALL}{overrides}", site("v0.6.0")).compared == compared


RESUMED = ["++logger.wandb.id=site-small", "++logger.wandb.resume=allow"]


@pytest.mark.parametrize(
    ("version", "identity"),
    [("v0.5.0", ["++logger.wandb.group=site-small"]), ("v0.6.0", RESUMED), ("v0.7.0", RESUMED)],
)
def test_a_resumed_run_goes_on_in_the_same_graphs_where_its_release_can(version: str, identity: list[str]) -> None:
    text = f"{SMALL}wandb: {{project: grpo}}\n"
    words = [word for word in line(text, version) if "wandb" in word]
    assert words == [
        "logger.wandb_enabled=true",
        "logger.wandb.project=grpo",
        "logger.wandb.name=x",
        *identity,
    ]
    assert words == [word for word in line(f"{text}attempt: 2\n", version) if "wandb" in word]


@pytest.mark.parametrize("version", NEMO_RL)
def test_a_run_without_checkpoints_gets_new_graphs_at_each_start(version: str) -> None:
    text = SMALL.replace("checkpoints: {run: small}\n", "wandb: {project: grpo}\n")
    words = line(text, version)
    assert [word for word in words if word.startswith("++logger.wandb")] == ["++logger.wandb.group=site-x"]


def test_without_wandb_it_is_off_whatever_the_recipe_says() -> None:
    assert "logger.wandb_enabled=false" in line(TUTORIAL, "v0.5.0")


def test_a_run_writes_the_files_that_the_summary_is_made_of() -> None:
    assert "logger.tensorboard_enabled=true" in line(SMALL, "v0.5.0")
    words = line(with_overrides(SMALL, logger__tensorboard_enabled="false"), "v0.5.0")
    assert [word for word in words if "tensorboard" in word] == ["logger.tensorboard_enabled=false"]


def test_one_length_sets_the_four_keys_that_must_agree() -> None:
    assert [word for word in line(f"{SMALL}max_sequence_length: 1024\n", "v0.5.0") if word.endswith("=1024")] == [
        "policy.max_total_sequence_length=1024",
        "policy.generation.max_new_tokens=1024",
        "policy.generation.vllm_cfg.max_model_len=1024",
        "data.max_input_seq_length=1024",
    ]


def test_another_tokenizer_replaces_the_models() -> None:
    words = line(with_overrides(SMALL, policy__tokenizer__name="some/other"), "v0.5.0")
    assert [word for word in words if "tokenizer" in word] == ["policy.tokenizer.name=some/other"]


def test_parallelism_goes_to_the_backend_of_the_recipe() -> None:
    megatron = "examples/configs/recipes/llm/grpo-qwen2.5-7b-instruct-4n8g-megatron.yaml"
    text = f"{SMALL}tensor_parallel: {{training: 2}}\n"
    assert "policy.dtensor_cfg.tensor_parallel_size=2" in line(text, "v0.5.0")
    other = text.replace(BASE, megatron)
    assert "policy.megatron_cfg.tensor_model_parallel_size=2" in line(other, "v0.5.0")


def test_sequences_are_padded_to_the_tensor_parallelism() -> None:
    recipe = "examples/configs/recipes/llm/grpo-gemma3-1b-it-1n8g-fsdp2tp1.yaml"
    text = f"{SMALL}tensor_parallel: {{training: 2}}\n"
    assert "policy.make_sequence_length_divisible_by=2" in line(text.replace(BASE, recipe), "v0.5.0")
    assert run(text).figures.length_multiple == 2  # this recipe's file says so itself
    assert not any("divisible" in word for word in line(text, "v0.5.0"))


def test_a_recipe_for_another_verifier_is_brought_back_to_the_datasets() -> None:
    dapo = "examples/configs/recipes/llm/dapo-qwen2.5-7b.yaml"
    text = f"{SMALL.replace(BASE, dapo)}"
    words = line(text, "v0.6.0")
    assert "env.math.math_verify_impl=hf_math_verify" in words
    assert "data.default.prompt_file=examples/prompts/cot.txt" in words
    # Its file fills data.validation, and Hydra does not replace a mapping that has keys.
    assert "++data.validation.dataset_name=ResponseDataset" in words
    assert "++data.validation.data_path=/data/datasets/gsm8k/validation.jsonl" in words
    assert "data.prompt_file=examples/prompts/cot.txt" in line(text, "v0.5.0")


def test_the_jobs_own_overrides_come_last() -> None:
    assert line(with_overrides(SMALL, grpo__seed=7), "v0.5.0")[-1] == "grpo.seed=7"


def test_an_evaluation_asks_the_prepared_validation_questions() -> None:
    found = on_site("kind: evaluate\nmodel: a/b\ndataset: gsm8k\ngpus: 8\ntensor_parallel: 4\n").job
    assert isinstance(found, EvaluateJob)
    assert command.evaluation(found, model="/data/exports/x/step_1", save_path="/data/evaluations/x") == (
        "python",
        "-u",
        "examples/run_eval.py",
        "--config",
        "examples/configs/evals/local_eval.yaml",
        "generation.model_name=/data/exports/x/step_1",
        "generation.vllm_cfg.tensor_parallel_size=4",
        "generation.vllm_cfg.max_model_len=4096",
        "cluster.gpus_per_node=8",
        "data.dataset_name=/data/datasets/gsm8k/validation.jsonl",
        "data.problem_key=input",
        "data.solution_key=output",
        "data.file_format=json",
        "data.split=train",
        "data.prompt_file=examples/prompts/cot.txt",
        "env.math.math_verify_impl=hf_math_verify",
        "eval.num_tests_per_prompt=1",
        "eval.save_path=/data/evaluations/x",
    )


def test_a_conversion_has_the_converters_three_options() -> None:
    assert command.conversion(checkpoint="/data/checkpoints/x/step_1", output="/data/exports/x") == (
        "python",
        "-u",
        "examples/converters/convert_dcp_to_hf.py",
        "--config",
        "/data/checkpoints/x/step_1/config.yaml",
        "--dcp-ckpt-path",
        "/data/checkpoints/x/step_1/policy/weights",
        "--hf-ckpt-path",
        "/data/exports/x",
    )
