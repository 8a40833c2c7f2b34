"""The cluster layer: service accounts, GKE, the CPU pool and the GPU pool."""

from __future__ import annotations

from cdktf import TerraformOutput
from cdktf_cdktf_provider_google.data_google_compute_network import DataGoogleComputeNetwork

from constructs import Construct
from constructs.cpu_pool import CpuPool
from constructs.gke_cluster import AddedRanges, ControlPlaneAccess, Exclusion, GkeCluster, NamedRanges, RayAddon
from constructs.gpu_pool import Capacity, GpuNode, GpuPool
from constructs.main_network import PODS_RANGE_NAME, SERVICES_RANGE_NAME
from constructs.node_identity import NodeIdentity, WorkloadIdentity
from constructs.reservation import Reservation
from settings.environment import Environment
from stacks.site_stack import SiteStack, use_google


class ClusterStack(SiteStack):
    """A GKE cluster with a CPU pool, and a GPU pool on RDMA."""

    def __init__(self, scope: Construct, env: Environment) -> None:
        super().__init__(scope, env.stack("cluster"), state=env.state)
        use_google(self, project=env.project, region=env.region)
        names, settings, machine = env.cloud_names, env.cluster, env.gpu_machine
        network = DataGoogleComputeNetwork(self, "main", name=names.network, project=env.project)
        nodes = NodeIdentity(self, "nodes", project=env.project, account=names.node_account, cluster=names.cluster)
        workload = WorkloadIdentity(
            self, "workload", project=env.project, account=names.workload_account, cluster=names.cluster
        )
        cluster = GkeCluster(
            self,
            "cluster",
            name=names.cluster,
            project=env.project,
            region=env.region,
            zone=env.zone,
            network=network.name,
            subnetwork=names.subnet,
            pod_ranges=_pod_ranges(env),
            minor_version=settings.version,
            release_channel=settings.release_channel,
            access=ControlPlaneAccess(endpoint=settings.endpoint, authorized_networks=settings.authorized_networks),
            private_nodes=settings.private_nodes,
            ray_addon=RayAddon(
                enabled=env.platform.operator == "addon",
                logs=env.platform.operator == "addon" and env.monitoring.logs,
                metrics=env.platform.operator == "addon" and env.monitoring.metrics,
            ),
            lustre_legacy_port=env.lustre.legacy_port,
            maintenance_start=settings.maintenance_start,
            exclusions=tuple(
                Exclusion(name=one.name, start=one.start, end=one.end, scope=one.scope)
                for one in settings.maintenance_exclusions
            ),
            node_account=nodes.account.email,
            deletion_protection=settings.deletion_protection,
            depends_on=nodes.roles,
        )
        CpuPool(
            self,
            env.cpu_pool.name,
            name=env.cpu_pool.name,
            project=env.project,
            region=env.region,
            zone=env.zone,
            cluster=cluster.cluster.name,
            machine=env.cpu_pool.machine,
            min_nodes=env.cpu_pool.min_nodes,
            max_nodes=env.cpu_pool.max_nodes,
            disk_gib=env.cpu_pool.disk_gib,
            private_nodes=settings.private_nodes,
            node_account=nodes.account.email,
        )
        reservation = self._verified_reservation(env)
        pool = GpuPool(
            self,
            env.gpu_pool.name,
            name=env.gpu_pool.name,
            project=env.project,
            region=env.region,
            zone=env.zone,
            cluster=cluster.cluster.name,
            node=GpuNode(
                machine=machine.name,
                gpu=machine.gpu,
                gpus=machine.gpus,
                driver=machine.driver(settings.version),
                local_ssds=machine.local_ssds,
                disk_gib=env.gpu_pool.disk_gib,
            ),
            capacity=_capacity(env),
            min_nodes=env.gpu_pool.min_nodes,
            max_nodes=env.gpu_pool.max_nodes,
            interfaces=env.interfaces,
            compact_placement=env.gpu_pool.compact_placement,
            private_nodes=settings.private_nodes,
            node_account=nodes.account.email,
            preconditions=reservation.preconditions if reservation else (),
        )
        if reservation:
            reservation.warn_when_short(self, pool=f"google_container_node_pool.{pool.pool.friendly_unique_id}")
        TerraformOutput(
            self,
            "credentials",
            value=f"gcloud container clusters get-credentials {names.cluster} --project={env.project}"
            f" --location={env.region}{' --dns-endpoint' if settings.endpoint == 'dns' else ''}",
            description="The command that points kubectl at the cluster",
        )
        TerraformOutput(
            self,
            "workload_account",
            value=workload.account.email,
            description="Service account of the Ray pods: grant it what your jobs need",
        )

    def _verified_reservation(self, env: Environment) -> Reservation | None:
        reservation, machine = env.gpu_pool.reservation, env.gpu_machine
        if reservation is None or not reservation.verified(env.project):
            return None
        return Reservation(
            self,
            "reservation",
            name=reservation.short_name(),
            project=reservation.project(env.project),
            zone=env.zone,
            machine=machine.name,
            gpu=machine.gpu,
            gpus=machine.gpus,
            local_ssds=machine.local_ssds,
        )


def _pod_ranges(env: Environment) -> NamedRanges | AddedRanges:
    if env.network.mode == "custom":
        return NamedRanges(pods=PODS_RANGE_NAME, services=SERVICES_RANGE_NAME)
    return AddedRanges(pods=env.network.pods_range, services=env.network.services_range)


def _capacity(env: Environment) -> Capacity:
    pool = env.gpu_pool
    hours = pool.max_run_hours
    return Capacity(
        reservation=pool.reservation.affinity(env.project) if pool.reservation else None,
        spot=pool.capacity == "spot",
        flex_start=pool.capacity == "flex-start",
        max_run_seconds=hours * 3600 if hours else None,
    )
