"""The scripts that jobs run in the pods, as they lie under job_specs/scripts/."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from settings.faults import Fault, SettingsError

FOLDER = "job_specs/scripts"

#: Kubernetes' limits on a ConfigMap: the letters of a key, and 1 MiB for all of it.
_KEY = re.compile(r"[-._a-zA-Z0-9]{1,253}")
_LIMIT = 2**20


def read_scripts(root: Path) -> dict[str, str]:
    """File name -> text of each script under `root`/job_specs/scripts, in the order of their names.

    Folders and hidden files are passed over. Raises `SettingsError` for files that no ConfigMap can hold.
    """
    files = sorted(path for path in (root / FOLDER).glob("*") if path.is_file() and not path.name.startswith("."))
    faults = list(_faults(files))
    if faults:
        raise SettingsError(faults)
    return {path.name: path.read_bytes().decode() for path in files}


def digests(scripts: Mapping[str, str]) -> dict[str, str]:
    """File name -> SHA-256 of each script, in hexadecimal, as `sha256sum` prints it in the pod."""
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in scripts.items()}


def _faults(files: list[Path]) -> Iterator[Fault]:
    size = 0
    for path in files:
        where = f"{FOLDER}/{path.name}"
        content = path.read_bytes()
        size += len(path.name) + len(content)
        if not _KEY.fullmatch(path.name):
            yield Fault(where, "", "has a name that no ConfigMap takes; use letters, digits, -, _ and .")
        try:
            content.decode()
        except UnicodeDecodeError:
            yield Fault(where, "", "is not UTF-8 text; save it as UTF-8")
    if size > _LIMIT:
        yield Fault(FOLDER, "", f"holds {size} bytes, and a ConfigMap takes {_LIMIT}; put large files into the image")
