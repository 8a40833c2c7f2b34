"""Datasets whose size is known before they are downloaded."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class KnownDataset:
    """A dataset on Hugging Face; rows by split."""

    source: str
    rows: dict[str, int]


# GSM8K: 7,473 training and 1,319 test questions (its dataset card; the tutorial speaks of 8,500 in all).
DATASETS: dict[str, KnownDataset] = {
    dataset.source: dataset for dataset in (KnownDataset(source="openai/gsm8k", rows={"train": 7473, "test": 1319}),)
}
