"""Rules about a job and the site that lists it, and about the jobs of one site among each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from settings.environment import Environment
from settings.faults import SettingsError
from settings.sites import Sites
from tests.jobs import BASE, SCRIPTS, SMALL, TUTORIAL, doubts, errors, faults, site, with_overrides
from tests.support import MINIMAL, write_environments
from tests.unit.test_faults import TOKENS
from training.checkout import read_checkout
from training.jobs import find_site_jobs

CONVERT = """\
kind: convert
model: google/gemma-3-27b-it
checkpoint: {run: gemma}
"""
EVALUATE = """\
kind: evaluate
model: google/gemma-3-27b-it
dataset: gsm8k
tensor_parallel: 8
"""


def read(root: Path, env: Environment, **texts: str) -> tuple[list[str], list[str]]:
    """Faults and doubts of job files on a site that lists them; `_` in a keyword stands for `-`."""
    folder = root / "job_specs"
    folder.mkdir(exist_ok=True)
    names = {name.replace("_", "-"): text for name, text in texts.items()}
    for name, text in names.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    listed = env.model_copy(update={"jobs": (*env.jobs, *names)})
    jobs = find_site_jobs(root, sites(listed))
    return [str(fault) for fault in jobs.faults], [str(doubt) for doubt in jobs.doubts]


def sites(*environments: Environment) -> Sites:
    """Sites in files that are called as they."""
    return Sites(by_file={f"environments/{env.name}.yaml": env for env in environments})


# One job on a site


def test_a_job_fits_the_ray_workers() -> None:
    one = site(more="ray: {workers: 1}")
    assert faults(TUTORIAL, one) == [
        "nodes is 1 to train + 1 to generate = 2, but ray.workers is 1; raise it, or take fewer nodes"
    ]
    assert faults(TUTORIAL, site(more="ray: {workers: 2}")) == []
    assert faults(EVALUATE, one) == []


def test_workers_that_were_handed_back_are_a_doubt() -> None:
    parked = site(more="ray: {workers: 0}")
    assert faults(TUTORIAL, parked) == []
    assert doubts(TUTORIAL, parked) == [
        "nodes is 1 to train + 1 to generate = 2, but ray.workers is 0; raise it and deploy site_platform before this"
        " job"
    ]
    assert doubts(EVALUATE, parked) == [
        "gpus takes 1 node, but ray.workers is 0; raise it and deploy site_platform before this job"
    ]
    assert doubts(CONVERT, parked) == []


def test_a_cluster_of_its_own_fits_beside_the_sites() -> None:
    own = f"{TUTORIAL}cluster: own\n"
    assert faults(own, site(more="ray: {workers: 2}")) == []
    assert faults(own, site(more="ray: {workers: 3}")) == [
        "nodes is 1 to train + 1 to generate = 2 beside 3 Ray workers of the site, but gpu_pool.max_nodes is 4; raise"
        " it, lower ray.workers, or write cluster: shared"
    ]


def test_a_cluster_of_its_own_is_for_gpus() -> None:
    assert faults(f"{CONVERT}cluster: own\n") == [
        "cluster is own, but a conversion runs on the head alone and takes no GPU; write shared"
    ]
    assert faults(f"{EVALUATE}cluster: own\n") == []


def test_settings_of_an_own_cluster_need_one() -> None:
    assert faults(f"{SMALL}own: {{retries: 2}}\n") == [
        "own is given, but cluster is shared, where retries could take the site's RayCluster away; remove it"
    ]
    assert faults(f"{SMALL}cluster: own\nown: {{retries: 2}}\n") == []


def test_the_release_is_the_clusters() -> None:
    text = f"{SMALL}nemo_rl: v0.6.0\n"
    assert faults(text, site("v0.5.0")) == [
        "nemo_rl is v0.6.0, but the site's RayCluster runs v0.5.0 (ray.nemo_rl); remove it, or write cluster: own"
    ]
    assert faults(text, site("v0.6.0")) == []
    assert faults(f"{text}cluster: own\n", site("v0.5.0")) == []


def test_reporting_to_wandb_needs_a_key() -> None:
    text = f"{SMALL}wandb: {{project: grpo}}\n"
    assert faults(text, site(more="tokens: {wandb: false}")) == [
        "wandb is given, but tokens.wandb is false; write tokens: {wandb: true}, or list a copy of the job without"
    ]
    assert faults(text) == []


def test_a_name_leaves_room_for_the_hash() -> None:
    assert faults(SMALL, name="a" * 39) == ["has a name of 39 characters; rename the file, to at most 38"]
    assert faults(SMALL, name="a" * 38) == []


FILES = """\
  name: own
  source: /data/raw/train.jsonl
  validation_source: /data/raw/test.jsonl
"""


def with_dataset(text: str) -> str:
    return SMALL.replace("dataset: gsm8k\n", f"dataset:\n{text}")


def test_a_dataset_of_files_names_two_and_no_splits() -> None:
    assert faults(with_dataset(FILES)) == []
    assert faults(with_dataset(FILES.replace("  validation_source: /data/raw/test.jsonl\n", ""))) == [
        "dataset.validation_source is missing, but dataset.source is /data/raw/train.jsonl; write one"
    ]
    assert faults(with_dataset(FILES.replace("test.jsonl", "train.jsonl"))) == [
        "dataset.validation_source is dataset.source itself; write other rows to validate on"
    ]
    assert faults(with_dataset(FILES.replace("/data/raw/test.jsonl", "openai/gsm8k"))) == [
        "dataset.validation_source is openai/gsm8k, but dataset.source is a file; write one too"
    ]
    assert faults(with_dataset(f"{FILES}  subset: main\n  train_split: a\n")) == [
        "dataset.subset is given, but dataset.source is /data/raw/train.jsonl, a file; remove it",
        "dataset.train_split is given, but dataset.source is /data/raw/train.jsonl, a file; remove it",
    ]


def test_a_dataset_on_hugging_face_has_splits_and_no_second_source() -> None:
    text = "  name: own\n  source: some/set\n"
    assert faults(with_dataset(text)) == []
    assert faults(with_dataset(f"{text}  validation_source: some/other\n")) == [
        "dataset.validation_source is given, but dataset.source is some/set on Hugging Face; write validation_split"
        " instead"
    ]


def test_a_dataset_is_not_validated_on_what_it_trains_on() -> None:
    assert faults(with_dataset("  name: own\n  source: some/set\n  validation_split: train\n")) == [
        "dataset.validation_split is train, as dataset.train_split; write other rows to validate on"
    ]


def test_a_dataset_of_one_split_can_be_evaluated() -> None:
    dataset = "dataset: {name: own, source: some/set, train_split: test, validation_split: test}"
    assert faults(EVALUATE.replace("dataset: gsm8k", dataset)) == []


def test_a_job_does_not_wait_for_all_its_hours() -> None:
    assert faults(f"{SMALL}limits: {{wait_minutes: 120, run_hours: 2}}\n") == [
        "limits.wait_minutes is 120, but limits.run_hours 2 are 120 minutes and count the waiting; write less"
    ]
    assert faults(f"{SMALL}limits: {{wait_minutes: 119, run_hours: 2}}\n") == []
    assert faults(f"{SMALL}limits: {{run_hours: 1}}\n") == []


def test_retries_without_checkpoints_are_doubtful() -> None:
    own = SMALL.replace("checkpoints: {run: small}\n", "cluster: own\nown: {retries: 2}\n")
    assert doubts(own) == [
        "own.retries is 2, but the run keeps no checkpoints, so each retry begins anew; write checkpoints"
    ]
    assert doubts(f"{own}checkpoints: {{run: small}}\n") == []


def test_a_model_that_the_catalog_does_not_know_is_noted() -> None:
    assert doubts(SMALL.replace("Qwen/Qwen2.5-1.5B", "acme/model")) == [
        "model is acme/model, which the catalog does not know; whether it exists, and its heads divide by the tensor"
        " parallelism, shows when the job runs"
    ]
    assert doubts(SMALL.replace("Qwen/Qwen2.5-1.5B", "/data/exports/small/step_10")) == []


def test_a_conversion_fits_the_heads_memory() -> None:
    assert faults(CONVERT) == []
    assert faults(CONVERT, site(more="ray: {head: {memory_gib: 200}}")) == [
        "model is google/gemma-3-27b-it, whose conversion takes about 204 GiB of the Ray head's memory, but"
        " ray.head.memory_gib is 200; raise it"
    ]


def test_an_evaluation_is_spread_evenly() -> None:
    assert faults(EVALUATE) == []
    assert faults(f"{EVALUATE}gpus: 4\n") == ["tensor_parallel is 8, but gpus is 4; write a divisor of it"]
    assert faults(EVALUATE.replace("gemma-3-27b-it", "gemma-3-1b-it")) == [
        "tensor_parallel is 8, but google/gemma-3-1b-it has 4 attention heads and 1 key-value heads; write a common"
        " divisor"
    ]


HUGGING_FACE = "hf_CanaryCanaryCanaryCanaryCanary01"
WANDB = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00"
A_TOKEN = (
    "holds a token, which would stand in the plan, the state and Ray's dashboard; tokens reach the pods as files, by"
    " the environment's tokens section: remove it"
)


@pytest.mark.parametrize("token", [HUGGING_FACE, WANDB, TOKENS["Weights & Biases, new"], TOKENS["Google, API key"]])
@pytest.mark.parametrize(
    ("text", "path"),
    [
        (f"{SMALL}wandb: {{project: grpo, name: TOKEN}}\n", "wandb.name"),
        (SMALL.replace("model: Qwen/Qwen2.5-1.5B", "model: Qwen/TOKEN"), "model"),
        (SMALL.replace("dataset: gsm8k", "dataset: {name: a, source: b/c, subset: TOKEN}"), "dataset.subset"),
        (
            f"{SMALL}overrides: {{policy.generation.vllm_kwargs.x: [a, TOKEN]}}\n",
            "overrides.policy.generation.vllm_kwargs.x",
        ),
        (f"{EVALUATE.replace('gsm8k', '{name: a, source: b/c, train_split: TOKEN}')}", "dataset.train_split"),
    ],
)
def test_a_token_in_a_job_file_is_refused_and_not_repeated(text: str, path: str, token: str) -> None:
    found = faults(text.replace("TOKEN", token))
    assert f"{path} {A_TOKEN}" in found
    assert not [line for line in found if token in line]


def test_a_secrets_own_name_is_refused_whatever_it_holds() -> None:
    for key in ("policy.dtensor_cfg.env_vars.HF_TOKEN", "logger.wandb.api_key"):
        assert faults(f"{SMALL}overrides: {{{key}: x}}\n") == [f"overrides.{key} {A_TOKEN}"]


# Jobs beside each other, and their files


def test_good_jobs_are_read_in_the_order_that_the_site_lists_them(tmp_path: Path) -> None:
    (tmp_path / "job_specs").mkdir()
    for name, text in {"b": SMALL, "a": TUTORIAL}.items():
        (tmp_path / "job_specs" / f"{name}.yaml").write_text(text, encoding="utf-8")
    env = site().model_copy(update={"jobs": ("b", "a")})
    assert [(it.name, it.stack) for it in find_site_jobs(tmp_path, sites(env)).jobs] == [
        ("b", "job_site_b"),
        ("a", "job_site_a"),
    ]


def test_a_listed_job_without_a_file_gets_the_name_that_was_meant(tmp_path: Path) -> None:
    env = site().model_copy(update={"jobs": ("gema",)})
    assert read(tmp_path, env, gemma=TUTORIAL)[0] == [
        "environments/site.yaml: jobs names gema, but there is no job_specs/gema.yaml; did you mean gemma?"
    ]
    env = site().model_copy(update={"jobs": ("other",)})
    assert read(tmp_path, env, gemma=TUTORIAL)[0] == [
        "environments/site.yaml: jobs names other, but there is no job_specs/other.yaml; write the file, or remove the"
        " name"
    ]


def test_all_faults_of_all_files_come_at_once(tmp_path: Path) -> None:
    found, _ = read(
        tmp_path,
        site(),
        a="kind: gpro\n",
        b="model: x/y\n",
        c=SMALL.replace("max_steps: 10", 'max_steps: "10"'),
        d=with_overrides(SMALL, grpo__batch_multiplier=2),
    )
    assert found == [
        'job_specs/a.yaml: kind is "gpro"; write one of grpo, convert, evaluate',
        "job_specs/b.yaml: kind is missing (what the job does); write one of grpo, convert, evaluate",
        'job_specs/c.yaml: grpo.max_steps is "10", a text; write a whole number without quotes: 10',
        "job_specs/d.yaml: overrides.grpo.batch_multiplier makes grpo.batch_multiplier 2 with grpo.use_dynamic_sampling"
        " false (the recipe); write 1, or grpo.use_dynamic_sampling: true",
    ]


def test_faults_of_environments_jobs_and_scripts_come_together(tmp_path: Path) -> None:
    """A job of a faulty site is judged by itself; what it means for the site is told once that is sound."""
    write_environments(
        tmp_path,
        prod=f"{MINIMAL}ray: {{workers: 3}}\njobs: [wrong, small]\n",
        test=f"{MINIMAL.replace('my-project', 'other-project')}jobs: [small, absent]\n",
        broken="jobs: [a",
    )
    (tmp_path / "job_specs" / "scripts").mkdir(parents=True)
    (tmp_path / "job_specs" / "wrong.yaml").write_text("kind: gpro\n", encoding="utf-8")
    (tmp_path / "job_specs" / "small.yaml").write_text(f"{SMALL}nodes: {{training: 4}}\n", encoding="utf-8")
    (tmp_path / "job_specs" / "scripts" / "b.py").write_bytes(b"\xff")
    with pytest.raises(SettingsError) as caught:
        read_checkout(tmp_path)
    assert str(caught.value).splitlines() == [
        "environments/broken.yaml: line 1: is not YAML: a [ or { is opened and not closed, or a comma is missing;"
        " correct it",
        "environments/prod.yaml: gpu_pool.max_nodes is 2, but ray.workers is 3; raise max_nodes or lower workers",
        'job_specs/wrong.yaml: kind is "gpro"; write one of grpo, convert, evaluate',
        "environments/test.yaml: jobs names absent, but there is no job_specs/absent.yaml; write the file, or remove"
        " the name",
        "job_specs/small.yaml: nodes is 4 to train + 0 to generate = 4, but ray.workers is 2; raise it, or take fewer"
        " nodes",
        "job_specs/scripts/b.py: is not UTF-8 text; save it as UTF-8",
    ]


def test_a_fault_on_one_of_two_sites_names_it(tmp_path: Path) -> None:
    (tmp_path / "job_specs").mkdir()
    (tmp_path / "job_specs" / "gemma.yaml").write_text(TUTORIAL, encoding="utf-8")
    small = site(more="ray: {workers: 1}").model_copy(update={"name": "small", "jobs": ("gemma",)})
    large = site().model_copy(update={"name": "large", "jobs": ("gemma",)})
    assert [str(fault) for fault in find_site_jobs(tmp_path, sites(small, large)).faults] == [
        "job_specs/gemma.yaml on small: nodes is 1 to train + 1 to generate = 2, but ray.workers is 1; raise it, or"
        " take fewer nodes"
    ]


def test_two_jobs_never_share_a_run(tmp_path: Path) -> None:
    found, _ = read(tmp_path, site(), a=SMALL, b=SMALL)
    assert found == ["job_specs/b.yaml: checkpoints.run is small, as in a.yaml; write another one"]


def test_a_job_without_checkpoints_takes_its_own_name_for_its_logs(tmp_path: Path) -> None:
    found, _ = read(
        tmp_path, site(), a=SMALL.replace("run: small", "run: b"), b=SMALL.replace("checkpoints: {run: small}\n", "")
    )
    assert found == ["job_specs/b.yaml: writes its logs as the run b, which a.yaml does too; rename the file"]


def test_two_evaluations_never_write_one_score(tmp_path: Path) -> None:
    longer = f"{EVALUATE}max_sequence_length: 8192\n"
    found, _ = read(tmp_path, site(), a=EVALUATE, b=longer, c=f"{EVALUATE}checkpoint: {{run: gemma}}\n")
    assert found == ["job_specs/b.yaml: writes its score where a.yaml writes its own; list one of the two"]


def test_one_dataset_folder_holds_one_dataset(tmp_path: Path) -> None:
    other = with_dataset("  name: gsm8k\n  source: some/set\n").replace("run: small", "run: other")
    found, _ = read(tmp_path, site(), a=SMALL, b=other)
    assert found == ["job_specs/b.yaml: dataset.name is gsm8k, as in a.yaml, which describes it otherwise; rename one"]


def test_a_conversion_takes_what_was_trained(tmp_path: Path) -> None:
    assert read(tmp_path, site(), gemma=TUTORIAL, convert=CONVERT)[0] == []
    found, _ = read(tmp_path, site(), gemma=TUTORIAL, convert=CONVERT.replace("27b", "1b"))
    assert found == [
        "job_specs/convert.yaml: model is google/gemma-3-1b-it, but gemma.yaml trains google/gemma-3-27b-it; write that"
    ]


def test_only_distributed_checkpoints_are_converted(tmp_path: Path) -> None:
    convert = CONVERT.replace("google/gemma-3-27b-it", "Qwen/Qwen2.5-1.5B").replace("run: gemma", "run: small")
    assert read(tmp_path, site("v0.6.0"), small=SMALL, convert=convert)[0] == [
        "job_specs/convert.yaml: checkpoint.run is small, saved as safetensors, which is not converted; write"
        " overrides: {checkpointing.model_save_format: torch_save} in small.yaml"
    ]
    saved = with_overrides(SMALL, checkpointing__model_save_format="torch_save")
    assert read(tmp_path, site("v0.6.0"), small=saved, convert=convert)[0] == []
    assert read(tmp_path, site("v0.5.0"), small=saved, convert=convert)[0] == [
        "job_specs/convert.yaml: checkpoint.run is small, trained by the second DTensor worker; NeMo RL v0.5.0 converts"
        " only the first's: write overrides: {policy.dtensor_cfg._v2: false, checkpointing.model_save_format: null} in"
        " small.yaml"
    ]


def test_what_another_release_trained_is_converted_by_the_sites(tmp_path: Path) -> None:
    convert = CONVERT.replace("google/gemma-3-27b-it", "Qwen/Qwen2.5-1.5B").replace("run: gemma", "run: small")
    saved = with_overrides(f"{SMALL}cluster: own\nnemo_rl: v0.6.0\n", checkpointing__model_save_format="torch_save")
    assert read(tmp_path, site("v0.7.0"), small=saved, convert=convert)[0] == []
    (line,) = read(tmp_path, site("v0.5.0"), small=saved, convert=convert)[0]
    assert line.partition("; NeMo")[2] == (
        " RL v0.5.0 converts only the first's: write overrides: {policy.dtensor_cfg._v2: false,"
        " checkpointing.model_save_format: null} in small.yaml"
    )


def test_no_megatron_checkpoint_is_converted(tmp_path: Path) -> None:
    recipe = "examples/configs/recipes/llm/grpo-qwen2.5-7b-instruct-4n8g-megatron.yaml"
    trained = SMALL.replace(BASE, recipe).replace("Qwen/Qwen2.5-1.5B", "Qwen/Qwen2.5-7B-Instruct")
    convert = CONVERT.replace("google/gemma-3-27b-it", "Qwen/Qwen2.5-7B-Instruct").replace("run: gemma", "run: small")
    assert read(tmp_path, site(), small=trained, convert=convert)[0] == [
        "job_specs/convert.yaml: checkpoint.run is small, trained by Megatron; only DTensor runs are converted"
    ]


def test_a_gated_model_is_noted_once(tmp_path: Path) -> None:
    _, found = read(tmp_path, site(), gemma=TUTORIAL, convert=CONVERT, small=SMALL)
    assert found == [
        "job_specs/gemma.yaml: model is google/gemma-3-27b-it, which is gated; accept its licence on Hugging Face with"
        " the account of hf_token"
    ]


# One file by itself


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            SMALL.replace("dataset: gsm8k", "dataset: gsm9k"),
            'dataset is "gsm9k", not a dataset; write gsm8k, or a mapping',
        ),
        (SMALL.replace("model: Qwen/", "model: "), 'model is "Qwen2.5-1.5B", not a model; write a Hugging Face name'),
        (f"{SMALL}nodes: {{training: 0}}\n", "nodes.training is 0; write 1 or more"),
        (f"{SMALL}nodes: {{training: 1, gpus: 9}}\n", "nodes.gpus is 9; write 8 or less"),
        (f"{SMALL}attempt: 0\n", "attempt is 0; write 1 or more"),
        (f"{SMALL}nemo_rl: v9\n", 'nemo_rl is "v9", not a release of NeMo RL that the catalog knows; write v0.5.0 or'),
        (f"{SMALL}cluster: mine\n", "cluster is \"mine\"; write one of 'shared' or 'own'"),
        (f"{SMALL}image: x\n", "image is not supported: the image belongs to the RayCluster; write ray.image"),
        (f"{SMALL}limits: {{wait_minutes: 0}}\n", "limits.wait_minutes is 0; write 1 or more"),
        (SMALL.replace("run: small", "run: Small"), 'checkpoints.run is "Small", not a DNS label;'),
        (f"{SMALL}wandb: {{project: a/b}}\n", 'wandb.project is "a/b", not a project;'),
        (f"{SMALL}overides: {{}}\n", "overides is unknown; did you mean overrides?"),
        (f"{SMALL}overrides: [a]\n", "overrides is a list; write a mapping (key: value)"),
        (with_dataset("  name: x\n  source: raw.jsonl\n"), 'dataset.source is "raw.jsonl", not a dataset;'),
    ],
)
def test_a_wrong_value_is_named_with_what_to_write(text: str, line: str) -> None:
    found = errors(text)
    assert len(found) == 1
    assert found[0].startswith(f"job_specs/x.yaml: {line}")


# All together


def test_a_script_that_a_listed_job_runs_is_there(tmp_path: Path) -> None:
    write_environments(tmp_path, site=f"{MINIMAL}jobs: [small]\n")
    scripts = tmp_path / "job_specs" / "scripts"
    scripts.mkdir(parents=True)
    (tmp_path / "job_specs" / "small.yaml").write_text(SMALL, encoding="utf-8")
    for name in SCRIPTS.keys() - {"check_reward.py"}:
        (scripts / name).write_text("", encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        read_checkout(tmp_path)
    assert str(caught.value) == "job_specs/scripts/check_reward.py: does not exist, but jobs run it; bring it back"
    (scripts / "check_reward.py").write_text("", encoding="utf-8")
    assert [it.name for it in read_checkout(tmp_path).jobs.jobs] == ["small"]
