"""Rules on a job and the site that is to run it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from catalog.kuberay import RAY_JOB_NAME_LIMIT
from catalog.models import MODELS, is_gated
from catalog.nemo_rl import NemoRl
from catalog.nemo_rl_recipes import RECIPES
from settings.environment import Environment
from settings.findings import Finding
from settings.job import ConvertJob, Dataset, EvaluateJob, GrpoJob, Job
from training.names import HASH_LENGTH
from training.run import Run
from training.site_job import SiteJob

#: Bytes of the head's memory that a conversion takes for each parameter: it holds fp32 weights twice.
CONVERSION_BYTES = 8


def job_names_fit(it: SiteJob) -> Iterator[Finding]:
    most = RAY_JOB_NAME_LIMIT - HASH_LENGTH - 1
    if len(it.name) > most:
        yield Finding("", f"has a name of {len(it.name)} characters; rename the file, to at most {most}")


def the_release_is_the_clusters(it: SiteJob) -> Iterator[Finding]:
    if it.job.nemo_rl and it.job.nemo_rl != it.env.ray.nemo_rl and it.job.cluster == "shared":
        yield Finding(
            "nemo_rl",
            f"is {it.job.nemo_rl}, but the site's RayCluster runs {it.env.ray.nemo_rl} (ray.nemo_rl); remove it, or"
            " write cluster: own",
        )


def own_settings_need_an_own_cluster(it: SiteJob) -> Iterator[Finding]:
    if it.job.cluster == "shared" and "own" in it.job.model_fields_set:
        yield Finding(
            "own", "is given, but cluster is shared, where retries could take the site's RayCluster away; remove it"
        )


def the_nodes_are_there(it: SiteJob) -> Iterator[Finding]:
    nodes, workers, most = it.nodes, it.env.ray.workers, it.env.gpu_pool.max_nodes
    path = "nodes" if isinstance(it.job, GrpoJob) else "gpus"
    if it.job.cluster == "own":
        if nodes + workers > most:
            yield Finding(
                path,
                f"{_are(it)} beside {workers} Ray workers of the site, but gpu_pool.max_nodes is {most}; raise it,"
                " lower ray.workers, or write cluster: shared",
            )
    elif 0 < workers < nodes:
        yield Finding(path, f"{_are(it)}, but ray.workers is {workers}; raise it, or take fewer nodes")


def an_own_cluster_has_gpus(it: SiteJob) -> Iterator[Finding]:
    if it.job.cluster == "own" and not it.nodes:
        yield Finding("cluster", "is own, but a conversion runs on the head alone and takes no GPU; write shared")


def parked_workers_come_back(it: SiteJob) -> Iterator[Finding]:
    """A doubt: the GPU nodes were handed back on purpose; the job cannot run until they return."""
    if it.job.cluster == "shared" and it.nodes and it.env.ray.workers == 0:
        yield Finding(
            "nodes" if isinstance(it.job, GrpoJob) else "gpus",
            f"{_are(it)}, but ray.workers is 0; raise it and deploy {it.env.stack('platform')} before this job",
        )


def wandb_has_a_key(it: SiteJob) -> Iterator[Finding]:
    if isinstance(it.job, GrpoJob) and it.job.wandb and not it.env.tokens.wandb:
        yield Finding(
            "wandb",
            "is given, but tokens.wandb is false; write tokens: {wandb: true}, or list a copy of the job without",
        )


def datasets_are_described_whole(it: SiteJob) -> Iterator[Finding]:
    dataset = it.dataset
    if dataset is None:
        return
    if not dataset.source.startswith("/"):
        if isinstance(it.job, GrpoJob) and dataset.validation_split == dataset.train_split:
            yield Finding(
                "dataset.validation_split",
                f"is {dataset.validation_split}, as dataset.train_split; write other rows to validate on",
            )
        if dataset.validation_source is not None:
            yield Finding(
                "dataset.validation_source",
                f"is given, but dataset.source is {dataset.source} on Hugging Face; write validation_split instead",
            )
        return
    if dataset.validation_source is None:
        yield Finding("dataset.validation_source", f"is missing, but dataset.source is {dataset.source}; write one")
    elif not dataset.validation_source.startswith("/"):
        yield Finding(
            "dataset.validation_source", f"is {dataset.validation_source}, but dataset.source is a file; write one too"
        )
    elif dataset.validation_source == dataset.source:
        yield Finding("dataset.validation_source", "is dataset.source itself; write other rows to validate on")
    for field in ("subset", "train_split", "validation_split"):
        if field in dataset.model_fields_set and getattr(dataset, field) is not None:
            yield Finding(f"dataset.{field}", f"is given, but dataset.source is {dataset.source}, a file; remove it")


def jobs_wait_shorter_than_they_run(it: SiteJob) -> Iterator[Finding]:
    limits = it.job.limits
    given = "wait_minutes" in limits.model_fields_set
    if given and limits.run_hours and limits.wait_minutes >= limits.run_hours * 60:
        yield Finding(
            "limits.wait_minutes",
            f"is {limits.wait_minutes}, but limits.run_hours {limits.run_hours} are {limits.run_hours * 60} minutes and"
            " count the waiting; write less",
        )


def retries_go_on_from_checkpoints(it: SiteJob) -> Iterator[Finding]:
    """A doubt: each retry of a run without checkpoints begins at its first step."""
    if isinstance(it.job, GrpoJob) and it.job.own.retries and it.job.checkpoints is None:
        yield Finding(
            "own.retries",
            f"is {it.job.own.retries}, but the run keeps no checkpoints, so each retry begins anew; write checkpoints",
        )


def conversion_fits_the_head(it: SiteJob) -> Iterator[Finding]:
    if not isinstance(it.job, ConvertJob) or it.job.model not in MODELS:
        return
    needed = conversion_gib(it.job.model)
    if needed > it.env.ray.head.memory_gib:
        yield Finding(
            "model",
            f"is {it.job.model}, whose conversion takes about {needed} GiB of the Ray head's memory, but"
            f" ray.head.memory_gib is {it.env.ray.head.memory_gib}; raise it",
        )


def conversion_gib(model: str) -> int:
    """GiB of memory that the conversion of a model of the catalog takes, about."""
    return round(MODELS[model].billions * CONVERSION_BYTES * 1e9 / 2**30)


def engines_fill_the_evaluation(it: SiteJob) -> Iterator[Finding]:
    if not isinstance(it.job, EvaluateJob):
        return
    if it.job.gpus % it.job.tensor_parallel:
        yield Finding(
            "tensor_parallel", f"is {it.job.tensor_parallel}, but gpus is {it.job.gpus}; write a divisor of it"
        )
    model = MODELS.get(it.job.model)
    if model and (model.heads % it.job.tensor_parallel or model.kv_heads % it.job.tensor_parallel):
        yield Finding(
            "tensor_parallel",
            f"is {it.job.tensor_parallel}, but {model.name} has {model.heads} attention heads and {model.kv_heads}"
            " key-value heads; write a common divisor",
        )


def the_recipe_is_offered(it: SiteJob) -> Iterator[Finding]:
    if not isinstance(it.job, GrpoJob):
        return
    release = it.release
    recipe = RECIPES.get(it.job.recipe)
    if recipe is None:
        yield Finding("recipe", f'is "{it.job.recipe}", which the catalog does not know; {_near(it.job.recipe)}')
    elif release.version not in recipe.figures:
        yield Finding(
            "recipe",
            f"is {it.job.recipe}, which NeMo RL {release.version} lacks; it is in {', '.join(recipe.figures)}: take"
            " another recipe, or another ray.nemo_rl",
        )


def jobs_keep_their_runs_apart(jobs: Mapping[str, Job]) -> Iterator[tuple[str, Finding]]:
    """Two jobs with one checkpoint folder would resume each other."""
    owners: dict[str, str] = {}
    for name, job in jobs.items():
        if not isinstance(job, GrpoJob):
            continue
        run, path = (job.checkpoints.run, "checkpoints.run") if job.checkpoints else (name, "")
        if run in owners and job.checkpoints:
            yield name, Finding(path, f"is {run}, as in {owners[run]}.yaml; write another one")
        elif run in owners:
            yield (
                name,
                Finding(path, f"writes its logs as the run {run}, which {owners[run]}.yaml does too; rename the file"),
            )
        owners.setdefault(run, name)


def evaluations_keep_their_scores_apart(jobs: Mapping[str, Job]) -> Iterator[tuple[str, Finding]]:
    """One folder on Lustre holds one score."""
    owners: dict[object, str] = {}
    for name, job in jobs.items():
        if not isinstance(job, EvaluateJob):
            continue
        scored = job.checkpoint or job.model
        owner = owners.setdefault((scored, job.dataset.name), name)
        if owner != name:
            yield name, Finding("", f"writes its score where {owner}.yaml writes its own; list one of the two")


def jobs_agree_on_datasets(jobs: Mapping[str, Job]) -> Iterator[tuple[str, Finding]]:
    """One folder on Lustre holds one dataset."""
    first: dict[str, tuple[str, Dataset]] = {}
    for name, job in jobs.items():
        if isinstance(job, ConvertJob):
            continue
        dataset = job.dataset
        owner, other = first.setdefault(dataset.name, (name, dataset))
        if dataset != other:
            yield (
                name,
                Finding(
                    "dataset.name", f"is {dataset.name}, as in {owner}.yaml, which describes it otherwise; rename one"
                ),
            )


def models_are_known(it: SiteJob) -> Iterator[Finding]:
    """A doubt: the heads of another model are compared only when the job runs, and its longest sequence by vLLM."""
    if not isinstance(it.job, ConvertJob) and it.job.model not in MODELS and not it.job.model.startswith("/"):
        yield Finding(
            "model",
            f"is {it.job.model}, which the catalog does not know; whether it exists, and its heads divide by the tensor"
            " parallelism, shows when the job runs",
        )


def gated_models_need_their_licence(jobs: Mapping[str, Job]) -> Iterator[tuple[str, Finding]]:
    """A doubt, once a model: whether the licence was accepted shows only when the model is downloaded."""
    first: dict[str, str] = {}
    for name, job in jobs.items():
        if is_gated(job.model) and first.setdefault(job.model, name) == name:
            yield (
                name,
                Finding(
                    "model",
                    f"is {job.model}, which is gated; accept its licence on Hugging Face with the account of hf_token",
                ),
            )


def checkpoints_fit_their_use(jobs: Mapping[str, Job], env: Environment) -> Iterator[tuple[str, Finding]]:
    """What the site's own training jobs say about the checkpoints that its other jobs take up."""
    training = {
        job.checkpoints.run: (name, job)
        for name, job in jobs.items()
        if isinstance(job, GrpoJob) and job.checkpoints and has_recipe(SiteJob(name, job, env))
    }
    for name, job in jobs.items():
        checkpoint = None if isinstance(job, GrpoJob) else job.checkpoint
        if checkpoint is None or checkpoint.run not in training:
            continue
        trainer, grpo = training[checkpoint.run]
        if job.model != grpo.model:
            yield name, Finding("model", f"is {job.model}, but {trainer}.yaml trains {grpo.model}; write that")
        if isinstance(job, ConvertJob):
            for finding in _convertible(Run(trainer, grpo, env), by=SiteJob(name, job, env).release):
                yield name, finding


def _convertible(run: Run, *, by: NemoRl) -> Iterator[Finding]:
    """examples/converters/convert_dcp_to_hf.py of a release reads PyTorch's distributed checkpoints, and no others."""
    f = run.figures
    if f.megatron:
        yield Finding("checkpoint.run", f"is {run.run_name}, trained by Megatron; only DTensor runs are converted")
    elif f.dtensor_v2 and by.order < (0, 6):
        yield Finding(
            "checkpoint.run",
            f"is {run.run_name}, trained by the second DTensor worker; NeMo RL {by.version} converts only the"
            f" first's: write overrides: {{policy.dtensor_cfg._v2: false, checkpointing.model_save_format: null}} in"
            f" {run.name}.yaml",
        )
    elif f.dtensor_v2 and f.save_format != "torch_save":
        yield Finding(
            "checkpoint.run",
            f"is {run.run_name}, saved as {f.save_format}, which is not converted; write overrides:"
            f" {{checkpointing.model_save_format: torch_save}} in {run.name}.yaml",
        )


def _are(it: SiteJob) -> str:
    if isinstance(it.job, GrpoJob):
        return f"is {it.job.nodes.training} to train + {it.job.nodes.generation} to generate = {it.nodes}"
    return f"takes {it.nodes} node"


def has_recipe(it: SiteJob) -> bool:
    """Whether the job names a recipe that its release has, so that its configuration can be worked out."""
    recipe = RECIPES.get(it.job.recipe) if isinstance(it.job, GrpoJob) else None
    return recipe is not None and it.release.version in recipe.figures


def _near(recipe: str) -> str:
    file = recipe.rpartition("/")[2]
    files = {path.rpartition("/")[2]: path for path in RECIPES}
    near = [files[name] for name in difflib.get_close_matches(file, files, n=1, cutoff=0.5)]
    return f"did you mean {near[0]}?" if near else f"write one of {', '.join(RECIPES)}"
