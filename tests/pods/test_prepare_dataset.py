from __future__ import annotations

import hashlib
import json
import os
import resource
from pathlib import Path
from typing import Any

import pytest

from tests.pods.rows import TEST, TRAIN, gsm8k, prepared
from tests.pods.scripts import Result, call_script, read_jsonl, run_script, run_script_often, write_jsonl


def prepare(folder: Path, *words: str) -> Result:
    """Runs the script, with the output folder `out`, in this process."""
    return call_script("prepare_dataset.py", *words, f"--output={folder / 'out'}")


def hub_words(folder: Path, source: Path, subset: str = "main", column: str = "answer") -> list[str]:
    """The words of a job with `dataset: gsm8k`; only the source is a folder."""
    return [
        f"--source={source}",
        f"--subset={subset}",
        "--train-split=train",
        "--validation-split=test",
        "--question-column=question",
        f"--answer-column={column}",
        "--answer-after=####",
        f"--output={folder / 'out'}",
    ]


def from_files(folder: Path, train: list[Any], *words: str, test: list[Any] | None = None) -> Result:
    """The words of a job with a JSONL source; `words` come after them."""
    write_jsonl(folder / "train.jsonl", train)
    write_jsonl(folder / "test.jsonl", test or [{"question": "1 + 1?", "answer": "2"}])
    return prepare(
        folder,
        f"--source={folder / 'train.jsonl'}",
        f"--validation-source={folder / 'test.jsonl'}",
        "--question-column=question",
        "--answer-column=answer",
        *words,
    )


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "out").glob("*")) + sorted(
        path.name for path in (folder / "out").glob(".*")
    )


@pytest.fixture
def no_datasets(tmp_path: Path) -> Path:
    """Modules among which `datasets` cannot be imported."""
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "datasets.py").write_text("raise SystemExit('datasets was imported')\n", encoding="utf-8")
    return folder


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_gsm8k_is_prepared_once_and_then_done_in_a_second_without_the_datasets_library(
    tmp_path: Path, no_datasets: Path
) -> None:
    words = hub_words(tmp_path, gsm8k(tmp_path / "gsm8k"))
    result = run_script("prepare_dataset.py", *words, cwd=tmp_path)
    assert (result.status, result.err) == (0, "")
    train, validation = tmp_path / "out" / "train.jsonl", tmp_path / "out" / "validation.jsonl"
    assert read_jsonl(train) == prepared(TRAIN)
    assert read_jsonl(validation) == prepared(TEST)
    assert json.loads((tmp_path / "out" / "prepared.json").read_text(encoding="utf-8")) == {
        "request": {
            "source": str(tmp_path / "gsm8k"),
            "subset": "main",
            "train_split": "train",
            "validation_split": "test",
            "question_column": "question",
            "answer_column": "answer",
            "answer_after": "####",
            "files": {},
        },
        "train": {"rows": 4, "bytes": train.stat().st_size, "sha256": digest(train)},
        "validation": {"rows": 2, "bytes": validation.stat().st_size, "sha256": digest(validation)},
    }
    shown = f"4 rows in train.jsonl ({digest(train)[:12]}), 2 rows in validation.jsonl ({digest(validation)[:12]})\n"
    assert result.out == f"{tmp_path / 'out'} is prepared: {shown}"
    assert files(tmp_path) == ["prepared.json", "train.jsonl", "validation.jsonl"]

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    again = run_script("prepare_dataset.py", *words, cwd=tmp_path, modules=no_datasets)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1
    assert again == Result(0, f"{tmp_path / 'out'} is prepared already: {shown}", "")

    other = run_script("prepare_dataset.py", *words, "--subset=socratic", cwd=tmp_path, modules=no_datasets)
    assert other.status == 1
    assert other.fault == (
        f'prepare_dataset.py: {tmp_path / "out"} was prepared with --subset "main", and now it is "socratic"; give the'
        " dataset another name, or move the folder away when no run reads it"
    )
    assert read_jsonl(train) == prepared(TRAIN)


def test_what_is_wrong_with_a_hub_dataset_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    broken = [{"question": "Sum?", "answer": f"So it is.\n#### {end}"} for end in ("4", "four", "5", "")]
    good, bad = gsm8k(tmp_path / "good"), gsm8k(tmp_path / "bad", test=broken)
    row, column, subset, split = run_script_often(
        "prepare_dataset.py",
        hub_words(tmp_path, bad),
        hub_words(tmp_path, good, column="solution"),
        hub_words(tmp_path, good, subset="other"),
        [*hub_words(tmp_path, good), "--validation-split=validation"],
        cwd=tmp_path,
    )
    assert row.fault == (
        f"prepare_dataset.py: {bad} test row 2 has no number after ####, but 'four'; it is one of 2 faulty rows"
    )
    assert column.fault == f"prepare_dataset.py: {good} train has no column solution; its columns are question, answer"
    assert subset.fault.startswith(
        f"prepare_dataset.py: split train of {good} (other) cannot be loaded: ValueError: BuilderConfig 'other' not"
    )
    assert split.fault.startswith(
        f"prepare_dataset.py: split validation of {good} (main) cannot be loaded: ValueError: Unknown split"
    )
    assert [result.status for result in (row, column, subset, split)] == [1, 1, 1, 1]
    assert files(tmp_path) == []


def test_a_jsonl_file_is_prepared_with_numbers_and_other_answers_as_they_are(tmp_path: Path) -> None:
    answers = [72, 2.5, " 2,400 ", "1,2", "\\frac{1}{2}", "grün"]
    result = from_files(tmp_path, [{"question": " Which? ", "answer": answer, "more": None} for answer in answers])
    assert result.status == 0, result.err
    assert read_jsonl(tmp_path / "out" / "train.jsonl") == [
        {"input": "Which?", "output": output} for output in ("72", "2.5", "2400", "1,2", "\\frac{1}{2}", "grün")
    ]
    assert read_jsonl(tmp_path / "out" / "validation.jsonl") == [{"input": "1 + 1?", "output": "2"}]


def test_the_answer_stands_after_the_last_mark_whatever_the_mark(tmp_path: Path) -> None:
    row = {"question": "Which?", "answer": "The answer is hidden. No: The answer is x + 1\n"}
    from_files(tmp_path, [row], "--answer-after=The answer is", test=[row])
    assert read_jsonl(tmp_path / "out" / "train.jsonl") == [{"input": "Which?", "output": "x + 1"}]


GOOD = {"question": "1 + 1?", "answer": "#### 2"}


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"question": "1?", "answer": "2"}, "row 2 has no #### in the column answer"),
        ({"question": "1?", "answer": "2 ####  "}, "row 2 has nothing after #### in the column answer"),
        ({"question": "1?", "answer": "#### two\nor 2"}, "row 2 has no number after ####, but 'two or 2'"),
        ({"question": "1?", "answer": None}, "row 2 has no text in the column answer, but null"),
        ({"question": "1?", "answer": True}, "row 2 has no text in the column answer, but true"),
        ({"question": "1?"}, "row 2 has no text in the column answer, but null"),
        ({"question": ["1?"], "answer": "#### 1"}, 'row 2 has no text in the column question, but ["1?"]'),
        ({"question": " \n", "answer": "#### 1"}, "row 2 has an empty question"),
        (["1?", "1"], "row 2 cannot be read: it is no JSON object"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_row_of_a_file_is_named_with_its_fault(tmp_path: Path, row: Any, fault: str) -> None:
    result = from_files(tmp_path, [GOOD, row], "--answer-after=####")
    assert result.status == 1
    assert result.fault == f"prepare_dataset.py: {tmp_path / 'train.jsonl'} {fault}"
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b'{"question": "1?"\n', "row 1 cannot be read: Expecting ',' delimiter: line 2 column 1 (char 18)"),
        (b'{"question": "1?", "answer": "\xff"}\n', "is not UTF-8 text after row 0: invalid start byte"),
        (b'{"question": "\\ud83d", "answer": "1"}\n', "row 1 has half a character in the column question"),
        (b'{"problem": "1?", "answer": "1"}\n', "has no column question; its columns are problem, answer"),
        (b"", "has no rows"),
    ],
    ids=["cut off", "other encoding", "half a character", "column", "empty"],
)
def test_a_broken_file_is_named_with_its_fault(tmp_path: Path, content: bytes, fault: str) -> None:
    source = tmp_path / "mine.jsonl"
    source.write_bytes(content)
    result = from_files(tmp_path, [GOOD], f"--source={source}")
    assert result.status == 1
    assert result.fault.startswith(f"prepare_dataset.py: {source} {fault}")
    assert files(tmp_path) == []


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    result = from_files(tmp_path, [GOOD], "--validation-source=/nowhere/test.jsonl")
    assert result.fault == "prepare_dataset.py: /nowhere/test.jsonl cannot be read: No such file or directory"


@pytest.mark.parametrize("broken", ["prepared.json", "train.jsonl", "validation.jsonl"])
def test_a_preparation_that_did_not_come_to_its_end_is_made_again(tmp_path: Path, broken: str) -> None:
    """Only the last file, prepared.json, says that all are whole."""
    from_files(tmp_path, [GOOD])
    for name in ("prepared.json", broken):
        (tmp_path / "out" / name).unlink(missing_ok=True)
    assert from_files_again(tmp_path).status == 0
    assert files(tmp_path) == ["prepared.json", "train.jsonl", "validation.jsonl"]


def from_files_again(folder: Path) -> Result:
    return prepare(
        folder,
        f"--source={folder / 'train.jsonl'}",
        f"--validation-source={folder / 'test.jsonl'}",
        "--question-column=question",
        "--answer-column=answer",
    )


def test_what_changed_since_the_preparation_is_never_overwritten(tmp_path: Path) -> None:
    from_files(tmp_path, [GOOD])
    source, out = tmp_path / "train.jsonl", tmp_path / "out"
    remedy = "give the dataset another name, or move the folder away when no run reads it"

    before = source.stat()
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    changed = from_files_again(tmp_path)
    assert changed.fault == (
        f"prepare_dataset.py: {source} or {tmp_path / 'test.jsonl'} has changed since {out} was prepared from it;"
        f" {remedy}"
    )
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert from_files_again(tmp_path).status == 0

    (out / "train.jsonl").write_text("", encoding="utf-8")
    shrunk = from_files_again(tmp_path)
    assert shrunk.fault == (
        f"prepare_dataset.py: {out / 'train.jsonl'} has 0 bytes, and had 40 bytes when it was prepared; {remedy}"
    )


@pytest.mark.parametrize(("text", "fault"), [("{", "is not JSON (Expecting"), ("{}", "is not of this script; ")])
def test_a_marker_of_something_else_is_named(tmp_path: Path, text: str, fault: str) -> None:
    write_jsonl(tmp_path / "train.jsonl", [GOOD])
    write_jsonl(tmp_path / "test.jsonl", [GOOD])
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "prepared.json").write_text(text, encoding="utf-8")
    result = from_files_again(tmp_path)
    assert result.fault.startswith(f"prepare_dataset.py: {tmp_path / 'out' / 'prepared.json'} {fault}")
    assert result.fault.endswith("remove it, and the dataset is prepared anew")


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--source=/data/x.jsonl"], "--source is a file, so --validation-source must name another one"),
        (
            ["--source=openai/gsm8k", "--train-split=train"],
            "--source is a Hugging Face dataset, so --train-split and --validation-split must name splits",
        ),
    ],
    ids=["file", "hub"],
)
def test_words_that_do_not_go_together_are_named(tmp_path: Path, words: list[str], fault: str) -> None:
    result = prepare(tmp_path, *words, "--question-column=q", "--answer-column=a")
    assert (result.status, result.fault) == (1, f"prepare_dataset.py: {fault}")
