"""What a RayJob runs: the steps of a job, as one command.

Each step looks first whether its work is done already. A step that fails ends the job with its exit status, except that
a summary is also written of a training that failed.
"""

from __future__ import annotations

from collections.abc import Mapping

from settings.job import ConvertJob, EvaluateJob, GrpoJob
from settings.job_scripts import digests
from training import command, exports, paths, shell, steps
from training.run import Run
from training.scripts import with_imports
from training.site_job import SiteJob

#: One list of words for the check and for the training.
_OVERRIDES = ' \\\n  "${overrides[@]}"'


def entrypoint(it: SiteJob, scripts: Mapping[str, str]) -> str:
    """The command of a job that passed its rules; `scripts` are the jobs' scripts, file name to text.

    The same texts must be in the cluster; those that this kind of job does not run do not matter.
    """
    match it.job:
        case GrpoJob():
            parts = _grpo(Run(it.name, it.job, it.env))
        case ConvertJob():
            parts = exports.convert(it.job)
        case EvaluateJob():
            parts = exports.evaluate(it, it.job)
    used = with_imports(scripts_of(it), scripts)
    compared = (steps.compare_scripts(it, digests(used)),) if used else ()
    # A cluster of the job's own ends with its deadline; of a shared one KubeRay takes nothing away.
    hours = it.job.limits.run_hours if it.job.cluster == "shared" else None
    return shell.one_command(*compared, *parts, hours=hours)


def scripts_of(it: SiteJob) -> tuple[str, ...]:
    """File names of the jobs' scripts that a job runs."""
    match it.job:
        case GrpoJob():
            return (steps.WAIT, steps.PREPARE, steps.REWARD, steps.CONFIG, steps.SUMMARY)
        case EvaluateJob():
            return (steps.WAIT, steps.PREPARE, steps.REWARD)
        case ConvertJob():
            return ()


def _grpo(run: Run) -> tuple[str, ...]:
    """Trains: GPUs, dataset, reward, configuration, training, summary."""
    overrides = "".join(f"  {shell.quoted(word)}\n" for word in command.overrides(run))
    checkpoints = [f"--checkpoints={paths.CHECKPOINTS}/{run.run_name}"] if run.job.checkpoints else []
    check = [f"--nemo-rl={run.release.version}", f"--config={run.job.recipe}", *checkpoints, "--"]
    summary = [
        f"--logs={paths.LOGS}/{run.run_name}",
        *checkpoints,
        f"--output={paths.SUMMARIES}/{run.run_name}",
        f"--max-steps={run.figures.max_steps}",
        f"--compared={run.compared}",
    ]
    return (
        f"overrides=(\n{overrides})",
        steps.wait_for_gpus(run, run.job.nodes.gpus),
        *steps.prepare_dataset(run.job.dataset, run.figures.verifier),
        shell.step("check the configuration", steps.script(steps.CONFIG, *check) + _OVERRIDES),
        # However the training ends: by itself, in an error, or because it is told to.
        "summarize() {\nstatus=$? summary=0\n"
        + shell.step("summarize", f"{steps.script(steps.SUMMARY, *summary)} || summary=$?")
        + '\nif [ "$status" -eq 0 ]; then status=$summary; fi\nexit "$status"\n}\ntrap summarize EXIT',
        shell.step("train", f"{shell.words(command.training(run))}{_OVERRIDES}"),
    )
