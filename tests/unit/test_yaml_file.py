"""A file becomes a model, or lines that say what to write: files of all kinds, and any value at any key."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settings.environment import Environment
from settings.faults import Fault
from settings.rules import DOUBTS, FAULTS
from settings.yaml_file import Section, SettingsFile, parse, read_yaml
from tests.support import MINIMAL


def read(path: Path) -> str:
    """What reading the file says is wrong with it."""
    fault = read_yaml(path, "environments/prod.yaml")
    assert isinstance(fault, Fault)
    return str(fault).removeprefix("environments/prod.yaml: ")


def lines(text: str) -> list[str]:
    """What is wrong in the smallest good file with this text after it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prod.yaml"
        path.write_text(MINIMAL + text, encoding="utf-8")
        file = read_yaml(path, "f")
    assert isinstance(file, SettingsFile), str(file)
    parsed = parse(Environment, file.with_default("name", "prod", "the file's name"))
    return [str(fault).removeprefix("f: ") for fault in parsed] if isinstance(parsed, list) else []


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["of Unix", "of Windows"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["without a mark", "with a byte order mark"])
def test_a_file_reads_the_same_on_any_system(newline: str, mark: bytes, tmp_path: Path) -> None:
    path = tmp_path / "prod.yaml"
    path.write_bytes(mark + MINIMAL.replace("\n", newline).encode())
    file = read_yaml(path, "f")
    assert isinstance(file, SettingsFile)
    assert file.content == {
        "project": "my-project",
        "region": "us-central1",
        "zone": "us-central1-b",
        "gpu_pool": {"gpu": "nvidia-b200", "machine": "a4-highgpu-8g", "reservation": {"name": "my-reservation"}},
    }


def test_a_link_to_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("a: 1\n", encoding="utf-8")
    (tmp_path / "prod.yaml").symlink_to("real")
    file = read_yaml(tmp_path / "prod.yaml", "f")
    assert isinstance(file, SettingsFile)


def test_a_link_in_a_circle_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "prod.yaml").symlink_to("prod.yaml")
    assert read(tmp_path / "prod.yaml") == (
        "cannot be read (Too many levels of symbolic links); correct its rights, or what it links to"
    )


def test_a_pipe_is_one_line_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "prod.yaml")
    assert read(tmp_path / "prod.yaml") == (
        "is no regular file; write the settings into a file, and give this another name"
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_rights_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "prod.yaml").touch(mode=0)
    assert read(tmp_path / "prod.yaml") == (
        "cannot be read (Permission denied); correct its rights, or what it links to"
    )


def test_a_file_that_the_system_refuses_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "prod.yaml").touch()
    monkeypatch.setattr(Path, "read_text", refuse)
    assert read(tmp_path / "prod.yaml") == (
        "cannot be read (Permission denied); correct its rights, or what it links to"
    )


@pytest.mark.parametrize("content", [MINIMAL.encode("utf-16"), b"# caf\xe9\n"], ids=["UTF-16", "Latin-1"])
def test_another_encoding_is_one_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "prod.yaml").write_bytes(content)
    assert read(tmp_path / "prod.yaml") == "is not UTF-8 text; save it as UTF-8"


def test_a_file_of_megabytes_is_one_line_at_once(tmp_path: Path) -> None:
    (tmp_path / "prod.yaml").write_text("a: [" + "1, " * 1_000_000, encoding="utf-8")
    start = time.monotonic()
    assert read(tmp_path / "prod.yaml") == "has 3000004 bytes, more than 65536; write less"
    assert time.monotonic() - start < 1


#: What is added to the smallest good file -> the lines that come of it.
WRONG: dict[str, list[str]] = {
    "cpu_pool: {max_nodes: 1e3}": ["cpu_pool.max_nodes is 1e3, a decimal number; write a whole number: 1000"],
    "cpu_pool: {max_nodes: .inf}": ["cpu_pool.max_nodes is .inf, a decimal number; write a whole number"],
    "cpu_pool: {max_nodes: .nan}": ["cpu_pool.max_nodes is .nan, a decimal number; write a whole number"],
    'cpu_pool: {max_nodes: "--5"}': ['cpu_pool.max_nodes is "--5", a text; write a whole number'],
    "cpu_pool: {max_nodes: -5}": ["cpu_pool.max_nodes is -5; write 1 or more"],
    "lustre: {capacity_gib: 0x10000000000000000000}": [
        'lustre.capacity_gib is "0x10000000000000000000", a text; write a whole number'
    ],
    "lustre:\n  capacity_gib: 18,000": ['lustre.capacity_gib is "18,000", a text; write a whole number: 18000'],
    "lustre: {capacity_gib: 18_000}": ['lustre.capacity_gib is "18_000", a text; write a whole number: 18000'],
    "lustre: {capacity_gib: 18TiB}": ['lustre.capacity_gib is "18TiB", a text; write a whole number'],
    'lustre: {capacity_gib: "١٨"}': ['lustre.capacity_gib is "١٨", a text; write a whole number'],
    f"lustre: {{capacity_gib: {'9' * 40}}}": ["lustre.capacity_gib is a number of 40 digits; write a smaller one"],
    f'lustre: {{capacity_gib: "{"9" * 5000}"}}': ['lustre.capacity_gib is "***", a text; write a whole number'],
    'lustre: {throughput: "500"}': [
        'lustre.throughput is "500", a text; write one of 125, 250, 500 or 1000, without quotes'
    ],
    "lustre: {throughput: 500.0}": ["lustre.throughput is 500.0, a decimal number; write a whole number: 500"],
    "lustre: {throughput: true}": ["lustre.throughput is true; write one of 125, 250, 500 or 1000"],
    "lustre: {port: 988.0}": ["lustre.port is 988.0, a decimal number; write a whole number: 988"],
    "lustre: {deletion_protection: No}": ['lustre.deletion_protection is "No", a text; write true or false: false'],
    "lustre: {filesystem: }": ["lustre.filesystem is null; write a value, or leave the key out to get its default"],
    "zone:": ["zone stands twice (lines 3 and 8); keep one"],
    "ray: {env: {A: }}": ["ray.env.A is null; write a value, or remove the key"],
    "jobs: [~]": ["jobs[0] is null; write a value, or remove the entry"],
    "jobs: [3, {a: b}]": [
        'jobs[0] is 3, a whole number; write a text in quotes: "3"',
        "jobs[1] is a mapping; write a text",
    ],
    "cluster: {version: 1.30}": ['cluster.version is 1.30, a decimal number; write a text in quotes: "1.30"'],
    "state: gcs": ['state is "gcs", a text; write a mapping (backend: ...)'],
    "cluster: {maintenance_exclusions: [run, ~, {}]}": [
        'cluster.maintenance_exclusions[0] is "run", a text; write a mapping (name: ...)',
        "cluster.maintenance_exclusions[1] is null; write a value, or remove the entry",
        "cluster.maintenance_exclusions[2].name is missing (Name of the exclusion); write it",
        "cluster.maintenance_exclusions[2].start is missing (First moment, in UTC, as 2027-01-15T00:00:00Z); write it",
        "cluster.maintenance_exclusions[2].end is missing (Last moment, in UTC); write it",
    ],
    "gpu-pool: {}": ["gpu-pool is unknown; did you mean gpu_pool?"],
    "Network: {}": ["Network is unknown; did you mean network?"],
    "network.mtu: 1500": ["network.mtu is unknown; write mtu, indented, below network"],
    "max_nodes: 3": ["max_nodes is unknown here; did you mean gpu_pool.max_nodes?"],
    "cluster: {zone: b}": ["cluster.zone is unknown here; did you mean zone, which is not indented?"],
    "lustre: {x: 1}": [
        "lustre.x is unknown; known here: capacity_gib, throughput, filesystem, port, deletion_protection"
    ],
    '"": 1': [
        '"" is unknown; known here: project, region, zone, name, gpu_pool, network, lustre, cluster, cpu_pool, ray,'
        " tokens, platform, monitoring, state, names, jobs"
    ],
    "lustre: !foo {x: 1}": ["lustre has the tag !foo, and settings take none; remove it (quotes make a text)"],
    "lustre: {port: 1, port: 2}\nnetwork: {nat: 1}": [
        "lustre.port stands twice (line 8); keep one",
        "network.nat is 1, a whole number; write true or false",
    ],
    "luster: {}\nluster: {}": ["luster is unknown; did you mean cluster or lustre?"],
    "network: {rdma_ranges: [10.9.1.0, ~]}": [
        'network.rdma_ranges[0] is "10.9.1.0", an address without a length; write 10.9.1.0/32 for it alone, or a range'
        " like 10.9.1.0/24",
        "network.rdma_ranges[1] is null; write a value, or remove the entry",
    ],
}


@pytest.mark.parametrize(("text", "expected"), WRONG.items(), ids=[text[:40] for text in WRONG])
def test_what_is_wrong_says_what_to_write(text: str, expected: list[str]) -> None:
    assert lines(text) == expected


def test_what_is_missing_is_said_with_its_meaning() -> None:
    file = SettingsFile("f", {"name": "prod", "gpu_pool": {"reservation": {}}})
    parsed = parse(Environment, file)
    assert isinstance(parsed, list)
    assert [str(fault) for fault in parsed] == [
        "f: project is missing (Id of the Google Cloud project); write it",
        "f: region is missing (Region of the networks and of the cluster's control plane); write it",
        "f: zone is missing (The one zone of the GPU nodes, the CPU nodes, the RDMA network and Lustre; in the region);"
        " write it",
        "f: gpu_pool.gpu is missing (The GPU: nvidia-b200 or nvidia-h200-141gb); write it",
        "f: gpu_pool.machine is missing (The machine type: a4-highgpu-8g for B200, a3-ultragpu-8g for H200); write it",
        "f: gpu_pool.reservation.name is missing (NAME, or projects/PROJECT/reservations/NAME for one that another"
        " project shares; either may go on with /reservationBlocks/BLOCK and /reservationSubBlocks/SUB_BLOCK);"
        " write it",
    ]


def test_a_required_section_that_is_missing_is_said_with_its_meaning() -> None:
    parsed = parse(Environment, SettingsFile("f", {"name": "prod", "project": "my-project", "region": "us-central1"}))
    assert isinstance(parsed, list)
    assert [str(fault) for fault in parsed][1:] == [
        "f: gpu_pool is missing (The pool of eight-GPU nodes, in one zone, that the Ray workers run on); write it"
    ]


def test_a_name_that_the_file_lends_is_called_so() -> None:
    file = SettingsFile("f", {}).with_default("name", "Prod_1", "the file's name")
    parsed = parse(Environment, file)
    assert isinstance(parsed, list)
    assert str(parsed[3]) == (
        'f: name is "Prod_1" (the file\'s name), not a DNS label; write lower-case letters, digits and -, a letter'
        " first and no - last"
    )
    assert file.with_default("name", "other", "nobody's") == file


TOKENS = {
    "Hugging Face": "hf_abcdefghijklmnopqrstuvwxyz",
    "Weights & Biases": "0123456789abcdef0123456789abcdef01234567",
    "Google": "ya29.a0AfH6SMBx-yz",
}


def paths(model: type[Section], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The location of every key of a model, sections included, and one key that there is not in each section."""
    yield (*above, "unheard-of")
    for name, field in model.model_fields.items():
        yield (*above, name)
        inner = [it for it in (field.annotation, *get_args(field.annotation)) if isinstance(it, type)]
        for section in inner:
            if issubclass(section, Section):
                yield from paths(section, (*above, name))


PATHS = tuple(paths(Environment))


def placed(path: tuple[str, ...], value: object) -> dict[str, object]:
    """The smallest good content with a value at a place."""
    content: dict[str, object] = {
        "name": "prod",
        "project": "my-project",
        "region": "us-central1",
        "zone": "us-central1-b",
        "gpu_pool": {"gpu": "nvidia-b200", "machine": "a4-highgpu-8g", "reservation": {"name": "my-reservation"}},
    }

    def within(inside: object, rest: tuple[str, ...]) -> object:
        if not rest:
            return value
        known: dict[str, object] = dict(inside) if isinstance(inside, dict) else {}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] # of texts
        return {**known, rest[0]: within(known.get(rest[0]), rest[1:])}

    placed = within(content, path)
    assert isinstance(placed, dict)
    return placed  # pyright: ignore[reportUnknownVariableType] # of texts


def said(content: dict[str, object]) -> list[str]:
    """All that is said of a content, by the model or by the rules."""
    parsed = parse(Environment, SettingsFile("environments/prod.yaml", content))
    if isinstance(parsed, list):
        return [str(fault) for fault in parsed]
    found = [finding for rule in FAULTS for finding in rule(parsed)]
    found += [finding for rule in DOUBTS for finding in rule(parsed)] if not found else []
    return [str(Fault("environments/prod.yaml", finding.path, finding.text)) for finding in found]


@pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS)
@pytest.mark.parametrize("path", PATHS, ids=".".join)
def test_a_token_pasted_into_any_key_is_refused_and_never_printed(path: tuple[str, ...], token: str) -> None:
    for value in (token, [token], {token: token}, f"x {token}"):
        printed = said(placed(path, value))
        assert printed
        assert token not in "\n".join(printed)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(["default", "auto"]),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
#: What only pydantic and Python say.
FOREIGN = re.compile(
    r"Input should|\bvalid (integer|string|boolean|dictionary)|Error|Traceback|instance of|<class|NoneType"
)


@given(st.sampled_from(PATHS), values)
def test_any_value_at_any_key_gives_lines_in_our_words_and_nothing_else(path: tuple[str, ...], value: object) -> None:
    for line in said(placed(path, value)):
        assert line.startswith("environments/prod.yaml: ")
        assert len(line.splitlines()) == 1
        assert not FOREIGN.search(line)
        assert "; " in line or "did you mean" in line
