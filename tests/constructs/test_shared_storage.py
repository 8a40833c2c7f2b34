from __future__ import annotations

from constructs.namespace import Namespace
from constructs.shared_storage import SharedStorage
from constructs.workload_identity import PodIdentity
from stacks.site_stack import SiteStack
from tests.constructs.one_stack import built


def test_volume_and_claim_agree_with_each_other_and_with_the_instance() -> None:
    def build(stack: SiteStack) -> None:
        namespace = Namespace(stack, "namespace", name="ray", pod_security="privileged").name
        identity = PodIdentity(
            stack, "pod-identity", project="my-project", account_id="prod-ray", namespace=namespace, name="ray"
        )
        SharedStorage(
            stack,
            "lustre",
            project="my-project",
            zone="us-central1-b",
            instance="prod-lustre",
            throughput=500,
            namespace=namespace,
            volume_name="lustre-pv",
            claim_name="lustre-pvc",
            used_with=identity.resources,
        )

    stack = built(build)
    instance = "data.google_lustre_instance.lustre-instance"
    capacity = {"storage": f"${{{instance}.capacity_gib}}Gi"}
    namespace = "${kubernetes_namespace_v1.namespace.metadata[0].name}"
    assert stack["data"]["google_lustre_instance"] == {
        "lustre-instance": {"project": "my-project", "zone": "us-central1-b", "instance_id": "prod-lustre"}
    }
    assert stack["resource"]["kubernetes_persistent_volume_v1"] == {
        "lustre-volume": {
            "metadata": {"name": "lustre-pv"},
            "spec": [
                {
                    "storage_class_name": "lustre-rwx-500mbps-per-tib",
                    "capacity": capacity,
                    "access_modes": ["ReadWriteMany"],
                    "persistent_volume_reclaim_policy": "Retain",
                    "volume_mode": "Filesystem",
                    "claim_ref": {"name": "lustre-pvc", "namespace": namespace},
                    "persistent_volume_source": {
                        "csi": {
                            "driver": "lustre.csi.storage.gke.io",
                            "volume_handle": "my-project/us-central1-b/prod-lustre",
                            "volume_attributes": {
                                "ip": f'${{element(split("@", {instance}.mount_point), 0)}}',
                                "filesystem": f"${{{instance}.filesystem}}",
                            },
                        }
                    },
                }
            ],
            "lifecycle": {"replace_triggered_by": ["terraform_data.lustre-mounted"]},
        }
    }
    assert stack["resource"]["terraform_data"] == {
        "lustre-mounted": {
            "input": {"mount_point": f"${{{instance}.mount_point}}", "storage_class": "lustre-rwx-500mbps-per-tib"}
        }
    }
    assert stack["resource"]["kubernetes_persistent_volume_claim_v1"] == {
        "lustre": {
            "metadata": {"name": "lustre-pvc", "namespace": namespace},
            "spec": {
                "storage_class_name": "lustre-rwx-500mbps-per-tib",
                "access_modes": ["ReadWriteMany"],
                "volume_mode": "Filesystem",
                "volume_name": "${kubernetes_persistent_volume_v1.lustre-volume.metadata[0].name}",
                "resources": {"requests": capacity},
            },
            "lifecycle": {
                "ignore_changes": ["spec[0].resources[0].requests"],
                "replace_triggered_by": ["kubernetes_persistent_volume_v1.lustre-volume.id"],
            },
            "depends_on": [
                "kubernetes_service_account_v1.pod-identity",
                "google_service_account_iam_member.pod-identity-binding",
            ],
        }
    }
