from __future__ import annotations

from constructs.token_secret import TokenSecret, netrc, token_variable
from stacks.site_stack import SiteStack
from tests.constructs.one_stack import built


def test_a_token_variable_is_ephemeral_and_null_unless_given() -> None:
    stack = built(lambda stack: token_variable(stack, "hf_token", description="Hugging Face"))
    assert stack["variable"] == {
        "hf_token": {
            "type": "string",
            "description": "Hugging Face",
            "sensitive": True,
            "ephemeral": True,
            "default": None,
        }
    }


def test_tokens_reach_the_secret_by_the_write_only_argument_alone_and_never_as_nulls() -> None:
    def build(stack: SiteStack) -> None:
        TokenSecret(
            stack,
            "tokens",
            namespace="ray",
            name="ray-tokens",
            revision=3,
            contents={"hf_token": "var.hf_token", "netrc": netrc("var.wandb_api_key", machine="api.wandb.ai")},
        )

    netrc_text = (
        'var.wandb_api_key == null || var.wandb_api_key == "" ? null'
        ' : format("machine api.wandb.ai\\n  login user\\n  password %s\\n", var.wandb_api_key)'
    )
    assert built(build)["resource"]["kubernetes_secret_v1"] == {
        "tokens": {
            "metadata": {"name": "ray-tokens", "namespace": "ray"},
            "type": "Opaque",
            "data_wo": f'${{{{ for key, text in {{ "hf_token" = var.hf_token, "netrc" = {netrc_text} }}'
            ' : key => text if text != null && text != "" }}',
            "data_wo_revision": 3,
        }
    }
