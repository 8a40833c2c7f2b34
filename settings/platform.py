"""What the platform layer makes around the RayCluster: namespace, operator, sign-in, policies."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from catalog.kubernetes_names import OPERATOR_NAMESPACE
from catalog.nccl import GIB_IMAGE
from settings.fields import DnsLabel, Ipv4Range, NamespaceName
from settings.images import PinnedImage
from settings.yaml_file import Section

_LABEL_KEY = re.compile(r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")

#: Beginnings of the namespaces of Kubernetes and of GKE itself.
_RESERVED = ("kube-", "gke-", "gmp-", "config-management-")


def _own_namespace(text: str) -> str:
    if text in ("default", OPERATOR_NAMESPACE) or text.startswith(_RESERVED):
        raise ValueError(", a namespace that others use; the platform makes and destroys its own, so name another one")
    return text


def _own_account(text: str) -> str:
    if text == "default":
        raise ValueError(
            ", an account that Kubernetes itself makes in each namespace, so that making it would fail; write another"
            " name, like ray"
        )
    return text


def _labels(labels: dict[str, str]) -> dict[str, str]:
    for key, value in labels.items():
        if not _LABEL_KEY.fullmatch(key) or not _LABEL_VALUE.fullmatch(value):
            raise ValueError(f', in which "{key}: {value}" is no Kubernetes label; correct it')
    return labels


class Client(Section):
    """Somebody who may reach the Ray head: the pods of a namespace, or an IP range."""

    namespace: NamespaceName | None = None
    """Namespace of the pods; or give `ip_range`."""

    pods: Annotated[dict[str, str], AfterValidator(_labels)] = Field(default_factory=dict)
    """Labels of the pods in `namespace`. Left out: all of its pods."""

    ip_range: Ipv4Range | None = None
    """IP range of callers that are no pods of this cluster, for example 10.8.0.0/24; or give `namespace`."""


class NetworkPolicy(Section):
    """Who reaches the Ray head's dashboard and job port (8265) and its client port (10001).

    Whoever reaches them can run any code in the Ray pods, with their tokens and their service account.
    """

    enforce: bool | None = None
    """Whether the policy exists. Left out: yes with the operator chart, no with the add-on, because it is not
    documented where the add-on's operator calls from. Before you write true there, make the canary check of the
    README."""

    allow: tuple[Client, ...] = ()
    """Who else may reach ports 8265 and 10001, beside the operator and the cluster's own pods."""


class Platform(Section):
    """The Kubernetes objects around the RayCluster."""

    namespace: Annotated[DnsLabel, AfterValidator(_own_namespace)] = "ray"
    """Namespace of the Ray pods and of all that they use; made and destroyed with the platform."""

    service_account: Annotated[DnsLabel, AfterValidator(_own_account)] = "ray"
    """Kubernetes service account of the Ray pods, bound to the site's Google service account for workloads."""

    operator: Literal["addon", "chart"] = "addon"
    """Who runs the KubeRay operator. `addon`: Google, in the version that the GKE minor brings. `chart`: this layer,
    by the upstream Helm chart, in the version of `ray.kuberay`. Never both, because two operators fight over the same
    objects: with `chart` the cluster's add-on is written as off."""

    credentials: Literal["token", "plugin"] = "token"
    """How the Kubernetes and Helm providers sign in. `token`: with the access token of whoever runs Terraform, which
    lives for an hour and is kept in the state. `plugin`: by the program gke-gcloud-auth-plugin, which must then be on
    the PATH wherever Terraform runs; nothing of it is kept in the state."""

    gib_image: PinnedImage = GIB_IMAGE
    """Image that puts Google's NCCL plugin gIB on the GPU nodes, with its tag or digest. Another one replaces the
    RayCluster."""

    network_policy: NetworkPolicy = NetworkPolicy()
    """Who may reach the Ray head."""

    @property
    def enforces_network_policy(self) -> bool:
        """Whether the NetworkPolicy exists."""
        return self.operator == "chart" if self.network_policy.enforce is None else self.network_policy.enforce
