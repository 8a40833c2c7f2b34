"""Names of the metrics that dashboard and alerts read, each with where it is documented."""

from __future__ import annotations

# GKE's kube state metrics package (docs.cloud.google.com/kubernetes-engine/docs/how-to/kube-state-metrics): 1 for each
# container whose readiness check succeeds; labels container, pod, uid. Collected where the cluster's monitoring
# has POD.
CONTAINER_READY = "kube_pod_container_status_ready"

# GKE's DCGM metrics (docs.cloud.google.com/kubernetes-engine/docs/how-to/dcgm-metrics): percent of the time in which
# the GPU ran a kernel, and frame buffer in use, in MiB. Collected where the cluster's monitoring has DCGM.
GPU_UTILIZATION = "DCGM_FI_DEV_GPU_UTIL"
GPU_MEMORY_USED = "DCGM_FI_DEV_FB_USED"

# Ray (docs.ray.io, Ray Observability, Reference, System Metrics).
RAY_RESOURCES = "ray_resources"  # labels Name (GPU, CPU, ...) and State (USED, AVAILABLE)
RAY_ACTORS = "ray_actors"  # label State
RAY_NODE_MEMORY_USED = "ray_node_mem_used"  # bytes
RAY_OBJECT_STORE_MEMORY = "ray_object_store_memory"  # bytes, label Location

# Managed Lustre (docs.cloud.google.com/monitoring/api/metrics_gcp_i_o, lustre): resource type
# lustre.googleapis.com/Instance; the two totals are of kind DELTA; label component says which part of Lustre.
LUSTRE_RESOURCE = "lustre.googleapis.com/Instance"
LUSTRE_READ_BYTES = "lustre.googleapis.com/instance/read_bytes_total"
LUSTRE_WRITTEN_BYTES = "lustre.googleapis.com/instance/write_bytes_total"
LUSTRE_AVAILABLE_BYTES = "lustre.googleapis.com/instance/available_bytes"

# GKE system metrics (docs.cloud.google.com/monitoring/api/metrics_kubernetes): resource type k8s_node, kind CUMULATIVE.
NODE_RECEIVED_BYTES = "kubernetes.io/node/network/received_bytes_count"
NODE_SENT_BYTES = "kubernetes.io/node/network/sent_bytes_count"

#: The names that the chart ray-cluster gives to the main container of a Ray worker.
WORKER_CONTAINER = "ray-worker"
