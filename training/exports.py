"""What becomes of a checkpoint: a folder in Hugging Face's format, and a score.

Both are made in a folder beside the target, which gets the target's name when it is whole. What went in is recorded
there: a second job of the same is done at once, and one of something else is refused, so that nothing is overwritten.
"""

from __future__ import annotations

import shlex

from settings.job import Checkpoint, ConvertJob, EvaluateJob
from training import command, paths, shell
from training.run import VERIFIER
from training.site_job import SiteJob
from training.steps import prepare_dataset, wait_for_gpus

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


def convert(job: ConvertJob) -> tuple[str, ...]:
    """The steps that convert a checkpoint, on the Ray head and without a GPU."""
    return (
        shell.step("find the checkpoint", _newest(job.checkpoint, paths.CHECKPOINTS, "has the training saved it?")),
        f"checkpoint=$folder/$step\nexport={paths.EXPORTS}/{job.checkpoint.run}/$step\nwork=$export.partial\n"
        'digest=$(cat "$checkpoint"/training_info.json "$checkpoint"/config.yaml | sha256sum | cut -d " " -f 1)\n'
        + _done("$export", "source.sha256", "$digest", "is of another checkpoint; move it away")
        + 'rm -rf "$work"\nmkdir -p "$(dirname "$work")"',
        shell.step("convert", shell.expanding(command.conversion(checkpoint="$checkpoint", output="$work"))),
        shell.step("copy the processor files", _PROCESSOR_FILES.format(model=shlex.quote(job.model))),
        'printf "%s\\n" "$digest" > "$work"/source.sha256\nmv -T "$work" "$export"\nprintf "%s\\n" "$export"',
    )


def evaluate(it: SiteJob, job: EvaluateJob) -> tuple[str, ...]:
    """The steps that score an exported checkpoint, or the model itself, on the validation questions."""
    words = command.evaluation(job, model="$model", save_path="$work")
    return (
        shell.step("find the model", _evaluated(job)),
        'work=$scores.partial\nquestion="$source\n'
        + "\n".join(words[:-1])
        + '"\n'
        + _done("$scores", "question.txt", "$question", "is of another evaluation; move it away", show="score.txt")
        + 'rm -rf "$work"\nmkdir -p "$work"',
        wait_for_gpus(it, job.gpus),
        *prepare_dataset(job.dataset, VERIFIER),
        shell.step("evaluate", f'{shell.expanding(words)} | tee "$work"/output.txt'),
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
