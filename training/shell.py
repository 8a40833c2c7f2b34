"""One command for /bin/sh that a reader can follow, whatever its words hold.

Ray hands the entrypoint to `sh -c`, which is dash in NeMo RL's image. So the command is `exec bash` with the script as
a here-document whose end word is quoted: the shell expands nothing in it, and in a diff it reads as it runs. Inside,
each word that comes from a file is quoted for bash.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from catalog.nemo_rl import HOME

_END = "END_OF_JOB"

#: What a training takes at most to end, and its summary to be written.
_GRACE = "5m"

_PREAMBLE = f"""\
exec 3<&-
set -euo pipefail
cd {HOME}
step() {{ printf '\\n=== %s\\n' "$1"; }}
fail() {{ printf '%s\\n' "$1" >&2; exit 1; }}"""


def one_command(*parts: str, hours: int | None = None) -> str:
    """The parts of a script, run one after the other by bash in NeMo RL's tree; the first that fails ends it.

    They may call `step TITLE`, which marks the log, and `fail WORDS`, which ends the job. After `hours` all that runs
    is told to end (SIGTERM), `_GRACE` later it is killed; the exit status is then 124 or 137.
    """
    limit = f"timeout --kill-after={_GRACE} {hours}h " if hours else ""
    who = f"by ray job stop or after {hours} hours (limits.run_hours)" if hours else "by ray job stop"
    # With a trap bash outlives the program that it runs, and begins no other one.
    trap = f"trap \"echo 'told to end, {who}' >&2; exit 143\" TERM"
    script = "\n\n".join((_PREAMBLE, trap, *parts))
    return f"exec {limit}bash /dev/fd/3 3<<'{_END}'\n{script}\n{_END}\n"


def quoted(word: str) -> str:
    """The word, whatever it holds, as bash reads it back; always on one line.

    A line of a word must not begin a line of the here-document: it could be the end word, and where it only begins like
    it and goes on with a byte that is not ASCII, dash loses that byte.
    """
    if "\n" not in word:
        return shlex.quote(word)
    escaped = word.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"$'{escaped}'"


def step(title: str, text: str) -> str:
    """A part that says its title first."""
    return f"step {shlex.quote(title)}\n{text}"


def words(given: Iterable[str]) -> str:
    """A command, each word as it is: the program and its script, then an option with its value, or a word, a line."""
    return _lines(map(quoted, given))


def expanding(given: Iterable[str]) -> str:
    """A command whose words may name variables of the script; no word of it is a free text of the user's."""
    return _lines(f'"{word}"' if "$" in word else quoted(word) for word in given)


def _lines(quoted: Iterable[str]) -> str:
    """The program and its script on the first line, then an option with its value, or a word, a line."""
    words = tuple(quoted)
    lines: list[str] = []
    for word in words:
        starts = not lines or word.startswith("--") or "=" in word or not lines[-1].startswith(("python", "--"))
        if starts or "=" in lines[-1]:
            lines.append(word)
        else:
            lines[-1] += f" {word}"
    return " \\\n  ".join(lines)
