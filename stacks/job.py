"""The job layer: one RayJob, and what only it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cdktf import TerraformOutput

from catalog.kuberay import OVERWRITE_COMMAND
from constructs import Construct
from constructs.cluster_access import ClusterAccess
from constructs.ray_job import ExistingRayCluster, RayJob
from constructs.ray_job_spec import on_own_cluster, on_shared_cluster
from constructs.ray_pods import Manifest, RayCluster
from settings.job import OWN_CLUSTER_HOURS
from stacks.ray_cluster import ray_cluster
from stacks.site_stack import SiteStack, use_google
from training.entrypoint import entrypoint
from training.follow import follow
from training.names import ray_job_name
from training.site_job import SiteJob


class JobStack(SiteStack):
    """One job of a site, `job_<site>_<job>`. It depends on no other stack, so that it can be deployed alone.

    `scripts` are the jobs' scripts, file name to text.
    """

    def __init__(self, scope: Construct, it: SiteJob, *, scripts: Mapping[str, str]) -> None:
        env = it.env
        super().__init__(scope, it.stack, state=env.state)
        use_google(self, project=env.project, region=env.region)
        ClusterAccess(
            self,
            "cluster",
            project=env.project,
            location=env.region,
            cluster=env.cloud_names.cluster,
            endpoint=env.cluster.endpoint,
            credentials=env.platform.credentials,
        )
        namespace, shared = env.platform.namespace, it.job.cluster == "shared"
        spec = ray_job_spec(it, scripts)
        name = ray_job_name(it.name, spec, it.job.attempt)
        commands = follow(it, ray_job=name, ray_cluster=ray_cluster(env).name if shared else None)
        if shared:
            selected = ExistingRayCluster(
                self,
                "ray-cluster",
                name=ray_cluster(env).name,
                namespace=namespace,
                remedy=f"deploy {env.stack('platform')} first",
            )
            needed = [selected.data]
        else:
            needed = []
        RayJob(
            self,
            "job",
            stack=self,
            name=name,
            namespace=namespace,
            annotations={} if shared else {OVERWRITE_COMMAND: "true"},
            spec=spec,
            # A cluster of its own is gone when somebody looks, and its head with it.
            look=commands["logs" if shared else "cloud_logging"].text,
            depends_on=needed,
        )
        TerraformOutput(self, "ray_job", value=name, description="Name of the RayJob")
        for output, way in commands.items():
            TerraformOutput(self, output, value=way.text, description=way.meaning)


def ray_job_spec(it: SiteJob, scripts: Mapping[str, str]) -> Manifest:
    """The `spec` of the job's RayJob."""
    text, job = entrypoint(it, scripts), it.job
    if job.cluster == "shared":
        return on_shared_cluster(ray_cluster=ray_cluster(it.env).name, entrypoint=text)
    return on_own_cluster(
        cluster=own_cluster(it),
        entrypoint=text,
        deadline_seconds=(job.limits.run_hours or OWN_CLUSTER_HOURS) * 3600,
        keep_seconds=job.own.keep_minutes * 60,
        retries=job.own.retries,
    )


def own_cluster(it: SiteJob) -> RayCluster:
    """The site's RayCluster with the job's workers, and its release of NeMo RL."""
    site = ray_cluster(it.env)
    return replace(
        site,
        image=it.env.ray.pod_image if it.release == it.env.ray.release else it.release.image,
        ray_version=it.release.ray,
        workers=replace(site.workers, count=it.nodes),
    )
