"""Writes the JSON Schemas of the settings files, which editors use to complete and check them.

    python -m tools.schema

Rewrites `environments/schema.json` and `job_specs/schema.json` from the models in settings/.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from settings.environment import Environment
from pydantic import TypeAdapter

from settings.job import Job

ROOT = Path(__file__).resolve().parents[1]


def schemas() -> dict[Path, str]:
    """The text of each schema file."""
    environment = Environment.model_json_schema()
    environment["required"].remove("name")  # it follows from the file's name
    return {
        ROOT / "environments" / "schema.json": _text(environment, "Environment of a NeMo RL training site"),
        ROOT / "job_specs" / "schema.json": _text(TypeAdapter[Job](Job).json_schema(), "Job of a NeMo RL training site"),
    }


def _text(schema: dict[str, Any], title: str) -> str:
    described = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": title}
    return json.dumps(described, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for path, text in schemas().items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
