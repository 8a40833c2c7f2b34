"""Google's NCCL plugin for RoCE, gIB, and where it stands on a GPU node of GKE."""

# The public installer (GoogleCloudPlatform/container-engine-accelerators, gpudirect-rdma/nccl-rdma-installer.yaml)
# at commit 992db81 of 2026-06-11. Since its commit 2da1c92f the host gets the plugin alone and no NCCL of its own
# in the driver's lib64, where it could hide the container's.
GIB_IMAGE = "us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-plugin-gib:v1.1.1"
