"""Helpers of the tests about jobs: a site and job files from texts, and what the rules say about them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from textwrap import dedent

from settings.environment import Environment
from settings.faults import Fault
from settings.job import KINDS, Job
from settings.yaml_file import SettingsFile, parse, read_yaml
from tests.support import MINIMAL, environment
from training.rules import doubts_of, faults_of, run_of
from training.run import Run
from training.site_job import SiteJob

GEMMA = "examples/configs/recipes/llm/grpo-gemma3-27b-it-8n8g-fsdp2tp8-actckpt-long.yaml"
BASE = "examples/configs/grpo_math_1B.yaml"
LLAMA = "examples/configs/recipes/llm/grpo-llama3.1-8b-instruct-2n8g-fsdp2tp1-noncolocated.yaml"
MEGATRON = "examples/configs/recipes/llm/grpo-qwen2.5-7b-instruct-4n8g-megatron.yaml"

#: Stand-ins for the jobs' scripts, file name to text.
SCRIPTS = {
    name: f"# {name}\n"
    for name in ("wait_for_gpus.py", "prepare_dataset.py", "check_reward.py", "check_config.py", "summarize.py")
}

#: The tutorial's run, on two nodes.
TUTORIAL = f"""\
kind: grpo
model: google/gemma-3-27b-it
recipe: {GEMMA}
dataset: gsm8k
nodes: {{training: 1, generation: 1}}
tensor_parallel: {{training: 8, generation: 8}}
grpo: {{max_steps: 10, prompts_per_step: 16, generations_per_prompt: 32}}
checkpoints: {{run: gemma}}
"""

#: A small run on one node, by the recipe that all others start from.
SMALL = f"""\
kind: grpo
model: Qwen/Qwen2.5-1.5B
recipe: {BASE}
dataset: gsm8k
grpo: {{max_steps: 10}}
checkpoints: {{run: small}}
"""


def site(nemo_rl: str = "v0.5.0", more: str = "") -> Environment:
    """A site with two Ray workers in a pool of four nodes."""
    text = MINIMAL.replace("gpu_pool:", "gpu_pool:\n  max_nodes: 4")
    ray = "" if "ray:" in more else f"ray: {{nemo_rl: {nemo_rl}}}\n"
    return environment(f"name: site\n{text}{ray}{dedent(more)}")


def content(text: str) -> dict[str, object]:
    """A YAML text as the settings reader reads it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.yaml")
        path.write_text(dedent(text), encoding="utf-8")
        file = read_yaml(path, "job_specs/x.yaml")
    assert isinstance(file, SettingsFile), str(file)
    return dict(file.content)


def job(text: str) -> Job:
    """The job that a YAML text describes."""
    read = content(text)
    result = parse(KINDS[str(read["kind"])], SettingsFile("job_specs/x.yaml", read))
    assert not isinstance(result, list), [str(fault) for fault in result]
    return result


def errors(text: str) -> list[str]:
    """What the reader says about one job file by itself."""
    read = content(text)
    result = parse(KINDS[str(read["kind"])], SettingsFile("job_specs/x.yaml", read))
    return [str(fault) for fault in result] if isinstance(result, list) else []


def on_site(text: str, env: Environment | None = None, name: str = "x") -> SiteJob:
    return SiteJob(name, job(text), env or site())


def run(text: str, env: Environment | None = None) -> Run:
    """The training run of a job whose recipe is there."""
    found = run_of(on_site(text, env))
    assert found
    return found


def faults(text: str, env: Environment | None = None, name: str = "x") -> list[str]:
    """Every fault of a job on a site, as `path text`."""
    return [str(Fault("f", one.path, one.text)).removeprefix("f: ") for one in faults_of(on_site(text, env, name))]


def doubts(text: str, env: Environment | None = None) -> list[str]:
    """Every doubt about a job on a site, as `path text`."""
    return [str(Fault("f", one.path, one.text)).removeprefix("f: ") for one in doubts_of(on_site(text, env))]


def with_overrides(text: str, **values: object) -> str:
    """The job with overrides: `__` in a keyword stands for a dot, values as YAML writes them."""
    lines = "".join(f"  {key.replace('__', '.')}: {value}\n" for key, value in values.items())
    return f"{text}overrides:\n{lines}"
