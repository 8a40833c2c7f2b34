"""The output is the same bytes for the same input, wherever and however it is made, and says nothing of the machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support import ROOT, Stacks, copy_checkout, files_in


def test_another_folder_process_and_hash_seed_give_the_same_bytes_where_cdktf_wants_them(
    examples_folder: Path, tmp_path: Path
) -> None:
    checkout = copy_checkout(tmp_path / "a" / "much" / "deeper" / "folder")
    output = tmp_path / "elsewhere"
    settings = {"PYTHONHASHSEED": "4711", "TZ": "Asia/Kolkata", "CDKTF_OUTDIR": str(output)}
    done = subprocess.run(
        [sys.executable, checkout / "main.py"],
        cwd=tmp_path,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["stack", "resources", "depends", "on", "state"]
    assert lines[2].split() == ["example-b200_network", "31", "-", "state/example-b200_network.tfstate"]
    assert [line for line in lines if line.startswith("note: environments/")]
    one, other = files_in(examples_folder), files_in(output)
    assert list(one) == list(other)
    assert [name for name in one if one[name] != other[name]] == []
    assert not (checkout / "cdktf.out").exists()


def test_the_output_names_no_folder_of_this_machine(examples_folder: Path) -> None:
    machine = (str(ROOT), str(Path.home()) + "/", str(examples_folder.parent), sys.prefix)
    named = [
        f"{name}: {folder}"
        for name, content in files_in(examples_folder).items()
        for folder in machine
        if folder.encode() in content
    ]
    assert named == []


def test_every_address_is_its_construct_path_joined_without_a_hash(examples: Stacks, alternatives: Stacks) -> None:
    addresses = 0
    for stack, content in (examples | alternatives).items():
        for section in ("resource", "data"):
            for named in content.get(section, {}).values():
                for address, block in named.items():
                    # cdktf notes the path beside each block.
                    below = block["//"]["metadata"]["path"].removeprefix(f"{stack}/").split("/")
                    assert address == "-".join(part for part in below if part != "Default")
                    assert re.fullmatch(r"[a-z][a-z0-9-]*", address)
                    addresses += 1
    assert addresses > 500


def test_outputs_and_variables_are_called_as_a_user_would_write_them(examples: Stacks) -> None:
    names = {name for stack in examples.values() for key in ("output", "variable") for name in stack.get(key, {})}
    assert {"mount_point", "credentials", "workload_account", "hf_token"} <= names
    assert [name for name in sorted(names) if not re.fullmatch(r"[a-z]+(_[a-z]+)*", name)] == []
