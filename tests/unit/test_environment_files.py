"""What is wrong in an environment file is said in one line each, all at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import MINIMAL, faults, write_environments

#: What is added to the smallest good file -> the one line that comes of it, after "environments/prod.yaml: ".
WRONG: dict[str, tuple[str, str]] = {
    "a text for a number": (
        'lustre: {capacity_gib: "18000"}',
        'lustre.capacity_gib is "18000", a text; write a whole number without quotes: 18000',
    ),
    "a decimal number for a whole one": (
        "cpu_pool: {max_nodes: 2.0}",
        "cpu_pool.max_nodes is 2.0, a decimal number; write a whole number: 2",
    ),
    "yes for true": (
        "network: {nat: yes}",
        'network.nat is "yes", a text; write true or false: true',
    ),
    "a number for true": (
        "network: {nat: 1}",
        "network.nat is 1, a whole number; write true or false",
    ),
    "true for a number": (
        "cpu_pool: {max_nodes: true}",
        "cpu_pool.max_nodes is true; write a whole number",
    ),
    "nothing for a number": (
        "cpu_pool: {max_nodes: }",
        "cpu_pool.max_nodes is null; write a value, or leave the key out to get its default",
    ),
    "a version without quotes": (
        "cluster: {version: 1.34}",
        'cluster.version is 1.34, a decimal number; write a text in quotes: "1.34"',
    ),
    "a list for a mapping": (
        "lustre: [18000]",
        "lustre is a list; write a mapping (capacity_gib: ...)",
    ),
    "a text for a list": (
        "jobs: gemma3-27b-gsm8k",
        'jobs is "gemma3-27b-gsm8k", a text; write a list',
    ),
    "a word of none of the choices": (
        "cluster: {release_channel: regular}",
        "cluster.release_channel is \"regular\"; write one of 'RAPID', 'REGULAR', 'STABLE' or 'EXTENDED'",
    ),
    "a number below its bound": ("cpu_pool: {min_nodes: 0}", "cpu_pool.min_nodes is 0; write 1 or more"),
    "a misspelt key": ("cluster: {endpont: dns}", "cluster.endpont is unknown; did you mean endpoint?"),
    "a misspelt section": ("luster: {}", "luster is unknown; did you mean cluster or lustre?"),
    "a key of another section": (
        "cluster: {capacity_gib: 18000}",
        "cluster.capacity_gib is unknown here; did you mean lustre.capacity_gib?",
    ),
    "a name that is no DNS label": (
        "name: Prod_1",
        'name is "Prod_1", not a DNS label; write lower-case letters, digits and -, a letter first and no - last',
    ),
    "the name of the jobs' stacks": (
        "name: job",
        'name is "job", which stands for the stacks of jobs; write another one, like "prod"',
    ),
    "a range with host bits": (
        "network: {gvnic_range: 192.168.0.5/24}",
        'network.gvnic_range is "192.168.0.5/24", not the first address of its range; write 192.168.0.0/24',
    ),
    "no range": (
        "network: {gvnic_range: 10.0.0.300/24}",
        'network.gvnic_range is "10.0.0.300/24", not an IPv4 range; write one like 10.0.0.0/20',
    ),
    "seven RDMA ranges": (
        "network: {rdma_ranges: [10.9.1.0/24, 10.9.2.0/24, 10.9.3.0/24, 10.9.4.0/24, 10.9.5.0/24, 10.9.6.0/24,"
        " 10.9.7.0/24]}",
        "network.rdma_ranges is a list of 7; write exactly 8",
    ),
    "a date without a time": (
        "cluster: {maintenance_exclusions: [{name: run, start: 2027-01-15, end: 2027-02-15T00:00:00Z}]}",
        'cluster.maintenance_exclusions[0].start is "2027-01-15", not a UTC time; write one like 2027-01-15T00:00:00Z',
    ),
    "an existing VPC": (
        "network: {existing_vpc: corp}",
        "network.existing_vpc is not supported: a site makes its own VPCs and takes no existing one; remove it",
    ),
    "a Shared VPC host project": (
        "network: {host_project: corp}",
        "network.host_project is not supported: a site makes its VPCs in its own project and uses no Shared VPC host"
        " project; remove it",
    ),
    "a second GPU pool": (
        "gpu_pools: [{}]",
        "gpu_pools is not supported: a site has one GPU pool; describe it under gpu_pool",
    ),
    "several teams' namespaces": (
        "teams: [a, b]",
        "teams is not supported: a site serves one namespace; make an environment for each team; remove it",
    ),
    "a job's file in place of its name": (
        "jobs: [job_specs/gemma3-1b-smoke.yaml]",
        'jobs[0] is "job_specs/gemma3-1b-smoke.yaml", a file; write its name without the ending, gemma3-1b-smoke',
    ),
    "a switch in place of a mapping": (
        "monitoring: {alerts: true}",
        "monitoring.alerts is true; write a mapping (enabled: ...)",
    ),
    "a time of day in one digit": (
        'cluster: {maintenance_start: "9:00"}',
        'cluster.maintenance_start is "9:00", not a time of day; write HH:MM in UTC, like "09:00"',
    ),
    "a token in a variable": (
        "ray: {env: {HF_TOKEN: hf_abcdefghijklmnopqrst}}",
        "ray.env.HF_TOKEN looks like a token or a password, which would stand in the plan, the state and Ray's"
        " dashboard; remove it, and see tokens",
    ),
    "a token": (
        "tokens: {hf_token: hf_abcdefghijklmnop}",
        "tokens.hf_token is not supported: a token never stands in a file; set TF_VAR_hf_token in the environment of"
        " the apply",
    ),
}


@pytest.mark.parametrize(("text", "line"), WRONG.values(), ids=WRONG)
def test_a_wrong_value_is_one_line_with_file_key_value_reason_and_remedy(text: str, line: str, tmp_path: Path) -> None:
    assert faults(tmp_path, prod=MINIMAL + text) == [f"environments/prod.yaml: {line}"]


NO_SETTINGS: dict[str, tuple[str, str]] = {
    "an empty file": ("", "is empty; copy one of the examples and change it"),
    "only a comment": ("# nothing\n", "is empty; copy one of the examples and change it"),
    "a list": ("- project: p\n", "holds a list; write a mapping of settings (key: value)"),
    "a text": ("hello\n", "holds a text; write a mapping of settings (key: value)"),
    "an open bracket": ("project: [\n", "line 2: is not YAML: a [ or { is opened and not closed; close it"),
    "a tab": ("gpu_pool:\n\tgpu: a\n", "line 2: is not YAML: a tab; indent with spaces"),
    "an alias in itself": ("project: &a [*a]\n", "line 1: an alias (*name) contains itself; write the value out"),
    "two documents": ("a: 1\n---\nb: 2\n", "line 2: is not YAML: a second document begins (---); keep one"),
}


@pytest.mark.parametrize(("text", "line"), NO_SETTINGS.values(), ids=NO_SETTINGS)
def test_a_file_that_is_no_mapping_of_settings_is_one_line(text: str, line: str, tmp_path: Path) -> None:
    assert faults(tmp_path, prod=text) == [f"environments/prod.yaml: {line}"]


def test_a_file_that_is_no_utf8_is_one_line(tmp_path: Path) -> None:
    write_environments(tmp_path)
    (tmp_path / "environments" / "prod.yaml").write_bytes(b"project: \xff\xfe")
    assert faults(tmp_path) == ["environments/prod.yaml: is not UTF-8 text; save it as UTF-8"]


def test_a_folder_called_like_a_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "environments" / "prod.yaml").mkdir(parents=True)
    assert faults(tmp_path) == [
        "environments/prod.yaml: is a folder; write the settings into a file, and give this another name"
    ]


def test_a_link_to_nothing_is_one_line(tmp_path: Path) -> None:
    write_environments(tmp_path)
    (tmp_path / "environments" / "prod.yaml").symlink_to("gone.yaml")
    assert faults(tmp_path) == ["environments/prod.yaml: does not exist; create it, or correct its name"]


def test_no_environment_at_all_is_one_line(tmp_path: Path) -> None:
    assert faults(tmp_path) == ["environments: holds no .yaml file; copy one of the examples into it"]


def test_a_missing_key_says_what_it_means(tmp_path: Path) -> None:
    assert faults(tmp_path, prod=MINIMAL.replace("zone: us-central1-b\n", "")) == [
        "environments/prod.yaml: zone is missing (The one zone of the GPU nodes, the CPU nodes, the RDMA network and"
        " Lustre; in the region); write it"
    ]


def test_the_faults_of_all_files_come_at_once_in_the_order_of_the_files(tmp_path: Path) -> None:
    lines = faults(
        tmp_path,
        site_b=MINIMAL + "lustre: {capacity_gib: two}\ncluster: {endpont: dns}\n",
        site_a="",
        site_c=MINIMAL.replace("us-central1-b", "us-east4-b"),
    )
    assert lines == [
        "environments/site-a.yaml: is empty; copy one of the examples and change it",
        'environments/site-b.yaml: lustre.capacity_gib is "two", a text; write a whole number',
        "environments/site-b.yaml: cluster.endpont is unknown; did you mean endpoint?",
        "environments/site-c.yaml: zone is us-east4-b, but region is us-central1; write a zone of that region, or its"
        " region",
    ]


def test_two_environments_of_one_name_are_refused(tmp_path: Path) -> None:
    assert faults(tmp_path, a=MINIMAL + "name: prod\n", b=MINIMAL + "name: prod\n") == [
        "environments/b.yaml: name is prod, as in environments/a.yaml; write another name"
    ]


def test_a_value_stays_on_its_line_and_shows_no_token(tmp_path: Path) -> None:
    text = MINIMAL.replace("my-project", '"a\\nb\\u001b[31m hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"')
    assert faults(tmp_path, prod=text) == [
        'environments/prod.yaml: project is "a\\nb\\x1b[31m ***", not a project id; write the id (6 to 30 of a-z, 0-9'
        " and -), not the name or the number"
    ]
