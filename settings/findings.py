"""What rules say about settings that are well-formed one by one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that a rule found: the key path, and a text that goes on from there.

    `Finding("gpu_pool.max_nodes", "is 2, but ray.workers is 4; raise max_nodes or lower workers")`
    """

    path: str
    text: str
