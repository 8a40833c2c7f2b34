"""A YAML text as plain values: YAML 1.2, each key once, no tags and no merge keys.

ruamel.yaml reads the structure; what a scalar means is decided here, so that no text runs into a constructor, and so
that all that is wrong at one place each comes at once.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError
from ruamel.yaml.resolver import VersionedResolver
from ruamel.yaml.scanner import Scanner
from ruamel.yaml.tag import Tag

from settings.faults import shown

#: Where a value stands: keys, and indices of lists.
Location = tuple[int | str, ...]

#: Far more than any settings need. A value counts as often as aliases repeat it.
MOST_VALUES = 50_000
MOST_NESTED = 50
#: The digits that any number of ours has at most; Python takes its time with thousands of them.
MOST_DIGITS = 18


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong at one place; `text` goes on from the key path."""

    location: Location
    text: str


@dataclass(frozen=True)
class Document:
    """A text that was read: lists are tuples, keys and dates are texts, and numbers are kept as they were spelt, too.

    At the place of a problem the value is what comes nearest to the text.
    """

    content: object
    spelt: Mapping[Location, str]
    problems: tuple[Problem, ...]


class NotYaml(ValueError):  # noqa: N818 # it is what the text is
    """The text cannot be read at all; the message says where, why and what to write."""


def read_document(text: str) -> Document:
    """The one document in a text; its content is None where the text is empty.

    Raises `NotYaml` for a text that is no YAML, has two documents, contains itself by an alias, or is out of bounds.
    """
    root = _composed(text)
    if root is None:
        return Document(None, {}, ())
    places = tuple(islice(_places(root, (), ()), MOST_VALUES + 1))
    if len(places) > MOST_VALUES:
        raise NotYaml(f"has more than {MOST_VALUES} values, those that aliases (*name) repeat included; write fewer")
    return Document(
        content=_value(root),
        spelt={place: str(node.value) for place, node in places if isinstance(_value_of_scalar(node), int | float)},
        problems=tuple(problem for place, node in places for problem in _problems(place, node)),
    )


class _Node(Protocol):
    """What is read of ruamel's nodes, which have no types of their own; `style` is for scalars."""

    value: Any
    tag: object
    style: str | None
    start_mark: Any


class _Untagged(VersionedResolver):
    """Leaves the meaning of values to this module: what has no tag in the text gets one of ours."""

    TAG = Tag(suffix="untagged")

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:  # noqa: ARG002 # ruamel's signature
        return self.TAG


class _Shallow(Scanner):
    """Stops at brackets that are nested too deep, whose keys the scanner would look for a thousand characters on."""

    def fetch_flow_collection_start(self, TokenClass: Any, to_push: str) -> None:  # noqa: N803 # ruamel's signature
        if self.flow_level >= MOST_NESTED:
            raise MarkedYAMLError(problem="maximum depth", problem_mark=cast("Any", self).reader.get_mark())
        cast("Any", super()).fetch_flow_collection_start(TokenClass, to_push)


def _composed(text: str) -> _Node | None:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith(("<<<<<<< ", ">>>>>>> ")):
            raise NotYaml(f"line {number}: is a conflict marker of git; resolve the conflict")
        if line.startswith("%"):
            raise NotYaml(f"line {number}: begins with %, and settings take no directives; remove it")
    yaml: Any = YAML(typ="safe", pure=True)  # ruamel has no types where it is set up
    yaml.Resolver = _Untagged
    yaml.Scanner = _Shallow
    yaml.max_depth = MOST_NESTED
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an anchor that is set twice, which YAML allows
            return yaml.compose(text)
    except MarkedYAMLError as error:
        raise NotYaml(_explained(error)) from None
    except ReaderError as error:
        where: Any = error  # without types, too
        number = text.count("\n", 0, where.position) + 1
        raise NotYaml(f"line {number}: holds the control character U+{where.character:04X}; remove it") from None
    except Exception as error:  # ruamel also asserts, and fails on escapes of characters that there are not
        reason = str(error).partition("\n")[0]
        raise NotYaml(f"is not YAML: {reason}; compare it with the examples") from None


#: How ruamel's words begin, context and problem -> what they mean to the one who wrote the file.
_CAUSES = (
    (r".*found character '\\t'", "a tab; indent with spaces"),
    (r".*found character '(?P<it>.)' that cannot start", "a value begins with {it}; put it in quotes"),
    (
        r".*mapping values are not allowed here",
        'a ":" where none can be; see that the line before has its ":", that the indent fits, and that a text with'
        ' ": " is in quotes',
    ),
    (r".*could not find expected ':'", 'a key without ":"; write key: value'),
    (r"while scanning a quoted scalar: found unexpected end", "a quote is opened and not closed; close it"),
    (
        r"while scanning a double-quoted scalar: .*",
        "an escape (\\) that YAML does not have; write \\\\, or single quotes",
    ),
    (
        r"while parsing a flow (sequence|mapping)",
        "a [ or { is opened and not closed, or a comma is missing; correct it",
    ),
    (r".*expected the node content, but found '<stream end>'", "a [ or { is opened and not closed; close it"),
    (
        r".*expected '?<(block end|document start)>'?, but found",
        "does not fit the lines above; correct the indent, the quotes or the dash",
    ),
    (r"while scanning a block scalar", "a value begins with | or >; put it in quotes, or write its text below"),
    (r".*sequence entries are not allowed here", "a list begins where none can; write it on the lines below its key"),
    (r".*found undefined alias", "*name stands for nothing above; put a text that begins with * in quotes"),
    (r"while scanning an (alias|anchor)", "a value begins with * or &; put it in quotes"),
    (r".*but found another document", "a second document begins (---); keep one"),
    (r".*maximum depth", f"nested deeper than {MOST_NESTED}; write less"),
)


def _explained(error: MarkedYAMLError) -> str:
    context, problem = str(getattr(error, "context", None) or ""), str(getattr(error, "problem", None) or "")
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = f"line {mark.line + 1}: " if mark else ""
    for pattern, words in _CAUSES:
        if found := re.match(pattern, f"{context}: {problem}", re.DOTALL):
            return line + "is not YAML: " + (words.format(**found.groupdict()) if found.groupdict() else words)
    return f"{line}is not YAML: {problem or context}; correct the line, or the one above"


def _places(node: _Node, place: Location, above: tuple[_Node, ...]) -> Iterator[tuple[Location, _Node]]:
    """Every value with its location, the outer ones first."""
    if any(node is outer for outer in above):
        raise NotYaml(f"line {_line(node)}: an alias (*name) contains itself; write the value out")
    if len(above) > MOST_NESTED:
        raise NotYaml(f"line {_line(node)}: nested deeper than {MOST_NESTED} by aliases (*name); write less")
    yield place, node
    if _is_mapping(node):
        for key, value in _entries(node):
            yield from _places(value, (*place, _key(key)), (*above, node))
    elif _is_list(node):
        for index, value in enumerate(_items(node)):
            yield from _places(value, (*place, index), (*above, node))


def _problems(place: Location, node: _Node) -> Iterator[Problem]:
    if node.tag != _Untagged.TAG:
        tag = str(node.tag).replace("tag:yaml.org,2002:", "!!")
        yield Problem(place, f"has the tag {tag}, and settings take none; remove it (quotes make a text)")
    if _is_mapping(node):
        lines: dict[str, list[int]] = {}
        for key, _ in _entries(node):
            if not _is_scalar(key):
                yield Problem((*place, _key(key)), "is a key; write a text as the key")
            elif key.value == "<<" and key.style is None:
                yield Problem((*place, "<<"), "is a merge key, which YAML 1.2 does not have; write the keys out")
            lines.setdefault(_key(key), []).append(_line(key))
        for key, numbers in lines.items():
            if len(numbers) > 1:
                times = "twice" if len(numbers) == 2 else f"{len(numbers)} times"
                yield Problem((*place, key), f"stands {times} ({_lines(numbers)}); keep one")
    elif _is_plain(node) and _INT.fullmatch(node.value) and len(node.value) > MOST_DIGITS:
        yield Problem(place, f"is a number of {len(node.value)} digits; write a smaller one")


def _value(node: _Node) -> object:
    if _is_mapping(node):
        return {_key(key): _value(value) for key, value in _entries(node)}
    if _is_list(node):
        return tuple(_value(item) for item in _items(node))
    return _value_of_scalar(node)


# The core schema of YAML 1.2, section 10.3.2.
_NULL = re.compile(r"null|Null|NULL|~|")
_BOOL = re.compile(r"(true|True|TRUE)|false|False|FALSE")
_INT = re.compile(r"[-+]?[0-9]+")
_OTHER_INT = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NO_NUMBER = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


def _value_of_scalar(node: _Node) -> object:
    if not _is_plain(node):
        return node.value if _is_scalar(node) else None
    text: str = node.value
    if _NULL.fullmatch(text):
        return None
    if found := _BOOL.fullmatch(text):
        return found[1] is not None
    if len(text) > MOST_DIGITS and (_INT.fullmatch(text) or _OTHER_INT.fullmatch(text)):
        return text
    if _INT.fullmatch(text):
        return int(text)
    if _OTHER_INT.fullmatch(text):
        return int(text, base=0)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _NO_NUMBER.fullmatch(text):
        return float(text.replace(".", ""))
    return text


def _is_mapping(node: _Node) -> bool:
    return isinstance(node, MappingNode)


def _is_list(node: _Node) -> bool:
    return isinstance(node, SequenceNode)


def _is_scalar(node: _Node) -> bool:
    return isinstance(node, ScalarNode)


def _is_plain(node: _Node) -> bool:
    """Whether it is a scalar without quotes, and not a text by `|` or `>`."""
    return _is_scalar(node) and not node.style


def _key(node: _Node) -> str:
    return str(node.value) if _is_scalar(node) else shown(_value(node))


def _line(node: _Node) -> int:
    return node.start_mark.line + 1


def _lines(numbers: list[int]) -> str:
    *others, last = sorted(set(numbers))
    return f"lines {', '.join(map(str, others))} and {last}" if others else f"line {last}"


def _entries(node: _Node) -> list[tuple[_Node, _Node]]:
    return cast("list[tuple[_Node, _Node]]", node.value)


def _items(node: _Node) -> list[_Node]:
    return cast("list[_Node]", node.value)
