"""A job file: what one run on a site's Ray cluster is to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from catalog.nemo_rl import NEMO_RL
from catalog.pod_folders import DATA_FOLDER
from settings.fields import DnsLabel, matching
from settings.yaml_file import Section


def _nemo_rl(version: str) -> str:
    if version not in NEMO_RL:
        raise ValueError(f", not a release of NeMo RL that the catalog knows; write {' or '.join(NEMO_RL)}")
    return version


_SEGMENT = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
_PATH = rf"{DATA_FOLDER}(/{_SEGMENT})+"
_REPOSITORY = rf"{_SEGMENT}/{_SEGMENT}"

NemoRlVersion = Annotated[str, AfterValidator(_nemo_rl)]
ModelName = Annotated[
    str,
    matching(
        rf"{_REPOSITORY}|{_PATH}",
        f"not a model; write a Hugging Face name, ORGANIZATION/NAME, or a folder under {DATA_FOLDER}/",
    ),
]
Source = Annotated[
    str,
    matching(
        rf"{_REPOSITORY}|{_PATH}\.jsonl?",
        f"not a dataset; write a Hugging Face name, ORGANIZATION/NAME, or a .jsonl file under {DATA_FOLDER}/",
    ),
]
Positive = Annotated[int, Field(ge=1)]


class Nodes(Section):
    """Ray workers that the job takes, each a node of eight GPUs."""

    training: Positive = 1
    """Nodes that train."""

    generation: Annotated[int, Field(ge=0)] = 0
    """Nodes that only generate answers. 0 is colocated generation: the training GPUs do both, in turns."""

    gpus: Annotated[int, Field(ge=1, le=8)] = 8
    """GPUs that the job uses on each of its nodes."""

    @property
    def total(self) -> int:
        """All nodes of the job; the Ray head is none of them."""
        return self.training + self.generation


class TensorParallel(Section):
    """GPUs that share one copy of the model."""

    training: Positive | None = None
    """GPUs a model copy in training. Left out, the recipe's."""

    generation: Positive | None = None
    """GPUs a model copy in generation (vLLM). Left out, the recipe's."""


class Grpo(Section):
    """The amount of work."""

    max_steps: Positive
    """Steps after which the run is done; a resumed run counts on from its checkpoint."""

    prompts_per_step: Positive | None = None
    """Questions asked in one step. Left out, the recipe's."""

    generations_per_prompt: Annotated[int, Field(ge=2)] | None = None
    """Answers generated to each question, which are rewarded against each other; so at least 2. Left out, the
    recipe's."""

    global_batch: Positive | None = None
    """Samples in one optimizer step. Prompts x generations must be a multiple of it. Left out, the recipe's."""

    validate_every: Positive | None = None
    """Steps between two validations. Left out, the recipe's."""


class Checkpoints(Section):
    """Where the run's state is kept, from which it resumes."""

    run: DnsLabel
    """Name of the run: its folder under checkpoints/, logs/ and summaries/ on Lustre. It stays when the job is changed
    or repeated, which then goes on from the newest checkpoint; a new experiment takes a new name."""

    every: Positive = 10
    """Steps between two checkpoints; the last step is always kept. What a stopped run loses is at most that much."""

    keep: Positive = 3
    """Checkpoints that stay, the best ones by validation accuracy, beside the newest."""


class Wandb(Section):
    """Reporting to Weights & Biases. The API key is the site's token, never a setting."""

    project: Annotated[str, matching(r"[A-Za-z0-9_.-]{1,128}", "not a project; write letters, digits, -, _ and .")]
    """The project, made when it does not exist."""

    name: Annotated[str, Field(min_length=1, max_length=128)] | None = None
    """What the run is called there. Left out, the name of the job."""


class Dataset(Section):
    """Questions with one final answer each, which the job brings into NeMo RL's form on Lustre before it trains."""

    name: DnsLabel
    """Folder under datasets/ on Lustre. Two jobs that share a name share the prepared data."""

    source: Source
    """A dataset on Hugging Face, ORGANIZATION/NAME, or a JSONL file on Lustre, one JSON object a line."""

    subset: Annotated[str, Field(min_length=1)] | None = None
    """Configuration of the Hugging Face dataset, where it has several."""

    train_split: Annotated[str, Field(min_length=1)] = "train"
    """Split of the Hugging Face dataset to train on."""

    validation_split: Annotated[str, Field(min_length=1)] = "test"
    """Split of the Hugging Face dataset to validate on."""

    validation_source: Source | None = None
    """The JSONL file to validate on; needed with a JSONL source, and only there."""

    question_column: Annotated[str, Field(min_length=1)] = "question"
    """Column that holds the question, a text."""

    answer_column: Annotated[str, Field(min_length=1)] = "answer"
    """Column that holds the answer. What the verifier compares with must be the bare final answer."""

    answer_after: Annotated[str, Field(min_length=1)] | None = None
    """Text after whose last occurrence the final answer stands, like "####". Left out, the column is nothing but the
    answer."""


#: GSM8K's rows end in `#### 72`; the verifier compares with the bare number and gives 0 to everything otherwise.
GSM8K = Dataset(name="gsm8k", source="openai/gsm8k", subset="main", answer_after="####")
_NAMED = {"gsm8k": GSM8K}


def _dataset(value: Any) -> Any:
    if isinstance(value, str):
        if value not in _NAMED:
            raise ValueError(f", not a dataset; write {' or '.join(_NAMED)}, or a mapping with name and source")
        return _NAMED[value]
    return value


DatasetChoice = Annotated[Dataset, BeforeValidator(_dataset, json_schema_input_type=Literal["gsm8k"] | Dataset)]


#: A cluster of its own is never kept without end: nobody else would notice it.
OWN_CLUSTER_HOURS = 24


class Limits(Section):
    """How long the job may wait and run."""

    wait_minutes: Annotated[int, Field(ge=1, le=10080)] = 60
    """Minutes that the job waits for its GPUs before it fails, saying who holds them."""

    run_hours: Annotated[int, Field(ge=1, le=720)] | None = None
    """Hours after which the job is stopped, counted from its start on the Ray head, or with `cluster: own` from the
    creation of each try's RayCluster. Left out, 24 with `cluster: own`, and no limit with `cluster: shared`."""


class OwnCluster(Section):
    """What happens to a RayCluster that the job has for itself, with `cluster: own` only."""

    retries: Annotated[int, Field(ge=0, le=10)] = 0
    """New RayClusters that KubeRay makes, one after the other, when the job failed; each resumes from the newest
    checkpoint, where the job keeps any. One that was stopped by `limits.run_hours` is not tried again, but each try
    has those hours for itself."""

    keep_minutes: Annotated[int, Field(ge=1, le=1440)] = 10
    """Minutes for which the RayCluster, and with it its GPU nodes, stay after the end, to look at its logs."""


class _Job(Section):
    nemo_rl: NemoRlVersion | None = None
    """Release of NeMo RL. It belongs to the RayCluster (`ray.nemo_rl` of the environment); a job that states another
    one is refused, unless it has a cluster of its own."""

    cluster: Literal["shared", "own"] = "shared"
    """`shared`: the site's RayCluster. `own`: a RayCluster for this job alone, with the same pods, deleted at the end,
    so that its GPU nodes go back."""

    own: OwnCluster = OwnCluster()
    """For `cluster: own`."""

    attempt: Positive = 1
    """Part of the job's name in the cluster, because a RayJob never runs twice: raise it by one to run the same thing
    again, which resumes from the newest checkpoint."""

    limits: Limits = Limits()
    """Waiting and running time."""


class GrpoJob(_Job):
    """Reinforcement learning by GRPO: a model learns from the rewards of its own answers."""

    kind: Literal["grpo"]
    """`grpo`: train."""

    model: ModelName
    """The model to start from."""

    recipe: str
    """NeMo RL's configuration file to start from, as a path in its tree. What the job states comes on top."""

    dataset: DatasetChoice
    """`gsm8k`, or a mapping that describes a dataset."""

    nodes: Nodes = Nodes()
    """Nodes and GPUs."""

    tensor_parallel: TensorParallel = TensorParallel()
    """How one model copy is spread over GPUs."""

    max_sequence_length: Annotated[int, Field(ge=64)] | None = None
    """Longest question and answer together, in tokens. It sets the four keys of NeMo RL that must agree. Left out, the
    recipe's."""

    grpo: Grpo
    """The amount of work."""

    checkpoints: Checkpoints | None = None
    """Checkpoints on Lustre. Left out, the run keeps none and cannot resume."""

    wandb: Wandb | None = None
    """Weights & Biases. Left out, nothing is sent there."""

    overrides: dict[str, Any] = Field(default_factory=dict)
    """Any further setting of NeMo RL, nested or with dotted keys, as its own configuration files spell it."""

    @classmethod
    def unsupported(cls) -> Mapping[str, str]:
        return {
            "image": "the image belongs to the RayCluster; write ray.image in the environment file",
            "env": "variables belong to the RayCluster; write ray.env in the environment file",
            "seed": "write overrides: {grpo.seed: ...}",
            "learning_rate": "write overrides: {policy.optimizer.kwargs.lr: ...}",
        }


class Checkpoint(Section):
    """One checkpoint of a run."""

    run: DnsLabel
    """`checkpoints.run` of the job that trained it."""

    step: Positive | None = None
    """Its step. Left out, the newest when the job runs."""


class ConvertJob(_Job):
    """A checkpoint becomes a folder in Hugging Face's format, exports/RUN/step_N on Lustre.

    It runs on the Ray head, without a GPU, and takes about eight bytes of its memory for each parameter of the model.
    """

    kind: Literal["convert"]
    """`convert`: a checkpoint to Hugging Face format."""

    model: ModelName
    """The model that the run started from; its processor files are copied beside the weights."""

    checkpoint: Checkpoint
    """What to convert."""


class EvaluateJob(_Job):
    """An exported checkpoint, or a model as it is, answers a dataset's validation questions and gets a score."""

    kind: Literal["evaluate"]
    """`evaluate`: a score."""

    model: ModelName
    """The model that the run started from; without `checkpoint`, the model that is scored."""

    checkpoint: Checkpoint | None = None
    """The exported checkpoint to score; a convert job makes it. Left out, the model itself is scored, to compare."""

    dataset: DatasetChoice
    """`gsm8k`, or a mapping that describes a dataset; its validation rows are asked."""

    gpus: Annotated[int, Field(ge=1, le=8)] = 8
    """GPUs, all on one node."""

    tensor_parallel: Positive = 1
    """GPUs that share one copy of the model; a divisor of `gpus`."""

    max_sequence_length: Annotated[int, Field(ge=64)] = 4096
    """Longest question and answer together, in tokens; a longer answer is cut and counts as wrong."""


Job = GrpoJob | ConvertJob | EvaluateJob

#: What `kind` may be, and the model that reads the rest.
KINDS: dict[str, type[GrpoJob] | type[ConvertJob] | type[EvaluateJob]] = {
    "grpo": GrpoJob,
    "convert": ConvertJob,
    "evaluate": EvaluateJob,
}
