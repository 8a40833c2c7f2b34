"""The Google APIs of a project."""

from __future__ import annotations

from cdktf import ITerraformDependable
from cdktf_cdktf_provider_google.project_service import ProjectService

from constructs import Construct

#: The API through which the provider looks projects up. Even switching another API on reads the project first, so a
#: race with this one answers 403.
FIRST_API = "cloudresourcemanager"


class ProjectApis(Construct):
    """Switches APIs on, `cloudresourcemanager` before all others.

    `names` are the services without `.googleapis.com`. They stay on when the stack is destroyed: other things in the
    project may use them, and a disabled API breaks what is destroyed later.
    """

    def __init__(self, scope: Construct, id_: str, *, project: str, names: tuple[str, ...]) -> None:
        super().__init__(scope, id_)
        first = self._enable(project, FIRST_API)
        others = [self._enable(project, name, first) for name in names if name != FIRST_API]
        self.resources: tuple[ITerraformDependable, ...] = (first, *others)

    def _enable(self, project: str, name: str, *needed: ProjectService) -> ProjectService:
        return ProjectService(
            self,
            name,
            project=project,
            service=f"{name}.googleapis.com",
            disable_on_destroy=False,
            depends_on=list(needed) or None,
        )
