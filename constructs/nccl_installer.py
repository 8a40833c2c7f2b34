"""Google's NCCL plugin for RoCE, put on each GPU node."""

from __future__ import annotations

from cdktf import TerraformResource
from cdktf_cdktf_provider_kubernetes.daemon_set_v1 import (
    DaemonSetV1,
    DaemonSetV1Metadata,
    DaemonSetV1Spec,
    DaemonSetV1SpecSelector,
    DaemonSetV1SpecTemplate,
    DaemonSetV1SpecTemplateMetadata,
    DaemonSetV1SpecTemplateSpec,
    DaemonSetV1SpecTemplateSpecContainer,
    DaemonSetV1SpecTemplateSpecInitContainer,
    DaemonSetV1SpecTemplateSpecInitContainerResources,
    DaemonSetV1SpecTemplateSpecInitContainerSecurityContext,
    DaemonSetV1SpecTemplateSpecInitContainerVolumeMount,
    DaemonSetV1SpecTemplateSpecToleration,
    DaemonSetV1SpecTemplateSpecVolume,
    DaemonSetV1SpecTemplateSpecVolumeHostPath,
)

from catalog.nccl import GIB_INSTALLED
from constructs import Construct

_NAME = "nccl-rdma-installer"
#: Where the script of the init container finds the two host folders.
_DRIVER, _GIB = "/host/nvidia/lib64", "/host/gib"
_INSTALL = f"""\
set -eux
rm -f {_GIB}/{GIB_INSTALLED}
/scripts/container_entry.sh install
cp -r /var/lib/gib/lib64/. {_DRIVER}
cp -r /var/lib/gib/. {_GIB}
"""


class NcclInstaller(Construct):
    """A DaemonSet on the nodes of one GPU type that copies gIB from `image` to `plugin_folder` and `driver_folder`.

    Applying does not wait for it: the GPU pool may have no node yet. A node's copy is whole once the image's name
    stands in `GIB_INSTALLED` in the plugin's folder. Another image is copied over the files of the last one, which
    kills programs that have them open. The design is that of the public installer (see catalog/nccl.py), with the
    image pinned.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        image: str,
        pause_image: str,
        gpu: str,
        plugin_folder: str,
        driver_folder: str,
    ) -> None:
        super().__init__(scope, id_)
        labels = {"k8s-app": _NAME}
        install = DaemonSetV1SpecTemplateSpecInitContainer(
            name="install",
            image=image,
            command=["/bin/sh", "-c"],
            args=[f"{_INSTALL}echo '{image}' > {_GIB}/{GIB_INSTALLED}\n"],
            resources=DaemonSetV1SpecTemplateSpecInitContainerResources(requests={"cpu": "150m"}),
            security_context=DaemonSetV1SpecTemplateSpecInitContainerSecurityContext(privileged=True),
            volume_mount=[
                DaemonSetV1SpecTemplateSpecInitContainerVolumeMount(name="driver", mount_path=_DRIVER),
                DaemonSetV1SpecTemplateSpecInitContainerVolumeMount(name="gib", mount_path=_GIB),
            ],
        )
        pod = DaemonSetV1SpecTemplateSpec(
            # kube-system is where GKE admits this priority; without it, a full node would never get the plugin.
            priority_class_name="system-node-critical",
            automount_service_account_token=False,
            host_network=True,
            host_pid=True,
            node_selector={"cloud.google.com/gke-accelerator": gpu},
            # Each taint, since a node that was selected needs the plugin whatever it is reserved for.
            toleration=[DaemonSetV1SpecTemplateSpecToleration(operator="Exists")],
            init_container=[install],
            container=[DaemonSetV1SpecTemplateSpecContainer(name="pause", image=pause_image)],
            volume=[_host_folder("driver", driver_folder), _host_folder("gib", plugin_folder)],
        )
        self.resource: TerraformResource = DaemonSetV1(
            self,
            "Default",
            metadata=DaemonSetV1Metadata(name=_NAME, namespace="kube-system", labels=labels),
            spec=DaemonSetV1Spec(
                selector=DaemonSetV1SpecSelector(match_labels=labels),
                template=DaemonSetV1SpecTemplate(metadata=DaemonSetV1SpecTemplateMetadata(labels=labels), spec=pod),
            ),
            wait_for_rollout=False,
        )


def _host_folder(name: str, path: str) -> DaemonSetV1SpecTemplateSpecVolume:
    return DaemonSetV1SpecTemplateSpecVolume(
        name=name, host_path=DaemonSetV1SpecTemplateSpecVolumeHostPath(path=path, type="DirectoryOrCreate")
    )
