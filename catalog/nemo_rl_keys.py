"""The keys of NeMo RL's configuration by release: what an override may be called.

Hydra refuses a key that the recipe's file lacks, unless a + stands before it, and with the + it takes any key, of which
nothing then reads a misspelt one. So the program knows the keys, and writes the + where the file lacks one that NeMo
RL reads.
"""

from __future__ import annotations

from collections.abc import Iterable

from catalog.nemo_rl import NEMO_RL

# All keys of examples/configs/grpo_math_1B.yaml at v0.5.0, by section; every recipe has them. A key after a + is not in
# the file, but in the TypedDict that reads the section. What `data.validation` holds is not here: the dataset fills it.
_V0_5_0 = """
grpo: num_prompts_per_step num_generations_per_prompt max_rollout_turns max_num_epochs max_num_steps normalize_rewards
    use_leave_one_out_baseline val_period val_at_start overlong_filtering max_val_samples val_batch_size seed
    use_dynamic_sampling dynamic_sampling_max_gen_batches batch_multiplier
grpo.reward_shaping: enabled overlong_buffer_length overlong_buffer_penalty max_response_length
grpo.reward_scaling: enabled source_min source_max target_min target_max
grpo.async_grpo: enabled max_trajectory_age_steps in_flight_weight_updates recompute_kv_cache_after_weight_updates
loss_fn: reference_policy_kl_penalty reference_policy_kl_type kl_input_clamp_value kl_output_clamp_value ratio_clip_min
    ratio_clip_max ratio_clip_c use_on_policy_kl_approximation use_importance_sampling_correction
    truncated_importance_sampling_ratio sequence_level_importance_ratios token_level_loss force_on_policy_ratio
    +disable_ppo_ratio
checkpointing: enabled checkpoint_dir metric_name higher_is_better keep_top_k save_period checkpoint_must_save_by
    model_save_format save_consolidated +model_cache_dir +model_repo_id +is_peft +peft_config
policy: model_name hf_config_overrides train_global_batch_size train_micro_batch_size generation_batch_size
    logprob_batch_size max_total_sequence_length precision logprob_chunk_size offload_optimizer_for_logprob
    make_sequence_length_divisible_by max_grad_norm scheduler +refit_buffer_size_gb
policy.tokenizer: name chat_template_kwargs +chat_template
policy.dtensor_cfg: _v2 enabled cpu_offload sequence_parallel activation_checkpointing tensor_parallel_size
    context_parallel_size custom_parallel_plan +clear_cache_every_n_steps
policy.megatron_cfg: enabled empty_unused_memory_level activation_checkpointing converter_type
    tensor_model_parallel_size expert_tensor_parallel_size expert_model_parallel_size pipeline_model_parallel_size
    num_layers_in_first_pipeline_stage num_layers_in_last_pipeline_stage context_parallel_size pipeline_dtype
    sequence_parallel freeze_moe_router moe_router_dtype moe_router_load_balancing_type moe_router_bias_update_rate
    moe_permute_fusion apply_rope_fusion bias_activation_fusion defer_fp32_logits moe_per_layer_logging fp8_cfg
    +force_overwrite_initial_ckpt
policy.megatron_cfg.optimizer: optimizer lr min_lr weight_decay bf16 fp16 params_dtype adam_beta1 adam_beta2 adam_eps
    sgd_momentum use_distributed_optimizer use_precision_aware_optimizer clip_grad optimizer_cpu_offload
    optimizer_offload_fraction
policy.megatron_cfg.scheduler: start_weight_decay end_weight_decay weight_decay_incr_style lr_decay_style
    lr_decay_iters lr_warmup_iters lr_warmup_init
policy.megatron_cfg.distributed_data_parallel_config: grad_reduce_in_fp32 overlap_grad_reduce overlap_param_gather
    use_custom_fsdp data_parallel_sharding_strategy
policy.dynamic_batching: enabled train_mb_tokens logprob_mb_tokens sequence_length_round
policy.sequence_packing: enabled train_mb_tokens logprob_mb_tokens algorithm sequence_length_round
policy.optimizer: name
policy.optimizer.kwargs: lr weight_decay betas eps foreach fused
policy.generation: backend max_new_tokens temperature top_p top_k stop_token_ids stop_strings vllm_kwargs
policy.generation.mcore_generation_config: buffer_size_gb buffer_guaranteed_fraction num_cuda_graphs block_size_tokens
    use_cuda_graphs_for_non_decode_steps enable_chunked_prefill unified_memory_level max_tokens
policy.generation.vllm_cfg: async_engine precision kv_cache_dtype tensor_parallel_size pipeline_parallel_size
    expert_parallel_size gpu_memory_utilization max_model_len enforce_eager use_deep_gemm num_last_layers_in_bf16
    num_first_layers_in_bf16 enable_vllm_metrics_logger vllm_metrics_logger_interval +load_format
policy.generation.colocated: enabled
policy.generation.colocated.resources: gpus_per_node num_nodes
data: max_input_seq_length shuffle num_workers prompt_file system_prompt_file processor env_name dataset_name
env.math: num_workers math_verify_impl +verifier_type
logger: log_dir num_val_samples_to_print wandb_enabled tensorboard_enabled mlflow_enabled swanlab_enabled monitor_gpus
    tensorboard
logger.wandb: project name +entity +group +id +resume
logger.swanlab: project name
logger.mlflow: experiment_name run_name +tracking_uri +artifact_location
logger.gpu_monitoring: collection_interval flush_interval
cluster: gpus_per_node num_nodes
"""

_ADDED = {
    "v0.6.0": """
grpo: val_at_end seq_logprob_error_threshold +skip_reference_policy_logprobs_calculation +calculate_advantages_on_gpu
grpo.reward_shaping: stop_properly_penalty_coef
grpo.adv_estimator: name normalize_rewards use_leave_one_out_baseline minus_baseline
loss_fn: truncated_importance_sampling_ratio_min truncated_importance_sampling_type use_kl_in_reward
checkpointing: save_optimizer +is_async
policy.dtensor_cfg: automodel_kwargs +defer_fsdp_grad_sync +moe_parallelizer
policy.dtensor_cfg.lora_cfg: enabled target_modules exclude_modules match_all_linear dim alpha dropout dropout_position
    lora_A_init use_triton
policy.megatron_cfg: force_reconvert_from_hf moe_enable_deepep moe_token_dispatcher_type moe_shared_expert_overlap
    gradient_accumulation_fusion +attention_backend +use_linear_ce_fusion_loss +linear_ce_fusion_chunk_size
policy.megatron_cfg.peft: enabled target_modules exclude_modules dim alpha dropout dropout_position lora_A_init_method
    lora_B_init_method a2a_experimental lora_dtype
policy.megatron_cfg.fp8_cfg: enabled fp8 fp8_recipe fp8_param
policy.draft: enabled model_name loss_weight num_layers aux_layer_indices
data: use_multiple_dataloader validation +num_prompts_per_dataloader
data.train: dataset_name split_validation_size seed +data_path
data.default: prompt_file system_prompt_file processor env_name
logger.mlflow: tracking_uri
""",
    "v0.7.0": """
grpo: advantage_clip_low advantage_clip_high invalid_tool_call_advantage malformed_thinking_advantage
loss_fn: use_cispo disable_ppo_ratio positive_example_nll_weight
policy.dtensor_cfg: +dp_replicate_size
policy.megatron_cfg: recompute_granularity recompute_modules mtp_num_layers mtp_loss_scaling_factor
    mtp_use_repeated_layer mtp_detach_heads use_fused_weighted_squared_relu
policy.generation: port_range_low port_range_high +use_async_rollouts
policy.generation.mcore_generation_config: async_engine max_model_len cuda_graph_impl inference_cuda_graph_scope
    enable_prefix_caching kv_cache_management_mode materialize_only_last_token_logits num_speculative_tokens
    refit_backend parsers expose_http_server
policy.generation.vllm_cfg: use_tqdm
cluster: master_port_range_low master_port_range_high segment_size
data_plane: enabled impl backend storage_capacity num_storage_units claim_meta_poll_interval_s global_segment_size
    local_buffer_size
""",
}
_REMOVED = {
    "v0.6.0": (
        "data.dataset_name",
        "data.env_name",
        "data.processor",
        "data.prompt_file",
        "data.system_prompt_file",
        "policy.generation.mcore_generation_config.buffer_guaranteed_fraction",
        "policy.megatron_cfg.fp8_cfg",
    ),
    "v0.7.0": (
        "policy.generation.mcore_generation_config.unified_memory_level",
        "policy.megatron_cfg.converter_type",
        "policy.optimizer.kwargs.foreach",
        "policy.optimizer.kwargs.fused",
    ),
}

_OPEN = (
    "policy.hf_config_overrides",
    "policy.tokenizer.chat_template_kwargs",
    "policy.optimizer.kwargs",
    "policy.scheduler",
    "policy.dtensor_cfg.automodel_kwargs",
    "policy.dtensor_cfg.env_vars",
    "policy.dtensor_cfg.lora_cfg",
    "policy.megatron_cfg.env_vars",
    "policy.megatron_cfg.fp8_cfg",
    "policy.generation.vllm_kwargs",
    "logger.tensorboard",
    "logger.wandb",
)
_OPEN_ADDED = {"v0.7.0": ("policy.generation.vllm_cfg.env_vars",)}


def _keys(table: str) -> Iterable[tuple[str, bool]]:
    section = ""
    for word in table.split():
        if word.endswith(":"):
            section = word[:-1]
        else:
            yield f"{section}.{word.removeprefix('+')}", not word.startswith("+")


def _by_release() -> dict[str, dict[str, bool]]:
    releases: dict[str, dict[str, bool]] = {}
    known: dict[str, bool] = dict(_keys(_V0_5_0))
    for version in NEMO_RL:
        known |= dict(_keys(_ADDED.get(version, "")))
        for key in _REMOVED.get(version, ()):
            del known[key]
        releases[version] = dict(known)
    return releases


#: Release -> mappings below which any key goes, because another library reads them, or a process environment.
OPEN: dict[str, tuple[str, ...]] = {version: (*_OPEN, *_OPEN_ADDED.get(version, ())) for version in NEMO_RL}

#: Release -> key -> whether the recipes' files have it (else an override of it needs a +).
KNOWN: dict[str, dict[str, bool]] = _by_release()
