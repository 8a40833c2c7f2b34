"""What all stacks share: readable addresses, the state's place, and the Terraform that they need."""

from __future__ import annotations

from typing import cast

import jsii
from cdktf import (
    CloudBackend,
    GcsBackend,
    LocalBackend,
    NamedCloudWorkspace,
    TerraformElement,
    TerraformStack,
)
from cdktf_cdktf_provider_google.provider import GoogleProvider

from catalog.terraform import REQUIRED_VERSION
from constructs import Construct, IConstruct
from settings.state import State


class SiteStack(TerraformStack):
    """A stack whose addresses are the construct paths, joined by `-`, without `Default`: `google_..._network.rdma`.

    cdktf would add a hash to them. Two paths that give one address are refused with a `ValueError`.
    """

    def __init__(self, scope: Construct, id_: str, *, state: State) -> None:
        self.stack_id = id_
        self._paths: dict[str, str] = {}
        super().__init__(scope, id_)  # pyright: ignore[reportUnknownMemberType] # see _path
        self.add_override("terraform.required_version", REQUIRED_VERSION)
        match state.backend:
            case "local":
                # Relative to the stack's folder, so that the JSON is the same wherever the project lies.
                LocalBackend(self, path=f"../../../state/{id_}.tfstate")
            case "gcs":
                GcsBackend(self, bucket=state.bucket or "", prefix=f"{state.prefix}/{id_}")
            case "cloud":
                CloudBackend(
                    self,
                    organization=state.organization or "",
                    hostname=state.hostname,
                    workspaces=NamedCloudWorkspace(id_),
                )

    @jsii.member(jsii_name="allocateLogicalId")
    def _allocate_logical_id(self, tf_element: TerraformElement) -> str:
        path = _path(tf_element)
        below = path.split("/")[1:]
        address = "-".join(part for part in below if part != "Default")
        if self._paths.setdefault(address, path) != path:
            raise ValueError(f"the constructs {self._paths[address]} and {path} give one address, {address}")
        return address


def _path(element: IConstruct) -> str:
    # The type checker finds our half of `constructs` first and so does not know cdktf's base classes.
    return cast("Construct", element).node.path


def use_google(stack: SiteStack, *, project: str, region: str) -> None:
    """Gives the stack the google provider, for one project and region, with the caller's own credentials."""
    GoogleProvider(stack, "google", project=project, region=region)
