"""The KubeRay operator by its upstream Helm chart."""

from __future__ import annotations

import json

from cdktf import Precondition, TerraformResource, TerraformResourceLifecycle
from cdktf_cdktf_provider_helm.release import Release

from catalog.terraform import literal
from constructs import Construct
from constructs.namespace import Namespace


class KubeRayOperator(Construct):
    """The operator in a namespace of its own, watching `watched_namespace` and no other.

    The plan fails where the cluster's Ray operator add-on is on (`addon_enabled`, a Terraform expression): two
    operators fight over the same objects. Helm installs the chart's custom resource definitions once and never
    upgrades them.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        namespace: str,
        name: str,
        repository: str,
        version: str,
        watched_namespace: str,
        addon_enabled: str,
    ) -> None:
        super().__init__(scope, id_)
        values = {
            "watchNamespace": [watched_namespace],
            # The chart's default limit of 100m throttles the operator; its memory is enough for 500 Ray pods.
            "resources": {
                "requests": {"cpu": "500m", "memory": "512Mi"},
                "limits": {"cpu": "500m", "memory": "512Mi"},
            },
        }
        addon_is_off = Precondition(
            condition=f"${{!{addon_enabled}}}",
            error_message="The cluster's Ray operator add-on is on, and a second operator would fight with it over the"
            " same objects. Deploy the cluster layer first: with platform.operator: chart it switches the add-on off.",
        )
        self.resource: TerraformResource = Release(
            self,
            "Default",
            name=name,
            namespace=Namespace(self, "namespace", name=namespace, pod_security="baseline").name,
            repository=repository,
            chart="kuberay-operator",
            version=version,
            values=[literal(json.dumps(values, indent=2))],
            # A first install that fails would otherwise stay in Helm's records and block every later one.
            atomic=True,
            max_history=5,
            timeout=600,
            lifecycle=TerraformResourceLifecycle(precondition=[addon_is_off]),
        )
