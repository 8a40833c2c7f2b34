"""A training run: a job file on a site, with the configuration that NeMo RL will resolve it to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from catalog.nemo_rl_recipes import FIELDS, KEYS, LEADERS, RECIPES, Figures, Recipe, Value
from settings.faults import shown
from settings.job import GrpoJob
from training import paths
from training.overrides import flatten
from training.site_job import SiteJob

#: The prompt that asks for the answer in \boxed{}, as the verifier of all prepared datasets wants it.
PROMPT_FILE = "examples/prompts/cot.txt"
VERIFIER = "hf_math_verify"

_TENSORBOARD = "logger.tensorboard_enabled"


@dataclass(frozen=True)
class Setting:
    """One value that the program writes, and the key path in the job file that it comes from."""

    key: str
    value: Value
    origin: str


@dataclass(frozen=True)
class Run(SiteJob):
    """A GRPO job whose recipe is one that its release has."""

    job: GrpoJob

    @cached_property
    def recipe(self) -> Recipe:
        return RECIPES[self.job.recipe]

    @cached_property
    def shipped(self) -> Figures:
        """The recipe's figures before the job changes them."""
        return self.recipe.figures[self.release.version]

    @cached_property
    def overrides(self) -> dict[str, Value]:
        """The job's own overrides, by dotted key."""
        return dict(flatten(self.job.overrides))

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """What the job's typed fields say, in NeMo RL's keys; then the recipe's corrections."""
        return (*self._typed(), *self._corrections())

    @cached_property
    def figures(self) -> Figures:
        """The figures that the run will have: recipe, typed fields, corrections, overrides.

        An override of the wrong type is left out here; the rule on types names it.
        """
        changes: dict[str, Value] = {}
        for key, value in (*((setting.key, setting.value) for setting in self.settings), *self.overrides.items()):
            name = FIELDS.get(key)
            if name and fits(name, value):
                changes[name] = value
        leaders = dict(LEADERS) | {"length_multiple": self.tensor_parallel_field}
        for follower in self.shipped.follows:
            if follower not in changes and leaders[follower] in changes:
                changes[follower] = changes[leaders[follower]]
        return replace(self.shipped, **changes)

    @property
    def run_name(self) -> str:
        """Name of the run's folders on Lustre."""
        return self.job.checkpoints.run if self.job.checkpoints else self.name

    @property
    def tensor_parallel_field(self) -> str:
        """The figure that holds the tensor parallelism of the backend that trains."""
        return "megatron_tensor_parallel" if self.shipped.megatron else "tensor_parallel"

    def place(self, figure: str) -> str:
        """The key path in the job file that a figure comes from; `recipe` where the file says nothing about it."""
        key = KEYS[figure]
        if key in self.overrides:
            return f"overrides.{key}"
        return next((setting.origin for setting in self.settings if setting.key == key), "recipe")

    def shown(self, figure: str) -> str:
        """A figure for an error line: NeMo RL's key, the value, and where it is from unless the job says it."""
        value = shown(getattr(self.figures, figure))
        return f"{KEYS[figure]} {value}{' (the recipe)' if self.place(figure) == 'recipe' else ''}"

    # What the rules count with.

    @property
    def training_gpus(self) -> int:
        return self.job.nodes.training * self.job.nodes.gpus

    @property
    def generation_gpus(self) -> int:
        """GPUs that generate; with colocated generation these are the training GPUs."""
        return (self.job.nodes.generation or self.job.nodes.training) * self.job.nodes.gpus

    @property
    def samples(self) -> int:
        """Answers in one step."""
        return self.figures.prompts * self.figures.generations

    @property
    def compared(self) -> int:
        """Answers whose rewards are compared with each other: those to one question, or the whole step's."""
        whole = self.figures.estimator == "reinforce_plus_plus" and not self.figures.minus_baseline
        return self.samples if whole else self.figures.generations

    @property
    def parallel(self) -> tuple[int, int, int]:
        """Tensor, pipeline and context parallelism of the backend that trains."""
        f = self.figures
        if f.megatron:
            return f.megatron_tensor_parallel, f.megatron_pipeline_parallel, f.megatron_context_parallel
        return f.tensor_parallel, 1, f.context_parallel

    @property
    def model_gpus(self) -> int:
        """GPUs that hold one copy of the model in training."""
        tensor, pipeline, context = self.parallel
        return tensor * pipeline * context

    @property
    def data_parallel(self) -> int:
        """Copies of the model in training; 0 where the GPUs do not hold one."""
        return self.training_gpus // self.model_gpus

    def _typed(self) -> Iterator[Setting]:
        yield from self._shape()
        yield from self._work()
        yield from self._data()
        yield from self._records()

    def _shape(self) -> Iterator[Setting]:
        job, nodes, tensor = self.job, self.job.nodes, self.job.tensor_parallel
        yield Setting("policy.model_name", job.model, "model")
        if "policy.tokenizer.name" not in self.overrides:
            yield Setting("policy.tokenizer.name", job.model, "model")
        yield Setting("cluster.num_nodes", nodes.total, "nodes")
        yield Setting("cluster.gpus_per_node", nodes.gpus, "nodes.gpus")
        resources = "policy.generation.colocated.resources"
        apart = nodes.generation > 0
        yield Setting("policy.generation.colocated.enabled", not apart, "nodes.generation")
        if apart or not self.shipped.colocated:
            yield Setting(f"{resources}.num_nodes", nodes.generation if apart else None, "nodes.generation")
            yield Setting(f"{resources}.gpus_per_node", nodes.gpus if apart else None, "nodes.gpus")
        if tensor.training is not None:
            section = "megatron_cfg.tensor_model" if self.shipped.megatron else "dtensor_cfg.tensor"
            yield Setting(f"policy.{section}_parallel_size", tensor.training, "tensor_parallel.training")
            if "length_multiple" not in self.shipped.follows and self.shipped.length_multiple % tensor.training:
                yield Setting("policy.make_sequence_length_divisible_by", tensor.training, "tensor_parallel.training")
        if tensor.generation is not None:
            key = "policy.generation.vllm_cfg.tensor_parallel_size"
            yield Setting(key, tensor.generation, "tensor_parallel.generation")

    def _work(self) -> Iterator[Setting]:
        grpo = self.job.grpo
        yield Setting("grpo.max_num_steps", grpo.max_steps, "grpo.max_steps")
        for key, value, field in (
            ("grpo.num_prompts_per_step", grpo.prompts_per_step, "prompts_per_step"),
            ("grpo.num_generations_per_prompt", grpo.generations_per_prompt, "generations_per_prompt"),
            ("policy.train_global_batch_size", grpo.global_batch, "global_batch"),
            ("grpo.val_period", grpo.validate_every, "validate_every"),
        ):
            if value is not None:
                yield Setting(key, value, f"grpo.{field}")
        if self.job.max_sequence_length is not None:
            for key in SEQUENCE_KEYS:
                yield Setting(key, self.job.max_sequence_length, "max_sequence_length")

    def _data(self) -> Iterator[Setting]:
        folder = f"{paths.DATASETS}/{self.job.dataset.name}"
        train, validation = f"{folder}/{paths.TRAIN_FILE}", f"{folder}/{paths.VALIDATION_FILE}"
        if self.release.data_layout == "flat":
            prompt_key = "data.prompt_file"
            values = {
                "data.dataset_name": "ResponseDataset",
                "data.train_data_path": train,
                "data.val_data_path": validation,
            }
        else:
            prompt_key = "data.default.prompt_file"
            values: dict[str, Value] = {
                "data.train.dataset_name": "ResponseDataset",
                "data.train.data_path": train,
                # Left at the recipe's 0.05, it would take validation rows out of the training file.
                "data.train.split_validation_size": 0,
            }
            if self.shipped.validation_is_a_mapping:
                # Hydra does not replace a mapping that has keys.
                values["data.validation.dataset_name"] = "ResponseDataset"
                values["data.validation.data_path"] = validation
            else:
                values["data.validation"] = {"dataset_name": "ResponseDataset", "data_path": validation}
        if self.shipped.prompt_file != PROMPT_FILE:
            values[prompt_key] = PROMPT_FILE
        if self.shipped.verifier != VERIFIER:
            values["env.math.math_verify_impl"] = VERIFIER
        for key, value in values.items():
            yield Setting(key, value, "dataset")

    def _records(self) -> Iterator[Setting]:
        checkpoints, wandb = self.job.checkpoints, self.job.wandb
        yield Setting("checkpointing.enabled", checkpoints is not None, "checkpoints")
        if checkpoints:
            yield Setting("checkpointing.checkpoint_dir", f"{paths.CHECKPOINTS}/{checkpoints.run}", "checkpoints.run")
            yield Setting("checkpointing.save_period", checkpoints.every, "checkpoints.every")
            yield Setting("checkpointing.keep_top_k", checkpoints.keep, "checkpoints.keep")
        yield Setting("logger.log_dir", f"{paths.LOGS}/{self.run_name}", "checkpoints.run")
        if _TENSORBOARD not in self.overrides:
            # Steps, losses and times are in NeMo RL's own files nowhere else: the summary is made of these.
            yield Setting(_TENSORBOARD, True, "checkpoints.run")
        yield Setting("logger.wandb_enabled", wandb is not None, "wandb")
        if wandb:
            yield Setting("logger.wandb.project", wandb.project, "wandb.project")
            yield Setting("logger.wandb.name", wandb.name or self.name, "wandb.name")
            run = f"{self.env.name}-{self.run_name}"
            if checkpoints and self.release.resumes_wandb:
                # One run there for all attempts of one run here: a resumed job goes on in the same graphs.
                yield Setting("logger.wandb.id", run, "wandb")
                yield Setting("logger.wandb.resume", "allow", "wandb")
            else:
                # A run there for each start. Without checkpoints each begins at step 1, where W&B's has been already.
                yield Setting("logger.wandb.group", run, "wandb")

    def _corrections(self) -> Iterator[Setting]:
        for key, value in self.recipe.corrections.get(self.release.version, {}).items():
            if key not in self.overrides:
                yield Setting(key, value, "recipe")


SEQUENCE_KEYS = (
    "policy.max_total_sequence_length",
    "policy.generation.max_new_tokens",
    "policy.generation.vllm_cfg.max_model_len",
    "data.max_input_seq_length",
)

#: What each figure may be: the annotation of its field, as text.
_TYPES: Mapping[str, str] = {name: str(kind) for name, kind in Figures.__annotations__.items()}


def fits(figure: str, value: Value) -> bool:
    """Whether the value has the type of the figure; a whole number is a number, a text with ${...} is anything."""
    allowed = _TYPES[figure].split(" | ")
    match value:
        case None:
            return "None" in allowed
        case bool():
            return "bool" in allowed
        case int():
            return "int" in allowed or "float" in allowed
        case float():
            return "float" in allowed
        case str():
            return "str" in allowed
        case _:
            return False
