"""The storage layer: Managed Lustre."""

from __future__ import annotations

from cdktf import TerraformOutput
from cdktf_cdktf_provider_google.data_google_compute_network import DataGoogleComputeNetwork

from constructs import Construct
from constructs.lustre_instance import LustreInstance
from constructs.private_services import ExistingPrivateServices
from settings.environment import Environment
from stacks.site_stack import SiteStack, use_google


class StorageStack(SiteStack):
    """The file system that holds the site's models, datasets, checkpoints and logs."""

    def __init__(self, scope: Construct, env: Environment) -> None:
        super().__init__(scope, env.stack("storage"), state=env.state)
        use_google(self, project=env.project, region=env.region)
        network = DataGoogleComputeNetwork(self, "main", name=env.cloud_names.network, project=env.project)
        services = ExistingPrivateServices(
            self,
            "private-services",
            network_link=network.self_link,
            described=f"the VPC {env.cloud_names.network}",
            remedy=f"deploy {env.stack('network')} first",
        )
        lustre = LustreInstance(
            self,
            "lustre",
            name=env.cloud_names.lustre,
            project=env.project,
            zone=env.zone,
            network_id=network.id,
            filesystem=env.lustre.filesystem,
            capacity_gib=env.lustre.capacity_gib,
            throughput=env.lustre.throughput,
            gke_legacy_port=env.lustre.legacy_port,
            deletion_protection=env.lustre.deletion_protection,
            preconditions=(services.precondition,),
        )
        TerraformOutput(
            self, "mount_point", value=lustre.instance.mount_point, description="ADDRESS@tcp:/FILESYSTEM to mount"
        )
