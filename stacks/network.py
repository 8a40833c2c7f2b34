"""The network layer: APIs, the three VPCs, NAT, firewall, private services access."""

from __future__ import annotations

from cdktf import TerraformOutput

from catalog.gke import APIS
from constructs import Construct
from constructs.gvnic_network import GvnicNetwork
from constructs.main_network import InternetAccess, MainNetwork, Subnet
from constructs.private_services import LustreIngress, PrivateServices
from constructs.project_apis import ProjectApis
from constructs.rdma_network import RdmaNetwork
from settings.environment import Environment
from stacks.site_stack import SiteStack, use_google


class NetworkStack(SiteStack):
    """Everything of a site that lives for years and costs next to nothing."""

    def __init__(self, scope: Construct, env: Environment) -> None:
        super().__init__(scope, env.stack("network"), state=env.state)
        use_google(self, project=env.project, region=env.region)
        names, ranges = env.cloud_names, env.network
        apis = ProjectApis(self, "api", project=env.project, names=APIS)
        main = MainNetwork(
            self,
            "main",
            name=names.network,
            project=env.project,
            region=env.region,
            mtu=ranges.mtu,
            subnet=Subnet(
                name=names.subnet, nodes=ranges.nodes_range, pods=ranges.pods_range, services=ranges.services_range
            )
            if ranges.mode == "custom"
            else None,
            depends_on=apis.resources,
        )
        GvnicNetwork(
            self,
            "gvnic",
            name=names.gvnic_network,
            subnet=names.gvnic_subnet,
            firewall=names.gvnic_firewall,
            project=env.project,
            region=env.region,
            ip_range=ranges.gvnic_range,
            mtu=ranges.mtu,
            depends_on=apis.resources,
        )
        RdmaNetwork(
            self,
            "rdma",
            name=names.rdma_network,
            project=env.project,
            region=env.region,
            zone=env.zone,
            subnets=tuple(zip(names.rdma_subnets, ranges.rdma_ranges, strict=True)),
            depends_on=apis.resources,
        )
        PrivateServices(
            self,
            "private-services",
            project=env.project,
            network_id=main.network.id,
            range_name=names.private_services_range,
            ip_range=ranges.private_services_range,
        )
        LustreIngress(
            self,
            "lustre-ingress",
            project=env.project,
            network=main.network.name,
            name=names.lustre_firewall,
            source_range=ranges.private_services_range,
            port=env.lustre.port,
        )
        if ranges.nat:
            InternetAccess(
                self,
                "nat",
                network=main.network.name,
                router=names.router,
                nat=names.nat,
                project=env.project,
                region=env.region,
            )
        TerraformOutput(self, "network", value=main.network.name, description="The VPC of the cluster and of Lustre")
