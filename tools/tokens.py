"""Says whether a deploy of a site gets the tokens that it needs, before anything is deployed.

    python -m tools.tokens SITE [--keep]

Exit status 0 when each token is in the environment, or the site has a Secret of its own; 2 when one is missing, with a
line that names it. `--keep` says that the Secret stays as it is: then no token is needed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from settings.faults import SettingsError
from settings.sites import named, read_sites
from settings.tokens import missing_tokens
from tools.command import ROOT, run


def refusals(site: str, environment: Mapping[str, str], *, keep: bool) -> list[str]:
    """Why a deploy of the site is refused, a line each; none when it may go on.

    `environment` is the process environment that the deploy would run in.
    """
    try:
        env = named(read_sites(ROOT).environments, site)
    except SettingsError as error:
        return str(error).splitlines()
    missing = () if keep else missing_tokens(env.tokens, environment)
    return [
        f"{token.environment_variable} is not set: the {token.owner} token of {site}; set it, or write TOKENS=keep if"
        " the Secret in the cluster stays as it is"
        for token in missing
    ]


def main(arguments: list[str]) -> int:
    """Exit status for the command line."""
    match arguments:
        case [site]:
            lines = refusals(site, os.environ, keep=False)
        case [site, "--keep"]:
            lines = refusals(site, os.environ, keep=True)
        case _:
            lines = ["write: python -m tools.tokens SITE [--keep]"]
    for line in lines:
        print(line, file=sys.stderr)
    return 2 if lines else 0


if __name__ == "__main__":
    run(main)
