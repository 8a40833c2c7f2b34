"""The scripts of the jobs, as files in the cluster."""

from __future__ import annotations

from collections.abc import Mapping

from cdktf import TerraformResource
from cdktf_cdktf_provider_kubernetes.config_map_v1 import ConfigMapV1, ConfigMapV1Metadata

from catalog.terraform import literal
from constructs import Construct


class JobScripts(Construct):
    """A ConfigMap with one key for each script: its file name, and its text exactly as it was written.

    Kubernetes takes at most 1 MiB for all of them together.
    """

    def __init__(self, scope: Construct, id_: str, *, namespace: str, name: str, scripts: Mapping[str, str]) -> None:
        super().__init__(scope, id_)
        self.resource: TerraformResource = ConfigMapV1(
            self,
            "Default",
            metadata=ConfigMapV1Metadata(name=name, namespace=namespace),
            data={file: literal(text) for file, text in scripts.items()},
        )
