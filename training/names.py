"""Names of RayJobs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

#: Hexadecimal digits at the end of a RayJob's name. It has at most 47 characters, so the job's name has 38 left.
HASH_LENGTH = 8


def ray_job_name(job: str, spec: Mapping[str, object], attempt: int) -> str:
    """The RayJob's name: the job's, and a hash of all that it runs and of the attempt.

    KubeRay never runs a RayJob again and ignores edits of one that exists, so whatever changes must give a new name.
    The job's name is a DNS label that begins with a letter, and short enough: the rules see to both.
    """
    said = json.dumps([spec, attempt], sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return f"{job}-{hashlib.sha256(said.encode()).hexdigest()[:HASH_LENGTH]}"
