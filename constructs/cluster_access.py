"""Signing in to a cluster that an earlier layer made."""

from __future__ import annotations

from typing import Literal

from cdktf import Fn, TerraformStack
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
        self._address = data.fqn
        KubernetesProvider(
            self,
            "kubernetes",
            host=self.host,
            cluster_ca_certificate=self.certificate_authority,
            token=self.token,
            exec=None if self.token else [KubernetesProviderExec(api_version=_PLUGIN_API, command=_PLUGIN)],
        )

    @property
    def addon_enabled(self) -> str:
        """The expression that says whether the live cluster's Ray operator add-on is on."""
        return f"try({self._address}.addons_config[0].ray_operator_config[0].enabled, false)"

    def warn_of_another_minor(self, stack: TerraformStack, *, minor: str) -> None:
        """Adds a check block to the stack: a warning where the control plane does not run the GKE minor `minor`."""
        version = f"{self._address}.master_version"
        stack.add_override(
            "check.gke-version",
            {
                "assert": [
                    {
                        "condition": f'${{try(startswith({version}, "{minor}."), false)}}',
                        "error_message": f"cluster.version is {minor}, but the control plane runs"
                        f' ${{try(coalesce({version}), "an unknown version")}}. What the KubeRay operator understands'
                        " was taken from the former. Write the minor that runs.",
                    }
                ]
            },
        )

    def warn_without_addon(self, stack: TerraformStack) -> None:
        """Adds a check block to the stack: a warning where the live cluster's Ray operator add-on is off."""
        stack.add_override(
            "check.ray-operator",
            {
                "assert": [
                    {
                        "condition": f"${{{self.addon_enabled}}}",
                        "error_message": "platform.operator is addon, but the cluster's Ray operator add-on is off, so"
                        " nobody would act on a RayCluster. Deploy the cluster layer first.",
                    }
                ]
            },
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
