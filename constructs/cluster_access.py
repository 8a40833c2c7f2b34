"""Signing in to a cluster that an earlier layer made."""

from __future__ import annotations

from typing import Literal

from cdktf import Fn
from cdktf_cdktf_provider_google.data_google_client_config import DataGoogleClientConfig
from cdktf_cdktf_provider_google.data_google_container_cluster import DataGoogleContainerCluster
from cdktf_cdktf_provider_helm.provider import (
    HelmProvider,
    HelmProviderExperiments,
    HelmProviderKubernetes,
    HelmProviderKubernetesExec,
)
from cdktf_cdktf_provider_kubernetes.provider import KubernetesProvider, KubernetesProviderExec

from constructs import Construct

_PLUGIN = "gke-gcloud-auth-plugin"
_PLUGIN_API = "client.authentication.k8s.io/v1beta1"


class ClusterAccess(Construct):
    """The stack's Kubernetes provider, signed in to a GKE cluster that is read by its name.

    `endpoint` says which of the control plane's endpoints is called. The DNS endpoint has a publicly signed
    certificate, so no certificate authority is named with it; the addresses have one of the cluster's own.

    `credentials` is `token` (of whoever runs Terraform: one hour of life, kept in the state by its data source) or
    `plugin` (gke-gcloud-auth-plugin signs in and renews; nothing is kept in the state).
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        project: str,
        location: str,
        cluster: str,
        endpoint: Literal["dns", "public", "private"],
        credentials: Literal["token", "plugin"],
    ) -> None:
        super().__init__(scope, id_)
        data = DataGoogleContainerCluster(self, "Default", project=project, location=location, name=cluster)
        match endpoint:
            case "dns":
                address = data.control_plane_endpoints_config.get(0).dns_endpoint_config.get(0).endpoint
            case "public":
                address = data.endpoint
            case "private":
                address = data.private_cluster_config.get(0).private_endpoint
        authority = Fn.base64decode(data.master_auth.get(0).cluster_ca_certificate)

        self.host = f"https://{address}"
        self.certificate_authority = None if endpoint == "dns" else authority
        self.token = DataGoogleClientConfig(self, "client").access_token if credentials == "token" else None
        self.data = data.fqn
        KubernetesProvider(
            self,
            "kubernetes",
            host=self.host,
            cluster_ca_certificate=self.certificate_authority,
            token=self.token,
            exec=None if self.token else [KubernetesProviderExec(api_version=_PLUGIN_API, command=_PLUGIN)],
        )


class HelmAccess(Construct):
    """The stack's Helm provider, signed in as `cluster` is.

    `show_manifests` lets the plan show, and the API check, what each release renders to. It needs the kinds that the
    charts use to be known before the first plan.
    """

    def __init__(self, scope: Construct, id_: str, *, cluster: ClusterAccess, show_manifests: bool) -> None:
        super().__init__(scope, id_)
        HelmProvider(
            self,
            "helm",
            kubernetes=HelmProviderKubernetes(
                host=cluster.host,
                cluster_ca_certificate=cluster.certificate_authority,
                token=cluster.token,
                exec=None if cluster.token else HelmProviderKubernetesExec(api_version=_PLUGIN_API, command=_PLUGIN),
            ),
            experiments=HelmProviderExperiments(manifest=True) if show_manifests else None,
        )
