"""What the platform layer makes around the RayCluster: namespace, operator, access, policies."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from catalog.nccl import GIB_IMAGE
from settings.yaml_file import Section

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_LABEL_KEY = re.compile(r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_IMAGE = re.compile(r"[a-z0-9][a-z0-9._:/-]*?(:(?P<tag>[\w][\w.-]{0,127}))?(@sha256:(?P<digest>[0-9a-f]{64}))?")

#: Namespaces of Kubernetes and of GKE itself: the platform makes its namespace, and destroy takes it away.
_FOREIGN_NAMESPACES = ("kube-", "gke-", "gmp-", "config-management-", "istio-")


def _name(text: str) -> str:
    if not _LABEL.fullmatch(text):
        raise ValueError(", not a DNS label; write up to 63 lower-case letters, digits and -")
    return text


def _namespace(text: str) -> str:
    _name(text)
    if text == "default" or text.startswith(_FOREIGN_NAMESPACES):
        raise ValueError(", a namespace of the cluster's own; the platform makes and destroys its own, so name another")
    return text


def _image(text: str) -> str:
    match = _IMAGE.fullmatch(text)
    if not match or not (match["tag"] or match["digest"]) or (match["tag"] == "latest" and not match["digest"]):
        raise ValueError(", not a pinned image; write REPOSITORY:TAG or REPOSITORY@sha256:DIGEST, and not :latest")
    return text


def _range(text: str) -> str:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        raise ValueError(", not an IP range; write one like 10.8.0.0/24") from None
    return text


def _labels(labels: dict[str, str]) -> dict[str, str]:
    for key, value in labels.items():
        if not _LABEL_KEY.fullmatch(key) or not _LABEL_VALUE.fullmatch(value):
            raise ValueError(f', where "{key}: {value}" is not a Kubernetes label; correct it')
    return labels


class Client(Section):
    """Who may reach the Ray head from outside the cluster's own pods: pods of a namespace, or an IP range."""

    namespace: Annotated[str, AfterValidator(_name)] | None = None
    """Namespace of the pods. Left out, `ip_range` stands instead."""

    pods: Annotated[dict[str, str], AfterValidator(_labels)] = Field(default_factory=dict)
    """Labels of the pods in `namespace`. Left out, all of its pods."""

    ip_range: Annotated[str, AfterValidator(_range)] | None = None
    """IP range, for callers that are no pods of this cluster, for example 10.8.0.0/24."""


class NetworkPolicy(Section):
    """Who reaches the Ray head's dashboard and job port (8265) and client port (10001).

    Whoever reaches them can run any code in the cluster, with its tokens and its service account.
    """

    enforce: bool | None = None
    """Whether the policy exists. Left out: yes with the operator chart, no with the add-on, because where the add-on's
    operator calls from is not documented; before writing true there, make the canary check of the README."""

    allow: tuple[Client, ...] = ()
    """Further callers of ports 8265 and 10001, beside the operator and the cluster's own pods."""


class Platform(Section):
    """The Kubernetes objects around the RayCluster."""

    namespace: Annotated[str, AfterValidator(_namespace)] = "ray"
    """Namespace of all that this project makes in the cluster; made and destroyed with the platform."""

    service_account: Annotated[str, AfterValidator(_name)] = "ray"
    """Kubernetes service account of the Ray pods, bound to the workload's Google service account."""

    operator: Literal["addon", "chart"] = "addon"
    """Who runs the KubeRay operator: `addon`, Google with the cluster, in the version that the GKE minor brings; or
    `chart`, the upstream Helm chart in this layer, in a version of yours. Never both: two operators would fight over
    the same objects, so the cluster's add-on is written as off with `chart`."""

    credentials: Literal["token", "plugin"] = "token"
    """How the Kubernetes and Helm providers sign in: `token`, with the access token of whoever runs Terraform, which
    lives for an hour and is kept in the state; or `plugin`, through the program gke-gcloud-auth-plugin, which must be
    on the PATH wherever Terraform runs, and leaves nothing in the state."""

    gib_image: Annotated[str, AfterValidator(_image)] = GIB_IMAGE
    """Image that installs Google's NCCL plugin gIB on the GPU nodes, with its tag or digest."""

    network_policy: NetworkPolicy = NetworkPolicy()
    """Who may reach the Ray head."""

    @property
    def enforces_network_policy(self) -> bool:
        """Whether the NetworkPolicy exists."""
        return self.operator == "chart" if self.network_policy.enforce is None else self.network_policy.enforce
