"""The scan passes only with exactly the findings that somebody accepted with a reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools import scan as command
from tools.scan import ACCEPTED, Accepted, judge, main

SOME = (Accepted("CKV_1", ("a", "b"), "because"),)


def test_accepted_findings_pass() -> None:
    assert list(judge([("CKV_1", "name", "a"), ("CKV_1", "name", "b")], SOME)) == []


def test_a_finding_that_nobody_accepted_is_named() -> None:
    found = [("CKV_1", "name", "a"), ("CKV_1", "name", "b"), ("CKV_1", "name", "c"), ("CKV_2", "other", "a")]
    assert list(judge(found, SOME)) == ["CKV_1 c: name", "CKV_2 a: other"]


def test_an_acceptance_that_is_no_longer_needed_is_named() -> None:
    assert list(judge([("CKV_1", "name", "a")], SOME)) == [
        "CKV_1 b: is accepted in tools/scan.py but no longer found; remove it there"
    ]


def finding(check: str, resource: str) -> dict[str, str]:
    return {"check_id": check, "check_name": "a check", "resource": resource, "file_path": "/prod_network/cdk.tf.json"}


def report(*failed: dict[str, str], **more: Any) -> str:
    """What checkov prints of one framework."""
    return json.dumps({"results": {"passed_checks": [], "failed_checks": failed, **more}})


#: Every finding that is accepted, and nothing else.
ALL = [finding(one.check, f"google_x.{resource}") for one in ACCEPTED for resource in one.resources]


class Checkov:
    """A stand-in for checkov, and the cdktf.out that it scans."""

    def __init__(self, root: Path) -> None:
        self.path = root / "checkov"
        self.output = root / "cdktf.out"
        self._read = root / "read"
        folder = self.output / "stacks" / "prod_network"
        folder.mkdir(parents=True)
        stack: dict[str, Any] = {
            "terraform": {},
            "provider": {"google": [{}]},
            "resource": {"a": {}},
            "data": {"b": {}},
            "output": {},
        }
        (folder / "cdk.tf.json").write_text(json.dumps(stack), encoding="utf-8")
        entry: dict[str, Any] = {
            "dependencies": [],
            "workingDirectory": "stacks/prod_network",
            "synthesizedStackPath": "stacks/prod_network/cdk.tf.json",
        }
        (self.output / "manifest.json").write_text(json.dumps({"stacks": {"prod_network": entry}}), encoding="utf-8")

    def prints(self, text: str) -> None:
        said = self.path.with_name("said")
        said.write_text(text, encoding="utf-8")
        script = f"#!/bin/sh\ncat $2/prod_network/cdk.tf.json > {self._read}\ncat {said}\necho a log >&2\n"
        self.path.write_text(script, encoding="utf-8")
        self.path.chmod(0o755)

    def read(self) -> Any:
        """What it got of the stack."""
        return json.loads(self._read.read_text(encoding="utf-8"))


@pytest.fixture
def checkov(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkov:
    it = Checkov(tmp_path)
    monkeypatch.setattr(command, "OUTPUT", it.output)
    return it


def test_a_scan_that_finds_what_is_accepted_passes_and_tells_why_it_is(
    checkov: Checkov, capsys: pytest.CaptureFixture[str]
) -> None:
    checkov.prints(report(*ALL))
    assert main([str(checkov.path)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[:2] == [
        "checkov finds nothing but what is accepted:",
        "  CKV2_GCP_18 rdma: a VPC with a RoCE profile takes no firewall rules",
    ]


def test_checkov_gets_what_it_can_read(checkov: Checkov) -> None:
    checkov.prints(report(*ALL))
    main([str(checkov.path)])
    assert checkov.read() == {"resource": {"a": {}}, "data": {"b": {}}}


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        (report(*ALL, finding("CKV_9", "google_x.new")), "CKV_9 new: a check"),
        (report(*ALL, parsing_errors=["/x.tf.json"]), "checkov could not read /x.tf.json"),
        (report(), "checkov read no stack at all"),
        ("no JSON", "checkov printed no report of one framework: a log"),
        ("[]", "checkov printed no report of one framework: a log"),
        ('{"passed": 0}', "checkov printed no report of one framework: a log"),
    ],
    ids=["a finding", "an unread file", "nothing read", "no JSON", "a list", "no results"],
)
def test_a_scan_that_is_not_whole_or_finds_more_fails_with_a_line(
    printed: str, said: str, checkov: Checkov, capsys: pytest.CaptureFixture[str]
) -> None:
    checkov.prints(printed)
    assert main([str(checkov.path)]) == 1
    assert capsys.readouterr().err.splitlines()[0] == said


@pytest.mark.usefixtures("checkov")
def test_without_a_checkov_it_says_where_one_comes_from(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["/no/such/checkov"]) == 2
    assert capsys.readouterr().err == (
        "/no/such/checkov cannot be run: No such file or directory; `make scan` installs it\n"
    )


def test_what_is_half_written_is_not_scanned(checkov: Checkov, capsys: pytest.CaptureFixture[str]) -> None:
    checkov.prints(report(*ALL))
    (checkov.output / "stacks" / "prod_network" / "cdk.tf.json").write_text("{", encoding="utf-8")
    assert main([str(checkov.path)]) == 2
    assert capsys.readouterr().err == "cdktf.out is half-written: run `make synth`\n"
