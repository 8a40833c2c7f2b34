"""Google's NCCL plugin for RoCE, gIB, and where it stands on a GPU node of GKE."""

# All from the public installer, GoogleCloudPlatform/container-engine-accelerators,
# gpudirect-rdma/nccl-rdma-installer.yaml at commit 992db81 of 2026-06-11. Since its commit 2da1c92f it installs the
# plugin alone, and no NCCL of the host's that could hide the container's.
GIB_IMAGE = "us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-plugin-gib:v1.1.1"
PAUSE_IMAGE = "gke.gcr.io/pause:3.8@sha256:880e63f94b145e46f1b1082bb71b85e21f16b99b180b9996407d61240ceb9830"

#: Folders on the node: GKE's NVIDIA driver, and the plugin.
HOST_DRIVER_FOLDER = "/home/kubernetes/bin/nvidia"
HOST_GIB_FOLDER = "/home/kubernetes/bin/gib"

#: A file in the plugin's folder, ours: the name of the image whose files stand there, and stand there whole.
GIB_INSTALLED = "installed-image"
