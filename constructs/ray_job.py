"""One RayJob, started by an apply and looked at by every later plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from cdktf import ITerraformDependable, TerraformStack
from cdktf_cdktf_provider_kubernetes.data_kubernetes_resource import (
    DataKubernetesResource,
    DataKubernetesResourceMetadata,
)
from cdktf_cdktf_provider_kubernetes.data_kubernetes_resources import DataKubernetesResources
from cdktf_cdktf_provider_kubernetes.manifest import Manifest, ManifestTimeouts, ManifestWait

from constructs import Construct
from constructs.ray_job_spec import escaped

API_VERSION = "ray.io/v1"

#: `status.jobStatus` is empty until Ray itself knows the job. Not `jobDeploymentStatus`, which says Running before the
#: job is submitted, and also of one that never will be.
_KNOWN_TO_RAY = "^(PENDING|RUNNING|STOPPED|SUCCEEDED|FAILED)$"

#: What a later plan warns of: Ray's own word, and KubeRay's. After a passed deadline Ray's stays as it was.
_BAD = ("FAILED", "STOPPED")
_BAD_DEPLOYMENT = ("Failed", "ValidationFailed")


class RayJob(Construct):
    """A RayJob; the apply ends when Ray knows it, and fails after 30 minutes when Ray does not.

    Its `name` must follow from all that it runs: KubeRay ignores edits, and what Terraform calls an update in place
    would run nothing. How the run goes is none of the apply's business; each later plan reads the status and warns, in
    a check block of `stack`, when the job has failed, was stopped or passed its deadline. `look` is the command that
    shows why.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        stack: TerraformStack,
        name: str,
        namespace: str,
        annotations: Mapping[str, str],
        spec: Mapping[str, object],
        look: str,
        depends_on: Sequence[ITerraformDependable] = (),
    ) -> None:
        super().__init__(scope, id_)
        metadata = {"name": name, "namespace": namespace, **({"annotations": dict(annotations)} if annotations else {})}
        job = Manifest(
            self,
            "Default",
            manifest={
                "apiVersion": API_VERSION,
                "kind": "RayJob",
                "metadata": metadata,
                "spec": cast("Mapping[str, Any]", escaped(dict(spec))),
            },
            wait=ManifestWait(fields={"status.jobStatus": _KNOWN_TO_RAY}),
            # Delete waits for the operator to stop the job and let the object go.
            timeouts=ManifestTimeouts(create="30m", update="30m", delete="10m"),
            depends_on=list(depends_on) or None,
        )
        live = DataKubernetesResource(
            self,
            "status",
            api_version=API_VERSION,
            kind="RayJob",
            metadata=DataKubernetesResourceMetadata(name=name, namespace=namespace),
            depends_on=[job],
        )
        # In the check block itself the data source would make every later plan look like a change.
        job_status, deployment, reason = (
            f'try(coalesce({live.fqn}.object.status.{field}), "unknown")'
            for field in ("jobStatus", "jobDeploymentStatus", "reason")
        )
        bad = f"{_among(job_status, _BAD)} || {_among(deployment, _BAD_DEPLOYMENT)}"
        stack.add_override(
            "check.ray-job",
            {
                "assert": [
                    {
                        "condition": f"${{!({bad})}}",
                        "error_message": f"RayJob {name} is ${{{job_status}}} for Ray and ${{{deployment}}} for KubeRay"
                        f" (reason: ${{{reason}}}). Why: {look}",
                    }
                ]
            },
        )


def _among(expression: str, words: Sequence[str]) -> str:
    """Terraform's question whether the expression is one of the words."""
    listed = ", ".join(f'"{word}"' for word in words)
    return f"contains([{listed}], {expression})"


class ExistingRayCluster(Construct):
    """Looks for a RayCluster, so that a plan fails where it is not there; `remedy` is what to do then.

    By a list and not by a name: for a single object that is missing the provider (2.38.0) reports a bug in itself.
    """

    def __init__(self, scope: Construct, id_: str, *, name: str, namespace: str, remedy: str) -> None:
        super().__init__(scope, id_)
        self.data = DataKubernetesResources(
            self,
            "Default",
            api_version=API_VERSION,
            kind="RayCluster",
            namespace=namespace,
            field_selector=f"metadata.name={name}",
        )
        self.data.add_override(
            "lifecycle.postcondition",
            [
                {
                    "condition": "${length(self.objects) == 1}",
                    "error_message": f"There is no RayCluster {name} in the namespace {namespace}: {remedy}.",
                }
            ],
        )
