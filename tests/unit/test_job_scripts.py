from __future__ import annotations

from pathlib import Path

import pytest

from settings.faults import SettingsError
from settings.job_scripts import digests, read_scripts


def scripts(root: Path, **files: bytes) -> Path:
    folder = root / "job_specs" / "scripts"
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return root


def test_texts_come_as_they_lie_there_in_the_order_of_their_names(tmp_path: Path) -> None:
    scripts(tmp_path, b=b"two\r\n", a=b"${one}\n")
    (tmp_path / "job_specs/scripts/__pycache__").mkdir()
    (tmp_path / "job_specs/scripts/.swp").write_bytes(b"\xff")
    read = read_scripts(tmp_path)
    assert list(read.items()) == [("a", "${one}\n"), ("b", "two\r\n")]


def test_a_digest_is_what_sha256sum_prints() -> None:
    # printf 'abc' | sha256sum
    assert digests({"a": "abc"}) == {"a": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}


def test_what_no_configmap_can_hold_is_refused(tmp_path: Path) -> None:
    scripts(tmp_path, **{"a b.sh": b"", "bad.sh": b"\xff", "big.sh": b"x" * 2**20})
    with pytest.raises(SettingsError) as error:
        read_scripts(tmp_path)
    assert str(error.value).splitlines() == [
        "job_specs/scripts/a b.sh: has a name that no ConfigMap takes; use letters, digits, -, _ and .",
        "job_specs/scripts/bad.sh: is not UTF-8 text; save it as UTF-8",
        "job_specs/scripts: holds 1048595 bytes, and a ConfigMap takes 1048576; put large files into the image",
    ]
