"""The reference and the JSON Schemas are those of the models."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from settings.yaml_file import SettingsFile, read_yaml
from tests.support import ROOT
from tools.reference import files, main


def faults(environment: object) -> list[str]:
    """What an editor would underline in an environment file."""
    schema = json.loads((ROOT / "environments" / "schema.json").read_text(encoding="utf-8"))
    validator: Any = Draft202012Validator(schema)  # typed only in part
    return sorted(error.message for error in validator.iter_errors(environment))


@pytest.mark.parametrize("path", sorted(files()), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_made_from_the_models_is_current(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == files()[path], "run `make reference`"


@pytest.mark.parametrize("path", sorted(ROOT.glob("environments/example-*.yaml")), ids=lambda path: path.stem)
def test_an_example_names_its_schema_and_is_good_by_it(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("# yaml-language-server: $schema=schema.json\n")
    file = read_yaml(path, path.name)
    assert isinstance(file, SettingsFile)
    assert faults(json.loads(json.dumps(file.content))) == []


def test_a_word_that_may_stand_for_a_mapping_has_its_row_beside_the_mappings_own() -> None:
    lines = files()[ROOT / "docs" / "settings.md"].splitlines()
    rows = [line for line in lines if line.startswith("| `dataset` | `gsm8k` or mapping | - |")]
    assert len(rows) == lines.count("### dataset") == 2  # of grpo and of evaluate
    assert not [line for line in lines if line.startswith(("| `checkpoint` |", "| `reservation` |"))]


def test_an_editor_sees_an_unknown_key_and_a_wrong_machine() -> None:
    content = {
        "project": "p",
        "region": "r",
        "zone": "z",
        "gpu_pool": {"gpu": "nvidia-a100", "machine": "a4-highgpu-8g"},
        "luster": {},
    }
    assert faults(content) == [
        "'nvidia-a100' is not one of ['nvidia-b200', 'nvidia-h200-141gb']",
        "Additional properties are not allowed ('luster' was unexpected)",
    ]


def test_a_wrong_call_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.stat().st_mtime_ns for path in files()}
    assert main(["all"]) == 2
    assert capsys.readouterr().err == "write: python -m tools.reference\n"
    assert {path: path.stat().st_mtime_ns for path in files()} == before
