"""The workspaces of a site are those of its stacks, in the order of their runs."""

from typing import Any

from tools.workspaces import Workspace, workspaces

MANIFEST: dict[str, Any] = {
    "stacks": {
        "prod_network": {"dependencies": []},
        "prod_storage": {"dependencies": ["prod_network"]},
        "prod_cluster": {"dependencies": ["prod_network"]},
        "prod_platform": {"dependencies": ["prod_storage", "prod_cluster"]},
        "job_prod_smoke": {"dependencies": []},
        "prod-eu_network": {"dependencies": []},
    }
}
STACKS: dict[str, dict[str, Any]] = {name: {} for name in MANIFEST["stacks"]} | {
    "prod_platform": {"variable": {"wandb_api_key": {}, "hf_token": {}}}
}


def test_each_stack_of_the_site_is_a_workspace_and_jobs_run_last() -> None:
    assert workspaces("prod", MANIFEST, STACKS) == (
        Workspace("prod_network", "cdktf.out/stacks/prod_network", 1, ()),
        Workspace("prod_cluster", "cdktf.out/stacks/prod_cluster", 2, ()),
        Workspace("prod_storage", "cdktf.out/stacks/prod_storage", 2, ()),
        Workspace("prod_platform", "cdktf.out/stacks/prod_platform", 3, ("hf_token", "wandb_api_key")),
        Workspace("job_prod_smoke", "cdktf.out/stacks/job_prod_smoke", 4, ()),
    )


def test_a_site_that_is_not_there_has_none() -> None:
    assert workspaces("test", MANIFEST, STACKS) == ()
