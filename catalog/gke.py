"""What GKE is like."""

from __future__ import annotations

#: GKE's default of pods a node; it gives each node a range of twice as many addresses, rounded up to a power of two.
PODS_PER_NODE = 110

#: Room for 32 services. That GKE takes no smaller range is from memory of its documentation, and not verified.
SMALLEST_SERVICES_PREFIX = 27

#: Nodes that an upgrade of the CPU pool adds for a while.
CPU_POOL_SURGE = 1

#: Longest exclusion in days that surely leaves GKE the 48 hours of maintenance in each 92 days that its page on
#: maintenance windows asks for.
LONGEST_EXCLUSION_DAYS = 90

#: Metrics of the cluster, in the order in which GKE's API lists them: another order is a diff for ever.
MONITORED_COMPONENTS = (
    "SYSTEM_COMPONENTS",
    "STORAGE",
    "HPA",
    "POD",
    "DAEMONSET",
    "DEPLOYMENT",
    "STATEFULSET",
    "CADVISOR",
    "KUBELET",
    "DCGM",
)

#: What a node needs and no more: write logs and metrics, pull images (cluster-toolkit 1.95.0, gke-a4, less storage).
NODE_ROLES = (
    "artifactregistry.reader",
    "logging.logWriter",
    "monitoring.metricWriter",
    "monitoring.viewer",
    "stackdriver.resourceMetadata.writer",
)

#: The APIs that the layers of a site need; the first must be on before another can be switched on.
APIS = (
    "cloudresourcemanager",
    "serviceusage",
    "artifactregistry",
    "compute",
    "container",
    "iam",
    "iamcredentials",
    "logging",
    "lustre",
    "monitoring",
    "servicenetworking",
    "storage",
)


def minor(version: str) -> int:
    """34 of the minor version "1.34"."""
    return int(version.split(".")[1])
