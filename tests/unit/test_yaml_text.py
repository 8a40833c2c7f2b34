"""A text is read as YAML 1.2 without traps; whatever else it is, is said in words."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settings.yaml_text import Document, NotYaml, Problem, read_document

#: YAML 1.2's core schema, section 10.3.2, typed from its table.
SCALARS: dict[str, object] = {
    "": None,
    "~": None,
    "null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "FALSE": False,
    "yes": "yes",
    "off": "off",
    "0": 0,
    "-19": -19,
    "007": 7,
    "0o7": 7,
    "0x3A": 58,
    "18_000": "18_000",
    "1e3": 1000.0,
    "-1.5E-2": -0.015,
    ".5": 0.5,
    "12.": 12.0,
    ".inf": math.inf,
    "-.INF": -math.inf,
    "1.34": 1.34,
    "2027-01-15": "2027-01-15",
    "2027-01-15T00:00:00Z": "2027-01-15T00:00:00Z",
    "09:00": "09:00",
    "10.0.0.0/20": "10.0.0.0/20",
    '"2"': "2",
    "'true'": "true",
    "|\n  null": "null\n",
    "! 5": 5,
}


@pytest.mark.parametrize(("text", "value"), SCALARS.items(), ids=SCALARS)
def test_a_value_means_what_yaml_1_2_says(text: str, value: object) -> None:
    document = read_document(f"a: {text}\n")
    assert document.content == {"a": value}
    assert type(document.content["a"]) is type(value)  # type: ignore[index] # pyright: ignore[reportIndexIssue, reportUnknownArgumentType] # a mapping
    assert document.problems == ()


def test_not_a_number_is_one() -> None:
    assert repr(read_document("a: .nan\n").content) == "{'a': nan}"


def test_lists_are_tuples_keys_are_texts_and_numbers_are_kept_as_they_were_spelt() -> None:
    assert read_document("a: [1.30, {1: x, true: 0x10}]\n") == Document(
        content={"a": (1.3, {"1": "x", "true": 16})},
        spelt={("a", 0): "1.30", ("a", 1, "true"): "0x10"},
        problems=(),
    )


def test_an_alias_is_the_value_that_it_names_and_an_anchor_may_be_set_again() -> None:
    assert read_document("a: &x [1]\nb: *x\nc: &x 2\nd: *x\n").content == {"a": (1,), "b": (1,), "c": 2, "d": 2}


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n"])
def test_an_empty_text_holds_nothing(text: str) -> None:
    assert read_document(text).content is None


#: A text -> what is wrong with it in its places.
PROBLEMS: dict[str, tuple[Problem, ...]] = {
    "a: 1\nb: 2\na: 3\n": (Problem(("a",), "stands twice (lines 1 and 3); keep one"),),
    "a: {b: 1, b: 2}\n": (Problem(("a", "b"), "stands twice (line 1); keep one"),),
    "a: [{b: 1,\n b: 2,\n b: 3}]\n": (Problem(("a", 0, "b"), "stands 3 times (lines 1, 2 and 3); keep one"),),
    '1: a\n"1": b\n': (Problem(("1",), "stands twice (lines 1 and 2); keep one"),),
    "a: !!python/object/apply:os.system [x]\n": (
        Problem(
            ("a",),
            "has the tag !!python/object/apply:os.system, and settings take none; remove it (quotes make a text)",
        ),
    ),
    "a: !!bool maybe\n": (
        Problem(("a",), "has the tag !!bool, and settings take none; remove it (quotes make a text)"),
    ),
    "<<: {a: 1}\n": (Problem(("<<",), "is a merge key, which YAML 1.2 does not have; write the keys out"),),
    "? [a]\n: 1\n": (Problem(("a list",), "is a key; write a text as the key"),),
    "a: {{ b }}\n": (Problem(("a", "a mapping"), "is a key; write a text as the key"),),
    f"a: {'9' * 5000}\n": (Problem(("a",), "is a number of 5000 digits; write a smaller one"),),
    "a: 1\na: 2\nb: !c d\n": (
        Problem(("a",), "stands twice (lines 1 and 2); keep one"),
        Problem(("b",), "has the tag !c, and settings take none; remove it (quotes make a text)"),
    ),
}


@pytest.mark.parametrize(("text", "problems"), PROBLEMS.items(), ids=range(len(PROBLEMS)))
def test_what_is_wrong_in_places_comes_all_at_once(text: str, problems: tuple[Problem, ...]) -> None:
    assert set(read_document(text).problems) == set(problems)


_COLON = (
    'is not YAML: a ":" where none can be; see that the line before has its ":", that the indent fits, and that a text'
    ' with ": " is in quotes'
)
_MISFIT = "is not YAML: does not fit the lines above; correct the indent, the quotes or the dash"
#: What people write by mistake -> what they read.
MISTAKES: dict[str, tuple[str, str]] = {
    "a tab": ("a:\n\tb: 1\n", "line 2: is not YAML: a tab; indent with spaces"),
    "no colon": ("project a\nregion: b\n", f"line 2: {_COLON}"),
    "no colon on the last line": ("a: 1\nb\n", 'line 3: is not YAML: a key without ":"; write key: value'),
    "two colons": ("a: b: c\n", f"line 1: {_COLON}"),
    "too deep an indent": ("a: 1\n  b: 2\n", f"line 2: {_COLON}"),
    "an indent between two": ("a:\n  b: 1\n c: 2\n", f"line 3: {_MISFIT}"),
    "a dash beside a key": ("a: 1\n- b\n", f"line 2: {_MISFIT}"),
    "a dash after a key": (
        "a: - b\n",
        "line 1: is not YAML: a list begins where none can; write it on the lines below its key",
    ),
    "an open quote": ('a: "b\n', "line 2: is not YAML: a quote is opened and not closed; close it"),
    "text after a quote": ('a: "b" c\n', f"line 1: {_MISFIT}"),
    "an apostrophe in single quotes": ("a: 'it's'\n", f"line 1: {_MISFIT}"),
    "a Windows path": (
        'a: "C:\\quux"\n',
        "line 1: is not YAML: an escape (\\) that YAML does not have; write \\\\, or single quotes",
    ),
    "an open bracket": (
        "a: [1, 2\nb: 3\n",
        "line 2: is not YAML: a [ or { is opened and not closed, or a comma is missing; correct it",
    ),
    "an open brace at the end": ("a: {", "line 1: is not YAML: a [ or { is opened and not closed; close it"),
    "an at sign": ("a: @b\n", "line 1: is not YAML: a value begins with @; put it in quotes"),
    "a star": (
        "a: *.yaml\n",
        "line 1: is not YAML: *name stands for nothing above; put a text that begins with * in quotes",
    ),
    "a greater-than sign": (
        "a: >=1.11\n",
        "line 1: is not YAML: a value begins with | or >; put it in quotes, or write its text below",
    ),
    "a text after the mapping": ("{a: 1} b\n", f"line 1: {_MISFIT}"),
    "an ampersand": ("a: & b\n", "line 1: is not YAML: a value begins with * or &; put it in quotes"),
    "two documents": ("a: 1\n---\nb: 2\n", "line 2: is not YAML: a second document begins (---); keep one"),
    "a version of YAML": (
        "%YAML 1.3\n---\na: 1\n",
        "line 1: begins with %, and settings take no directives; remove it",
    ),
    "a conflict of git": (
        "a: 1\n<<<<<<< HEAD\nb: 2\n=======\n",
        "line 2: is a conflict marker of git; resolve the conflict",
    ),
    "a control character": ('a: 1\nb: "\x07"\n', "line 2: holds the control character U+0007; remove it"),
    "an alias in itself": ("a: 1\nb: &b {c: [*b]}\n", "line 2: an alias (*name) contains itself; write the value out"),
    "brackets without end": ("[" * 30_000, "line 1: is not YAML: nested deeper than 50; write less"),
    "a tower of aliases": (
        "".join(f"a{i}: &a{i} [*a{i - 1}]\n" if i else "a0: &a0 []\n" for i in range(60)),
        "line 1: nested deeper than 50 by aliases (*name); write less",
    ),
}


@pytest.mark.parametrize(("text", "words"), MISTAKES.values(), ids=MISTAKES)
def test_a_text_that_is_no_yaml_says_where_why_and_what_to_write(text: str, words: str) -> None:
    with pytest.raises(NotYaml) as raised:
        read_document(text)
    assert str(raised.value) == words


def test_aliases_that_repeat_each_other_a_billion_times_are_refused_at_once() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10)]
    with pytest.raises(NotYaml, match="has more than 50000 values, those that aliases"):
        read_document("\n".join(lines))


#: What YAML is made of, so that the reader gets beyond the first character.
PIECES = (
    *("a", "b: ", ": ", "- ", "? ", "[", "]", "{", "}", ", ", "&x ", "*x ", "!!int ", "! ", "|", ">", "\n", "\n  "),
    *('"', "'", "\\", "#", "---\n", "...\n", "%YAML 1.1\n", "<<: ", "~", "1", "1.5", "0x", ".inf", "\t", "é", "\x85"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=60))
def test_no_text_gives_anything_but_a_document_or_words(text: str) -> None:
    try:
        words = [problem.text for problem in read_document(text).problems]
    except NotYaml as error:
        words = [str(error)]
    assert not [it for it in words if "\n" in it or "Error" in it or "; " not in it]
