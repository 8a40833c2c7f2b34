"""The summary of a plan for a terminal and for a pull request, and its exit status."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.plans import REPLACE, entry, plan
from tools.plan_summary.__main__ import main
from tools.plan_summary.changes import Edit
from tools.plan_summary.summary import LIMIT, as_markdown, as_text, code, edit_lines, fenced, status

LUSTRE_GOES = entry("google_lustre_instance.lustre", "delete", {"name": "l"})
NETWORK_COMES = entry("google_compute_network.main", "create", None, {"name": "n"})


def test_a_terminal_gets_dangers_first_and_then_each_address_with_what_changes() -> None:
    it = plan(
        entry("google_compute_subnetwork.rdma-subnet-0", "create", None, {"name": "a"}),
        entry(
            "google_container_node_pool.gpu-pool",
            REPLACE,
            {"node_config": [{"guest_accelerator": [{"type": "nvidia-b200"}], "spot": False}]},
            {"node_config": [{"guest_accelerator": [{"type": "nvidia-b200"}], "spot": True}]},
            replace_paths=[["node_config", 0, "spot"]],
        ),
        entry("google_compute_network.new", "no-op", {}, {}, previous_address="google_compute_network.old"),
        entry("google_compute_network.main", "no-op", {}, {}, importing={"id": "projects/p/global/networks/n"}),
        entry("google_compute_network.gone", "forget", {}),
        entry("data.kubernetes_resource.job-status", "read", None, {}, action_reason="read_because_dependency_pending"),
        checks=[
            {"address": {"to_display": "c"}, "instances": [{"status": "fail", "problems": [{"message": "Idle."}]}]}
        ],
        output_changes={"network": {"actions": ["update"], "before": "a", "after": "b"}},
    )
    assert as_text("prod_cluster", it) == (
        "prod_cluster: 1 replaced, 1 created, 1 imported, 1 moved, 1 forgotten, 1 read during the apply, 1 output\n"
        "\n"
        "Look twice\n"
        "  The GPU pool is replaced: every node goes, and the Ray workers with it:"
        " google_container_node_pool.gpu-pool\n"
        "\n"
        "Checks that fail\n"
        "  Idle.\n"
        "\n"
        "Replaced\n"
        "  google_container_node_pool.gpu-pool\n"
        "    node_config[0].spot: false -> true (forces replacement)\n"
        "\n"
        "Created\n"
        "  google_compute_subnetwork.rdma-subnet-0\n"
        "\n"
        "Imported\n"
        "  google_compute_network.main (imported by projects/p/global/networks/n)\n"
        "\n"
        "Moved\n"
        "  google_compute_network.new (was google_compute_network.old)\n"
        "\n"
        "Forgotten, and left as it is\n"
        "  google_compute_network.gone\n"
        "\n"
        "Read during the apply\n"
        "  data.kubernetes_resource.job-status\n"
        "\n"
        "Outputs\n"
        '  network: "a" -> "b"\n'
    )


def test_a_pull_request_gets_a_warning_box_and_the_rest_folded_away() -> None:
    it = plan(entry("google_compute_network.main", REPLACE, {"name": "a"}, {"name": "b"}, replace_paths=[["name"]]))
    assert as_markdown("prod_network", it) == (
        "<!-- plan of prod_network -->\n"
        "**prod_network**: 1 replaced\n"
        "\n"
        "> [!CAUTION]\n"
        "> - A network is replaced, and whatever stands in it must go first: `google_compute_network.main`\n"
        "\n"
        "<details><summary>By address</summary>\n"
        "\n"
        "\n"
        "**Replaced**\n"
        "\n"
        "- `google_compute_network.main`\n"
        "  ```diff\n"
        '  name: "a" -> "b" (forces replacement)\n'
        "  ```\n"
        "\n"
        "</details>\n"
    )


def test_a_comment_has_all_that_a_plan_has() -> None:
    it = plan(
        entry("a.dancing", "dance", {}, {}),
        checks=[{"instances": [{"status": "fail", "problems": [{"message": "Idle."}]}]}],
        output_changes={"network": {"actions": ["update"], "before": "a", "after": "b"}},
        resource_drift=[entry("a.gone", "delete", {"x": 1})],
        deferred_changes=[{"reason": "provider_config_unknown", "resource_change": entry("a.later", "create")}],
        errored=True,
    )
    assert as_markdown("s", it) == (
        "<!-- plan of s -->\n"
        "**s**: the plan failed part-way, 1 other, 1 put off to a later plan, 1 changed outside of Terraform,"
        " 1 output\n"
        "\n"
        "> [!WARNING]\n"
        "> - `Idle.`\n"
        "\n"
        "<details><summary>By address</summary>\n"
        "\n"
        "\n"
        "**Other**\n"
        "\n"
        "- `a.dancing`\n"
        "\n"
        "**Put off to a later plan**\n"
        "\n"
        "- `a.later`\n"
        "\n"
        "**Changed outside of Terraform**\n"
        "\n"
        "- `a.gone`\n"
        "\n"
        "**Outputs**\n"
        "\n"
        '- `network: "a" -> "b"`\n'
        "\n"
        "</details>\n"
    )


def test_what_another_plan_must_bring_is_said() -> None:
    assert as_text("s", plan(complete=False)) == "s: not all of it is planned yet\n"


def test_no_changes_are_one_line() -> None:
    assert as_text("prod_network", plan()) == "prod_network: no changes\n"
    assert as_markdown("prod_network", plan()) == "<!-- plan of prod_network -->\n**prod_network**: no changes\n"


def test_reasons_and_leftovers_stand_beside_the_address() -> None:
    it = plan(
        entry("terraform_data.a", "delete", {}, action_reason="delete_because_no_resource_config"),
        entry("terraform_data.b", "delete", {}, deposed="deadbeef"),
        entry("terraform_data.c", "delete", {}, action_reason="a_reason_of_the_future"),
    )
    assert as_text("s", it).splitlines()[3:] == [
        "  terraform_data.a (no longer in the code)",
        "  terraform_data.b (left over from an interrupted replacement)",
        "  terraform_data.c",
    ]


@pytest.mark.parametrize(
    ("edit", "lines"),
    [
        (Edit(path=("a",), old=1, new=2), ["a: 1 -> 2"]),
        (Edit(path=("a",), old=1, new=None, unknown=True), ["a: 1 -> (known after apply)"]),
        (Edit(path=("a",), old="(sensitive)", new="(sensitive)"), ["a: (sensitive) changes"]),
        (Edit(path=("z",), old=["a"], new=["b", "c"], items=True), ['- z: "a"', '+ z: "b"', '+ z: "c"']),
        (Edit(path=("v", 0), old="a: 1\nb: 2\n", new="a: 1\nb: 3\n"), ["v[0]:", "-b: 2", "+b: 3"]),
        (
            Edit(path=("v",), old="a\n-- old\n---\n", new="a\n++ new\n@@ 1\n"),
            ["v:", "--- old", "----", "+++ new", "+@@ 1"],
        ),
        (Edit(path=("v",), old="a\n", new="a"), ["v:", "-"]),
        (Edit(path=("v",), old=True, new=1), ["v: true -> 1"]),
        (Edit(path=("v",), old="x" * 200, new="x" * 201), [f'v: "{"x" * 156}... changes']),
        (Edit(path=("o",), old={"t": "(sensitive)"}, new={"t": "(sensitive)"}), ['o: {"t": "(sensitive)"} changes']),
        (Edit(path=("o",), old={"n": "é", "b": True}, new=None), ['o: {"b": true, "n": "é"} -> null']),
    ],
)
def test_a_change_is_a_line_and_a_text_that_changes_is_told_by_its_lines(edit: Edit, lines: list[str]) -> None:
    assert edit_lines(edit) == lines


def test_long_values_and_long_texts_are_cut() -> None:
    (line,) = edit_lines(Edit(path=("a",), old="x" * 1000, new=None))
    assert len(line) < 200
    lines = edit_lines(Edit(path=("a",), old="", new="\n".join(f"line {at}" for at in range(100))))
    assert (len(lines), lines[-1]) == (42, "... 60 more lines")


def test_backticks_in_a_value_do_not_break_out_of_the_code() -> None:
    assert code("a") == "`a`"
    assert code("a `b` ``c``") == "``` a `b` ``c`` ```"
    assert fenced(["a", "```", "b"]) == "  ````diff\n  a\n  ```\n  b\n  ````"


def test_a_line_break_ends_neither_code_nor_fence() -> None:
    assert code("a\n\n# b\rc") == "`a  # b c`"
    assert fenced(["a\r\nb", "c\rd"]) == "  ```diff\n  a\n  b\n  c\n  d\n  ```"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("data", "hf_token"), "data.hf_token"),
        (("data", "a.py"), 'data["a.py"]'),
        (("data", "a\n```\n@b", 0), 'data["a\\n```\\n@b"][0]'),
        (("labels", "1"), "labels.1"),
    ],
)
def test_a_part_of_a_path_that_is_no_word_is_quoted(path: tuple[str | int, ...], place: str) -> None:
    assert Edit(path=path, old=1, new=2).place == place


def test_what_others_named_is_code_in_a_comment_or_has_no_markup_left() -> None:
    evil = "@octocat <img> $( $( [a](http://b)\n\n# x"
    job = {"manifest": {"kind": "RayJob", "metadata": {"name": "@o\n\n# <x>"}}}
    it = plan(
        entry("a.imported", "no-op", {}, {}, importing={"id": evil}),
        entry("a.moved", "no-op", {}, {}, previous_address=f'a.b["{evil}"]'),
        entry("kubernetes_manifest.job", "delete", job),
        checks=[{"instances": [{"status": "fail", "problems": [{"message": evil}]}]}],
    )
    lines = as_markdown("s", it).splitlines()
    quoted = "@octocat <img> $( $( [a](http://b)"
    assert [line for line in lines if "octocat" in line] == [
        f"> - `{quoted} # x`",
        f"- `a.imported` (imported by `{quoted}  # x`)",
        f'- `a.moved` (was `a.b["{quoted}  # x"]`)',
    ]
    assert lines[4] == (
        "> - The RayJob ?o?????x? is deleted; if it still runs, it is stopped (a plan cannot tell):"
        " `kubernetes_manifest.job`"
    )


@pytest.mark.parametrize("length", [3, 3000], ids=["short", "long"])
def test_a_comment_that_is_too_long_ends_after_a_whole_entry_and_says_so(length: int) -> None:
    it = plan(
        *(
            entry(f"terraform_data.n{at}", "update", {"input": "a\n" * length}, {"input": "b\n" * length})
            for at in range(5000)
        )
    )
    text = as_markdown("prod_network", it)
    assert text.startswith("<!-- plan of prod_network -->\n**prod_network**: 5000 changed\n")
    assert LIMIT * 0.9 < len(text) < LIMIT
    assert text.endswith("more entries do not fit here: see the job's log.\n\n</details>\n")
    assert text.count("```") % 2 == 0


def test_an_entry_that_does_not_fit_is_named_and_hides_no_other() -> None:
    many = {f"key-{at}": 1 for at in range(5000)}
    it = plan(
        entry("a.huge", "update", many, dict.fromkeys(many, 2)),
        entry("a.small", "update", {"x": 1}, {"x": 2}),
        output_changes={"o": {"actions": ["create"], "after": "y" * 150}},
    )
    assert as_markdown("s", it).splitlines()[6:] == [
        "**Changed**",
        "",
        "- `a.huge`: see the job's log",
        "- `a.small`",
        "  ```diff",
        "  x: 1 -> 2",
        "  ```",
        "",
        "**Outputs**",
        "",
        f'- `o: null -> "{"y" * 150}"`',
        "",
        "</details>",
    ]


def test_a_great_many_dangers_do_not_break_the_limit_either() -> None:
    it = plan(*(entry(f"google_compute_network.n{at}", "delete", {}) for at in range(5000)))
    assert len(as_markdown("prod_network", it)) < LIMIT


@pytest.mark.parametrize(
    ("entries", "more", "expected"),
    [
        ([], {}, 0),
        ([entry("data.a.b", "read", None, {})], {}, 0),
        ([], {"output_changes": {"o": {"actions": ["create"], "after": 1}}}, 2),
        ([NETWORK_COMES], {}, 2),
        ([entry("a.b", "no-op", {}, {}, importing={"id": "x"})], {}, 2),
        ([NETWORK_COMES, LUSTRE_GOES], {}, 3),
        ([LUSTRE_GOES], {"errored": True}, 1),
        ([], {"complete": False}, 2),
        ([], {"deferred_changes": [{"reason": "provider_config_unknown", "resource_change": LUSTRE_GOES}]}, 2),
    ],
    ids=[
        "nothing",
        "only read",
        "an output",
        "created",
        "imported",
        "dangerous",
        "failed part-way",
        "incomplete",
        "put off",
    ],
)
def test_the_exit_status_tells_nothing_from_something_from_danger(
    entries: list[Any], more: dict[str, Any], expected: int
) -> None:
    assert status(plan(*entries, **more)) == expected


def run(arguments: list[str], given: str | bytes, monkeypatch: pytest.MonkeyPatch) -> int:
    given = given if isinstance(given, bytes) else given.encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given), encoding="ascii"))
    return main(arguments)


def test_the_command_reads_a_plan_and_ends_with_its_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = json.dumps({"format_version": "1.2", "resource_changes": [LUSTRE_GOES]})
    assert run(["prod_storage"], given, monkeypatch) == 3
    assert capsys.readouterr().out.startswith("prod_storage: 1 destroyed\n\nLook twice\n")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "standard input is no plan: it is no JSON; make it with: terraform show -json PLAN\n"),
        (b"\xff", "standard input is no plan: it is no JSON; make it with: terraform show -json PLAN\n"),
        ("[" * 100_000, "standard input is no plan: it is nested too deep\n"),
        (
            '{"format_version": "9.0"}',
            "standard input is no plan: its format_version is 9.0, and only 1.x is known here\n",
        ),
        ('{"format_version": "1.2", "resource_changes": [{}]}', "standard input is no plan: KeyError: 'change'\n"),
    ],
)
def test_what_is_no_plan_ends_with_1_and_the_reason(
    given: str | bytes, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["s"], given, monkeypatch) == 1
    assert capsys.readouterr().err == message


def test_a_plan_is_read_as_utf_8_and_half_a_character_in_it_is_printed_as_its_number(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = json.dumps(
        {"format_version": "1.2", "resource_changes": [entry("a.b", "update", {"x": "\ud800"}, {"x": "é"})]},
        ensure_ascii=False,
    )
    assert run(["s"], given.encode("utf-8", "surrogatepass"), monkeypatch) == 2
    assert capsys.readouterr().out.splitlines()[-1] == '    x: "\\ud800" -> "é"'


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"before": {"chart": "ray-cluster"}, "before_sensitive": True}, "    all of it: (sensitive) changes"),
        ({"before": "a text"}, '    all of it: "a text" -> {"x": 1}'),
    ],
    ids=["secret as a whole", "no mapping"],
)
@pytest.mark.parametrize("kind", ["helm_release", "kubernetes_manifest", "google_container_node_pool"])
def test_what_has_no_attributes_to_be_seen_is_told_as_a_whole(change: dict[str, Any], said: str, kind: str) -> None:
    it = plan(entry(f"{kind}.it", "update", **change, after={"x": 1}))
    assert as_text("s", it).splitlines()[-1] == said


@pytest.mark.parametrize("name", ["none", ".", ""], ids=["missing", "a folder", "empty"])
def test_a_log_that_cannot_be_read_is_said_in_a_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["s", "--failed", name]) == 1
    told = capsys.readouterr()
    reason = "No such file or directory" if name == "none" else "Is a directory"
    assert (told.out, told.err) == ("", f"{name or '.'} cannot be read: {reason}\n")


@pytest.mark.parametrize("markdown", [False, True], ids=["text", "markdown"])
def test_a_failed_plan_is_told_as_waiting_or_with_its_errors(
    markdown: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    error = {"severity": "error", "summary": "projects/p/global/networks/n not found", "detail": ""}
    option = ["--markdown"] if markdown else []

    log.write_text(
        json.dumps({"type": "diagnostic", "diagnostic": {**error, "address": "data.google_compute_network.main"}})
    )
    assert main(["prod_cluster", "--failed", str(log), *option]) == 0
    assert "waits for prod_network, which does not exist yet" in capsys.readouterr().out

    log.write_text(
        json.dumps({"type": "diagnostic", "diagnostic": {**error, "address": "google_compute_network.main"}})
    )
    assert main(["prod_cluster", "--failed", str(log), *option]) == 1
    out = capsys.readouterr().out
    assert "could not be planned" in out
    assert "google_compute_network.main: projects/p/global/networks/n not found" in out


def test_help_documents_the_exit_status_and_a_wrong_word_is_no_change(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert all(
        line in told for line in ("  2  something changes", "  3  something changes, and one change is dangerous")
    )
    with pytest.raises(SystemExit) as ended:
        main(["s", "--what"])
    assert ended.value.code == 1
