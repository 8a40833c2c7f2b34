"""All rules about jobs, in the order in which they can be asked.

What NeMo RL asserts at run time (with its source lines in each module) is asked here from the job file, except for
what holds by construction: generation is configured by every recipe; nodes are counted from one, training and
generation apart, so that no side is empty and `colocated.resources` always agrees with the cluster; a validation set is
always prepared; reward models and several data loaders have no place in a job file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from settings.findings import Finding
from settings.job import GrpoJob
from training import rules_batch, rules_configuration, rules_course, rules_parallel, rules_secrets, rules_site
from training.run import Run
from training.site_job import SiteJob

T = TypeVar("T", bound=SiteJob)

#: Of every job.
SITE_FAULTS: tuple[Callable[[SiteJob], Iterator[Finding]], ...] = (
    rules_secrets.no_text_holds_a_token,
    rules_site.job_names_fit,
    rules_site.the_release_is_the_clusters,
    rules_site.own_settings_need_an_own_cluster,
    rules_site.the_nodes_are_there,
    rules_site.an_own_cluster_has_gpus,
    rules_site.wandb_has_a_key,
    rules_site.datasets_are_described_whole,
    rules_site.jobs_wait_shorter_than_they_run,
    rules_site.conversion_fits_the_head,
    rules_site.engines_fill_the_evaluation,
    rules_site.the_recipe_is_offered,
)
SITE_DOUBTS: tuple[Callable[[SiteJob], Iterator[Finding]], ...] = (
    rules_site.parked_workers_come_back,
    rules_site.retries_go_on_from_checkpoints,
    rules_site.models_are_known,
)

#: Of a training run, and asked first: with one of them broken the others would count with nonsense.
WORDING_FAULTS: tuple[Callable[[Run], Iterator[Finding]], ...] = (
    rules_configuration.overrides_are_spelled_right,
    rules_configuration.override_keys_are_known,
    rules_configuration.overrides_have_the_right_type,
    rules_configuration.each_value_has_one_home,
    rules_configuration.figures_are_counted_from_one,
    rules_configuration.words_of_a_choice_are_known,
)
RUN_FAULTS: tuple[Callable[[Run], Iterator[Finding]], ...] = (
    rules_parallel.one_backend_trains,
    rules_parallel.the_backend_is_the_recipes,
    rules_parallel.training_gpus_hold_whole_copies,
    rules_parallel.generation_gpus_hold_whole_engines,
    rules_parallel.an_engine_stays_on_its_node,
    rules_parallel.heads_divide_by_tensor_parallelism,
    rules_parallel.batching_is_packed_or_dynamic,
    rules_parallel.context_parallelism_has_its_limits,
    rules_parallel.lora_takes_the_second_worker,
    rules_parallel.megatron_generates_only_colocated,
    rules_parallel.engines_agree_with_their_parallelism,
    rules_parallel.sampling_keeps_all_tokens,
    rules_parallel.eight_bit_generation_has_its_conditions,
    rules_parallel.asynchronous_training_has_its_conditions,
    rules_batch.samples_fill_the_global_batches,
    rules_batch.global_batch_divides_among_the_copies,
    rules_batch.samples_divide_among_the_copies,
    rules_batch.on_policy_ratio_takes_one_batch_a_step,
    rules_batch.wide_tensor_parallelism_takes_equal_micro_batches,
    rules_course.dynamic_sampling_alone_multiplies_batches,
    rules_course.skipping_the_reference_takes_no_penalty,
    rules_course.the_data_fill_a_step,
    rules_course.validation_fills_a_batch,
    rules_course.the_metric_exists,
    rules_course.the_first_worker_has_one_format,
    rules_course.save_by_is_a_duration,
    rules_configuration.the_command_line_has_room,
)
RUN_DOUBTS: tuple[Callable[[Run], Iterator[Finding]], ...] = (
    rules_course.sequences_have_one_length,
    rules_course.metrics_of_training_are_taken_on_trust,
    rules_course.checkpoints_meet_validations,
    rules_course.segments_are_not_on_gke,
)


def faults_of(it: SiteJob) -> tuple[Finding, ...]:
    """Everything that stops this job on this site."""
    site = _ask(SITE_FAULTS, it)
    run = run_of(it)
    if run is None:
        return site
    wording = _ask(WORDING_FAULTS, run)
    return (*site, *wording) if wording else (*site, *_ask(RUN_FAULTS, run))


def doubts_of(it: SiteJob) -> tuple[Finding, ...]:
    """What is doubtful about a job that has no faults."""
    run = run_of(it)
    return (*_ask(SITE_DOUBTS, it), *(_ask(RUN_DOUBTS, run) if run else ()))


def run_of(it: SiteJob) -> Run | None:
    """The training run behind a job: None for other kinds, and where the release has no such recipe."""
    if isinstance(it.job, GrpoJob) and rules_site.has_recipe(it):
        return Run(it.name, it.job, it.env)
    return None


def _ask(rules: Iterable[Callable[[T], Iterator[Finding]]], it: T) -> tuple[Finding, ...]:
    return tuple(finding for rule in rules for finding in rule(it))
