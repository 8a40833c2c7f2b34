"""One YAML file becomes one frozen model, or a list of faults in the user's words."""

from __future__ import annotations

import difflib
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

from annotated_types import MaxLen, MinLen
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from settings.faults import Fault, cut, shown
from settings.yaml_text import MOST_DIGITS, Location, NotYaml, Problem, read_document

#: Bytes. The reader takes a second for so many, and the longest example has a tenth of it.
MOST_BYTES = 65_536


class Section(BaseModel):
    """A mapping in a settings file: frozen, strictly typed, no unknown keys.

    A subclass may name, in `unsupported`, keys that a user could reasonably look for here and that this
    project refuses on purpose, each with what to do instead.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)

    @classmethod
    def unsupported(cls) -> Mapping[str, str]:
        return {}


S = TypeVar("S", bound=Section)


@dataclass(frozen=True)
class SettingsFile:
    """A file that was read as YAML: its name as the user knows it, and its content.

    `spelt` has the numbers as the file spells them, `problems` what is wrong in places, and `defaults` the keys that
    the file leaves out and whose values come from elsewhere, with the words for where.
    """

    where: str
    content: Mapping[str, object]
    spelt: Mapping[Location, str] = field(default_factory=dict[Location, str])
    problems: tuple[Problem, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict[str, str])

    def with_default(self, key: str, value: object, origin: str) -> SettingsFile:
        """The same file with a value for a key that it may leave out; `origin` says whose value that is."""
        if key in self.content:
            return self
        return replace(self, content={key: value, **self.content}, defaults={**self.defaults, key: origin})


def read_yaml(path: Path, where: str) -> SettingsFile | Fault:
    """The mapping in a YAML 1.2 file; lists become tuples, dates stay texts.

    A `Fault` comes back for a file that is missing, unreadable, empty, too large, no YAML or no mapping.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
            return Fault(where, "", f"is {kind}; write the settings into a file, and give this another name")
        if status.st_size > MOST_BYTES:
            return Fault(where, "", f"has {status.st_size} bytes, more than {MOST_BYTES}; write less")
        document = read_document(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Fault(where, "", "does not exist; create it, or correct its name")
    except OSError as error:
        return Fault(where, "", f"cannot be read ({error.strerror}); correct its rights, or what it links to")
    except UnicodeDecodeError:
        return Fault(where, "", "is not UTF-8 text; save it as UTF-8")
    except NotYaml as error:
        return Fault(where, "", str(error))
    content = document.content
    if content is None:
        return Fault(where, "", "is empty; copy one of the examples and change it")
    if not isinstance(content, dict):
        return Fault(where, "", f"holds {_kind(content)}; write a mapping of settings (key: value)")
    return SettingsFile(where, cast("dict[str, object]", content), document.spelt, document.problems)


def parse(model: type[S], file: SettingsFile) -> S | list[Fault]:
    """The file as a model, or one fault for each key that has the wrong type, is unknown, missing or twice there."""
    try:
        parsed = model.model_validate(file.content)
        wrong: list[ErrorDetails] = []
    except ValidationError as error:
        parsed, wrong = None, error.errors(include_url=False)
    unknown = [it["loc"] for it in wrong if it["type"] == "extra_forbidden"]
    problems = [it for it in file.problems if not _within(it.location, unknown)]
    # What stands at, or below, the place of a problem was only read as well as possible.
    doubtful = [it.location for it in problems]
    # A list that has wrong entries counts as too short.
    lists = [it["loc"][:-1] for it in wrong]
    wrong = [
        it
        for it in wrong
        if not _within(it["loc"], doubtful) and not (it["type"] == "too_short" and it["loc"] in lists)
    ]
    faults = [Fault(file.where, _path(it.location), it.text) for it in problems]
    faults += [_fault(model, file, it) for it in wrong]
    return faults if parsed is None or faults else parsed


def _within(location: Location, places: Iterable[Location]) -> bool:
    return any(location[: len(place)] == place for place in places)


def _kind(value: object) -> str:
    match value:
        case None:
            return "nothing (null)"
        case dict():
            return "a mapping"
        case list() | tuple():
            return "a list"
        case bool():
            return "true or false"
        case str():
            return "a text"
        case int():
            return "a whole number"
        case float():
            return "a decimal number"
        case _:
            return type(value).__name__


#: pydantic's error type -> what to write instead; `{x}` comes from the error's context.
_REMEDIES = {
    "model_type": "write a mapping (key: value)",
    "dict_type": "write a mapping (key: value)",
    "tuple_type": "write a list",
    "list_type": "write a list",
    "int_type": "write a whole number",
    "float_type": "write a number",
    "bool_type": "write true or false",
    "string_type": "write a text",
    "literal_error": "write one of {expected}",
    "greater_than_equal": "write {ge} or more",
    "greater_than": "write more than {gt}",
    "less_than_equal": "write {le} or less",
    "less_than": "write less than {lt}",
    "too_short": "write {min_length} or more",
    "too_long": "write {max_length} or fewer",
    "string_too_short": "write at least {min_length} character(s)",
    "string_too_long": "write at most {max_length} characters",
}
_HIDDEN = "tokens"


def _fault(model: type[Section], file: SettingsFile, details: ErrorDetails) -> Fault:
    location, kind = details["loc"], details["type"]
    path, value = _path(location), details["input"]
    context: dict[str, Any] = details.get("ctx") or {}
    if kind == "extra_forbidden":
        return Fault(file.where, path, _unknown_key(model, location))
    if kind == "missing":
        return Fault(file.where, path, f"is missing{_meaning(model, location)}; write it")
    seen = "given (not shown)" if location[:1] == (_HIDDEN,) else _seen(file, location, value)
    if kind == "value_error":
        return Fault(file.where, path, f"is {seen}{context['error']}")
    if value is None:
        return Fault(file.where, path, f"is null; {_instead_of_nothing(model, location)}")
    remedy = _REMEDIES[kind].format(**context) if kind in _REMEDIES else "write another value"
    if kind == "model_type" and (owner := _owner(model, location)):
        remedy = f"write a mapping ({_first_key(owner)}: ...)"
    if kind in ("too_short", "too_long"):
        seen, remedy = f"a list of {context['actual_length']}", _only_length(model, location) or remedy
    corrected = _corrected(kind, value, file.spelt.get(location, ""), context)
    plain = isinstance(value, bool) or seen.startswith("a ") or (kind in _BOUNDS and not corrected)
    described = seen if plain else f"{seen}, {_kind(value)}"
    return Fault(file.where, path, f"is {described}; {remedy}{corrected}")


def _only_length(model: type[Section], location: Location) -> str:
    """What to write where a list has one length alone; empty where it may have several."""
    known = _field(model, location)
    limits = known.metadata if known else ()
    least = {it.min_length for it in limits if isinstance(it, MinLen)}
    most = {it.max_length for it in limits if isinstance(it, MaxLen)}
    return f"write exactly {least.pop()}" if least and least == most else ""


_BOUNDS = frozenset(kind for kind in _REMEDIES if not kind.endswith("_type"))


def _seen(file: SettingsFile, location: Location, value: object) -> str:
    """The value as the file spells it; for one that is not the file's, whose it is."""
    if len(location) == 1 and (origin := file.defaults.get(str(location[0]))):
        return f"{shown(value)} ({origin})"
    return cut(file.spelt[location]) if location in file.spelt else shown(value)


def _instead_of_nothing(model: type[Section], location: Location) -> str:
    if isinstance(location[-1], int):
        return "write a value, or remove the entry"
    if (known := _field(model, location)) is None:
        return "write a value, or remove the key"
    return "write a value" if known.is_required() else "write a value, or leave the key out to get its default"


def _meaning(model: type[Section], location: Location) -> str:
    """The first sentence about a key, in brackets."""
    known, owner = _field(model, location), _owner(model, location)
    text = (known.description if known else None) or (owner.__doc__ if owner else None) or ""
    sentence = " ".join(text.split()).split(". ")[0].rstrip(".")
    return f" ({sentence})" if sentence else ""


def _first_key(section: type[Section]) -> str:
    """The key that a section cannot do without, or its first one."""
    required = [name for name, known in section.model_fields.items() if known.is_required()]
    return (required or list(section.model_fields))[0]


def _corrected(kind: str, value: object, spelt: str, context: Mapping[str, object]) -> str:
    """The value that the user most likely meant, as it should be written."""
    match kind, value:
        case "int_type", str() if (number := _whole_number(value)) is not None:
            return f" without quotes: {number}" if number == value.strip() else f": {number}"
        case "int_type", float() if value.is_integer():
            return f": {int(value)}"
        case "bool_type", str() if value.lower() in ("yes", "on", "true", "y"):
            return ": true"
        case "bool_type", str() if value.lower() in ("no", "off", "false", "n"):
            return ": false"
        case "string_type", int() | float() if not isinstance(value, bool):
            return f' in quotes: "{spelt or value}"'
        case "literal_error", str() if value in re.findall(r"(?<![\w'])\d+", str(context.get("expected"))):
            return ", without quotes"
        case _:
            return ""


def _whole_number(text: str) -> str | None:
    """The digits of a number that was written as a text, perhaps with its thousands apart."""
    digits = text.strip().replace(",", "").replace("_", "").replace(" ", "")
    number = digits.removeprefix("-")
    return digits if number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS else None


def _path(location: Location) -> str:
    text = ""
    for part in location:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + (cut(part) or '""')
    return text


def _unknown_key(model: type[Section], location: Location) -> str:
    key, owner = str(location[-1]), _owner(model, location[:-1])
    if owner and key in owner.unsupported():
        return f"is not supported: {owner.unsupported()[key]}"
    known = list(owner.model_fields) if owner else []
    plain = re.sub(r"[- ]", "_", key.strip().lower())
    near = [plain] if plain in known else difflib.get_close_matches(plain, known, n=2, cutoff=0.7)
    if near and "." not in key:
        return f"is unknown; did you mean {' or '.join(near)}?"
    paths = list(_all_paths(model, ""))
    if "." in plain and plain in paths:
        above, _, below = plain.rpartition(".")
        return f"is unknown; write {below}, indented, below {above}"
    elsewhere = [path for path in paths if path.split(".")[-1] == plain]
    if elsewhere:
        top = "" if "." in elsewhere[0] else ", which is not indented"
        return f"is unknown here; did you mean {elsewhere[0]}{top}?"
    return f"is unknown; known here: {', '.join(known)}" if known else "is unknown; remove it"


def _owner(model: type[Section], location: Location) -> type[Section] | None:
    """The model of the mapping at a location, or None where it is no section."""
    owner: type[Section] | None = model
    for part in location:
        if isinstance(part, int):
            continue
        known = owner.model_fields.get(part) if owner else None
        owner = _section_in(known.annotation) if known else None
    return owner


def _field(model: type[Section], location: Location) -> FieldInfo | None:
    owner = _owner(model, location[:-1])
    return owner.model_fields.get(str(location[-1])) if owner else None


def _section_in(annotation: object) -> type[Section] | None:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    return next((found for inner in get_args(annotation) if (found := _section_in(inner))), None)


def _all_paths(model: type[Section], prefix: str) -> Iterator[str]:
    for name, known in model.model_fields.items():
        yield f"{prefix}{name}"
        if inner := _section_in(known.annotation):
            yield from _all_paths(inner, f"{prefix}{name}.")
