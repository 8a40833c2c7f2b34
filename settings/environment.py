"""An environment file: one site, from its networks to its jobs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import PurePath
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

from catalog.interfaces import Interface, extra_interfaces
from catalog.machines import GPU_MACHINES, GpuMachine
from settings.cluster import SEVERAL_TEAMS, Cluster, CpuPool
from settings.fields import DnsLabel, ProjectId, Region, Zone
from settings.gpu_pool import GpuPool
from settings.lustre import Lustre
from settings.monitoring import Monitoring
from settings.names import NameOverrides, Names, cloud_names
from settings.network import EXISTING_VPC, SHARED_VPC, Network
from settings.platform import Platform
from settings.ray import Ray
from settings.state import State
from settings.tokens import Tokens
from settings.yaml_file import Section


def _not_job(name: str) -> str:
    if name == "job":
        raise ValueError(', which stands for the stacks of jobs; write another one, like "prod"')
    return name


def _no_file(job: object) -> object:
    if isinstance(job, str) and job.endswith((".yaml", ".yml")):
        raise ValueError(f", a file; write its name without the ending, {PurePath(job).stem}")
    return job


class Environment(Section):
    """One training site on Google Cloud."""

    project: ProjectId
    """Id of the Google Cloud project. All that the site has is made there."""

    region: Region
    """Region of the networks and of the cluster's control plane."""

    zone: Zone
    """The one zone of the GPU nodes, the CPU nodes, the RDMA network and Lustre; in the region."""

    name: Annotated[DnsLabel, AfterValidator(_not_job)]
    """Name of the site: first part of the stack ids and of all cloud names. Default: the file's name."""

    gpu_pool: GpuPool
    network: Network = Network()
    lustre: Lustre = Lustre()
    cluster: Cluster = Cluster()
    cpu_pool: CpuPool = CpuPool()
    ray: Ray = Ray()
    tokens: Tokens = Tokens()
    platform: Platform = Platform()
    monitoring: Monitoring = Monitoring()
    state: State = State()
    names: NameOverrides = NameOverrides()

    jobs: tuple[Annotated[DnsLabel, BeforeValidator(_no_file)], ...] = ()
    """Names of the files under job_specs/ (without .yaml) that this site has a stack for."""

    @property
    def is_example(self) -> bool:
        """Whether the site is called as those that come with the project."""
        return self.name.startswith("example-")

    @cached_property
    def cloud_names(self) -> Names:
        """Every cloud name of the site."""
        return cloud_names(self.name, self.names, auto_network=self.network.mode == "auto")

    @cached_property
    def gpu_machine(self) -> GpuMachine:
        """The catalog's row of the GPU pool's machine; only for an environment that passed its rules."""
        return GPU_MACHINES[self.gpu_pool.machine]

    @cached_property
    def interfaces(self) -> tuple[Interface, ...]:
        """The extra network interfaces of a GPU node, in the order of its cards."""
        names = self.cloud_names
        return extra_interfaces(
            gvnic_vpc=names.gvnic_network,
            gvnic_subnet=names.gvnic_subnet,
            rdma_vpc=names.rdma_network,
            rdma_subnets=names.rdma_subnets,
        )

    def stack(self, layer: str) -> str:
        """Id of the stack of one layer: `<name>_<layer>`."""
        return f"{self.name}_{layer}"

    @classmethod
    def unsupported(cls) -> Mapping[str, str]:
        return {
            "gpu_pools": "a site has one GPU pool; describe it under gpu_pool",
            **dict.fromkeys(("host_project", "shared_vpc"), SHARED_VPC),
            **dict.fromkeys(("existing_network", "existing_vpc", "vpc"), EXISTING_VPC),
            **dict.fromkeys(("namespaces", "teams", "tenants"), SEVERAL_TEAMS),
            **Tokens.unsupported(),
        }
