"""Where Terraform keeps the state of each stack."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator

from settings.fields import longest, matching
from settings.findings import Finding
from settings.yaml_file import Section


class State(Section):
    """Where Terraform keeps the state: beside the code, in a bucket, or in HCP Terraform."""

    backend: Literal["local", "gcs", "cloud"] = "local"
    """`local`: files under state/ beside main.py. `gcs`: one object a stack in `bucket`. `cloud`: HCP Terraform, one
    workspace a stack, named as the stack."""

    bucket: (
        Annotated[
            str,
            matching(
                r"[a-z0-9][-a-z0-9_.]{1,220}[a-z0-9]",
                "not a bucket name; write its name without gs://, 3 or more of a-z, 0-9, -, _ and .",
            ),
        ]
        | None
    ) = None
    """The Cloud Storage bucket of the backend `gcs`. It must exist before the first deploy."""

    prefix: Annotated[
        str,
        matching(r"[-\w.]+(/[-\w.]+)*", "not a folder; write one like nemo-rl or a/b"),
        AfterValidator(longest(800)),  # of the 1,024 of an object's name; the rest is for the stack's
    ] = "nemo-rl"
    """The folder in the bucket of the backend `gcs`: the state of a stack is at PREFIX/STACK/default.tfstate."""

    organization: (
        Annotated[str, matching(r"[-\w]+", "not an organization's name; write letters, digits, - and _")] | None
    ) = None
    """The HCP Terraform organization of the backend `cloud`."""

    hostname: Annotated[str, matching(r"[-a-z0-9.]+", "not a host name; write one like app.terraform.io")] = (
        "app.terraform.io"
    )
    """The host of the backend `cloud`; another one for Terraform Enterprise."""

    def place(self, stack: str) -> str:
        """Where the state of a stack lies, as a person would look for it."""
        match self.backend:
            case "local":
                return f"state/{stack}.tfstate"
            case "gcs":
                return f"gs://{self.bucket}/{self.prefix}/{stack}"
            case "cloud":
                return f"{self.hostname}/{self.organization}/{stack}"


def state_rules(state: State) -> Iterator[Finding]:
    """Each backend has its own keys: what it needs must be there, and another's must not."""
    for key, backend, needed in (
        ("bucket", "gcs", True),
        ("prefix", "gcs", False),
        ("organization", "cloud", True),
        ("hostname", "cloud", False),
    ):
        given = key in state.model_fields_set and getattr(state, key) is not None
        if needed and state.backend == backend and not given:
            yield Finding(f"state.{key}", f"is missing, but state.backend is {backend}; write it")
        if state.backend != backend and given:
            yield Finding(
                f"state.{key}",
                f"is given, but state.backend is {state.backend}; remove it, or write backend: {backend}",
            )
