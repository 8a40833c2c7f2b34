"""When Terraform replaces a resource because it replaces another one."""

from __future__ import annotations

from cdktf import TerraformResource


def replacement_of(resource: TerraformResource) -> str:
    """What `replace_triggered_by` names so that a replacement of `resource` triggers it, and no change in place does.

    At plan an id is unknown whenever its resource is made anew, for whatever reason, and the same otherwise.
    """
    return f"{resource.terraform_resource_type}.{resource.friendly_unique_id}.id"
