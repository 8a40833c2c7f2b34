"""The steps that several kinds of jobs share, and the jobs' scripts that they run."""

from __future__ import annotations

from collections.abc import Mapping

from catalog.pod_folders import SCRIPTS_FOLDER
from settings.job import Dataset
from training import paths, shell
from training.site_job import SiteJob

#: Python files under job_specs/scripts/, in the order in which a training runs them.
WAIT = "wait_for_gpus.py"
PREPARE = "prepare_dataset.py"
REWARD = "check_reward.py"
CONFIG = "check_config.py"
SUMMARY = "summarize.py"


def script(name: str, *options: str) -> str:
    """A call of one of the jobs' scripts."""
    return shell.words(("python", f"{SCRIPTS_FOLDER}/{name}", *options))


def compare_scripts(it: SiteJob, expected: Mapping[str, str]) -> str:
    """Ends the job unless the scripts in the cluster have these SHA-256, by file name.

    The platform, which brings them, may have been deployed before the job was made, or not since.
    """
    lines = "".join(f"{digest}  {name}\n" for name, digest in expected.items())
    return shell.step(
        "compare the scripts",
        f"(cd {SCRIPTS_FOLDER} && sha256sum --check --strict --quiet) <<'DIGESTS' ||\n{lines}DIGESTS\n"
        f"  fail 'the scripts in the cluster are not those that this job was made with: deploy "
        f"{it.env.stack('platform')} first, then this job'",
    )


def wait_for_gpus(it: SiteJob, gpus_per_node: int) -> str:
    """Waits until Ray has the job's nodes with so many free GPUs each, and no longer than the job may run."""
    limits = it.job.limits
    minutes = min(limits.wait_minutes, limits.run_hours * 60) if limits.run_hours else limits.wait_minutes
    return shell.step(
        f"wait for {it.gpus} GPUs",
        # NeMo RL itself looks for them 1 + 2 + 4 + ... seconds, by default up to six times, which is a minute.
        "export NRL_VIRTUAL_CLUSTER_MAX_RETRIES=10\n"
        + script(
            WAIT,
            f"--nodes={it.nodes}",
            f"--gpus-per-node={gpus_per_node}",
            f"--minutes={minutes}",
        ),
    )


def prepare_dataset(dataset: Dataset, verifier: str) -> tuple[str, str]:
    """Brings the dataset to Lustre, and proves that the verifier rewards its right answers and no wrong ones."""
    folder = f"{paths.DATASETS}/{dataset.name}"
    given = {
        "source": dataset.source,
        "subset": dataset.subset,
        **(
            {"validation-source": dataset.validation_source}
            if dataset.validation_source
            else {"train-split": dataset.train_split, "validation-split": dataset.validation_split}
        ),
        "question-column": dataset.question_column,
        "answer-column": dataset.answer_column,
        "answer-after": dataset.answer_after,
        "output": folder,
    }
    options = (f"--{name}={value}" for name, value in given.items() if value is not None)
    return (
        shell.step("prepare the dataset", script(PREPARE, *options)),
        shell.step("check the reward", script(REWARD, f"--dataset={folder}", f"--verifier={verifier}")),
    )
