"""One construct, alone in a stack."""

from __future__ import annotations

import json
from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Any

import cdktf

from settings.state import State
from stacks.site_stack import SiteStack


def app() -> cdktf.App:
    """An App whose stacks are looked at and never written; unlike `Testing.app()`, it leaves no folder."""
    with TemporaryDirectory() as folder:
        return cdktf.App(outdir=folder)


def built(build: Callable[[SiteStack], object]) -> dict[str, Any]:
    """The Terraform JSON of a stack to which `build` added its constructs, with the addresses of our stacks."""
    stack = SiteStack(app(), "site", state=State())
    build(stack)
    return json.loads(cdktf.Testing.synth(stack))
