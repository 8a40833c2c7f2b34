"""What every node of a site is, whatever pool it is in."""

from __future__ import annotations

from cdktf_cdktf_provider_google.container_node_pool import (
    ContainerNodePoolNodeConfigGvnic,
    ContainerNodePoolNodeConfigWorkloadMetadataConfig,
)

#: IAM roles of the node account decide alone; narrower scopes only hide them.
OAUTH_SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)

#: Without it the pool is replaced at each plan, because GKE writes it.
METADATA = {"disable-legacy-endpoints": "true"}

#: Pods get their own identity from the metadata server, and never the node's.
WORKLOAD_METADATA = ContainerNodePoolNodeConfigWorkloadMetadataConfig(mode="GKE_METADATA")

GVNIC = ContainerNodePoolNodeConfigGvnic(enabled=True)
