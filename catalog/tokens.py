"""The access tokens of a site: the variable that carries each one in, and the file that carries it to the pods."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Token:
    """One token: `variable` is the Terraform variable, `file` the key in the Secret and so the name of the file.

    A program in a pod finds the file through `path_variable`, which holds a path and never the token itself.
    """

    variable: str
    file: str
    path_variable: str
    owner: str

    @property
    def environment_variable(self) -> str:
        """How the value reaches Terraform without standing in any file."""
        return f"TF_VAR_{self.variable}"


# HF_TOKEN_PATH: huggingface_hub reads the file itself (run with 0.36.2 and 1.14.0).
HUGGING_FACE = Token(variable="hf_token", file="hf_token", path_variable="HF_TOKEN_PATH", owner="Hugging Face")

# NETRC: wandb takes its key from a netrc file (run with 0.21.1 and 0.28.0).
WANDB = Token(variable="wandb_api_key", file="netrc", path_variable="NETRC", owner="Weights & Biases")

#: The machine that wandb looks up in the netrc file.
WANDB_HOST = "api.wandb.ai"
