"""The Managed Lustre instance of a site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from catalog.lustre import LEGACY_PORT, Port, Throughput
from settings.fields import WHOLE, matching
from settings.yaml_file import Section


class Lustre(Section):
    """The Managed Lustre instance: model weights, datasets, checkpoints and logs live on it."""

    capacity_gib: int = 18_000
    """Capacity in GiB, in the steps of its tier; it can grow later and never shrink."""

    throughput: Annotated[Throughput, WHOLE] = 500
    """The tier: MB/s for each TiB. Changing it later replaces the instance: its data are gone, and the RayCluster is
    replaced. End the jobs first."""

    filesystem: Annotated[
        str, matching(r"[a-z][a-z0-9]{0,7}", "not a file system name; write at most 8 of a-z and 0-9, a letter first")
    ] = "lustrefs"
    """Name of the file system. Two instances that one node mounts need different names. Changing it later replaces the
    instance, as with `throughput`."""

    port: Annotated[Port, WHOLE] = LEGACY_PORT
    """The port of Lustre's network: 6988 sets both `--gke-support-enabled` on the instance and
    `--enable-legacy-lustre-port` on the cluster, as the tutorial does; 988 sets neither and needs GKE
    1.34 or newer, or 1.33 from 1.33.2-gke.4780000 on.
    Changing it later needs new nodes."""

    deletion_protection: bool = True
    """While true, Terraform refuses to destroy or replace the instance (`prevent_destroy`)."""

    @classmethod
    def unsupported(cls) -> Mapping[str, str]:
        newer = "the pinned provider has no field for it ({} has); remove it"
        return {
            "kms_key": newer.format("7.13"),
            "placement_policy": newer.format("7.11"),
            "maintenance_policy": newer.format("7.25"),
            "access_rules": newer.format("7.15"),
            "dynamic_tier": newer.format("7.27"),
        }

    @property
    def legacy_port(self) -> bool:
        """Whether instance and cluster both have their switch for the port beside GKE's metadata server on."""
        return self.port == LEGACY_PORT
