from __future__ import annotations

from constructs.workload_identity import PodIdentity
from tests.constructs.one_stack import built


def test_the_pods_account_and_googles_name_each_other() -> None:
    stack = built(
        lambda stack: PodIdentity(
            stack, "pod-identity", project="my-project", account_id="prod-ray", namespace="ray", name="trainer"
        )
    )
    assert stack["resource"] == {
        "kubernetes_service_account_v1": {
            "pod-identity": {
                "metadata": {
                    "name": "trainer",
                    "namespace": "ray",
                    "annotations": {
                        "iam.gke.io/gcp-service-account": "prod-ray@my-project.iam.gserviceaccount.com",
                    },
                }
            }
        },
        "google_service_account_iam_member": {
            "pod-identity-binding": {
                "service_account_id": "projects/my-project/serviceAccounts/prod-ray@my-project.iam.gserviceaccount.com",
                "role": "roles/iam.workloadIdentityUser",
                "member": "serviceAccount:my-project.svc.id.goog[ray/trainer]",
            }
        },
    }
