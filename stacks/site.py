"""The stacks of one site, and the order that they are deployed in."""

from __future__ import annotations

from cdktf import App

from settings.environment import Environment
from stacks.cluster import ClusterStack
from stacks.network import NetworkStack
from stacks.site_stack import SiteStack
from stacks.storage import StorageStack


def add_site(app: App, env: Environment) -> tuple[SiteStack, ...]:
    """Adds the layers of a site to the app: network, then storage and cluster side by side."""
    network = NetworkStack(app, env)
    storage = StorageStack(app, env)
    cluster = ClusterStack(app, env)
    for above in (storage, cluster):
        above.add_dependency(network)
    return (network, storage, cluster)
