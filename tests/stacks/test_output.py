"""The output is the same bytes for the same input, wherever and however it is made, and says nothing of the machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support import ROOT, Stacks, copy_checkout, files_in


def test_another_folder_process_and_hash_seed_give_the_same_bytes(examples_folder: Path, tmp_path: Path) -> None:
    checkout = copy_checkout(tmp_path / "a" / "much" / "deeper" / "folder")
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "TZ": "Asia/Kolkata"}
    subprocess.run(
        [sys.executable, checkout / "main.py"], cwd=tmp_path, env=environment, check=True, capture_output=True
    )
    one, other = files_in(examples_folder), files_in(checkout / "cdktf.out")
    assert list(one) == list(other)
    assert [name for name in one if one[name] != other[name]] == []


def test_the_output_names_no_folder_of_this_machine(examples_folder: Path) -> None:
    machine = (str(ROOT), str(Path.home()) + "/", str(examples_folder.parent), sys.prefix)
    named = [
        f"{name}: {folder}"
        for name, content in files_in(examples_folder).items()
        for folder in machine
        if folder.encode() in content
    ]
    assert named == []


def test_every_address_is_readable(examples: Stacks) -> None:
    hashed = re.compile(r"_[0-9A-F]{8}$")
    for stack in examples.values():
        for section in ("resource", "data"):
            for kind, named in stack.get(section, {}).items():
                for name in named:
                    assert re.fullmatch(r"[a-z][a-z0-9-]*", name), f"{kind}.{name}"
                    assert not hashed.search(name), f"{kind}.{name}"
