"""Each rule about a training run from both sides: what it refuses, in the words of the error, and what it lets pass."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from settings.job import GrpoJob
from tests.jobs import BASE, LLAMA, MEGATRON, SMALL, TUTORIAL, doubts, faults, on_site, run, site, with_overrides
from training.rules import faults_of
from training.site_job import SiteJob

V5, V6, V7 = site("v0.5.0"), site("v0.6.0"), site("v0.7.0")
SITES = {"v0.5.0": V5, "v0.6.0": V6, "v0.7.0": V7}
#: A run whose batches are neither packed nor dynamic, on eight copies of its model.
UNPACKED = on_site(with_overrides(SMALL, policy__sequence_packing__enabled="false"), V5)


@pytest.mark.parametrize("version", SITES)
def test_the_tutorials_run_and_a_small_one_are_good_at_every_release(version: str) -> None:
    assert faults(TUTORIAL, SITES[version]) == []
    assert faults(SMALL, SITES[version]) == []


# The words of a job file


def test_a_recipe_must_be_one_that_the_catalog_knows() -> None:
    assert faults(TUTORIAL.replace("8n8g-fsdp2tp8-actckpt-long", "8n8g-fsdp2tp8-actckpt")) == [
        'recipe is "examples/configs/recipes/llm/grpo-gemma3-27b-it-8n8g-fsdp2tp8-actckpt.yaml", which the catalog does'
        " not know; did you mean"
        " examples/configs/recipes/llm/grpo-gemma3-27b-it-8n8g-fsdp2tp8-actckpt-long.yaml?"
    ]


def test_a_recipe_must_be_in_the_release() -> None:
    text = SMALL.replace(BASE, "examples/configs/grpo_smoke.yaml").replace("Qwen/Qwen2.5-1.5B", "Qwen/Qwen3-0.6B")
    assert faults(text, V5) == [
        "recipe is examples/configs/grpo_smoke.yaml, which NeMo RL v0.5.0 lacks; it is in v0.7.0: take another recipe,"
        " or another ray.nemo_rl"
    ]
    smoke = text.replace("checkpoints: {run: small}", "nodes: {gpus: 1}")
    assert faults(smoke, V7) == []


def test_a_misspelt_override_gets_the_key_that_was_meant() -> None:
    assert faults(with_overrides(SMALL, grpo__max_val_sample=8)) == [
        "overrides.grpo.max_val_sample is no key of NeMo RL v0.5.0; did you mean grpo.max_val_samples?"
    ]
    assert faults(with_overrides(SMALL, polcy__train_micro_batch_size=8)) == [
        "overrides.polcy.train_micro_batch_size is no key of NeMo RL v0.5.0; did you mean"
        " policy.train_micro_batch_size?"
    ]
    assert faults(with_overrides(SMALL, policy__generation__gpu_memory_utilization=0.5)) == [
        "overrides.policy.generation.gpu_memory_utilization is no key of NeMo RL v0.5.0; did you mean"
        " policy.generation.vllm_cfg.gpu_memory_utilization?"
    ]


def test_a_key_of_another_release_is_refused_by_that_name() -> None:
    text = with_overrides(SMALL, grpo__val_at_end="true")
    assert faults(text, V5) == [
        "overrides.grpo.val_at_end is no key of NeMo RL v0.5.0; it is one of v0.6.0, v0.7.0; remove it"
    ]
    assert faults(text, V6) == []


def test_a_section_is_no_value() -> None:
    assert faults(with_overrides(SMALL, policy__dynamic_batching="true")) == [
        "overrides.policy.dynamic_batching is a section and not a value; write the keys inside it"
    ]


def test_another_environment_than_math_is_refused() -> None:
    assert faults(with_overrides(SMALL, env__reward_model__enabled="true")) == [
        "overrides.env.reward_model.enabled speaks of another environment than math, which all datasets here"
        " have; remove it"
    ]


def test_a_misspelt_key_of_math_gets_the_one_that_was_meant() -> None:
    assert faults(with_overrides(SMALL, env__math__num_worker=4)) == [
        "overrides.env.math.num_worker is no key of NeMo RL v0.5.0; did you mean env.math.num_workers?"
    ]


@pytest.mark.parametrize("key", ["env.math.math_verify_impl", "logger.wandb.id", "data.env_name"])
def test_what_is_not_for_a_job_to_set_is_refused_once(key: str) -> None:
    assert faults(f"{SMALL}wandb: {{project: grpo}}\noverrides: {{{key}: x}}\n", V6) == [
        f'overrides.{key} is "x", which is not for a job to set; remove it'
    ]


def test_the_variables_of_vllm_are_there_in_the_release_that_reads_them() -> None:
    text = f"{SMALL}overrides: {{policy.generation.vllm_cfg.env_vars.A: b}}\n"
    assert faults(text, V7) == []
    assert faults(text, V6) == [
        "overrides.policy.generation.vllm_cfg.env_vars.A is no key of NeMo RL v0.6.0; it is one of v0.7.0; remove it"
    ]


def test_below_an_open_mapping_any_key_goes() -> None:
    text = with_overrides(
        SMALL,
        policy__generation__vllm_kwargs__compilation_config__use_inductor="false",
        policy__dtensor_cfg__env_vars__NCCL_DEBUG="INFO",
        logger__wandb__tags="[a, b]",
    )
    assert faults(text) == []


def test_overrides_may_be_nested_or_dotted_but_not_both_for_one_key() -> None:
    nested = f"{SMALL}overrides:\n  policy: {{generation.top_p: 1.0, optimizer: {{kwargs: {{lr: 1.0e-6}}}}}}\n"
    assert run(nested).overrides == {"policy.generation.top_p": 1.0, "policy.optimizer.kwargs.lr": 1e-06}
    assert faults(nested) == []
    assert faults(f"{nested}  policy.generation.top_p: 1.0\n") == [
        "overrides.policy.generation.top_p stands twice, nested and with dots; keep one"
    ]


def test_an_override_is_written_without_hydras_signs() -> None:
    assert faults(f'{SMALL}overrides: {{"+grpo.seed": 1}}\n') == [
        "overrides.+grpo.seed starts with +; write the key alone, the program adds a + itself"
    ]
    assert faults(f'{SMALL}overrides: {{"grpo.se ed": 1}}\n') == [
        "overrides.grpo.se ed is not a key; write names of letters, digits, - and _, with dots between",
        "overrides.grpo.se ed is no key of NeMo RL v0.5.0; did you mean grpo.seed?",
    ]


def test_no_text_of_an_override_holds_what_no_command_line_can() -> None:
    assert faults(f'{SMALL}overrides: {{policy.dtensor_cfg.env_vars.X: "a\\0b"}}\n') == [
        "overrides.policy.dtensor_cfg.env_vars.X holds a NUL character, which no command line takes; remove it"
    ]


@pytest.mark.parametrize("value", ["${a", "x ${a.${b}", "${a}${"])
def test_an_interpolation_that_does_not_end_is_refused(value: str) -> None:
    assert faults(f"{SMALL}overrides: {{policy.dtensor_cfg.env_vars.X: '{value}'}}\n") == [
        "overrides.policy.dtensor_cfg.env_vars.X begins ${ and does not end it, which OmegaConf refuses; write the }"
    ]


@pytest.mark.parametrize("value", ["${a.${b}}", "${mul:2,{a: 1}}", "$a {b}", "\\${a", "$${a}", ""])
def test_an_interpolation_that_ends_or_is_none_is_taken(value: str) -> None:
    assert faults(f"{SMALL}overrides: {{policy.dtensor_cfg.env_vars.X: '{value}'}}\n") == []


@pytest.mark.parametrize("value", ["1e-6", "3", "-.5", "0.1"])
def test_a_number_of_the_optimizer_is_no_text(value: str) -> None:
    found = faults(f'{SMALL}overrides: {{policy.optimizer.kwargs.lr: "{value}"}}\n')
    assert found == [
        f'overrides.policy.optimizer.kwargs.lr is "{value}", a text; write a number without quotes: {value}'
    ]


def test_a_figure_has_its_type() -> None:
    assert faults(with_overrides(SMALL, policy__train_micro_batch_size='"4"')) == [
        'overrides.policy.train_micro_batch_size is "4"; write a whole number'
    ]
    assert faults(with_overrides(SMALL, policy__train_micro_batch_size="${policy.logprob_batch_size}")) == [
        'overrides.policy.train_micro_batch_size is "${policy.logprob_batch_size}"; write a whole number'
    ]
    assert faults(with_overrides(SMALL, grpo__val_at_start=1)) == [
        "overrides.grpo.val_at_start is 1; write true or false"
    ]
    assert faults(with_overrides(SMALL, checkpointing__metric_name=1)) == [
        "overrides.checkpointing.metric_name is 1; write a text or null"
    ]
    assert faults(with_overrides(SMALL, loss_fn__reference_policy_kl_penalty=0)) == []


@pytest.mark.parametrize("figure", ["policy.train_micro_batch_size", "grpo.val_batch_size"])
def test_a_figure_that_others_are_divided_by_is_at_least_one(figure: str) -> None:
    assert faults(f"{SMALL}overrides: {{{figure}: 0}}\n") == [f"overrides.{figure} makes {figure} 0; write 1 or more"]


def test_a_value_with_a_field_of_its_own_is_no_override() -> None:
    assert faults(with_overrides(TUTORIAL, cluster__num_nodes=4)) == [
        "overrides.cluster.num_nodes is 4, but the job's nodes makes it 2; it belongs to nodes: write it there"
    ]
    assert faults(with_overrides(SMALL, grpo__num_prompts_per_step=64)) == [
        "overrides.grpo.num_prompts_per_step is 64; it belongs to grpo.prompts_per_step: write it there"
    ]
    assert faults(with_overrides(SMALL, data__dataset_name="squad")) == [
        'overrides.data.dataset_name is "squad", but the job\'s dataset makes it "ResponseDataset"; it belongs to'
        " dataset:"
        " write it there"
    ]
    assert faults(with_overrides(SMALL, logger__log_dir="/data/x")) == [
        'overrides.logger.log_dir is "/data/x", but the job\'s checkpoints.run makes it "/data/logs/small"; it belongs'
        " to"
        " checkpoints.run: write it there"
    ]


def test_the_four_lengths_belong_to_one_field_once_it_is_used() -> None:
    assert faults(with_overrides(SMALL, policy__generation__max_new_tokens=256)) == []
    assert faults(with_overrides(f"{SMALL}max_sequence_length: 512\n", policy__generation__max_new_tokens=256)) == [
        "overrides.policy.generation.max_new_tokens is 256, but the job's max_sequence_length makes it 512; it belongs"
        " to max_sequence_length: write it there"
    ]


# The arithmetic of a step


def test_samples_are_a_multiple_of_the_global_batch() -> None:
    assert faults(TUTORIAL.replace("prompts_per_step: 16", "prompts_per_step: 15")) == [
        "grpo.prompts_per_step makes 15 prompts x 32 generations = 480 samples a step, no multiple of"
        " policy.train_global_batch_size 512 (the recipe); write grpo.prompts_per_step: 16, or grpo.global_batch: 480"
    ]
    assert faults(TUTORIAL.replace("prompts_per_step: 16", "prompts_per_step: 15, global_batch: 480")) == []


def test_the_global_batch_divides_among_the_model_copies() -> None:
    text = SMALL.replace(
        "max_steps: 10", "max_steps: 10, prompts_per_step: 3, generations_per_prompt: 4, global_batch: 12"
    )
    assert faults(text) == [
        "grpo.global_batch makes policy.train_global_batch_size 12, which 8 model copies (8 training GPUs / tensor 1)"
        " cannot share evenly; write a multiple of 8 under grpo.global_batch",
        "grpo.prompts_per_step makes 3 prompts x 4 generations = 12 samples a step, which 8 model copies (8 training"
        " GPUs / tensor 1) cannot share evenly; write a multiple of 8",
    ]
    assert faults(text.replace("prompts_per_step: 3", "prompts_per_step: 4").replace("12", "16")) == []


def test_micro_batches_divide_a_copys_share() -> None:
    assert faults(with_overrides(TUTORIAL, policy__train_micro_batch_size=3)) == [
        "overrides.policy.train_micro_batch_size makes policy.train_micro_batch_size 3, no divisor of the 512 samples"
        " that each of 1 model copy (8 training GPUs / tensor 8) gets of policy.train_global_batch_size 512 (the"
        " recipe); write a divisor of 512"
    ]
    assert faults(with_overrides(TUTORIAL, policy__train_micro_batch_size=4)) == []


def test_log_probability_batches_divide_a_copys_share() -> None:
    assert faults(with_overrides(TUTORIAL, policy__logprob_batch_size=7)) == [
        "overrides.policy.logprob_batch_size makes policy.logprob_batch_size 7, no divisor of the 512 samples that each"
        " of 1 model copy (8 training GPUs / tensor 8) gets; write a divisor of 512"
    ]
    assert faults(with_overrides(TUTORIAL, policy__logprob_batch_size=8)) == []


def test_packed_and_dynamic_batches_need_no_such_divisor() -> None:
    assert faults(with_overrides(SMALL, policy__train_micro_batch_size=3)) == []


def test_forcing_the_ratio_takes_one_optimizer_step() -> None:
    text = SMALL.replace("max_steps: 10", "max_steps: 10, global_batch: 256")
    assert faults(with_overrides(text, loss_fn__force_on_policy_ratio="true")) == [
        "overrides.loss_fn.force_on_policy_ratio is true, but 32 prompts x 16 generations = 512 samples a step and"
        " policy.train_global_batch_size 256; write grpo.global_batch: 512, or false"
    ]
    assert faults(with_overrides(SMALL, loss_fn__force_on_policy_ratio="true")) == []


@pytest.mark.parametrize("env", [V6, V7], ids=["v0.6.0", "v0.7.0"])
def test_since_v0_6_0_wide_tensor_parallelism_wants_equal_micro_batches(env: object) -> None:
    text = with_overrides(TUTORIAL, policy__logprob_batch_size=2)
    assert faults(text, V5) == []
    version = "v0.6.0" if env is V6 else "v0.7.0"
    assert faults(text, SITES[version]) == [
        "overrides.policy.logprob_batch_size makes policy.logprob_batch_size 2 and policy.train_micro_batch_size 1 (the"
        f" recipe), which NeMo RL {version} wants equal with tensor parallelism 8 (4 or more); write overrides:"
        " {policy.logprob_batch_size: 1}"
    ]


@pytest.mark.parametrize(("tensor", "refused"), [(2, False), (4, True)])
def test_tensor_parallelism_is_wide_from_four_on(tensor: int, refused: bool) -> None:
    text = TUTORIAL.replace("training: 8, generation: 8", f"training: {tensor}, generation: 8")
    found = faults(with_overrides(text, policy__logprob_batch_size=2), V6)
    assert any("wants equal with tensor parallelism 4 (4 or more)" in line for line in found) is refused


def test_the_check_of_micro_batches_is_left_out_where_the_pods_say_so() -> None:
    env = site("v0.6.0", more='ray: {nemo_rl: v0.6.0, env: {NRL_IGNORE_TP_ACCURACY_CHECK: "1"}}')
    assert faults(with_overrides(TUTORIAL, policy__logprob_batch_size=2), env) == []


def test_nodes_that_cannot_share_a_batch_are_named() -> None:
    found = faults(f"{SMALL}nodes: {{training: 3}}\n", site(more="ray: {workers: 3}"))
    assert [line.split(" ")[0] for line in found] == ["nodes", "nodes"]


def test_overrides_that_no_command_line_holds_are_refused() -> None:
    (line,) = faults(with_overrides(SMALL, policy__tokenizer__chat_template=repr("'" * 30_000)))
    size = int(line.split(" ")[2])
    assert size > 150_000  # bash writes each quote as five characters
    assert line == (
        f"overrides make {size} bytes of the command line, which has room for 110000; shorten the texts, or put them"
        " into a file on Lustre"
    )


def test_the_program_corrects_the_recipes_that_their_own_release_refuses() -> None:
    assert run(TUTORIAL, V5).figures.logprob_batch == 2
    assert run(TUTORIAL, V6).figures.logprob_batch == 1
    assert run(TUTORIAL, V7).figures.logprob_batch == 1


def test_a_figure_that_follows_another_one_is_counted_with_it() -> None:
    text = with_overrides(SMALL, policy__train_micro_batch_size=8, policy__max_total_sequence_length=2048)
    five, six = run(text, V5).figures, run(text, V6).figures
    assert (five.logprob_batch, six.logprob_batch) == (4, 8)
    assert (five.max_new_tokens, five.max_model_len, five.max_input_length) == (2048, 2048, 2048)


# Models on GPUs


def test_exactly_one_backend_trains() -> None:
    assert faults(with_overrides(SMALL, policy__megatron_cfg__enabled="true")) == [
        "overrides.policy.megatron_cfg.enabled makes policy.dtensor_cfg.enabled true (the recipe) and"
        " policy.megatron_cfg.enabled true; write true for exactly one of them"
    ]
    assert faults(with_overrides(SMALL, policy__dtensor_cfg__enabled="false")) == [
        "overrides.policy.dtensor_cfg.enabled makes policy.dtensor_cfg.enabled false and policy.megatron_cfg.enabled"
        " false (the recipe); write true for exactly one of them"
    ]


def test_the_backend_is_the_recipes() -> None:
    both = with_overrides(SMALL, policy__megatron_cfg__enabled="true", policy__dtensor_cfg__enabled="false")
    assert faults(both) == [
        "overrides.policy.megatron_cfg.enabled changes the backend that trains; the recipe is one for DTensor: take"
        " another recipe"
    ]


def test_training_gpus_are_a_multiple_of_what_a_model_copy_takes() -> None:
    text = TUTORIAL.replace("nodes: {training: 1, generation: 1}", "nodes: {training: 1, generation: 1, gpus: 4}")
    assert faults(text.replace("generation: 8}", "generation: 4}")) == [
        "tensor_parallel.training makes 1 x 4 = 4 training GPUs, but one model copy takes tensor 8 x pipeline 1 x"
        " context 1 = 8; write numbers of which the first is a multiple of the second"
    ]
    assert faults(text.replace("{training: 8, generation: 8}", "{training: 4, generation: 4}")) == []


def test_generation_gpus_are_a_multiple_of_what_an_engine_takes() -> None:
    assert faults(TUTORIAL.replace("generation: 8}", "generation: 3}")) == [
        "tensor_parallel.generation makes engines of tensor 3 x pipeline 1 = 3 GPUs, but 8 GPUs generate; write a"
        " divisor of 8"
    ]


def test_an_engine_does_not_span_nodes() -> None:
    text = TUTORIAL.replace("generation: 1}", "generation: 2}", 1).replace("generation: 8}", "generation: 16}")
    assert faults(text, site(more="ray: {workers: 4}")) == [
        "tensor_parallel.generation is 16, but the job uses 8 GPUs a node; an engine that spans nodes is slow: write at"
        " most 8"
    ]


def test_heads_divide_by_tensor_parallelism() -> None:
    assert faults(f"{SMALL}tensor_parallel: {{training: 4}}\n") == [
        "tensor_parallel.training is 4, but Qwen/Qwen2.5-1.5B has 12 attention heads and 2 key-value heads; write 2 or"
        " 1"
    ]
    assert faults(f"{SMALL}tensor_parallel: {{training: 2}}\n") == []
    assert faults(f"{SMALL}tensor_parallel: {{training: 4}}\n".replace("Qwen/Qwen2.5-1.5B", "some/model")) == []


def test_batching_is_packed_or_dynamic() -> None:
    assert faults(with_overrides(SMALL, policy__dynamic_batching__enabled="true")) == [
        "overrides.policy.dynamic_batching.enabled makes policy.sequence_packing.enabled true (the recipe) and"
        " policy.dynamic_batching.enabled true, which exclude each other; write false for one of them"
    ]
    assert (
        faults(
            with_overrides(SMALL, policy__dynamic_batching__enabled="true", policy__sequence_packing__enabled="false")
        )
        == []
    )


def test_dynamic_batching_takes_one_pipeline_stage() -> None:
    text = SMALL.replace(BASE, MEGATRON).replace("Qwen/Qwen2.5-1.5B", "Qwen/Qwen2.5-7B-Instruct")
    both = with_overrides(
        text,
        policy__megatron_cfg__pipeline_model_parallel_size=2,
        policy__dynamic_batching__enabled="true",
        policy__sequence_packing__enabled="false",
    )
    assert faults(both) == [
        "overrides.policy.sequence_packing.enabled makes policy.dynamic_batching.enabled true with pipeline parallelism"
        " 2, which takes none; write policy.dynamic_batching.enabled: false"
    ]


def test_context_parallelism_excludes_packing_and_gemma_and_sequence_parallelism() -> None:
    assert faults(with_overrides(SMALL, policy__dtensor_cfg__context_parallel_size=2)) == [
        "overrides.policy.dtensor_cfg.context_parallel_size makes policy.dtensor_cfg.context_parallel_size 2 with"
        " policy.sequence_packing.enabled true (the recipe); write false there, or context parallelism 1"
    ]
    gemma = TUTORIAL.replace("training: 8,", "training: 4,")
    assert faults(with_overrides(gemma, policy__dtensor_cfg__context_parallel_size=2)) == [
        "overrides.policy.dtensor_cfg.context_parallel_size makes policy.dtensor_cfg.context_parallel_size 2, which"
        " NeMo RL does not have for Gemma 3; write 1"
    ]
    free = {"policy__sequence_packing__enabled": "false", "policy__dtensor_cfg__context_parallel_size": 2}
    assert faults(with_overrides(f"{SMALL}tensor_parallel: {{training: 2}}\n", **free)) == []
    both = with_overrides(
        f"{SMALL}tensor_parallel: {{training: 2}}\n", **free, policy__dtensor_cfg__sequence_parallel="true"
    )
    assert faults(both) == [
        "overrides.policy.dtensor_cfg.context_parallel_size makes policy.dtensor_cfg.context_parallel_size 2 with"
        " policy.dtensor_cfg.sequence_parallel true and tensor parallelism 2; write sequence_parallel: false, or"
        " context parallelism 1"
    ]


def test_lora_takes_the_second_dtensor_worker() -> None:
    assert faults(with_overrides(TUTORIAL, policy__dtensor_cfg__lora_cfg__enabled="true")) == [
        "overrides.policy.dtensor_cfg.lora_cfg.enabled is true with policy.dtensor_cfg._v2 false (the recipe); write"
        " overrides: {policy.dtensor_cfg._v2: true}"
    ]
    assert faults(with_overrides(SMALL, policy__dtensor_cfg__lora_cfg__enabled="true")) == []


def test_before_v0_7_0_megatron_generates_only_colocated() -> None:
    text = with_overrides(TUTORIAL, policy__generation__backend="megatron")
    assert faults(text, V6) == [
        "overrides.policy.generation.backend is megatron, but nodes.generation is 1, which NeMo RL v0.6.0 has for vllm"
        " only; write vllm, or nodes.generation: 0"
    ]
    assert faults(text, V7) == []


def test_a_pipeline_of_engines_is_asynchronous() -> None:
    key = "policy__generation__vllm_cfg__pipeline_parallel_size"
    assert faults(with_overrides(SMALL, **{key: 2})) == [
        "overrides.policy.generation.vllm_cfg.pipeline_parallel_size makes"
        " policy.generation.vllm_cfg.pipeline_parallel_size 2, which takes the asynchronous engine; write"
        " policy.generation.vllm_cfg.async_engine: true"
    ]
    assert faults(with_overrides(SMALL, **{key: 2}, policy__generation__vllm_cfg__async_engine="true")) == []


def test_expert_parallelism_is_a_multiple_of_tensor_parallelism() -> None:
    text = f"{SMALL}tensor_parallel: {{generation: 4}}\n"
    key = "policy__generation__vllm_cfg__expert_parallel_size"
    place = "overrides.policy.generation.vllm_cfg.expert_parallel_size makes"
    assert faults(with_overrides(text, **{key: 6})) == [
        f"{place} policy.generation.vllm_cfg.expert_parallel_size 6; write a multiple of tensor's 4"
    ]
    assert faults(with_overrides(text, **{key: 8})) == []
    assert faults(with_overrides(text, **{key: 8}, policy__generation__vllm_cfg__async_engine="true")) == [
        f"{place} policy.generation.vllm_cfg.expert_parallel_size 8 over tensor 4, which excludes the asynchronous"
        " engine; write 4, or policy.generation.vllm_cfg.async_engine: false"
    ]
    assert faults(with_overrides(text, **{key: 4}, policy__generation__vllm_cfg__async_engine="true")) == []


def test_v0_5_0_samples_from_all_tokens() -> None:
    text = with_overrides(SMALL, policy__generation__top_k=50, policy__generation__top_p=0.9)
    assert faults(text, V5) == [
        "overrides.policy.generation.top_k is 50, which NeMo RL v0.5.0 refuses; write null, -1 or 8000",
        "overrides.policy.generation.top_p is 0.9, which NeMo RL v0.5.0 refuses; write 0.99 to 1.0",
    ]
    assert faults(text, V6) == []
    assert faults(with_overrides(SMALL, policy__generation__top_k=-1, policy__generation__top_p=0.99), V5) == []


def test_eight_bit_generation_corrects_its_samples() -> None:
    fp8 = {"policy__generation__vllm_cfg__precision": "fp8"}
    assert faults(with_overrides(SMALL, **fp8)) == [
        "overrides.policy.generation.vllm_cfg.precision is fp8; write loss_fn.use_importance_sampling_correction: true"
        " with it"
    ]
    assert faults(with_overrides(SMALL, **fp8, loss_fn__use_importance_sampling_correction="true")) == []


def test_an_eight_bit_cache_has_four_conditions() -> None:
    cache = {
        "policy__generation__vllm_cfg__kv_cache_dtype": "fp8",
        "policy__generation__vllm_cfg__async_engine": "true",
    }
    place = "overrides.policy.generation.vllm_cfg.kv_cache_dtype is fp8"
    assert faults(with_overrides(SMALL, **cache)) == [
        f"{place} with policy.generation.vllm_cfg.precision bfloat16 (the recipe); write fp8 there too".replace(
            "bfloat16", '"bfloat16"'
        ),
        f"{place}, which excludes the DTensor backend; write auto, or take a Megatron recipe",
        f"{place}, which excludes policy.generation.vllm_cfg.async_engine true; write auto, or false there",
    ]
    megatron = SMALL.replace(BASE, MEGATRON).replace("Qwen/Qwen2.5-1.5B", "Qwen/Qwen2.5-7B-Instruct")
    good = {
        "policy__generation__vllm_cfg__kv_cache_dtype": "fp8",
        "policy__generation__vllm_cfg__precision": "fp8",
        "loss_fn__use_importance_sampling_correction": "true",
    }
    assert faults(with_overrides(megatron, **good)) == []
    assert faults(with_overrides(megatron, **good, policy__megatron_cfg__pipeline_model_parallel_size=2)) == [
        f"{place}, which excludes policy.megatron_cfg.pipeline_model_parallel_size 2; write auto"
    ]


def test_asynchronous_training_has_its_conditions() -> None:
    text = with_overrides(SMALL, grpo__async_grpo__enabled="true")
    assert faults(text) == [
        f"overrides.grpo.async_grpo.enabled is true; write {remedy} with it"
        for remedy in (
            "policy.generation.vllm_cfg.async_engine: true",
            "loss_fn.use_importance_sampling_correction: true",
            "nodes.generation: 1 or more",
        )
    ]
    good = {
        "grpo__async_grpo__enabled": "true",
        "policy__generation__vllm_cfg__async_engine": "true",
        "loss_fn__use_importance_sampling_correction": "true",
    }
    assert faults(with_overrides(TUTORIAL, **good)) == []
    assert faults(with_overrides(TUTORIAL, **good, grpo__reward_scaling__enabled="true")) == [
        "overrides.grpo.async_grpo.enabled is true; write grpo.reward_scaling.enabled: false with it"
    ]
    assert faults(with_overrides(TUTORIAL, **good, grpo__reward_shaping__enabled="true")) == [
        "overrides.grpo.async_grpo.enabled is true; write grpo.reward_shaping.enabled: false with it"
    ]
    assert faults(with_overrides(TUTORIAL, **good, grpo__use_dynamic_sampling="true")) == [
        "overrides.grpo.async_grpo.enabled is true; write grpo.use_dynamic_sampling: false with it"
    ]


# The course of a run


def test_only_dynamic_sampling_multiplies_batches() -> None:
    assert faults(with_overrides(SMALL, grpo__batch_multiplier=2)) == [
        "overrides.grpo.batch_multiplier makes grpo.batch_multiplier 2 with grpo.use_dynamic_sampling false (the"
        " recipe); write 1, or grpo.use_dynamic_sampling: true"
    ]
    assert faults(with_overrides(SMALL, grpo__batch_multiplier=1.5, grpo__use_dynamic_sampling="true")) == []


def test_a_step_with_dynamic_sampling_asks_for_its_multiple() -> None:
    text = with_overrides(
        SMALL.replace("max_steps: 10", "max_steps: 1, prompts_per_step: 4096, generations_per_prompt: 16"),
        grpo__batch_multiplier=2,
        grpo__use_dynamic_sampling="true",
    )
    assert faults(text) == [
        "grpo.prompts_per_step makes 8192 prompts a step, but openai/gsm8k has 7473 training rows, so no step would"
        " run; write fewer"
    ]


@pytest.mark.parametrize(
    ("key", "word", "choices"),
    [
        ("policy.generation.backend", "trtllm", "vllm or megatron"),
        ("policy.precision", "bf16", "bfloat16 or float16 or float32"),
    ],
)
def test_a_word_of_a_few_is_one_of_them(key: str, word: str, choices: str) -> None:
    assert faults(f"{SMALL}overrides: {{{key}: {word}}}\n") == [
        f'overrides.{key} makes {key} "{word}"; write {choices}'
    ]


@pytest.mark.parametrize("version", ["v0.6.0", "v0.7.0"])
def test_a_skipped_reference_takes_no_penalty(version: str) -> None:
    text = with_overrides(SMALL, grpo__skip_reference_policy_logprobs_calculation="true")
    assert faults(text, SITES[version]) == [
        "overrides.grpo.skip_reference_policy_logprobs_calculation is true with loss_fn.reference_policy_kl_penalty"
        " 0.01 (the recipe); write loss_fn.reference_policy_kl_penalty: 0, or false"
    ]
    assert faults(f"{text}  loss_fn.reference_policy_kl_penalty: 0\n", SITES[version]) == []


def test_a_step_does_not_ask_for_more_prompts_than_there_are() -> None:
    text = SMALL.replace("max_steps: 10", "max_steps: 1, prompts_per_step: 8192, generations_per_prompt: 16")
    assert faults(text) == [
        "grpo.prompts_per_step makes 8192 prompts a step, but openai/gsm8k has 7473 training rows, so no step would"
        " run; write fewer"
    ]


def test_the_rows_last_for_all_steps() -> None:
    assert faults(TUTORIAL.replace("max_steps: 10", "max_steps: 468")) == [
        "grpo.max_steps is 468, but 7473 rows / 16 prompts x 1 epochs end after 467 steps; write at most 467, or"
        " overrides: {grpo.max_num_epochs: 2}"
    ]
    assert faults(TUTORIAL.replace("max_steps: 10", "max_steps: 467")) == []
    assert faults(with_overrides(TUTORIAL.replace("max_steps: 10", "max_steps: 468"), grpo__max_num_epochs=2)) == []


def test_validation_fills_at_least_one_batch() -> None:
    assert faults(with_overrides(SMALL, grpo__max_val_samples=128)) == [
        "overrides.grpo.max_val_samples makes grpo.max_val_samples 128 and grpo.val_batch_size 256 (the recipe), so"
        " nothing would be validated; write grpo.val_batch_size: 128"
    ]
    assert faults(with_overrides(SMALL, grpo__max_val_samples=128, grpo__val_batch_size=128)) == []


@pytest.mark.parametrize(
    ("metric", "remedy"),
    [("val:acc", "did you mean val:accuracy?"), ("val:reward", "write val:accuracy or val:avg_length")],
)
def test_a_metric_that_no_validation_makes_is_refused(metric: str, remedy: str) -> None:
    assert faults(with_overrides(SMALL, checkpointing__metric_name=f'"{metric}"')) == [
        f"overrides.checkpointing.metric_name is {metric}, which no validation here makes; {remedy}"
    ]


def test_a_metric_of_training_is_taken_on_trust() -> None:
    assert doubts(with_overrides(SMALL, checkpointing__metric_name='"train:foo"')) == [
        "overrides.checkpointing.metric_name is train:foo, which is not checked; a run that does not measure it ends at"
        " its first checkpoint"
    ]
    assert doubts(with_overrides(SMALL, checkpointing__metric_name='"train:reward"')) == []


def test_the_metric_of_the_best_checkpoint_exists() -> None:
    assert faults(with_overrides(SMALL, checkpointing__metric_name="accuracy")) == [
        'overrides.checkpointing.metric_name is "accuracy"; write null, or a metric that begins with train: or val:'
    ]
    smoke = SMALL.replace(BASE, "examples/configs/grpo_smoke.yaml").replace("Qwen/Qwen2.5-1.5B", "Qwen/Qwen3-0.6B")
    assert faults(f"{smoke}nodes: {{gpus: 1}}\n", V7) == [
        'recipe makes checkpointing.metric_name "val:accuracy" (the recipe), but nothing is validated; write'
        " grpo.validate_every, or overrides: {checkpointing.metric_name: null}"
    ]
    assert faults(f"{smoke}nodes: {{gpus: 1}}\n".replace("max_steps: 10", "max_steps: 10, validate_every: 5"), V7) == []
    assert faults(with_overrides(SMALL, checkpointing__metric_name="null")) == []


def test_the_first_dtensor_worker_saves_in_one_format() -> None:
    assert faults(with_overrides(TUTORIAL, checkpointing__model_save_format="safetensors")) == [
        'overrides.checkpointing.model_save_format makes checkpointing.model_save_format "safetensors" with'
        " policy.dtensor_cfg._v2 false (the recipe), which would fail at the first checkpoint; write overrides:"
        " {checkpointing.model_save_format: null}"
    ]
    assert faults(with_overrides(SMALL, checkpointing__model_save_format="torch_save")) == []


@pytest.mark.parametrize("text", ["03:45:00", "3h"])
def test_a_deadline_for_saving_is_days_to_seconds(text: str) -> None:
    assert faults(with_overrides(SMALL, checkpointing__checkpoint_must_save_by=f'"{text}"')) == [
        f'overrides.checkpointing.checkpoint_must_save_by is "{text}"; write DD:HH:MM:SS, like "00:03:45:00"'
    ]
    assert faults(with_overrides(SMALL, checkpointing__checkpoint_must_save_by='"00:03:45:00"')) == []


# Doubts


def test_checkpoints_that_miss_their_validation_are_doubted() -> None:
    text = SMALL.replace("run: small", "run: small, every: 4").replace("max_steps: 10", "max_steps: 13")
    assert doubts(text) == [
        "checkpoints.every is 4, no multiple of grpo.val_period 10 (the recipe); a checkpoint without a validation is"
        " pruned first: write checkpoints.every: 10, or grpo.validate_every: 4",
        "grpo.max_steps is 13, no multiple of grpo.val_period 10 (the recipe); the last checkpoint gets no validation"
        " and is pruned first: write a multiple",
    ]
    assert doubts(SMALL) == []
    at_end = with_overrides(SMALL.replace("max_steps: 10", "max_steps: 13"), grpo__val_at_end="true")
    assert doubts(at_end, V6) == []


def test_one_changed_length_is_doubted() -> None:
    assert doubts(with_overrides(TUTORIAL, policy__max_total_sequence_length=2048)) == [
        "overrides leave policy.max_total_sequence_length 2048, policy.generation.max_new_tokens 16384 (the recipe) and"
        " policy.generation.vllm_cfg.max_model_len 16384 (the recipe); max_sequence_length sets them together"
    ]
    assert doubts(f"{TUTORIAL}max_sequence_length: 2048\n") == []


def test_segments_are_doubted_where_a_user_asks_for_them() -> None:
    assert doubts(with_overrides(TUTORIAL, cluster__segment_size=8), V7) == [
        "overrides.cluster.segment_size makes cluster.segment_size 8, but no node here belongs to an NVLink domain;"
        " write null"
    ]


def test_a_recipe_that_generates_on_its_own_node_can_be_colocated() -> None:
    text = SMALL.replace(BASE, LLAMA).replace("Qwen/Qwen2.5-1.5B", "meta-llama/Llama-3.1-8B-Instruct")
    figures = run(text).figures
    assert (figures.colocated, figures.generation_nodes, figures.generation_gpus_per_node) == (True, None, None)
    assert faults(text) == []


# The arithmetic at large


@settings(deadline=None)
@given(
    prompts=st.integers(1, 64),
    generations=st.integers(2, 32),
    global_batch=st.integers(1, 512),
    micro_batch=st.integers(1, 8),
    logprob_batch=st.integers(1, 8),
)
def test_a_step_is_refused_exactly_where_nemo_rl_would_refuse_to_share_it(
    prompts: int, generations: int, global_batch: int, micro_batch: int, logprob_batch: int
) -> None:
    """What shard_by_batch_size and make_microbatch_iterator assert (nemo_rl/distributed/batched_data_dict.py)."""
    usual = UNPACKED.job
    assert isinstance(usual, GrpoJob)
    grpo = usual.grpo.model_copy(
        update={"prompts_per_step": prompts, "generations_per_prompt": generations, "global_batch": global_batch}
    )
    overrides = {
        **usual.overrides,
        "policy.train_micro_batch_size": micro_batch,
        "policy.logprob_batch_size": logprob_batch,
    }
    it = SiteJob("x", usual.model_copy(update={"grpo": grpo, "overrides": overrides}), V5)
    samples, copies = prompts * generations, 8
    good = (
        samples % global_batch == 0
        and global_batch % copies == 0
        and global_batch // copies % micro_batch == 0
        and samples % copies == 0
        and samples // copies % logprob_batch == 0
    )
    assert (faults_of(it) == ()) == good
