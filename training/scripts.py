"""Which of the jobs' scripts a job runs, so that a change of another one leaves the job alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_IMPORT = re.compile(r"^\s*(?:from|import)\s+([A-Za-z_]\w*)", re.MULTILINE)


def with_imports(names: Iterable[str], scripts: Mapping[str, str]) -> dict[str, str]:
    """The named scripts and all that they import from beside them: file name -> text, in the order of the names.

    Raises `KeyError` for a script that is not there.
    """
    found: dict[str, str] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = scripts[name]
            modules = (f"{module}.py" for module in _IMPORT.findall(scripts[name]))
            waiting += [module for module in modules if module in scripts]
    return dict(sorted(found.items()))
