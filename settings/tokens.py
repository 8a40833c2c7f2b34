"""Where the pods' access tokens come from; the tokens themselves are never a setting."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, Field

from catalog.tokens import HUGGING_FACE, WANDB, Token
from settings.yaml_file import Section

#: The Secret that the platform makes, where `tokens.secret` names no other.
MADE_SECRET = "ray-tokens"

_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_HEX_KEY = re.compile(r"[0-9a-f]{40,}")


def _secret_name(name: str) -> str:
    if len(name) > 253 or not _SUBDOMAIN.fullmatch(name) or _HEX_KEY.fullmatch(name):
        raise ValueError(", not the name of a Secret; write its name in lower-case letters, digits, - and .")
    if name == MADE_SECRET:
        raise ValueError(
            f", but {MADE_SECRET} is the Secret that the platform makes where this key is left out; write another name"
        )
    return name


class Tokens(Section):
    """Hugging Face and Weights & Biases tokens: variables of one apply, then files in the pods."""

    secret: Annotated[str, AfterValidator(_secret_name)] | None = None
    """Name of a Secret in the platform's namespace that your own tooling makes and renews, with the keys `hf_token`
    (the token) and, for Weights & Biases, `netrc` (a netrc file). Then the platform has no token variables. Left
    out, the platform makes the Secret from the variables `hf_token` and `wandb_api_key`."""

    revision: Annotated[int, Field(ge=1)] = 1
    """Raise it by one, and give the tokens again, to renew them: Terraform writes them only when this number
    changes."""

    wandb: bool = True
    """Whether the site has a Weights & Biases key. With false there is no variable for it, and no file."""

    @classmethod
    def unsupported(cls) -> Mapping[str, str]:
        return {
            word: f"a token never stands in a file; set {token.environment_variable} in the environment of the apply"
            for token, others in ((HUGGING_FACE, ("hf", "huggingface", "hugging_face")), (WANDB, ("wandb_key",)))
            for word in (token.variable, token.variable.upper(), token.environment_variable, *others)
        }

    @property
    def secret_name(self) -> str:
        """The Secret that the pods mount, whoever makes it."""
        return self.secret or MADE_SECRET

    @property
    def variables(self) -> tuple[Token, ...]:
        """The tokens that enter as Terraform variables: none where `secret` names a Secret."""
        if self.secret is not None:
            return ()
        return (HUGGING_FACE, WANDB) if self.wandb else (HUGGING_FACE,)


def missing_tokens(tokens: Tokens, environment: Mapping[str, str]) -> tuple[Token, ...]:
    """The tokens that an apply from this process environment would not get, an empty value counting as none."""
    return tuple(token for token in tokens.variables if not environment.get(token.environment_variable))
