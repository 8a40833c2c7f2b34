"""Entrypoints run for real: through `sh -c`, as Ray's job manager starts them, with stand-ins for what they call.

Ray (dashboard/modules/job/job_supervisor.py) does `subprocess.Popen(entrypoint, shell=True, start_new_session=True,
stdout=log, stderr=STDOUT, env=...)`. Here too. Only the folders /opt/nemo-rl, /opt/ray-job-scripts and /data are moved
into the test's own. The PATH holds `python` (a stand-in that writes down its words) and the few programs below, so that
a job that called anything else would fail.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.nemo_rl_recipes import Value
from tests.jobs import SCRIPTS, SMALL, TUTORIAL, job, site
from training.entrypoint import entrypoint, scripts_of
from training.site_job import SiteJob

#: What the jobs may call beside Python: bash and coreutils, find and grep; all in NeMo RL's Ubuntu image.
PROGRAMS = (
    *("bash", "cat", "cut", "dirname", "find", "grep", "mkdir", "mv", "rm"),
    *("sha256sum", "sort", "tail", "tee", "timeout"),
)

PYTHON = """\
#!/bin/bash
{ printf '%s\\0' "$@"; printf '\\001\\0'; } >> "$CALLS"
case "$*" in
  *convert_dcp_to_hf*) mkdir "${@: -1}" || exit 1; echo weights > "${@: -1}/pytorch_model.bin" ;;
  *run_eval*) echo "score=0.8949 (1180.0/1319)" ;;
esac
for rule in $FAILING; do
  case "$*" in
    *"${rule%=yields}"*) trap 'exit 0' TERM; /bin/sleep 60 & wait ;;
    *"${rule%=hangs}"*) echo $$ > "$CALLS.hanging"; exec /bin/sleep 60 ;;
    *"${rule%=*}"*) exit "${rule#*=}" ;;
  esac
done
"""


class Head:
    """A Ray head as far as an entrypoint sees it, under a folder of the test's."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.data = root / "data"
        programs = root / "bin"
        for folder in (root / "nemo-rl", root / "scripts", self.data, programs):
            folder.mkdir(parents=True)
        for name, text in SCRIPTS.items():
            (root / "scripts" / name).write_text(text, encoding="utf-8")
        (programs / "python").write_text(PYTHON, encoding="utf-8")
        (programs / "python").chmod(0o755)
        for name in PROGRAMS:
            found = shutil.which(name)
            assert found, name
            (programs / name).symlink_to(found)

    def run(self, it: SiteJob, failing: str = "", limit: str = "6h") -> tuple[int, str]:
        """Runs the job as Ray would: exit status and what it printed.

        `failing` is `word=status` of failing calls, `word=hangs`, or `word=yields`, which ends well when told to;
        a limit of six hours becomes `limit`.
        """
        text = entrypoint(it, SCRIPTS).replace(" 6h ", f" {limit} ")
        for there, here in (("/opt/nemo-rl", "nemo-rl"), ("/opt/ray-job-scripts", "scripts"), ("/data/", "data/")):
            text = text.replace(there, str(self.root / here) + ("/" if here.endswith("/") else ""))
        (self.root / "calls").write_bytes(b"")
        log = self.root / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                text,
                shell=True,
                start_new_session=True,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={"PATH": str(self.root / "bin"), "CALLS": str(self.root / "calls"), "FAILING": failing},
            )
            status = process.wait(timeout=60)
        return status, log.read_text(encoding="utf-8").replace(str(self.root), "")

    @property
    def calls(self) -> list[list[str]]:
        """The words of every call of python, in order, as the called program sees them."""
        words = (self.root / "calls").read_bytes().decode().replace(str(self.root), "").split("\0")
        found: list[list[str]] = [[]]
        for word in words[:-1]:
            if word == "\1":
                found.append([])
            else:
                found[-1].append(word)
        return found[:-1]

    @property
    def programs(self) -> list[str]:
        """The script of each call."""
        return [next(word for word in call if word != "-u").rpartition("/")[2] for call in self.calls]

    def overrides(self, program: str) -> list[str]:
        """The overrides that a script got: its words after the options."""
        call = self.calls[self.programs.index(program)]
        return call[call.index("--") + 1 :] if "--" in call else call[call.index("--config") + 2 :]


@pytest.fixture
def head(tmp_path: Path) -> Head:
    return Head(tmp_path)


def on_site(text: str, overrides: dict[str, Value] | None = None) -> SiteJob:
    found = job(text)
    return SiteJob("x", found.model_copy(update={"overrides": overrides}) if overrides else found, site())


STEPS = ["wait_for_gpus.py", "prepare_dataset.py", "check_reward.py", "check_config.py", "run_grpo.py", "summarize.py"]


def test_a_training_runs_its_steps_in_order(head: Head) -> None:
    status, log = head.run(on_site(TUTORIAL))
    assert status == 0
    assert head.programs == STEPS
    assert [line for line in log.splitlines() if line.startswith("===")] == [
        "=== compare the scripts",
        "=== wait for 16 GPUs",
        "=== prepare the dataset",
        "=== check the reward",
        "=== check the configuration",
        "=== train",
        "=== summarize",
    ]


def test_each_script_gets_what_the_job_says(head: Head) -> None:
    head.run(on_site(TUTORIAL))
    wait, prepare, reward, check, train, summary = head.calls
    assert wait == ["/scripts/wait_for_gpus.py", "--nodes=2", "--gpus-per-node=8", "--minutes=60"]
    assert prepare == [
        "/scripts/prepare_dataset.py",
        "--source=openai/gsm8k",
        "--subset=main",
        "--train-split=train",
        "--validation-split=test",
        "--question-column=question",
        "--answer-column=answer",
        "--answer-after=####",
        "--output=/data/datasets/gsm8k",
    ]
    assert reward == ["/scripts/check_reward.py", "--dataset=/data/datasets/gsm8k", "--verifier=hf_math_verify"]
    recipe = "examples/configs/recipes/llm/grpo-gemma3-27b-it-8n8g-fsdp2tp8-actckpt-long.yaml"
    assert check[:5] == [
        "/scripts/check_config.py",
        "--nemo-rl=v0.5.0",
        f"--config={recipe}",
        "--checkpoints=/data/checkpoints/gemma",
        "--",
    ]
    assert train[:4] == ["-u", "examples/run_grpo.py", "--config", recipe]
    assert summary == [
        "/scripts/summarize.py",
        "--logs=/data/logs/gemma",
        "--checkpoints=/data/checkpoints/gemma",
        "--output=/data/summaries/gemma",
        "--max-steps=10",
        "--compared=32",
    ]


def test_the_check_sees_the_words_of_the_training(head: Head) -> None:
    head.run(on_site(TUTORIAL))
    words = head.overrides("run_grpo.py")
    assert words == head.overrides("check_config.py")
    assert "grpo.num_prompts_per_step=16" in words
    assert "data.dataset_name=ResponseDataset" in words


AWKWARD: dict[str, tuple[Value, str]] = {
    "single quote": ("it's", '"it\'s"'),
    "double quote": ('say "x"', '"say \\"x\\""'),
    "blank": ("a  b ", '"a  b "'),
    "braces": ("{a,b} [c]", '"{a,b} [c]"'),
    "dollar": ("$HOME ${HOME} $(id) `id`", '"$HOME ${HOME} $(id) `id`"'),
    "template": ("%{ if } ${policy.precision}", '"%{ if } ${policy.precision}"'),
    "newline": ("one\ntwo\n", '"one\ntwo\n"'),
    "a line that begins like the end word and goes on with a letter of two bytes": ("x\nEé", '"x\nEé"'),
    "the end word": ("x\nEND_OF_JOB\ny\nEND_OF_JOB_\nz\nDIGESTS\n", '"x\nEND_OF_JOB\ny\nEND_OF_JOB_\nz\nDIGESTS\n"'),
    "other letters": ("grün 数学 🙂 \u202e", '"grün 数学 🙂 \u202e"'),
    "backslash": ("a\\b\\", '"a\\b\\\\"'),
    "shell words": ("; rm -rf / & | > x < y * ? ~ # !", '"; rm -rf / & | > x < y * ? ~ # !"'),
    "option": ("--config", '"--config"'),
    "empty": ("", '""'),
    "list": (("a b", 1, None), '["a b",1,null]'),
    "mapping in a list": (({"name": "x y", "kwargs": {"a": 1}},), '[{name:"x y",kwargs:{a:1}}]'),
}


@pytest.mark.parametrize("kind", AWKWARD)
def test_an_awkward_value_arrives_whole(head: Head, kind: str) -> None:
    value, written = AWKWARD[kind]
    status, _ = head.run(on_site(SMALL, {"policy.tokenizer.chat_template": value}))
    assert status == 0
    assert head.overrides("run_grpo.py")[-1] == f"++policy.tokenizer.chat_template={written}"
    assert head.overrides("check_config.py")[-1] == f"++policy.tokenizer.chat_template={written}"
    assert head.programs == STEPS


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\1"), max_size=20), max_size=5))
def test_any_texts_arrive_whole(head: Head, texts: list[str]) -> None:
    from training.overrides import text

    keys = [f"policy.generation.vllm_kwargs.k{index}" for index in range(len(texts))]
    status, _ = head.run(on_site(SMALL, dict(zip(keys, texts, strict=True))))
    assert status == 0
    words = head.overrides("run_grpo.py")
    expected = [f"++{key}={text(value)}" for key, value in zip(keys, texts, strict=True)]
    assert words[len(words) - len(texts) :] == expected


def test_nothing_runs_with_other_scripts_than_the_jobs(head: Head) -> None:
    (head.root / "scripts" / "check_reward.py").write_text("# changed\n", encoding="utf-8")
    status, log = head.run(on_site(TUTORIAL))
    assert status == 1
    assert head.calls == []
    assert "check_reward.py: FAILED" in log
    assert "deploy site_platform first, then this job" in log


def test_nothing_runs_without_a_script(head: Head) -> None:
    (head.root / "scripts" / "summarize.py").unlink()
    status, log = head.run(on_site(TUTORIAL))
    assert status == 1
    assert head.calls == []
    assert "deploy site_platform first, then this job" in log


@pytest.mark.parametrize("step", range(4))
def test_a_step_that_fails_ends_the_job_with_its_status(head: Head, step: int) -> None:
    status, _ = head.run(on_site(TUTORIAL), failing=f"{STEPS[step]}=7")
    assert status == 7
    assert head.programs == STEPS[: step + 1]


def test_a_failed_training_is_summarized_and_fails_the_job_with_its_status(head: Head) -> None:
    status, _ = head.run(on_site(TUTORIAL), failing="run_grpo.py=3 summarize.py=4")
    assert status == 3
    assert head.programs == STEPS


def test_a_failed_summary_fails_the_job(head: Head) -> None:
    status, _ = head.run(on_site(TUTORIAL), failing="summarize.py=4")
    assert status == 4


LIMITED = f"{TUTORIAL}limits: {{run_hours: 6}}\n"


@pytest.mark.parametrize(("failing", "status"), [("", 0), ("check_reward.py=7", 7), ("run_grpo.py=3", 3)])
def test_a_job_within_its_hours_ends_as_it_would_without(head: Head, failing: str, status: int) -> None:
    assert head.run(on_site(LIMITED), failing=failing)[0] == status


@pytest.mark.parametrize(("step", "after"), [("wait_for_gpus.py", []), ("run_grpo.py", ["summarize.py"])])
def test_a_job_is_told_to_end_after_its_hours_and_leaves_nothing_behind(
    head: Head, step: str, after: list[str]
) -> None:
    status, log = head.run(on_site(LIMITED), failing=f"{step}=hangs", limit="0.5s")
    assert status == 124
    assert "told to end, by ray job stop or after 6 hours (limits.run_hours)" in log
    assert head.programs == [*STEPS[: STEPS.index(step) + 1], *after]
    with pytest.raises(ProcessLookupError):
        os.kill(int((head.root / "calls.hanging").read_text()), 0)


def test_nothing_begins_after_a_job_was_told_to_end(head: Head) -> None:
    status, log = head.run(on_site(LIMITED), failing="check_config.py=yields", limit="0.5s")
    assert status == 124
    assert head.programs == STEPS[:4]
    assert "=== train" not in log


def test_an_entrypoint_is_one_command_of_readable_lines() -> None:
    text = entrypoint(on_site(TUTORIAL), SCRIPTS)
    assert text.startswith("exec bash /dev/fd/3 3<<'END_OF_JOB'\n")
    assert text.endswith("\nEND_OF_JOB\n")
    assert max(map(len, text.splitlines())) <= 140
    for forbidden in ("git ", "sed ", "apt", "pip ", "uv "):
        assert not any(line.lstrip().startswith(forbidden) for line in text.splitlines())


def test_the_scripts_that_a_job_compares_are_those_that_it_runs(head: Head) -> None:
    for text in (TUTORIAL, CONVERT, EVALUATE.replace("checkpoint: {run: gemma}\n", "")):
        head.run(on_site(text))
        run = {Path(word).name for call in head.calls for word in call if word.startswith("/scripts/")}
        assert run == set(scripts_of(on_site(text)))
        assert all(f"  {name}\n" in entrypoint(on_site(text), SCRIPTS) for name in run)


def test_a_script_that_a_job_does_not_run_leaves_its_entrypoint_alone() -> None:
    it = on_site(TUTORIAL)
    assert entrypoint(it, {**SCRIPTS, "other.py": "x"}) == entrypoint(it, SCRIPTS)
    assert entrypoint(it, {**SCRIPTS, "check_reward.py": "x"}) != entrypoint(it, SCRIPTS)
    imported = {**SCRIPTS, "check_reward.py": "from other import x\n", "other.py": "x = 1\n"}
    assert entrypoint(it, {**imported, "other.py": "x = 2\n"}) != entrypoint(it, imported)


# Conversion

CONVERT = "kind: convert\nmodel: google/gemma-3-27b-it\ncheckpoint: {run: gemma}\n"


@pytest.fixture
def trained(head: Head) -> Head:
    """A head whose Lustre holds checkpoints of the run `gemma`, one of them unfinished."""
    for step in ("step_2", "step_10", "tmp_step_12"):
        folder = head.data / "checkpoints" / "gemma" / step
        folder.mkdir(parents=True)
        (folder / "training_info.json").write_text(f'{{"total_steps": "{step}"}}', encoding="utf-8")
        (folder / "config.yaml").write_text("policy: {}\n", encoding="utf-8")
    return head


def export(head: Head, step: str) -> list[str]:
    folder = head.data / "exports" / "gemma" / step
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_the_newest_checkpoint_is_converted(trained: Head) -> None:
    status, log = trained.run(on_site(CONVERT))
    assert status == 0
    assert trained.calls[0] == [
        "-u",
        "examples/converters/convert_dcp_to_hf.py",
        "--config",
        "/data/checkpoints/gemma/step_10/config.yaml",
        "--dcp-ckpt-path",
        "/data/checkpoints/gemma/step_10/policy/weights",
        "--hf-ckpt-path",
        "/data/exports/gemma/step_10.partial",
    ]
    assert trained.calls[1] == ["-", "google/gemma-3-27b-it", "/data/exports/gemma/step_10.partial"]
    assert export(trained, "step_10") == ["pytorch_model.bin", "source.sha256"]
    assert log.splitlines()[-1] == "/data/exports/gemma/step_10"


def test_a_named_checkpoint_is_converted(trained: Head) -> None:
    status, _ = trained.run(on_site(CONVERT.replace("run: gemma", "run: gemma, step: 2")))
    assert status == 0
    assert export(trained, "step_2") == ["pytorch_model.bin", "source.sha256"]


def test_a_conversion_that_is_done_is_done_at_once(trained: Head) -> None:
    trained.run(on_site(CONVERT))
    status, log = trained.run(on_site(CONVERT))
    assert status == 0
    assert trained.calls == []
    assert log.splitlines()[-1] == "/data/exports/gemma/step_10 is there already"


def test_an_export_of_another_checkpoint_is_never_overwritten(trained: Head) -> None:
    trained.run(on_site(CONVERT))
    info = trained.data / "checkpoints" / "gemma" / "step_10" / "training_info.json"
    info.write_text("{}", encoding="utf-8")
    status, log = trained.run(on_site(CONVERT))
    assert status == 1
    assert trained.calls == []
    assert log.splitlines()[-1] == "/data/exports/gemma/step_10 is of another checkpoint; move it away"


def test_a_failed_conversion_leaves_no_export_and_is_tried_again_from_the_start(trained: Head) -> None:
    status, _ = trained.run(on_site(CONVERT), failing="convert_dcp_to_hf=5")
    assert status == 5
    assert export(trained, "step_10") == []
    assert export(trained, "step_10.partial") == ["pytorch_model.bin"]
    assert trained.run(on_site(CONVERT))[0] == 0


def test_a_conversion_without_a_checkpoint_says_so(trained: Head) -> None:
    status, log = trained.run(on_site(CONVERT.replace("run: gemma", "run: other")))
    assert (status, log.splitlines()[-1]) == (1, "no /data/checkpoints/other: has the training saved it?")
    status, log = trained.run(on_site(CONVERT.replace("run: gemma", "run: gemma, step: 3")))
    assert (status, log.splitlines()[-1]) == (1, "no /data/checkpoints/gemma/step_3: has the training saved it?")
    (trained.data / "checkpoints" / "empty").mkdir()
    status, log = trained.run(on_site(CONVERT.replace("run: gemma", "run: empty")))
    assert (status, log.splitlines()[-1]) == (1, "no step_N in /data/checkpoints/empty: has the training saved it?")


# Evaluation

EVALUATE = (
    "kind: evaluate\nmodel: google/gemma-3-27b-it\ncheckpoint: {run: gemma}\ndataset: gsm8k\ntensor_parallel: 8\n"
)


def test_an_evaluation_leaves_its_score_on_lustre(trained: Head) -> None:
    trained.run(on_site(CONVERT))
    status, log = trained.run(on_site(EVALUATE))
    assert status == 0
    assert trained.programs == ["wait_for_gpus.py", "prepare_dataset.py", "check_reward.py", "run_eval.py"]
    assert trained.calls[0][1:] == ["--nodes=1", "--gpus-per-node=8", "--minutes=60"]
    assert "generation.model_name=/data/exports/gemma/step_10" in trained.calls[-1]
    assert "eval.save_path=/data/evaluations/gemma/step_10/gsm8k.partial" in trained.calls[-1]
    scores = trained.data / "evaluations" / "gemma" / "step_10" / "gsm8k"
    assert (scores / "score.txt").read_text(encoding="utf-8") == "score=0.8949\n"
    assert log.splitlines()[-1] == "score=0.8949"


def test_an_evaluation_that_is_done_prints_its_score_at_once(trained: Head) -> None:
    trained.run(on_site(CONVERT))
    trained.run(on_site(EVALUATE))
    status, log = trained.run(on_site(EVALUATE))
    assert status == 0
    assert trained.calls == []
    assert log.splitlines()[-2:] == ["/data/evaluations/gemma/step_10/gsm8k is there already", "score=0.8949"]


def test_the_score_of_another_evaluation_is_not_taken_for_this_one(trained: Head) -> None:
    trained.run(on_site(CONVERT))
    trained.run(on_site(EVALUATE))
    status, log = trained.run(on_site(f"{EVALUATE}max_sequence_length: 8192\n"))
    assert status == 1
    assert log.splitlines()[-1] == "/data/evaluations/gemma/step_10/gsm8k is of another evaluation; move it away"


def test_a_model_is_scored_as_it_is(head: Head) -> None:
    status, _ = head.run(on_site(EVALUATE.replace("checkpoint: {run: gemma}\n", "")))
    assert status == 0
    assert "generation.model_name=google/gemma-3-27b-it" in head.calls[-1]
    assert (head.data / "evaluations/models/google--gemma-3-27b-it/gsm8k/score.txt").exists()


def test_an_evaluation_without_an_export_names_the_job_to_run(trained: Head) -> None:
    status, log = trained.run(on_site(EVALUATE))
    assert status == 1
    assert log.splitlines()[-1] == "no /data/exports/gemma: has a convert job made it?"


def test_an_evaluation_that_fails_or_prints_no_score_fails_the_job(head: Head) -> None:
    model = on_site(EVALUATE.replace("checkpoint: {run: gemma}\n", ""))
    assert head.run(model, failing="run_eval.py=9")[0] == 9
    (head.root / "bin" / "python").write_text("#!/bin/bash\nexit 0\n", encoding="utf-8")
    status, log = head.run(model)
    assert status == 1
    assert log.splitlines()[-1] == "there is no score above"


def test_stopping_a_job_stops_what_it_runs(head: Head) -> None:
    """Ray signals every process of the job; what it started last must not go on."""
    (head.root / "bin" / "python").write_text(
        '#!/bin/bash\necho $$ > "$CALLS.pid"\nexec tail -f /dev/null\n', encoding="utf-8"
    )
    it = on_site(TUTORIAL)
    text = entrypoint(it, SCRIPTS).replace("/opt/nemo-rl", str(head.root / "nemo-rl"))
    text = text.replace("/opt/ray-job-scripts", str(head.root / "scripts"))
    process = subprocess.Popen(
        text,
        shell=True,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        env={"PATH": str(head.root / "bin"), "CALLS": str(head.root / "calls")},
    )
    pid_file = head.root / "calls.pid"
    for _ in range(200):
        if pid_file.exists() and pid_file.read_text(encoding="utf-8").strip():
            break
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGTERM)
    assert process.wait(timeout=10) != 0
    child = int(pid_file.read_text(encoding="utf-8"))
    for _ in range(200):
        if not Path(f"/proc/{child}/cmdline").exists() or not Path(f"/proc/{child}/cmdline").read_bytes():
            return
        time.sleep(0.05)
    pytest.fail("what the job ran goes on")


@pytest.mark.parametrize("source", ["folder", "hub"])
def test_an_export_gets_the_processor_files_that_it_lacks(tmp_path: Path, source: str) -> None:
    """The program in the entrypoint itself, with a stand-in for the Hub."""
    model, export, modules = tmp_path / "model", tmp_path / "export", tmp_path / "modules"
    for folder in (model, export, modules):
        folder.mkdir()
    for name in ("preprocessor_config.json", "processor_config.json", "generation_config.json", "config.json"):
        (model / name).write_text(f"the model's {name}", encoding="utf-8")
    (export / "generation_config.json").write_text("the export's own", encoding="utf-8")
    (modules / "huggingface_hub.py").write_text(
        f"def snapshot_download(model, allow_patterns):\n    assert model == 'acme/model'\n    return {str(model)!r}\n",
        encoding="utf-8",
    )
    text = entrypoint(on_site(CONVERT), SCRIPTS)
    program = text.partition("<<'PYTHON'\n")[2].partition("\nPYTHON\n")[0]
    subprocess.run(
        [sys.executable, "-", str(model) if source == "folder" else "acme/model", str(export)],
        input=program,
        text=True,
        check=True,
        env={"PYTHONPATH": str(modules)},
    )
    assert {path.name: path.read_text(encoding="utf-8") for path in export.iterdir()} == {
        "preprocessor_config.json": "the model's preprocessor_config.json",
        "processor_config.json": "the model's processor_config.json",
        "generation_config.json": "the export's own",
    }
