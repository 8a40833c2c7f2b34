"""A site for each choice that an environment file offers about networks, Lustre, cluster and platform."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cdktf import App

from settings.environment import Environment
from stacks.cluster import ClusterStack
from stacks.network import NetworkStack
from stacks.platform import PlatformStack
from stacks.storage import StorageStack
from tests.support import MINIMAL, Stacks, environment, read_stacks


@dataclass(frozen=True)
class Alternative:
    """The text of an environment without its name, and the layers that the choice may change, by their names."""

    text: str
    layers: str


def _platform(app: App, env: Environment) -> PlatformStack:
    return PlatformStack(app, env, scripts={})


LAYERS: Mapping[str, Callable[[App, Environment], object]] = {
    "network": NetworkStack,
    "storage": StorageStack,
    "cluster": ClusterStack,
    "platform": _platform,
}

#: The pool's description without where its nodes come from.
_POOL = MINIMAL.replace("  reservation: {name: my-reservation}\n", "")
_EXCLUSION = "{name: run-7, start: 2027-01-15T00:00:00Z, end: 2027-02-15T00:00:00Z}"
#: Names of a site that was built by hand, from the tutorial's variables.
_NAMES = (
    "{network: my-vpc, gvnic_prefix: my-gvnic, rdma_prefix: my-rdma, cluster: my-cluster, lustre: my-lustre,"
    " subnet: my-subnet, node_account: my-node-account, workload_account: my-pod-account}"
)

#: Name of the site -> what it is.
ALTERNATIVES: Mapping[str, Alternative] = {
    "plain": Alternative(MINIMAL, "network storage cluster"),
    # Where the GPU nodes come from
    "spot": Alternative(f"{_POOL}  capacity: spot\n", "cluster"),
    "flex": Alternative(f"{_POOL}  capacity: flex-start\n  max_run_hours: 24\n", "cluster"),
    "demand": Alternative(f"{_POOL}  capacity: on-demand\n  compact_placement: true\n", "cluster"),
    "shared": Alternative(MINIMAL.replace("my-reservation", "projects/other-project/reservations/theirs"), "cluster"),
    "own-path": Alternative(
        MINIMAL.replace("my-reservation", "projects/my-project/reservations/my-reservation"), "cluster"
    ),
    "block": Alternative(MINIMAL.replace("my-reservation", "my-reservation/reservationBlocks/b-1"), "cluster"),
    "sub-block": Alternative(
        MINIMAL.replace("my-reservation", "my-reservation/reservationBlocks/b-1/reservationSubBlocks/s-1"), "cluster"
    ),
    "blind": Alternative(MINIMAL.replace("name: my-reservation", "name: my-reservation, verify: false"), "cluster"),
    # Operator and control plane
    "chart": Alternative(f"{MINIMAL}platform: {{operator: chart}}\n", "cluster platform"),
    "public": Alternative(
        f"{MINIMAL}cluster: {{endpoint: public, authorized_networks: [203.0.113.0/24]}}\n", "cluster platform"
    ),
    "private": Alternative(
        f"{MINIMAL}cluster: {{endpoint: private, authorized_networks: [10.0.0.0/20]}}\n", "cluster platform"
    ),
    "old": Alternative(f'{MINIMAL}cluster: {{version: "1.32"}}\nplatform: {{operator: chart}}\n', "cluster"),
    "busy": Alternative(f"{MINIMAL}cluster:\n  maintenance_exclusions: [{_EXCLUSION}]\n", "cluster"),
    # Networks, names and Lustre
    "public-nodes": Alternative(f"{MINIMAL}cluster: {{private_nodes: false}}\n", "cluster"),
    "no-nat": Alternative(f"{MINIMAL}network: {{nat: false}}\n", "network"),
    "auto": Alternative(f"{MINIMAL}network: {{mode: auto}}\n", "network cluster"),
    "port-988": Alternative(f"{MINIMAL}lustre: {{port: 988}}\n", "network storage cluster"),
    "by-hand": Alternative(f"{MINIMAL}names: {_NAMES}\n", "network storage cluster platform"),
    # Platform
    "plugin": Alternative(f"{MINIMAL}platform: {{credentials: plugin}}\n", "platform"),
    "enforced": Alternative(
        f"{MINIMAL}platform: {{network_policy: {{enforce: true, allow: [{{ip_range: 10.8.0.0/24}}]}}}}\n", "platform"
    ),
    "alerted": Alternative(f"{MINIMAL}monitoring: {{alerts: {{enabled: true}}}}\n", "platform"),
    "own-secret": Alternative(f"{MINIMAL}tokens: {{secret: team-tokens}}\n", "platform"),
    "no-workers": Alternative(f"{MINIMAL}ray: {{workers: 0}}\n", "platform"),
    # Protection and state
    "open": Alternative(
        f"{MINIMAL}lustre: {{deletion_protection: false}}\ncluster: {{deletion_protection: false}}\n",
        "storage cluster",
    ),
    "gcs": Alternative(f"{MINIMAL}state: {{backend: gcs, bucket: my-state}}\n", "network"),
    "cloud": Alternative(f"{MINIMAL}state: {{backend: cloud, organization: my-org}}\n", "network"),
}


def synthesized(output: Path) -> Stacks:
    """The stacks of all alternatives, by a real `App.synth()` into a folder: stack id -> Terraform JSON."""
    app = App(outdir=str(output))
    for name, alternative in ALTERNATIVES.items():
        env = environment(f"name: {name}\n{alternative.text}")
        for layer in alternative.layers.split():
            LAYERS[layer](app, env)
    app.synth()
    return read_stacks(output)
