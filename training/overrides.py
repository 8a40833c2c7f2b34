"""Overrides: from the mapping in a job file to Hydra's `key=value` words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import cast

from catalog.nemo_rl_keys import KNOWN, OPEN
from catalog.nemo_rl_recipes import Value
from settings.findings import Finding

#: What Hydra reads as the same text without quotes.
_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./-]*")
#: What Hydra, or YAML after it, reads as something else than a text.
_RESERVED = re.compile(r"true|false|null|inf|nan|yes|no|on|off", re.IGNORECASE)
#: Backslashes before a quotation mark or the end, the only ones that Hydra unescapes in a quoted text.
_BACKSLASHES = re.compile(r'(\\*)("|\Z)')
#: `${key}` or `{key: 1}` without another one in it, and the start of one; with a backslash before it is a text.
_INTERPOLATION = re.compile(r"(?<!\\)\$\{[^{}]*\}|\{[^{}]*\}")
_INTERPOLATION_START = re.compile(r"(?<!\\)\$\{")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def flatten(overrides: Mapping[str, object], above: str = "") -> Iterator[tuple[str, Value]]:
    """The overrides as dotted keys and values, in the order of the file; lists and empty mappings are values."""
    for key, value in overrides.items():
        path = f"{above}{key}"
        if isinstance(value, Mapping) and value:
            yield from flatten(cast("Mapping[str, object]", value), f"{path}.")
        else:
            yield path, cast("Value", value)


def spelled(overrides: Mapping[str, object]) -> Iterator[Finding]:
    """What is wrong with how overrides are written down, whatever they say."""
    seen: set[str] = set()
    for key, value in flatten(overrides):
        if key.startswith(("+", "~")):
            yield Finding(f"overrides.{key}", f"starts with {key[0]}; write the key alone, the program adds a + itself")
        elif not all(_NAME.fullmatch(part) for part in key.split(".")):
            yield Finding(
                f"overrides.{key}", "is not a key; write names of letters, digits, - and _, with dots between"
            )
        elif key in seen:
            yield Finding(f"overrides.{key}", "stands twice, nested and with dots; keep one")
        elif not _all_names(value):
            yield Finding(f"overrides.{key}", "holds a mapping with a key that Hydra cannot take; write names as keys")
        elif any("\0" in one for one in texts(value)):
            yield Finding(f"overrides.{key}", "holds a NUL character, which no command line takes; remove it")
        elif any(map(_is_left_open, texts(value))):
            yield Finding(f"overrides.{key}", "begins ${ and does not end it, which OmegaConf refuses; write the }")
        seen.add(key)


def word(key: str, value: Value, version: str) -> str:
    """One Hydra override. A key that the recipes' files of this release lack gets the ++ that Hydra wants for it."""
    return f"{'' if KNOWN[version].get(key) else '++'}{key}={text(value)}"


def is_open(key: str, version: str) -> bool:
    """Whether the key stands below a mapping that takes any key in this release."""
    return any(key.startswith(f"{prefix}.") for prefix in OPEN[version])


def text(value: Value) -> str:
    """The value as Hydra reads it back unchanged: https://hydra.cc/docs/advanced/override_grammar/basic."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case str():
            return value if _PLAIN.fullmatch(value) and not _RESERVED.fullmatch(value) else _quoted(value)
        case tuple():
            return f"[{','.join(map(text, value))}]"
        case _:
            return f"{{{','.join(f'{key}:{text(item)}' for key, item in value.items())}}}"


def texts(value: Value) -> Iterator[str]:
    """Every text in a value."""
    match value:
        case str():
            yield value
        case tuple():
            for item in value:
                yield from texts(item)
        case Mapping():
            for item in value.values():
                yield from texts(item)
        case _:
            pass


def _quoted(value: str) -> str:
    def escape(match: re.Match[str]) -> str:
        backslashes, end = match.groups()
        return backslashes * 2 + (f"\\{end}" if end else "")

    return f'"{_BACKSLASHES.sub(escape, value)}"'


def _is_left_open(text: str) -> bool:
    """Whether the text begins an interpolation that does not end."""
    while (closed := _INTERPOLATION.sub("", text)) != text:
        text = closed
    return bool(_INTERPOLATION_START.search(text))


def _all_names(value: Value) -> bool:
    match value:
        case tuple():
            return all(map(_all_names, value))
        case Mapping():
            return all(
                _NAME.fullmatch(key) and not _RESERVED.fullmatch(key) and _all_names(item)
                for key, item in value.items()
            )
        case _:
            return True
