"""When Terraform replaces a resource because of another one: what `replace_triggered_by` names."""

from __future__ import annotations

from cdktf import TerraformResource


def change_of(resource: TerraformResource) -> str:
    """Triggers when `resource` is replaced or changed in place, and not when it is first made.

    cdktf itself would write the address as an expression, which Terraform does not take here.
    """
    return f"{resource.terraform_resource_type}.{resource.friendly_unique_id}"


def replacement_of(resource: TerraformResource) -> str:
    """Triggers when `resource` is made anew, for whatever reason: at plan its id is unknown then, and only then."""
    return f"{change_of(resource)}.id"
