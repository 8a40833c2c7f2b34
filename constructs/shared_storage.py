"""The Lustre instance as a volume that pods mount."""

from __future__ import annotations

from collections.abc import Sequence

from cdktf import Fn, ITerraformDependable, TerraformResource, TerraformResourceLifecycle
from cdktf_cdktf_provider_google.data_google_lustre_instance import DataGoogleLustreInstance
from cdktf_cdktf_provider_kubernetes.persistent_volume_claim_v1 import (
    PersistentVolumeClaimV1,
    PersistentVolumeClaimV1Metadata,
    PersistentVolumeClaimV1Spec,
    PersistentVolumeClaimV1SpecResources,
)
from cdktf_cdktf_provider_kubernetes.persistent_volume_v1 import (
    PersistentVolumeV1,
    PersistentVolumeV1Metadata,
    PersistentVolumeV1Spec,
    PersistentVolumeV1SpecClaimRef,
    PersistentVolumeV1SpecPersistentVolumeSource,
    PersistentVolumeV1SpecPersistentVolumeSourceCsi,
)

from constructs import Construct
from constructs.replacement import change_of, replacement_of


class SharedStorage(Construct):
    """A PersistentVolume of a Managed Lustre instance that an earlier layer made, and the one claim it is bound to.

    Capacity and address come from the instance itself. Destroying both leaves the instance and its data alone. Another
    instance (address, file system, name, tier) replaces both: Kubernetes keeps a volume while its claim is there, and
    gives no second claim a volume that had one.

    `used_with` is what the pods that mount the claim use besides. The claim depends on it, because among all that
    those pods use the claim alone waits, while it is destroyed, until they are gone.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        project: str,
        zone: str,
        instance: str,
        throughput: int,
        namespace: str,
        volume_name: str,
        claim_name: str,
        used_with: Sequence[ITerraformDependable],
    ) -> None:
        super().__init__(scope, id_)
        lustre = DataGoogleLustreInstance(self, "instance", project=project, zone=zone, instance_id=instance)
        capacity = {"storage": f"{lustre.capacity_gib}Gi"}
        # The tutorial's class for 500, and the others alike. It pairs volume and claim and need not exist as an
        # object. An empty one would not do: the claim would get the cluster's default class.
        storage_class = f"lustre-rwx-{throughput}mbps-per-tib"
        source = PersistentVolumeV1SpecPersistentVolumeSourceCsi(
            driver="lustre.csi.storage.gke.io",
            # The driver's controller parses exactly these three parts.
            volume_handle=f"{project}/{zone}/{instance}",
            # The mount point is ADDRESS@tcp:/FILESYSTEM. The driver takes it whole as well, but only `ip` and
            # `filesystem` are documented for the driver that GKE manages.
            volume_attributes={
                "ip": Fn.element(Fn.split("@", lustre.mount_point), 0),
                "filesystem": lustre.filesystem,
            },
        )
        # Kubernetes lets nobody change a volume's address, but provider kubernetes 2.38.0 plans just that: to it the
        # handle alone is a reason to replace one. cdktf's own class of this type calls terraform at synth.
        mounted = TerraformResource(self, "mounted", terraform_resource_type="terraform_data")
        mounted.add_override("input", {"mount_point": lustre.mount_point, "storage_class": storage_class})
        volume = PersistentVolumeV1(
            self,
            "volume",
            metadata=PersistentVolumeV1Metadata(name=volume_name),
            spec=[
                PersistentVolumeV1Spec(
                    storage_class_name=storage_class,
                    capacity=capacity,
                    access_modes=["ReadWriteMany"],
                    persistent_volume_reclaim_policy="Retain",
                    volume_mode="Filesystem",
                    claim_ref=PersistentVolumeV1SpecClaimRef(name=claim_name, namespace=namespace),
                    persistent_volume_source=PersistentVolumeV1SpecPersistentVolumeSource(csi=source),
                )
            ],
            lifecycle=TerraformResourceLifecycle(replace_triggered_by=[change_of(mounted)]),
        )
        self.claim: TerraformResource = PersistentVolumeClaimV1(
            self,
            "Default",
            metadata=PersistentVolumeClaimV1Metadata(name=claim_name, namespace=namespace),
            spec=PersistentVolumeClaimV1Spec(
                storage_class_name=storage_class,
                access_modes=["ReadWriteMany"],
                volume_mode="Filesystem",
                volume_name=volume.metadata.name,
                resources=PersistentVolumeClaimV1SpecResources(requests=capacity),
            ),
            # Kubernetes lets nobody resize a claim on a volume that was not provisioned dynamically. When the
            # instance grows, the volume follows, and the claim keeps asking for what it asked for first.
            lifecycle=TerraformResourceLifecycle(
                ignore_changes=["spec[0].resources[0].requests"], replace_triggered_by=[replacement_of(volume)]
            ),
            depends_on=list(used_with),
        )
