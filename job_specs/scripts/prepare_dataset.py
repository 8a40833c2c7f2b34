"""Brings a dataset into the form that NeMo RL's ResponseDataset and its math verifier want, once, on Lustre.

    prepare_dataset.py --source=openai/gsm8k --subset=main --train-split=train --validation-split=test \\
        --question-column=question --answer-column=answer --answer-after=#### --output=/data/datasets/gsm8k
    prepare_dataset.py --source=/data/mine/train.jsonl --validation-source=/data/mine/test.jsonl \\
        --question-column=question --answer-column=answer --output=/data/datasets/mine

Afterwards the output folder holds `train.jsonl` and `validation.jsonl`, one `{"input": question, "output": answer}` a
line in the order of the source, and `prepared.json`: where they come from, their rows, bytes and SHA-256. The answer is
the final answer alone, because the verifier compares with all of the text: after `--answer-after`, without blanks
around it, and without commas between thousands (2,400 becomes 2400). After GSM8K's own mark, ####, it must be a number.

`prepared.json` is written last, and each file gets its name when it is whole. Where it is there and says the same, the
script is done in a fraction of a second, without a look at the source, except at the size and time of a local file.
Where it says something else, nothing is changed: another run may be reading the files.

Exit status: 0 the files are there, 1 they are not; one line says why, with the row (counted from 1) and its fault.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from steps import StepError, image_module, one_line, run, say, whole_file

MARKER = "prepared.json"
FILES = {"train": "train.jsonl", "validation": "validation.jsonl"}

#: After this mark GSM8K has a number in every row, with commas in it (https://github.com/openai/grade-school-math).
GSM8K_MARK = "####"
#: A row of the source: column -> value.
Row = dict[str, Any]

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)")
#: Commas in other places may part the two numbers of an answer.
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?")


@dataclass(frozen=True)
class Columns:
    """Where question and answer stand in a row."""

    question: str
    answer: str
    after: str | None

    def pair(self, row: Row) -> dict[str, str]:
        """The row as NeMo RL reads it; raises ValueError, which continues "row N"."""
        answer = _text(row, self.answer)
        if self.after is not None:
            _, mark, answer = answer.rpartition(self.after)
            if not mark:
                raise ValueError(f"has no {self.after} in the column {self.answer}")
            answer = answer.strip()
            if not answer:
                raise ValueError(f"has nothing after {self.after} in the column {self.answer}")
        if self.after == GSM8K_MARK or _THOUSANDS.fullmatch(answer):
            answer = answer.replace(",", "")
        if self.after == GSM8K_MARK and not _NUMBER.fullmatch(answer):
            raise ValueError(f"has no number after {self.after}, but {one_line(answer, 60)!r}")
        return {"input": _text(row, self.question), "output": answer}


def main() -> int:
    parser = argparse.ArgumentParser(description="Write a dataset as NeMo RL reads it.", allow_abbrev=False)
    parser.add_argument("--source", required=True, help="Hugging Face name or folder of a dataset, or a JSONL file")
    parser.add_argument("--subset", help="configuration of the Hugging Face dataset")
    parser.add_argument("--train-split", help="split to train on, of a Hugging Face dataset")
    parser.add_argument("--validation-split", help="split to validate on, of a Hugging Face dataset")
    parser.add_argument("--validation-source", help="JSONL file to validate on, with a JSONL source")
    parser.add_argument("--question-column", required=True)
    parser.add_argument("--answer-column", required=True)
    parser.add_argument("--answer-after", help="text after whose last occurrence the final answer stands")
    parser.add_argument("--output", type=Path, required=True, help="folder for the prepared files")
    options = parser.parse_args()
    request = {name: value for name, value in vars(options).items() if name != "output" and value is not None}
    sources = _sources(options)
    request["files"] = {str(source): _stamp(source) for source in sources.values() if isinstance(source, Path)}

    output: Path = options.output
    if (marker := _marker(output)) is not None:
        _check_same(output, marker, request)
        say(f"{output} is prepared already: {_shown(marker)}")
        return 0
    columns = Columns(options.question_column, options.answer_column, options.answer_after)
    marker = {"request": request}
    with ExitStack() as stack:  # neither file gets its name before both are whole
        for name, source in sources.items():
            file = stack.enter_context(whole_file(output / FILES[name]))
            if isinstance(source, Path):
                where, rows = str(source), _file_rows(source, columns)
            else:
                where, rows = f"{options.source} {source}", _split_rows(options.source, options.subset, source, columns)
            marker[name] = _write(file, _pairs(rows, where, columns))
    with whole_file(output / MARKER) as file:
        json.dump(marker, file, indent=2)
        file.write("\n")
    say(f"{output} is prepared: {_shown(marker)}")
    return 0


def _sources(options: argparse.Namespace) -> dict[str, Path | str]:
    """For training and for validation: a JSONL file, or the split of a Hugging Face dataset."""
    if options.source.endswith((".json", ".jsonl")):
        if not options.validation_source:
            raise StepError("--source is a file, so --validation-source must name another one")
        return {"train": Path(options.source), "validation": Path(options.validation_source)}
    if options.validation_source or not (options.train_split and options.validation_split):
        raise StepError("--source is a Hugging Face dataset, so --train-split and --validation-split must name splits")
    return {"train": options.train_split, "validation": options.validation_split}


def _stamp(path: Path) -> dict[str, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise StepError(f"{path} cannot be read: {error.strerror}") from error
    return {"bytes": status.st_size, "changed_ns": status.st_mtime_ns}


# What is there already


def _marker(output: Path) -> dict[str, Any] | None:
    """What this script wrote about the files when it made them; None where it did not, or did not come to the end."""
    path = output / MARKER
    try:
        marker: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise StepError(f"{path} is not JSON ({error}); remove it, and the dataset is prepared anew") from error
    if not {"request", *FILES} <= marker.keys():
        raise StepError(f"{path} is not of this script; remove it, and the dataset is prepared anew")
    return marker


def _check_same(output: Path, marker: dict[str, Any], request: dict[str, Any]) -> None:
    remedy = "give the dataset another name, or move the folder away when no run reads it"
    for key in dict.fromkeys([*request, *marker["request"]]):
        before, now = marker["request"].get(key), request.get(key)
        if before != now and key == "files":
            raise StepError(f"{' or '.join(request[key])} has changed since {output} was prepared from it; {remedy}")
        if before != now:
            raise StepError(
                f"{output} was prepared with --{key.replace('_', '-')} {json.dumps(before)}, and now it is"
                f" {json.dumps(now)}; {remedy}"
            )
    for name, file in FILES.items():
        path, bytes_before = output / file, marker[name]["bytes"]
        bytes_now = path.stat().st_size if path.exists() else None
        if bytes_now != bytes_before:
            found = "is gone" if bytes_now is None else f"has {bytes_now} bytes"
            raise StepError(f"{path} {found}, and had {bytes_before} bytes when it was prepared; {remedy}")


def _shown(marker: dict[str, Any]) -> str:
    return ", ".join(
        f"{marker[name]['rows']} rows in {file} ({marker[name]['sha256'][:12]})" for name, file in FILES.items()
    )


# Reading


def _file_rows(path: Path, columns: Columns) -> Iterator[tuple[int, Row]]:
    with path.open(encoding="utf-8") as file:
        number = 0
        try:
            for number, line in enumerate(file, start=1):
                row: Row = json.loads(line)
                if not isinstance(row, dict):  # pyright: ignore[reportUnnecessaryIsInstance] # it is what the file says
                    raise ValueError("it is no JSON object")
                if number == 1:
                    _check_columns(row, columns, str(path))
                yield number, row
        except UnicodeDecodeError as error:
            raise StepError(f"{path} is not UTF-8 text after row {number}: {error.reason}") from error
        except ValueError as error:
            raise StepError(f"{path} row {number} cannot be read: {error}") from error


def _split_rows(source: str, subset: str | None, split: str, columns: Columns) -> Iterator[tuple[int, Row]]:
    # The import takes seconds. datasets 4.4.1 in NeMo RL v0.5.0 and v0.6.0, 4.8.5 in v0.7.0.
    datasets = image_module("datasets")
    datasets.disable_progress_bars()
    try:
        rows = datasets.load_dataset(source, subset, split=split)
    except Exception as error:  # anything from a wrong split to the network
        where = source if subset is None else f"{source} ({subset})"
        raise StepError(f"split {split} of {where} cannot be loaded: {type(error).__name__}: {error}") from error
    _check_columns(rows.column_names, columns, f"{source} {split}")
    yield from enumerate(rows.select_columns(list(dict.fromkeys((columns.question, columns.answer)))), start=1)


def _check_columns(there: Iterable[str], columns: Columns, where: str) -> None:
    names = list(there)
    missing = [name for name in (columns.question, columns.answer) if name not in names]
    if missing:
        raise StepError(f"{where} has no column {' and no column '.join(missing)}; its columns are {', '.join(names)}")


def _text(row: Row, column: str) -> str:
    """The text in a column, without blanks around it; a number counts as its text."""
    value = row.get(column)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise ValueError(f"has no text in the column {column}, but {one_line(json.dumps(value, default=str), 60)}")
    if not value.strip():
        raise ValueError(f"has an empty {column}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"has half a character in the column {column}, which is no text: {error.reason}") from error
    return value.strip()


# Writing


def _pairs(rows: Iterable[tuple[int, Row]], where: str, columns: Columns) -> Iterator[dict[str, str]]:
    """The rows as NeMo RL reads them. After a faulty row the others are only checked, for one report of all."""
    first, faults, number = "", 0, 0
    for number, row in rows:
        try:
            pair = columns.pair(row)
        except ValueError as error:
            first = first or f"{where} row {number} {error}"
            faults += 1
            continue
        if not faults:
            yield pair
    if not number:
        raise StepError(f"{where} has no rows")
    if faults:
        raise StepError(first if faults == 1 else f"{first}; it is one of {faults} faulty rows")


def _write(file: TextIO, pairs: Iterable[dict[str, str]]) -> dict[str, str | int]:
    digest, rows, size = hashlib.sha256(), 0, 0
    for pair in pairs:
        line = json.dumps(pair, ensure_ascii=False) + "\n"
        file.write(line)
        encoded = line.encode()
        digest.update(encoded)
        size += len(encoded)
        rows += 1
    return {"rows": rows, "bytes": size, "sha256": digest.hexdigest()}


if __name__ == "__main__":
    run(main)
