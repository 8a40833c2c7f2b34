"""The ports of Ray's pods that somebody outside of Ray calls."""

# KubeRay's defaults for the head (service.go), and Ray's own for the two further metrics servers of the head.
GCS = 6379
DASHBOARD = 8265  # the dashboard and the jobs API
CLIENT = 10001
METRICS = 8080  # on every Ray pod
AUTOSCALER_METRICS = 44217  # on the head
DASHBOARD_METRICS = 44227  # on the head

METRICS_PORTS = (METRICS, AUTOSCALER_METRICS, DASHBOARD_METRICS)
