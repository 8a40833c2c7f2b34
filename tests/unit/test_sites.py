"""Which files are environments, and what must not be the same in two of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from settings.sites import read_sites
from tests.support import MINIMAL, copy_examples, faults, write_environments
from training.checkout import read_checkout


def names(root: Path) -> list[str]:
    return [environment.name for environment in read_sites(root).environments]


def test_environments_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    write_environments(tmp_path, prod_a=MINIMAL + "name: prod-z\n", prod_b=MINIMAL)
    assert names(tmp_path) == ["prod-b", "prod-z"]


@pytest.mark.parametrize(
    "other", [".prod.yaml", ".#test.yaml", "test.yaml~", "#test.yaml#", "test.yaml.swp", "notes.txt"]
)
def test_what_an_editor_leaves_is_passed_over(other: str, tmp_path: Path) -> None:
    write_environments(tmp_path, prod=MINIMAL)
    (tmp_path / "environments" / other).write_text("not: [yaml", encoding="utf-8")
    assert names(tmp_path) == ["prod"]


def test_the_lock_of_an_editor_that_links_to_nothing_is_passed_over(tmp_path: Path) -> None:
    write_environments(tmp_path, prod=MINIMAL)
    (tmp_path / "environments" / ".#prod.yaml").symlink_to("user@host.1234")
    assert names(tmp_path) == ["prod"]


@pytest.mark.parametrize("ending", ["yaml", "yml", "YAML"])
def test_a_file_is_an_environment_by_its_ending(ending: str, tmp_path: Path) -> None:
    write_environments(tmp_path)
    (tmp_path / "environments" / f"prod.{ending}").write_text(MINIMAL, encoding="utf-8")
    assert names(tmp_path) == ["prod"]


def test_two_files_that_lend_one_name_are_refused(tmp_path: Path) -> None:
    write_environments(tmp_path, prod=MINIMAL)
    (tmp_path / "environments" / "prod.yml").write_text(MINIMAL, encoding="utf-8")
    assert faults(tmp_path) == ["environments/prod.yml: name is prod, as in environments/prod.yaml; write another name"]


def test_three_of_one_name_are_two_lines(tmp_path: Path) -> None:
    text = MINIMAL + "name: prod\n"
    assert faults(tmp_path, site_a=text, site_b=text, site_c=text) == [
        "environments/site-b.yaml: name is prod, as in environments/site-a.yaml; write another name",
        "environments/site-c.yaml: name is prod, as in environments/site-a.yaml; write another name",
    ]


@pytest.mark.parametrize("name", ["Prod_1", "my prod", "prod.eu", "1prod"])
def test_a_file_whose_name_can_be_no_sites_is_told_so(name: str, tmp_path: Path) -> None:
    write_environments(tmp_path)
    (tmp_path / "environments" / f"{name}.yaml").write_text(MINIMAL, encoding="utf-8")
    assert faults(tmp_path) == [
        f'environments/{name}.yaml: name is "{name}" (the file\'s name), not a DNS label; write lower-case letters,'
        " digits and -, a letter first and no - last"
    ]


def test_a_file_called_job_is_refused_but_may_have_another_name(tmp_path: Path) -> None:
    assert faults(tmp_path, job=MINIMAL) == [
        'environments/job.yaml: name is "job" (the file\'s name), which stands for the stacks of jobs; write another'
        ' one, like "prod"'
    ]
    write_environments(tmp_path, job=MINIMAL + "name: prod\n")
    assert names(tmp_path) == ["prod"]


def test_a_name_with_a_line_break_stays_on_one_line(tmp_path: Path) -> None:
    write_environments(tmp_path)
    (tmp_path / "environments" / "a\nb.yaml").write_text("", encoding="utf-8")
    assert faults(tmp_path) == ["environments/a\\nb.yaml: is empty; copy one of the examples and change it"]


def test_two_sites_of_one_project_share_no_names(tmp_path: Path) -> None:
    text = MINIMAL + "names: {network: corp, cluster: gke, lustre: fast, node_account: gke-nodes}\n"
    assert faults(tmp_path, site_a=text, site_b=text) == [
        "environments/site-b.yaml: names makes the network corp, as environments/site-a.yaml does in the same project;"
        " write other names",
        "environments/site-b.yaml: names makes the us-central1 subnet corp-nodes, as environments/site-a.yaml does in"
        " the same project; write other names",
        "environments/site-b.yaml: names makes the us-central1 cluster gke, as environments/site-a.yaml does in the"
        " same project; write other names",
        "environments/site-b.yaml: names makes the address range fast-range, as environments/site-a.yaml does in the"
        " same project; write other names",
        "environments/site-b.yaml: names makes the service account gke-nodes, as environments/site-a.yaml does in the"
        " same project; write other names",
    ]


def test_two_sites_with_networks_of_their_own_share_no_subnet(tmp_path: Path) -> None:
    text = MINIMAL + "names: {subnet: nodes}\n"
    assert faults(tmp_path, site_a=text, site_b=text) == [
        "environments/site-b.yaml: names makes the us-central1 subnet nodes, as environments/site-a.yaml does in the"
        " same project; write other names"
    ]


def test_names_that_follow_from_other_names_clash_too(tmp_path: Path) -> None:
    assert faults(tmp_path, prod=MINIMAL, prod_gvnic=MINIMAL) == [
        "environments/prod.yaml: names makes the network prod-gvnic-net, as environments/prod-gvnic.yaml does in the"
        " same project; write other names"
    ]


def test_sites_of_two_projects_may_share_names_and_clusters_of_two_regions_theirs(tmp_path: Path) -> None:
    text = MINIMAL + "names: {network: corp, cluster: gke}\n"
    assert faults(tmp_path, site_a=text, site_b=text.replace("my-project", "other-project")) == []
    elsewhere = MINIMAL.replace("us-central1", "us-east4") + "names: {cluster: gke}\n"
    assert faults(tmp_path, site_b=elsewhere) == []


def test_environments_that_are_no_folder_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "environments").touch()
    with pytest.raises(
        Exception, match=r"^environments: cannot be read \(Not a directory\); make it a readable folder$"
    ):
        read_sites(tmp_path)


def test_notes_are_of_the_users_own_sites_and_of_the_examples_where_there_are_no_others(tmp_path: Path) -> None:
    root = copy_examples(tmp_path / "site")

    def noted() -> set[str]:
        return {doubt.where for doubt in read_checkout(root).doubts}

    assert noted() == {
        "environments/example-b200.yaml",
        "environments/example-h200.yaml",
        "job_specs/gemma3-1b-smoke.yaml",
        "job_specs/gemma3-27b-gsm8k.yaml",
    }
    write_environments(root, prod=f"{MINIMAL}jobs: [gemma3-27b-gsm8k]\n")  # which example-b200 lists as well
    assert noted() == {"environments/prod.yaml", "job_specs/gemma3-27b-gsm8k.yaml"}
