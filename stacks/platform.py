"""The platform layer: all between a GKE cluster with GPU nodes and a running RayCluster."""

from __future__ import annotations

from collections.abc import Mapping

from cdktf import TerraformOutput, TerraformResource

from catalog.kuberay import CHART_REPOSITORY
from catalog.kubernetes_names import JOB_SCRIPTS, LUSTRE_CLAIM, LUSTRE_VOLUME, OPERATOR, OPERATOR_NAMESPACE
from catalog.nccl import HOST_DRIVER_FOLDER, HOST_GIB_FOLDER, PAUSE_IMAGE
from catalog.ray_ports import DASHBOARD
from catalog.tokens import HUGGING_FACE, WANDB, WANDB_HOST
from constructs import Construct
from constructs.alerts import Alerts
from constructs.cluster_access import ClusterAccess, HelmAccess
from constructs.dashboard import Dashboard
from constructs.disruption_budget import DisruptionBudget
from constructs.job_scripts import JobScripts
from constructs.kuberay_operator import KubeRayOperator
from constructs.namespace import Namespace
from constructs.nccl_installer import NcclInstaller
from constructs.network_policy import Caller, RayNetworkPolicy
from constructs.pod_monitoring import RayPodMonitoring
from constructs.pod_networks import PodNetworks
from constructs.ray_release import RayRelease
from constructs.shared_storage import SharedStorage
from constructs.token_secret import TokenSecret, netrc, token_variable
from constructs.workload_identity import PodIdentity
from settings.environment import Environment
from settings.job_scripts import digests
from settings.ray import kuberay
from stacks.ray_cluster import ray_cluster
from stacks.site_stack import SiteStack, use_google

#: The operator's pods where its chart is installed.
_OPERATOR_PODS = Caller(namespace=OPERATOR_NAMESPACE, pods={"app.kubernetes.io/name": OPERATOR})


class PlatformStack(SiteStack):
    """The RayCluster of a site and all that its pods use, in an order in which it can be taken away again.

    `scripts` are the jobs' scripts, file name to text.
    """

    def __init__(self, scope: Construct, env: Environment, *, scripts: Mapping[str, str]) -> None:
        super().__init__(scope, env.stack("platform"), state=env.state)
        use_google(self, project=env.project, region=env.region)
        access = self._sign_in(env)
        namespace = Namespace(self, "namespace", name=env.platform.namespace, pod_security="privileged").name
        DisruptionBudget(self, "disruption-budget", namespace=namespace, name="ray")
        job_scripts = JobScripts(self, "job-scripts", namespace=namespace, name=JOB_SCRIPTS, scripts=scripts)
        networks = PodNetworks(self, "pod-networks", interfaces=env.interfaces)
        installer = NcclInstaller(
            self,
            "nccl-installer",
            image=env.platform.gib_image,
            pause_image=PAUSE_IMAGE,
            gpu=env.gpu_machine.gpu,
            plugin_folder=HOST_GIB_FOLDER,
            driver_folder=f"{HOST_DRIVER_FOLDER}/lib64",
        )
        identity = PodIdentity(
            self,
            "pod-identity",
            project=env.project,
            account_id=env.cloud_names.workload_account,
            namespace=namespace,
            name=env.platform.service_account,
        )
        storage = SharedStorage(
            self,
            "lustre",
            project=env.project,
            zone=env.zone,
            instance=env.cloud_names.lustre,
            throughput=env.lustre.throughput,
            namespace=namespace,
            volume_name=LUSTRE_VOLUME,
            claim_name=LUSTRE_CLAIM,
            used_with=[
                *identity.resources,
                *self._tokens(env, namespace),
                job_scripts.resource,
                installer.resource,
                *networks.resources,
            ],
        )
        cluster = ray_cluster(env)
        release = RayRelease(
            self,
            "ray",
            cluster=cluster,
            namespace=namespace,
            claim=storage.claim,
            depends_on=[*self._network_policy(env, namespace, cluster.name), *self._operator(env, access)],
        )
        self._monitoring(env, namespace)
        self._outputs(release.name, namespace, scripts)

    def _sign_in(self, env: Environment) -> ClusterAccess:
        access = ClusterAccess(
            self,
            "cluster",
            project=env.project,
            location=env.region,
            cluster=env.cloud_names.cluster,
            endpoint=env.cluster.endpoint,
            credentials=env.platform.credentials,
        )
        access.warn_of_another_minor(self, minor=env.cluster.version)
        # With the chart, this stack itself brings the kinds that a plan would have to know.
        HelmAccess(self, "helm", cluster=access, show_manifests=env.platform.operator == "addon")
        return access

    def _tokens(self, env: Environment, namespace: str) -> tuple[TerraformResource, ...]:
        """The Secret of the tokens, or nothing where the user's own tooling makes it."""
        tokens = env.tokens.variables
        if not tokens:
            return ()
        for token in tokens:
            token_variable(self, token.variable, description=f"{token.owner} token; see tokens.revision")
        texts = {
            HUGGING_FACE: f"var.{HUGGING_FACE.variable}",
            WANDB: netrc(f"var.{WANDB.variable}", machine=WANDB_HOST),
        }
        secret = TokenSecret(
            self,
            "tokens",
            namespace=namespace,
            name=env.tokens.secret_name,
            revision=env.tokens.revision,
            contents={token.file: texts[token] for token in tokens},
        )
        return (secret.resource,)

    def _operator(self, env: Environment, access: ClusterAccess) -> tuple[TerraformResource, ...]:
        """The operator by its chart; with the add-on, no more than a look at whether that is on."""
        if env.platform.operator == "addon":
            access.warn_without_addon(self)
            return ()
        operator = KubeRayOperator(
            self,
            "kuberay-operator",
            namespace=OPERATOR_NAMESPACE,
            name=OPERATOR,
            repository=CHART_REPOSITORY,
            version=kuberay(env).operator_chart,
            watched_namespace=env.platform.namespace,
            addon_enabled=access.addon_enabled,
        )
        return (operator.resource,)

    def _network_policy(self, env: Environment, namespace: str, cluster: str) -> tuple[TerraformResource, ...]:
        if not env.platform.enforces_network_policy:
            return ()
        policy = RayNetworkPolicy(
            self,
            "network-policy",
            namespace=namespace,
            ray_cluster=cluster,
            operators=[_OPERATOR_PODS] if env.platform.operator == "chart" else [],
            callers=[
                Caller(namespace=client.namespace, pods=client.pods, ip_range=client.ip_range)
                for client in env.platform.network_policy.allow
            ],
        )
        return policy.resources

    def _monitoring(self, env: Environment, namespace: str) -> None:
        names, monitoring = env.cloud_names, env.monitoring
        if monitoring.metrics and env.platform.operator == "chart":
            RayPodMonitoring(self, "pod-monitoring", namespace=namespace)
        if monitoring.dashboard:
            Dashboard(
                self,
                "dashboard",
                project=env.project,
                title=f"{env.name}: Ray on GPUs",
                cluster=names.cluster,
                namespace=env.platform.namespace,
                lustre=names.lustre,
                workers=env.ray.workers,
                ray_metrics=monitoring.metrics,
            )
        if monitoring.alerts.enabled:
            Alerts(
                self,
                "alerts",
                project=env.project,
                site=env.name,
                cluster=names.cluster,
                namespace=env.platform.namespace,
                workers=env.ray.workers,
                idle_gpu_minutes=monitoring.alerts.idle_gpu_minutes,
                missing_worker_minutes=monitoring.alerts.missing_worker_minutes,
                channels=monitoring.alerts.channels,
            )

    def _outputs(self, cluster: str, namespace: str, scripts: Mapping[str, str]) -> None:
        TerraformOutput(self, "ray_cluster", value=cluster, description="Name of the RayCluster")
        TerraformOutput(
            self,
            "ray_dashboard",
            value=f"kubectl --namespace={namespace} port-forward service/{cluster}-head-svc {DASHBOARD}",
            description=f"The command that brings Ray's dashboard to http://localhost:{DASHBOARD}",
        )
        TerraformOutput(
            self,
            "script_digests",
            value=digests(scripts),
            description="SHA-256 of each of the jobs' scripts; a job refuses to run with others",
        )
