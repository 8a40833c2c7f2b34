"""What Terraform's own language asks of the texts that we hand to it."""

#: Write-only arguments (the Secret's `data_wo`) came with Terraform 1.11.
REQUIRED_VERSION = ">= 1.11"


def literal(text: str) -> str:
    """The text, so written that Terraform hands it on unchanged: `${` and `%{` start no expression."""
    return text.replace("${", "$${").replace("%{", "%%{")
