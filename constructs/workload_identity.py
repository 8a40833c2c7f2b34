"""The identity of the Ray pods, in Kubernetes and towards Google Cloud."""

from __future__ import annotations

from cdktf import TerraformResource
from cdktf_cdktf_provider_google.service_account_iam_member import ServiceAccountIamMember
from cdktf_cdktf_provider_kubernetes.service_account_v1 import ServiceAccountV1, ServiceAccountV1Metadata

from constructs import Construct


class PodIdentity(Construct):
    """A Kubernetes service account whose pods act as a Google service account of the same project.

    The Google account is named and not referred to, because another layer makes it. Its binding stands here, since it
    names the cluster's identity pool, which exists only once the cluster does.
    """

    def __init__(self, scope: Construct, id_: str, *, project: str, account_id: str, namespace: str, name: str) -> None:
        super().__init__(scope, id_)
        email = f"{account_id}@{project}.iam.gserviceaccount.com"
        account = ServiceAccountV1(
            self,
            "Default",
            metadata=ServiceAccountV1Metadata(
                name=name, namespace=namespace, annotations={"iam.gke.io/gcp-service-account": email}
            ),
        )
        binding = ServiceAccountIamMember(
            self,
            "binding",
            service_account_id=f"projects/{project}/serviceAccounts/{email}",
            role="roles/iam.workloadIdentityUser",
            member=f"serviceAccount:{project}.svc.id.goog[{namespace}/{name}]",
        )
        #: What has to exist while pods run under the account.
        self.resources: tuple[TerraformResource, ...] = (account, binding)
