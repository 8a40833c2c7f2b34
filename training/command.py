"""The command lines of NeMo RL's own programs, word by word."""

from __future__ import annotations

from settings.job import EvaluateJob
from training import paths
from training.overrides import word
from training.run import PROMPT_FILE, VERIFIER, Run


def overrides(run: Run) -> tuple[str, ...]:
    """The Hydra overrides of a run: what the typed fields say, then the recipe's corrections, then the job's own."""
    version = run.release.version
    typed = (word(setting.key, setting.value, version) for setting in run.settings)
    own = (word(key, value, version) for key, value in run.overrides.items())
    return (*typed, *own)


def training(run: Run) -> tuple[str, ...]:
    """The words that start the training, in NeMo RL's tree; the overrides come after them."""
    return ("python", "-u", run.release.script, "--config", run.job.recipe)


def evaluation(job: EvaluateJob, *, model: str, save_path: str) -> tuple[str, ...]:
    """The words that score a model on the prepared validation questions of a dataset.

    `model` is a name on Hugging Face or a folder. These are OmegaConf's `key=value`, not Hydra's: nothing refuses a key
    that does not exist. Every value here is a number, a name or a path, which needs no quoting.
    """
    values = {
        "generation.model_name": model,
        "generation.vllm_cfg.tensor_parallel_size": job.tensor_parallel,
        "generation.vllm_cfg.max_model_len": job.max_sequence_length,
        "cluster.gpus_per_node": job.gpus,
        "data.dataset_name": f"{paths.DATASETS}/{job.dataset.name}/{paths.VALIDATION_FILE}",
        "data.problem_key": "input",
        "data.solution_key": "output",
        "data.file_format": "json",
        "data.split": "train",  # what the JSON loader calls the whole file
        "data.prompt_file": PROMPT_FILE,
        "env.math.math_verify_impl": VERIFIER,
        "eval.num_tests_per_prompt": 1,
        "eval.save_path": save_path,
    }
    words = (f"{key}={value}" for key, value in values.items())
    return ("python", "-u", "examples/run_eval.py", "--config", "examples/configs/evals/local_eval.yaml", *words)


def conversion(*, checkpoint: str, output: str) -> tuple[str, ...]:
    """The words that turn the checkpoint in one folder into Hugging Face format in another, which must not exist."""
    return (
        "python",
        "-u",
        "examples/converters/convert_dcp_to_hf.py",
        "--config",
        f"{checkpoint}/config.yaml",
        "--dcp-ckpt-path",
        f"{checkpoint}/policy/weights",
        "--hf-ckpt-path",
        output,
    )
