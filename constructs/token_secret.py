"""The tokens of the Ray pods, on their way from a variable to a file."""

from __future__ import annotations

from cdktf import TerraformVariable, Token
from cdktf_cdktf_provider_kubernetes.secret_v1 import SecretV1, SecretV1Metadata

from constructs import Construct


def token_variable(scope: Construct, id_: str, *, description: str) -> TerraformVariable:
    """A stack variable for a token: sensitive, ephemeral, null unless given.

    Ephemeral: Terraform keeps it neither in the state nor in a plan, and lets it reach write-only arguments and
    nothing else. Null by default: plans and destroys need no token.
    """
    variable = TerraformVariable(
        scope,
        id_,
        type="string",
        description=description,
        sensitive=True,
        # None would leave the default out, and Terraform would ask for a value at each plan.
        default=Token.null_value(),
    )
    # The bindings are older than ephemeral variables and have no argument for it.
    variable.add_override("ephemeral", True)
    return variable


class TokenSecret(Construct):
    """A Secret with one key for each token that is given.

    `contents` maps a key of the Secret to the Terraform expression of its text, such as `var.hf_token`. Keys whose
    text is null or empty are left out: a null in a write-only map crashes provider kubernetes 2.38.0.

    The texts are written when `revision` changes, and at no other time; no state, plan or log holds them. A new
    revision replaces all keys, so one without tokens empties the Secret.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        namespace: str,
        name: str,
        revision: int,
        contents: dict[str, str],
    ) -> None:
        super().__init__(scope, id_)
        entries = ", ".join(f'"{key}" = {text}' for key, text in contents.items())
        given = f'{{ for key, text in {{ {entries} }} : key => text if text != null && text != "" }}'
        self.resource = SecretV1(
            self,
            "Default",
            metadata=SecretV1Metadata(name=name, namespace=namespace),
            type="Opaque",
            data_wo=Token.as_string_map(f"${{{given}}}"),
            data_wo_revision=revision,
        )


def netrc(variable: str, *, machine: str) -> str:
    """The expression of a netrc file whose password for `machine` is a variable; null where that is null or empty."""
    file = f'format("machine {machine}\\n  login user\\n  password %s\\n", {variable})'
    return f'{variable} == null || {variable} == "" ? null : {file}'
