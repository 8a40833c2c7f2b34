"""Quotas of Google Cloud that a site counts against, by the ids that Cloud Quotas has for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from catalog.machines import GpuType


@dataclass(frozen=True, kw_only=True)
class Quota:
    """One quota: its id in its service, what it counts, and where (`zone`, `region` or the whole `project`).

    `dimension` narrows it, as `gpu_family=NVIDIA_B200`. `doubt` is what is not known of it.
    """

    id: str
    counts: str
    where: Literal["zone", "region", "project"]
    source: str
    service: str = "compute.googleapis.com"
    dimension: str = ""
    doubt: str = ""

    def command(self, *, project: str, place: str) -> str:
        """The gcloud command that prints its limit; `place` is the name of the zone or region.

        The form is that of Google's own script for this tutorial, which so asks for Lustre's quota.
        """
        conditions = [f"quotaId={self.id}"]
        if self.where != "project":
            conditions.append(f"dimensionsInfos.applicableLocations={place}")
        if self.dimension:
            conditions.append(f"dimensionsInfos.dimensions.{self.dimension}")
        return (
            f"gcloud beta quotas info list --service={self.service} --project={project}"
            f" --flatten='dimensionsInfos[]' --filter='{' AND '.join(conditions)}'"
            " --format='value(dimensionsInfos.details.value)'"
        )


_LISTED = "Cloud Quotas' list for a project, as several public tools read it"
_GCPDIAG = "GoogleCloudPlatform/gcpdiag, gcpdiag/lint/gce/warn_2022_001 (names of project quotas)"
_RESERVED = "whether the nodes of a reservation are counted here, or only where the reservation was made"

_FAMILIES: dict[GpuType, str] = {"nvidia-b200": "B200", "nvidia-h200-141gb": "H200"}

#: GPUs of reservations and on demand. Newer families have no quota of their own but this one, by family.
GPUS: dict[GpuType, Quota] = {
    gpu: Quota(
        id="GPUS-PER-GPU-FAMILY-per-project-region",
        counts="GPUs",
        where="region",
        dimension=f"gpu_family=NVIDIA_{family}",
        source=_LISTED,
        doubt=_RESERVED,
    )
    for gpu, family in _FAMILIES.items()
}

#: GPUs of Spot VMs and of flex-start.
PREEMPTIBLE_GPUS: dict[GpuType, Quota] = {
    gpu: Quota(
        id=f"PREEMPTIBLE-NVIDIA-{family}-GPUS-per-project-region",
        counts="GPUs",
        where="region",
        source=_LISTED,
        doubt="whether flex-start is counted here (public guides say so) or with GPUs on demand",
    )
    for gpu, family in _FAMILIES.items()
}

ALL_GPUS = Quota(
    id="GPUS-ALL-REGIONS-per-project",
    counts="GPUs",
    where="project",
    source=_GCPDIAG,
    doubt="whether it counts these families",
)

ALL_CPUS = Quota(
    id="CPUS-ALL-REGIONS-per-project",
    counts="vCPUs",
    where="project",
    source=_GCPDIAG,
    doubt="whether the GPU machines' vCPUs are counted; they are left out here",
)

#: Machine family -> its vCPUs.
CPUS: dict[str, Quota] = {
    "n2": Quota(id="N2-CPUS-per-project-region", counts="vCPUs", where="region", source=_LISTED),
}

HYPERDISK_BALANCED = Quota(id="HDB-TOTAL-GB-per-project-region", counts="GB", where="region", source=_LISTED)
SSD_DISKS = Quota(id="SSD-TOTAL-GB-per-project-region", counts="GB", where="region", source=_LISTED)
NETWORKS = Quota(id="NETWORKS-per-project", counts="VPCs", where="project", source=_GCPDIAG)
SUBNETWORKS = Quota(id="SUBNETWORKS-per-project", counts="subnets", where="project", source=_GCPDIAG)
ROUTERS = Quota(id="ROUTERS-per-project", counts="routers", where="project", source=_GCPDIAG)

LUSTRE_CAPACITY = Quota(
    id="Capacity",
    service="lustre.googleapis.com",
    counts="GiB",
    where="zone",
    source="Google's sample script of this tutorial, which refuses to go on when it is below the instance's size",
)
