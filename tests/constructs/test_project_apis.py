from __future__ import annotations

from constructs.project_apis import ProjectApis
from tests.constructs.one_stack import built


def test_all_apis_wait_for_the_one_that_looks_projects_up_and_stay_on_after_a_destroy() -> None:
    stack = built(
        lambda stack: ProjectApis(stack, "api", project="my-project", names=("container", "cloudresourcemanager"))
    )
    assert stack["resource"]["google_project_service"] == {
        "api-cloudresourcemanager": {
            "project": "my-project",
            "service": "cloudresourcemanager.googleapis.com",
            "disable_on_destroy": False,
        },
        "api-container": {
            "project": "my-project",
            "service": "container.googleapis.com",
            "disable_on_destroy": False,
            "depends_on": ["google_project_service.api-cloudresourcemanager"],
        },
    }


def test_the_first_api_is_switched_on_unasked() -> None:
    stack = built(lambda stack: ProjectApis(stack, "api", project="my-project", names=("lustre",)))
    assert list(stack["resource"]["google_project_service"]) == ["api-cloudresourcemanager", "api-lustre"]
