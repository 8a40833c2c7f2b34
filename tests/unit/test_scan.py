"""The scan passes only with exactly the findings that somebody accepted with a reason."""

from tools.scan import Accepted, judge

ACCEPTED = (Accepted("CKV_1", ("a", "b"), "because"),)


def test_accepted_findings_pass() -> None:
    assert list(judge([("CKV_1", "name", "a"), ("CKV_1", "name", "b")], ACCEPTED)) == []


def test_a_finding_that_nobody_accepted_is_named() -> None:
    found = [("CKV_1", "name", "a"), ("CKV_1", "name", "b"), ("CKV_1", "name", "c"), ("CKV_2", "other", "a")]
    assert list(judge(found, ACCEPTED)) == ["CKV_1 c: name", "CKV_2 a: other"]


def test_an_acceptance_that_is_no_longer_needed_is_named() -> None:
    assert list(judge([("CKV_1", "name", "a")], ACCEPTED)) == [
        "CKV_1 b: is accepted in tools/scan.py but no longer found; remove it there"
    ]
