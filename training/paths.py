"""The one tree on Lustre where everything of every run is.

/data/hf/                        Hugging Face's cache: model weights and tokenizers (HF_HOME, set by the platform)
/data/datasets/<name>/           prepared questions: train.jsonl, validation.jsonl, and a marker
/data/checkpoints/<run>/step_N/  NeMo RL's checkpoints, from which a run resumes
/data/exports/<run>/step_N/      checkpoints in Hugging Face's format, made by convert
/data/logs/<run>/                NeMo RL's own logs
/data/summaries/<run>/           what summarize made of the logs: JSON, a table, a plot
/data/evaluations/<run>/step_N/  scores, made by evaluate
"""

from __future__ import annotations

from catalog.pod_folders import DATA_FOLDER

DATASETS = f"{DATA_FOLDER}/datasets"
CHECKPOINTS = f"{DATA_FOLDER}/checkpoints"
EXPORTS = f"{DATA_FOLDER}/exports"
LOGS = f"{DATA_FOLDER}/logs"
SUMMARIES = f"{DATA_FOLDER}/summaries"
EVALUATIONS = f"{DATA_FOLDER}/evaluations"

#: The two files of a prepared dataset, one JSON object a line, with `input` and `output`.
TRAIN_FILE = "train.jsonl"
VALIDATION_FILE = "validation.jsonl"
