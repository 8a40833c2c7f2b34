"""Says whether there is what a command of the Makefile is about, before cdktf starts: a site, its layer, its job.

    python -m tools.target SITE [layer LAYER | job JOB]

Exit status 0 when there is; 2 otherwise, with a line that says what to write, or with the faults of the files. cdktf
would synthesize first and then list all stacks.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable

from settings.environment import Environment
from settings.faults import Fault, SettingsError, one_line
from settings.sites import named
from tools.command import ROOT, run
from tools.synthesized import LAYERS
from training.checkout import read_checkout
from training.jobs import job_names


def refusal(env: Environment, arguments: list[str], files: Iterable[str]) -> str:
    """Why a site has not what is asked for; empty when it has. `files` are the names of the job files."""
    match arguments:
        case ["layer", layer] if layer not in LAYERS:
            return one_line(f"STACK={layer} is no layer of a site; {_near(layer, LAYERS)}")
        case ["job", job] if job not in env.jobs:
            wanted = "add it" if job in files else _near(job, env.jobs) if env.jobs else "list one of job_specs/ there"
            return str(Fault(f"environments/{env.name}.yaml", "jobs", f"does not list {job}; {wanted}"))
        case _:
            return ""


def _near(word: str, words: Iterable[str]) -> str:
    words = tuple(words)
    near = difflib.get_close_matches(word, words, n=1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(words)}"


def main(arguments: list[str]) -> int:
    """Exit status for the command line."""
    match arguments:
        case [site] | [site, "layer" | "job", _]:
            try:
                env = named(read_checkout(ROOT).environments, site)
                said = refusal(env, arguments[1:], job_names(ROOT))
            except SettingsError as error:
                said = str(error)
        case _:
            said = "write: python -m tools.target SITE [layer LAYER | job JOB]"
    if said:
        print(said, file=sys.stderr)
    return 2 if said else 0


if __name__ == "__main__":
    run(main)
