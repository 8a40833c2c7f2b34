"""The RayCluster as a Helm release of the KubeRay project's own chart."""

from __future__ import annotations

from collections.abc import Sequence

from cdktf import Fn, ITerraformDependable, TerraformResource, TerraformResourceLifecycle
from cdktf_cdktf_provider_helm.release import Release, ReleaseSet

from catalog.kuberay import CHART_REPOSITORY, RAY_CLUSTER_CHART
from catalog.terraform import literal
from constructs import Construct
from constructs.ray_pods import RayCluster
from constructs.ray_values import chart_values, values_yaml
from constructs.replacement import replacement_of

#: Seconds. The release makes one object and Helm does not wait for its pods; this is for a slow API server.
TIMEOUT = 600

#: Helm keeps each revision as a Secret in the namespace.
REVISIONS = 5


class RayRelease(Construct):
    """Afterwards the API server has the RayCluster `name`, and KubeRay brings its pods up; they may take half an hour.

    A change of `cluster` that changes its name replaces the release: the old RayCluster goes first, because both ask
    for the same GPUs. A change of the number of workers is an upgrade in place, and so is a new chart value that the
    name does not depend on. A refused install or upgrade is rolled back, since without that a corrected one fails
    once more.

    `depends_on` is what the pods use beside `claim`. `helm uninstall` returns while they still stop, so what must
    outlive them has to depend, in its turn, on something that waits: the volume claim does. A claim that is replaced
    replaces the release, under the same name; it waits between the two until the last old pod is gone.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        cluster: RayCluster,
        namespace: str,
        claim: TerraformResource,
        depends_on: Sequence[ITerraformDependable],
    ) -> None:
        super().__init__(scope, id_)
        self.name = cluster.name
        self.resource = Release(
            self,
            "Default",
            name=self.name,
            namespace=namespace,
            repository=CHART_REPOSITORY,
            chart="ray-cluster",
            version=RAY_CLUSTER_CHART,
            values=[literal(values_yaml(chart_values(cluster)))],
            # The name again, and not known before the claim is there. Provider helm 3.1.1 asks the API for what a plan
            # would make; where the namespace is missing that is nothing, and the apply then ends with "inconsistent
            # final plan". With a value unknown it asks at the apply.
            set=[
                ReleaseSet(
                    name="fullnameOverride", value=Fn.replace(claim.get_string_attribute("id"), "/.+/", self.name)
                )
            ],
            atomic=True,
            timeout=TIMEOUT,
            max_history=REVISIONS,
            depends_on=[claim, *depends_on],
            # Its pods would keep a claim that is to go.
            lifecycle=TerraformResourceLifecycle(replace_triggered_by=[replacement_of(claim)]),
        )
