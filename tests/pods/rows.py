"""Made-up rows in the shape of GSM8K, and a folder that looks to `datasets` like openai/gsm8k on the Hub."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.pods.scripts import write_jsonl

#: Question, answer as GSM8K writes it, and the number that it comes to. `<<...>>` are GSM8K's calculator marks.
_MADE = (
    (
        "Mina fills 4 boxes with 12 pears each and eats 3 of the pears. How many pears are left?",
        "The boxes hold 4 * 12 = <<4*12=48>>48 pears.\nAfter the meal 48 - 3 = <<48-3=45>>45 are left.\n#### 45",
        "45",
    ),
    (
        "A hall has 60 rows of 40 seats. How many people can sit in it?",
        "There are 60 * 40 = <<60*40=2400>>2,400 seats.\n#### 2,400",
        "2400",
    ),
    (
        "It was 6 degrees at noon and got 9 degrees colder by night. What was the temperature at night?",
        "At night it was 6 - 9 = <<6-9=-3>>-3 degrees.\n#### -3",
        "-3",
    ),
    (
        "Jo shares $5 evenly with one friend. How many dollars does each of the two get?",
        "Each gets 5 / 2 = $<<5/2=2.5>>2.5.\n#### 2.5",
        "2.5",
    ),
    (
        "A train needs 2 hours for 180 km. How far does it get in 7 hours?",
        "It makes 180 / 2 = <<180/2=90>>90 km an hour.\nSo it gets 90 * 7 = <<90*7=630>>630 km far.\n#### 630",
        "630",
    ),
    (
        "Écrivez: a café sells 1000 cups in each of 1250 days. How many cups is that?",
        "That is 1000 * 1250 = <<1000*1250=1250000>>1,250,000 cups.\n#### 1,250,000",
        "1250000",
    ),
)
TRAIN, TEST = _MADE[:4], _MADE[4:]


def gsm8k(folder: Path, **changed: list[dict[str, Any]]) -> Path:
    """The dataset as a local folder, with its configuration `main`; `changed` replaces the rows of a split."""
    splits = {
        name: [{"question": question, "answer": answer} for question, answer, _ in rows]
        for name, rows in (("train", TRAIN), ("test", TEST))
    } | changed
    for name, rows in splits.items():
        write_jsonl(folder / "main" / f"{name}-00000-of-00001.jsonl", rows)
    lines = "".join(f"  - split: {name}\n    path: main/{name}-*\n" for name in splits)
    # The same rows a second time, so that a subset must be named, as on the Hub.
    configurations = "".join(f"- config_name: {name}\n  data_files:\n{lines}" for name in ("main", "socratic"))
    (folder / "README.md").write_text(f"---\nconfigs:\n{configurations}---\n", encoding="utf-8")
    return folder


def prepared(rows: tuple[tuple[str, str, str], ...]) -> list[dict[str, str]]:
    """The rows as the training wants them."""
    return [{"input": question, "output": number} for question, _, number in rows]


def raw(rows: tuple[tuple[str, str, str], ...]) -> list[dict[str, str]]:
    """The rows as the tutorial's command trains on them: the answer as it stands in the dataset."""
    return [{"input": question, "output": answer} for question, answer, _ in rows]
