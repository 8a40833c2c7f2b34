from __future__ import annotations

from constructs.node_identity import NodeIdentity, WorkloadIdentity
from tests.constructs.one_stack import built


def test_nodes_may_write_logs_and_metrics_and_pull_images_and_no_more() -> None:
    stack = built(
        lambda stack: NodeIdentity(stack, "nodes", project="my-project", account="prod-nodes", cluster="prod")
    )
    member = {"project": "my-project", "member": "serviceAccount:${google_service_account.nodes.email}"}
    assert stack["resource"] == {
        "google_service_account": {
            "nodes": {
                "project": "my-project",
                "account_id": "prod-nodes",
                "display_name": "Nodes of the GKE cluster prod",
            }
        },
        # Members of a role, one by one: a binding or a policy would throw others out of the role or the project.
        "google_project_iam_member": {
            "nodes-artifactregistry-reader": {**member, "role": "roles/artifactregistry.reader"},
            "nodes-logging-logwriter": {**member, "role": "roles/logging.logWriter"},
            "nodes-monitoring-metricwriter": {**member, "role": "roles/monitoring.metricWriter"},
            "nodes-monitoring-viewer": {**member, "role": "roles/monitoring.viewer"},
            "nodes-stackdriver-resourcemetadata-writer": {
                **member,
                "role": "roles/stackdriver.resourceMetadata.writer",
            },
        },
    }


def test_the_ray_pods_account_starts_with_no_role() -> None:
    stack = built(
        lambda stack: WorkloadIdentity(stack, "workload", project="my-project", account="prod-ray", cluster="prod")
    )
    assert stack["resource"] == {
        "google_service_account": {
            "workload": {
                "project": "my-project",
                "account_id": "prod-ray",
                "display_name": "Ray pods of the GKE cluster prod",
            }
        }
    }
