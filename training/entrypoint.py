"""What a RayJob runs: one command for /bin/sh, made of steps that a reader can follow.

Ray hands the entrypoint to `sh -c`, which is dash in NeMo RL's image. So the command is `exec bash` with the script as
a here-document whose end word is quoted: the shell expands nothing in it, and in a diff it reads as it runs. Inside,
each word that comes from a file is quoted for bash.

Each step looks first whether its work is done already. A step that fails ends the job with its exit status, except that
a summary is also written of a training that failed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping

from catalog.nemo_rl import HOME
from catalog.pod_folders import SCRIPTS_FOLDER
from settings.job import Checkpoint, ConvertJob, Dataset, EvaluateJob, GrpoJob
from settings.job_scripts import digests
from training import command, paths
from training.run import VERIFIER, Run
from training.scripts import with_imports
from training.site_job import SiteJob

#: Parts of a job's script, from first to last.
Steps = tuple[str, ...]

_END = "END_OF_JOB"
#: How a step names one of the jobs' scripts.
_SCRIPT = re.compile(rf"(?<=python {re.escape(SCRIPTS_FOLDER)}/)[\w.]+")
#: One list of words for the check and for the training.
_OVERRIDES = ' \\\n  "${overrides[@]}"'

_PREAMBLE = f"""\
exec 3<&-
set -euo pipefail
cd {HOME}
step() {{ printf '\\n=== %s\\n' "$1"; }}
fail() {{ printf '%s\\n' "$1" >&2; exit 1; }}"""

#: Files that vLLM wants beside the weights of some models and that the converter does not write.
_PROCESSOR_FILES = """\
python - {model} "$work" <<'PYTHON'
import os, shutil, sys
from huggingface_hub import snapshot_download  # 0.34 in the image of v0.5.0, 1.14 in that of v0.7.0
model, target = sys.argv[1:]
names = ["preprocessor_config.json", "processor_config.json", "chat_template.json", "generation_config.json"]
source = model if os.path.isdir(model) else snapshot_download(model, allow_patterns=names)
for name in names:
    if os.path.exists(os.path.join(source, name)) and not os.path.exists(os.path.join(target, name)):
        shutil.copy(os.path.join(source, name), target)
PYTHON"""


def entrypoint(it: SiteJob, scripts: Mapping[str, str]) -> str:
    """The command of a job that passed its rules; `scripts` are the jobs' scripts, file name to text.

    The same texts must be in the cluster; those that this kind of job does not run do not matter.
    """
    steps = _steps(it)
    named = _named(steps)
    comparison = (_comparison(it, digests(with_imports(named, scripts))),) if named else ()
    return _shell(*comparison, *steps)


def scripts_of(it: SiteJob) -> tuple[str, ...]:
    """File names of the jobs' scripts that a job runs."""
    return _named(_steps(it))


def _named(steps: Steps) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_SCRIPT.findall("\n".join(steps))))


def _steps(it: SiteJob) -> Steps:
    match it.job:
        case GrpoJob():
            return _grpo(Run(it.name, it.job, it.env))
        case ConvertJob():
            return _convert(it.job)
        case EvaluateJob():
            return _evaluate(it, it.job)


def _grpo(run: Run) -> Steps:
    """Trains: GPUs, dataset, reward, configuration, training, summary."""
    overrides = "".join(f"  {shlex.quote(word)}\n" for word in command.overrides(run))
    checkpoints = [f"--checkpoints={paths.CHECKPOINTS}/{run.run_name}"] if run.job.checkpoints else []
    check = [f"--nemo-rl={run.release.version}", f"--config={run.job.recipe}", *checkpoints, "--"]
    summary = [
        f"--logs={paths.LOGS}/{run.run_name}",
        f"--output={paths.SUMMARIES}/{run.run_name}",
        f"--max-steps={run.figures.max_steps}",
    ]
    return (
        f"overrides=(\n{overrides})",
        _gpus(run, run.job.nodes.gpus),
        *_dataset(run.job.dataset, run.figures.verifier),
        _step("check the configuration", _script("check_config.py", *check) + _OVERRIDES),
        _step("train", f"status=0\n{_words(command.training(run))}{_OVERRIDES} || status=$?"),
        _step("summarize", f"summary=0\n{_script('summarize.py', *summary)} || summary=$?"),
        'if [ "$status" -eq 0 ]; then status=$summary; fi\nexit "$status"',
    )


def _convert(job: ConvertJob) -> Steps:
    """Converts a checkpoint, in a folder beside the target that gets the target's name when it is whole.

    What was converted is recorded beside the weights: a second run is done at once, and a checkpoint of the same number
    from another training is refused, not overwritten.
    """
    return (
        _step("find the checkpoint", _newest(job.checkpoint, paths.CHECKPOINTS, "has the training saved it?")),
        f"checkpoint=$folder/$step\nexport={paths.EXPORTS}/{job.checkpoint.run}/$step\nwork=$export.partial\n"
        'digest=$(cat "$checkpoint"/training_info.json "$checkpoint"/config.yaml | sha256sum | cut -d " " -f 1)\n'
        + _done("$export", "source.sha256", "$digest", "is of another checkpoint; move it away")
        + 'rm -rf "$work"\nmkdir -p "$(dirname "$work")"',
        _step("convert", _expanding(command.conversion(checkpoint="$checkpoint", output="$work"))),
        _step("copy the processor files", _PROCESSOR_FILES.format(model=shlex.quote(job.model))),
        'printf "%s\\n" "$digest" > "$work"/source.sha256\nmv -T "$work" "$export"\nprintf "%s\\n" "$export"',
    )


def _evaluate(it: SiteJob, job: EvaluateJob) -> Steps:
    """Scores an exported checkpoint, or the model itself, on the validation questions.

    What was scored, and how, is recorded with the score: a second run is done at once, another one is refused.
    """
    words = command.evaluation(job, model="$model", save_path="$work")
    return (
        _step("find the model", _evaluated(job)),
        'work=$scores.partial\nquestion="$source\n'
        + "\n".join(words[:-1])
        + '"\n'
        + _done("$scores", "question.txt", "$question", "is of another evaluation; move it away", show="score.txt")
        + 'rm -rf "$work"\nmkdir -p "$work"',
        _gpus(it, job.gpus),
        *_dataset(job.dataset, VERIFIER),
        _step("evaluate", f'{_expanding(words)} | tee "$work"/output.txt'),
        'grep -o "score=[0-9.]*" "$work"/output.txt | tail -n 1 > "$work"/score.txt || fail "there is no score above"\n'
        'printf "%s\\n" "$question" > "$work"/question.txt\nmv -T "$work" "$scores"\ncat "$scores"/score.txt',
    )


def _evaluated(job: EvaluateJob) -> str:
    """Shell variables: the model, what it was made from, and the folder of its scores."""
    if job.checkpoint is None:
        scores = f"{paths.EVALUATIONS}/models/{job.model.strip('/').replace('/', '--')}"
        return f"model={job.model}\nsource=$model\nscores={scores}/{job.dataset.name}"
    return (
        f"{_newest(job.checkpoint, paths.EXPORTS, 'has a convert job made it?')}\n"
        'model=$folder/$step\nsource=$(cat "$model"/source.sha256)\n'
        f"scores={paths.EVALUATIONS}/{job.checkpoint.run}/$step/{job.dataset.name}"
    )


def _newest(checkpoint: Checkpoint, root: str, question: str) -> str:
    """Shell variables: the run's folder, and the step that the job names, or the newest that is whole."""
    folder = f"folder={root}/{checkpoint.run}"
    if checkpoint.step is not None:
        return f'{folder}\nstep=step_{checkpoint.step}\n[ -d "$folder/$step" ] || fail "no $folder/$step: {question}"'
    return (
        f"{folder}\n"
        '[ -d "$folder" ] || fail "no $folder: ' + question + '"\n'
        "step=$(find \"$folder\" -mindepth 1 -maxdepth 1 -regex '.*/step_[0-9]+' -printf '%f\\n' |\n"
        "  sort -t _ -k 2 -n | tail -n 1)\n"
        f'[ -n "$step" ] || fail "no step_N in $folder: {question}"'
    )


def _done(folder: str, record: str, expected: str, otherwise: str, *, show: str = "") -> str:
    """Ends the job well where the folder is there and records what is expected, and badly where something else."""
    shown = f'  cat "{folder}"/{show}\n' if show else ""
    return (
        f'if [ -e "{folder}" ]; then\n'
        f'  [ "$(cat "{folder}"/{record} 2>/dev/null)" = "{expected}" ] || fail "{folder} {otherwise}"\n'
        f'  printf "%s\\n" "{folder} is there already"\n'
        f"{shown}  exit 0\nfi\n"
    )


def _comparison(it: SiteJob, expected: Mapping[str, str]) -> str:
    """The platform may have been deployed before or after this job was made: its scripts must be the same."""
    lines = "".join(f"{digest}  {name}\n" for name, digest in expected.items())
    return _step(
        "compare the scripts",
        f"(cd {SCRIPTS_FOLDER} && sha256sum --check --strict --quiet) <<'DIGESTS' ||\n{lines}DIGESTS\n"
        f"  fail 'the scripts in the cluster are not those that this job was made with: deploy "
        f"{it.env.stack('platform')} first, then this job'",
    )


def _gpus(it: SiteJob, gpus_per_node: int) -> str:
    return _step(
        f"wait for {it.gpus} GPUs",
        # NeMo RL itself looks for them 1 + 2 + 4 + ... seconds, by default up to six times, which is a minute.
        "export NRL_VIRTUAL_CLUSTER_MAX_RETRIES=10\n"
        + _script(
            "wait_for_gpus.py",
            f"--nodes={it.nodes}",
            f"--gpus-per-node={gpus_per_node}",
            f"--minutes={it.job.limits.wait_minutes}",
        ),
    )


def _dataset(dataset: Dataset, verifier: str) -> tuple[str, str]:
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
        _step("prepare the dataset", _script("prepare_dataset.py", *options)),
        _step("check the reward", _script("check_reward.py", f"--dataset={folder}", f"--verifier={verifier}")),
    )


def _shell(*steps: str) -> str:
    script = "\n\n".join((_PREAMBLE, *steps))
    end = _END
    while re.search(rf"^{end}$", script, re.MULTILINE):
        end += "_"
    return f"exec bash /dev/fd/3 3<<'{end}'\n{script}\n{end}\n"


def _step(title: str, text: str) -> str:
    return f"step {shlex.quote(title)}\n{text}"


def _script(name: str, *options: str) -> str:
    return _words(("python", f"{SCRIPTS_FOLDER}/{name}", *options))


def _words(words: Iterable[str]) -> str:
    """A command, each word as it is, one a line after the program."""
    return _lines(map(shlex.quote, words))


def _expanding(words: Iterable[str]) -> str:
    """A command whose words may name variables of the script; no word of it is a free text of the user's."""
    return _lines(f'"{word}"' if "$" in word else shlex.quote(word) for word in words)


def _lines(quoted: Iterable[str]) -> str:
    """The program and its script on the first line, then an option with its value, or a word, a line."""
    words = tuple(quoted)
    lines: list[str] = []
    for word in words:
        starts = not lines or word.startswith("--") or "=" in word or not lines[-1].startswith(("python", "--"))
        if starts or "=" in lines[-1]:
            lines.append(word)
        else:
            lines[-1] += f" {word}"
    return " \\\n  ".join(lines)
