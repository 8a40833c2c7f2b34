"""Faults of the user's files, as the user reads them: one line each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

#: What tokens of Hugging Face, Weights & Biases (of old, 40 hexadecimal digits), Google, NVIDIA and GitHub, and private
#: keys, look like, wherever they stand in a text. What does is refused where it would be kept, and never printed. A
#: folder of Hugging Face's cache is called after a commit, which has as many digits as a key.
TOKEN = re.compile(
    r"\bhf_(oauth_|jwt_)?[A-Za-z0-9]{24,}|\bwandb_v\d_\w{16,}|(?<!snapshots/)\b[0-9a-fA-F]{40,}\b"
    r"|\bya29\.[-.\w]{8,}|\bAIza[-\w]{20,}|\bnvapi-[-\w]{8,}|\bgh[pousr]_[A-Za-z0-9]{36,}|\bgithub_pat_\w{16,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY[^\"]*"
)


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, or doubtful, in one file.

    `path` is the key path in the file (`gpu_pool.max_nodes`, empty for the file as a whole) and `text` goes on
    from there: the value, why it cannot be, and what to write.
    """

    where: str
    path: str
    text: str

    def __str__(self) -> str:
        return one_line(f"{self.where}: {self.path} {self.text}" if self.path else f"{self.where}: {self.text}")


class SettingsError(Exception):
    """The user's files cannot be used; `faults` says why, all at once."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))


def shown(value: object) -> str:
    """A value as an error line quotes it: as YAML spells it, on one line, cut at 60 characters, tokens masked."""
    match value:
        case bool():
            text = str(value).lower()
        case None:
            text = "null"
        case str():
            text = f'"{value}"'
        case dict():
            text = "a mapping"
        case list() | tuple():
            text = "a list"
        case _:
            text = str(value)
    return cut(text)


def cut(text: str) -> str:
    """The text on one line, tokens masked, of 60 characters at most; a closing quote stays."""
    text = one_line(text)
    return text if len(text) <= 60 else f"{text[:56]}...{text[-1]}"


def one_line(text: str) -> str:
    """The text with line breaks and control characters made visible and whatever looks like a token masked."""
    visible = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return TOKEN.sub("***", visible)
