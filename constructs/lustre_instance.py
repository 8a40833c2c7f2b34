"""The Managed Lustre instance."""

from __future__ import annotations

from cdktf import Precondition, TerraformResourceLifecycle
from cdktf_cdktf_provider_google.lustre_instance import LustreInstance as GoogleLustreInstance
from cdktf_cdktf_provider_google.lustre_instance import LustreInstanceTimeouts

from constructs import Construct


class LustreInstance(Construct):
    """An instance in one zone, in a VPC that has private services access.

    `capacity_gib` and `throughput` (MB/s a TiB) go in as the API takes them, as texts. `gke_legacy_port` makes it
    serve on 6988, as GKE's legacy port setting wants; both must agree. Timeouts are those of the provider's newer
    releases: its own 20 minutes are too short.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        name: str,
        project: str,
        zone: str,
        network_id: str,
        filesystem: str,
        capacity_gib: int,
        throughput: int,
        gke_legacy_port: bool,
        deletion_protection: bool,
        preconditions: tuple[Precondition, ...],
    ) -> None:
        super().__init__(scope, id_)
        self.instance = GoogleLustreInstance(
            self,
            "Default",
            instance_id=name,
            project=project,
            location=zone,
            network=network_id,
            filesystem=filesystem,
            capacity_gib=str(capacity_gib),
            per_unit_storage_throughput=str(throughput),
            gke_support_enabled=gke_legacy_port,
            timeouts=LustreInstanceTimeouts(create="120m", update="60m", delete="60m"),
            lifecycle=TerraformResourceLifecycle(prevent_destroy=deletion_protection, precondition=list(preconditions)),
        )
