"""A namespace of the platform."""

from __future__ import annotations

from typing import Literal

from cdktf_cdktf_provider_kubernetes.namespace_v1 import NamespaceV1, NamespaceV1Metadata, NamespaceV1Timeouts

from constructs import Construct


class Namespace(Construct):
    """A namespace, and the Pod Security level up to which the cluster admits its pods, whatever its default is.

    Ray workers need `privileged`, for RDMA. Destroying waits up to 15 minutes for what is inside to go.
    """

    def __init__(
        self, scope: Construct, id_: str, *, name: str, pod_security: Literal["privileged", "baseline"]
    ) -> None:
        super().__init__(scope, id_)
        namespace = NamespaceV1(
            self,
            "Default",
            metadata=NamespaceV1Metadata(name=name, labels={"pod-security.kubernetes.io/enforce": pod_security}),
            timeouts=NamespaceV1Timeouts(delete="15m"),
        )
        #: The name as a reference: whatever uses it is made after the namespace and destroyed before it.
        self.name = namespace.metadata.name
