"""The service accounts of a cluster."""

from __future__ import annotations

from cdktf_cdktf_provider_google.project_iam_member import ProjectIamMember
from cdktf_cdktf_provider_google.service_account import ServiceAccount

from catalog.gke import NODE_ROLES
from constructs import Construct


class NodeIdentity(Construct):
    """The service account that the nodes run as, with `NODE_ROLES` in the project."""

    def __init__(self, scope: Construct, id_: str, *, project: str, account: str, cluster: str) -> None:
        super().__init__(scope, id_)
        self.account = ServiceAccount(
            self, "Default", project=project, account_id=account, display_name=f"Nodes of the GKE cluster {cluster}"
        )
        self.roles = tuple(
            ProjectIamMember(
                self,
                role.replace(".", "-").lower(),
                project=project,
                role=f"roles/{role}",
                member=f"serviceAccount:{self.account.email}",
            )
            for role in NODE_ROLES
        )


class WorkloadIdentity(Construct):
    """The service account that the Ray pods act as. It starts with no role: grant what your jobs need."""

    def __init__(self, scope: Construct, id_: str, *, project: str, account: str, cluster: str) -> None:
        super().__init__(scope, id_)
        self.account = ServiceAccount(
            self, "Default", project=project, account_id=account, display_name=f"Ray pods of the GKE cluster {cluster}"
        )
