"""The namespace of the Ray pods."""

from __future__ import annotations

from cdktf_cdktf_provider_kubernetes.namespace_v1 import NamespaceV1, NamespaceV1Metadata, NamespaceV1Timeouts

from constructs import Construct


class Namespace(Construct):
    """A namespace whose pods may be privileged.

    The Ray workers need that for RDMA, so the Pod Security level is written out: a cluster with a stricter default
    admits them all the same. Destroying waits up to 15 minutes for what is inside to go.
    """

    def __init__(self, scope: Construct, id_: str, *, name: str) -> None:
        super().__init__(scope, id_)
        namespace = NamespaceV1(
            self,
            "Default",
            metadata=NamespaceV1Metadata(name=name, labels={"pod-security.kubernetes.io/enforce": "privileged"}),
            timeouts=NamespaceV1Timeouts(delete="15m"),
        )
        #: The name as a reference: whatever uses it is made after the namespace and destroyed before it.
        self.name = namespace.metadata.name
