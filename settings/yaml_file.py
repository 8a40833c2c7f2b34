"""One YAML file becomes one frozen model, or a list of faults in the user's words."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.resolver import VersionedResolver

from settings.faults import Fault, one_line, shown


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
    """A file that was read as YAML: its name as the user knows it, and its content."""

    where: str
    content: Mapping[str, object]

    def with_default(self, key: str, value: object) -> SettingsFile:
        """The same file with a value for a key that it leaves out."""
        return SettingsFile(self.where, {key: value, **self.content})


def read_yaml(path: Path, where: str) -> SettingsFile | Fault:
    """The mapping in a YAML 1.2 file; lists become tuples, dates stay texts.

    A `Fault` comes back for a file that is missing, unreadable, empty, no YAML, no mapping, or has a key twice.
    """
    try:
        content = _frozen(_load(path.read_text(encoding="utf-8")), ())
    except FileNotFoundError:
        return Fault(where, "", "does not exist; create it, or correct its name")
    except OSError as error:
        return Fault(where, "", f"cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        return Fault(where, "", "is not UTF-8 text; save it as UTF-8")
    except DuplicateKeyError as error:
        key = _problem(error).removeprefix("found duplicate key ").split(" with value ")[0]
        return Fault(where, "", f"{_line(error)}the key {key} stands twice; keep one")
    except MarkedYAMLError as error:
        return Fault(where, "", f"{_line(error)}is not YAML: {_problem(error)}")
    except (YAMLError, ValueError, RecursionError) as error:
        reason = str(error).partition("\n")[0] or "nested too deep"
        return Fault(where, "", f"is not YAML: {reason}")
    if content is None:
        return Fault(where, "", "is empty; copy one of the examples and change it")
    if not isinstance(content, dict):
        return Fault(where, "", f"holds {_kind(content)}; write a mapping of settings (key: value)")
    return SettingsFile(where, cast("dict[str, object]", content))


def parse(model: type[S], file: SettingsFile) -> S | list[Fault]:
    """The file as a model, or one fault for each key that has the wrong type, is unknown or is missing."""
    try:
        return model.model_validate(file.content)
    except ValidationError as error:
        return [_fault(model, file, details) for details in error.errors(include_url=False)]


def _load(text: str) -> object:
    yaml: Any = YAML(typ="safe", pure=True)  # ruamel has no types where it is set up
    yaml.Resolver = _TextDates
    return yaml.load(text)


class _TextDates(VersionedResolver):
    """YAML 1.2, but a date is a text: the settings that take dates say themselves which form they want."""

    @property
    def versioned_resolver(self) -> Any:
        rules = cast("dict[object, list[tuple[str, object]]]", super().versioned_resolver)
        return {first: [rule for rule in some if not rule[0].endswith(":timestamp")] for first, some in rules.items()}


def _frozen(value: object, above: tuple[int, ...]) -> object:
    if id(value) in above:
        raise ValueError("an alias (*name) contains itself")
    inside = (*above, id(value))
    match value:
        case dict():
            items = cast("dict[object, object]", value).items()
            return {_key(key): _frozen(item, inside) for key, item in items}
        case list():
            return tuple(_frozen(item, inside) for item in cast("list[object]", value))
        case _:
            return value


def _key(key: object) -> str:
    return key if isinstance(key, str) else shown(key)


def _line(error: MarkedYAMLError) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    return f"line {mark.line + 1}: " if mark else ""


def _problem(error: MarkedYAMLError) -> str:
    return str(getattr(error, "problem", None) or getattr(error, "context", None) or "")


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
    "too_short": "write at least {min_length}",
    "too_long": "write at most {max_length}",
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
        field = _field(model, location)
        meaning = f" ({field.description.split('.')[0].strip()})" if field and field.description else ""
        return Fault(file.where, path, f"is missing{meaning}; write it")
    seen = "given" if location and location[0] == _HIDDEN else shown(value)
    if kind == "value_error":
        return Fault(file.where, path, f"is {seen}{context['error']}")
    if value is None:
        return Fault(file.where, path, "is null; write a value, or leave the key out to get its default")
    remedy = _REMEDIES.get(kind, details["msg"]).format(**context)
    described = seen if kind in _BOUNDS or seen.startswith("a ") else f"{seen}, {_kind(value)}"
    return Fault(file.where, path, f"is {described}; {remedy}{_corrected(kind, value)}")


_BOUNDS = frozenset(kind for kind in _REMEDIES if not kind.endswith("_type"))


def _corrected(kind: str, value: object) -> str:
    """The value that the user most likely meant, as it should be written."""
    match kind, value:
        case "int_type", str() if value.strip().lstrip("-").isdecimal():
            return f" without quotes: {int(value)}"
        case "int_type", float() if value.is_integer():
            return f": {int(value)}"
        case "bool_type", str() if value.lower() in ("yes", "on", "true", "y"):
            return ": true"
        case "bool_type", str() if value.lower() in ("no", "off", "false", "n"):
            return ": false"
        case "string_type", int() | float() if not isinstance(value, bool):
            return f' in quotes: "{value}"'
        case _:
            return ""


def _path(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return one_line(text)


def _unknown_key(model: type[Section], location: tuple[int | str, ...]) -> str:
    key, owner = str(location[-1]), _owner(model, location[:-1])
    if owner and key in owner.unsupported():
        return f"is not supported: {owner.unsupported()[key]}"
    known = list(owner.model_fields) if owner else []
    near = difflib.get_close_matches(key, known, n=2, cutoff=0.7)
    if near:
        return f"is unknown; did you mean {' or '.join(near)}?"
    elsewhere = [path for path in _all_paths(model, "") if path.rsplit(".")[-1] == key]
    if elsewhere:
        return f"is unknown here; did you mean {elsewhere[0]}?"
    return f"is unknown; known here: {', '.join(known)}" if known else "is unknown; remove it"


def _owner(model: type[Section], location: tuple[int | str, ...]) -> type[Section] | None:
    """The model of the mapping at a location, or None where it is no section."""
    owner: type[Section] | None = model
    for part in location:
        if isinstance(part, int):
            continue
        field = owner.model_fields.get(part) if owner else None
        owner = _section_in(field.annotation) if field else None
    return owner


def _field(model: type[Section], location: tuple[int | str, ...]) -> FieldInfo | None:
    owner = _owner(model, location[:-1])
    return owner.model_fields.get(str(location[-1])) if owner else None


def _section_in(annotation: object) -> type[Section] | None:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    return next((found for inner in get_args(annotation) if (found := _section_in(inner))), None)


def _all_paths(model: type[Section], prefix: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield f"{prefix}{name}"
        if inner := _section_in(field.annotation):
            yield from _all_paths(inner, f"{prefix}{name}.")
