"""The stacks of one site, and the order that they are deployed in."""

from __future__ import annotations

from collections.abc import Mapping

from cdktf import App

from settings.environment import Environment
from stacks.cluster import ClusterStack
from stacks.job import JobStack
from stacks.network import NetworkStack
from stacks.platform import PlatformStack
from stacks.site_stack import SiteStack
from stacks.storage import StorageStack
from training.site_job import SiteJob


def add_site(
    app: App, env: Environment, *, jobs: tuple[SiteJob, ...], scripts: Mapping[str, str]
) -> tuple[SiteStack, ...]:
    """Adds the layers of a site to the app: network, then storage and cluster side by side, then the platform.

    The stack of a job depends on none of them, so that it can be deployed alone.

    `scripts` are the jobs' scripts, file name to text.
    """
    network = NetworkStack(app, env)
    storage = StorageStack(app, env)
    cluster = ClusterStack(app, env)
    for above in (storage, cluster):
        above.add_dependency(network)
    platform = PlatformStack(app, env, scripts=scripts)
    for below in (storage, cluster):
        platform.add_dependency(below)
    return (network, storage, cluster, platform, *(JobStack(app, job, scripts=scripts) for job in jobs))
