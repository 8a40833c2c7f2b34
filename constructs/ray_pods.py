"""The pods of a RayCluster, described once.

From this description `ray_values.py` writes the values of the upstream chart, and `ray_cluster_spec` the cluster that a
RayJob makes for itself; a test compares the two field by field.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from catalog.interfaces import Interface
from catalog.kuberay import RAY_CLUSTER_CHART
from catalog.nccl import HOST_DRIVER_FOLDER, HOST_GIB_FOLDER
from catalog.pod_folders import DATA_FOLDER, SCRIPTS_FOLDER, TOKENS_FOLDER
from catalog.ray_environment import GIB_FOLDER, HUGGING_FACE_HOME, NVIDIA_FOLDER
from catalog.ray_ports import AUTOSCALER_METRICS, CLIENT, DASHBOARD, DASHBOARD_METRICS, GCS
from catalog.tokens import HUGGING_FACE, WANDB, Token
from constructs.fluent_bit import fluent_bit_container
from constructs.ray_pod import Manifest, Pod, Volume, gibibytes
from constructs.ray_start import HEAD_SCRIPT, worker_script

#: Name of the one group of workers; label `ray.io/group` of its pods.
WORKER_GROUP = "gpu"

#: A pattern of the names that KubeRay gives to the workers of a site's RayCluster, whatever its digest: cluster, group,
#: `worker` and five characters (ray-operator/controllers/ray/utils/util.go, 1.3 to 1.7). A job's own cluster is called
#: after the job.
SITE_WORKERS = f"ray-[0-9a-f]{{10}}-{WORKER_GROUP}-worker-.+"

#: Ray's sessions and log files; a volume only where Fluent Bit reads them. Never called `ray-logs`: with a volume of
#: that name the add-on collects nothing.
LOGS_VOLUME, LOGS_FOLDER = "logs", "/tmp/ray"

_STAYS = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}


@dataclass(frozen=True, kw_only=True)
class HeadPod:
    """The Ray head: what it requests, and the node pool (by name) that it runs on."""

    cpus: int
    memory_gib: int
    node_pool: str


@dataclass(frozen=True, kw_only=True)
class WorkerPods:
    """The Ray workers, one a node: how many, what each requests, and the nodes' GPU and extra interfaces in order.

    `gib_image` is what the nodes have gIB from. The start script waits for it, so that another one replaces the
    cluster: its files are copied over those that running workers have open.
    """

    count: int
    cpus: int
    memory_gib: int
    shared_memory_gib: int
    gpus: int
    accelerator: str
    interfaces: tuple[Interface, ...]
    gib_image: str


@dataclass(frozen=True, kw_only=True)
class RayCluster:
    """One RayCluster, in plain values.

    `service_account`, `claim` (Lustre), `token_secret` and `scripts` (ConfigMap) are names of objects in its namespace.
    `environment` is set alike on head and workers. With `wandb` the head finds the Weights & Biases key in the Secret;
    with `fluent_bit` each pod has a container that writes Ray's log files to its standard output.
    """

    image: str
    ray_version: str
    head: HeadPod
    workers: WorkerPods
    service_account: str
    claim: str
    token_secret: str
    scripts: str
    environment: Mapping[str, str]
    wandb: bool
    fluent_bit: bool

    @property
    def name(self) -> str:
        """`ray-` and ten digits of a digest of all that a pod is made of; how many workers there are is no part of it.

        The name of the Helm release as well. KubeRay restarts no pod for a new image, environment or size, and a
        RayCluster that is replaced under its own name is counted ready with the old, terminating pods: so whatever
        changes a pod makes a cluster of another name, and the plan shows a replacement.
        """
        pods = [RAY_CLUSTER_CHART, self.ray_version]
        for pod in (head_pod(self), worker_pod(self)):
            pods.append(json.dumps([pod.ray_start, pod_template(self, pod)], sort_keys=True))
        return f"ray-{hashlib.sha256(json.dumps(pods).encode()).hexdigest()[:10]}"


def head_pod(cluster: RayCluster) -> Pod:
    """The head: on the CPU pool, without GPU, with the scripts and every token.

    It offers Ray the CPUs that it requests; with none (`num-cpus: "0"`) NeMo RL before v0.7.0 waits for ever.
    """
    head, tokens = cluster.head, (HUGGING_FACE, WANDB) if cluster.wandb else (HUGGING_FACE,)
    return Pod(
        container="ray-head",
        script=HEAD_SCRIPT,
        ray_start={"dashboard-host": "0.0.0.0", "num-gpus": "0"},
        environment=_environment(cluster, tokens),
        ports={
            "gcs-server": GCS,
            "dashboard": DASHBOARD,
            "client": CLIENT,
            "as-metrics": AUTOSCALER_METRICS,
            "dash-metrics": DASHBOARD_METRICS,
        },
        resources={"cpu": str(head.cpus), "memory": gibibytes(head.memory_gib)},
        volumes=(
            _data(cluster),
            Volume(
                name="tokens",
                source={"secret": {"secretName": cluster.token_secret, "defaultMode": 0o400}},
                path=TOKENS_FOLDER,
                read_only=True,
            ),
            Volume(
                name="scripts", source={"configMap": {"name": cluster.scripts}}, path=SCRIPTS_FOLDER, read_only=True
            ),
            *_logs(cluster),
        ),
        annotations=_STAYS,
        node_selector={"cloud.google.com/gke-nodepool": head.node_pool},
    )


def worker_pod(cluster: RayCluster) -> Pod:
    """A worker: all GPUs of its node, on every network of the node, with no token but Hugging Face's.

    It is privileged, as Google's own pods for gIB are; nothing else here is.
    """
    workers = cluster.workers
    return Pod(
        container="ray-worker",
        script=worker_script(workers.gib_image),
        ray_start={"num-gpus": str(workers.gpus)},
        environment=_environment(cluster, (HUGGING_FACE,)),
        resources={
            "cpu": str(workers.cpus),
            "memory": gibibytes(workers.memory_gib),
            "nvidia.com/gpu": str(workers.gpus),
        },
        volumes=(
            _data(cluster),
            Volume(
                name="tokens",
                source={
                    "secret": {
                        "secretName": cluster.token_secret,
                        "items": [{"key": HUGGING_FACE.file, "path": HUGGING_FACE.file}],
                        "defaultMode": 0o400,
                    }
                },
                path=TOKENS_FOLDER,
                read_only=True,
            ),
            Volume(
                name="shared-memory",
                source={"emptyDir": {"medium": "Memory", "sizeLimit": gibibytes(workers.shared_memory_gib)}},
                path="/dev/shm",
            ),
            Volume(name="nvidia", source={"hostPath": {"path": HOST_DRIVER_FOLDER}}, path=NVIDIA_FOLDER),
            Volume(name="gib", source={"hostPath": {"path": HOST_GIB_FOLDER}}, path=GIB_FOLDER),
            *_logs(cluster),
        ),
        annotations={
            **_STAYS,
            "networking.gke.io/default-interface": "eth0",
            "networking.gke.io/interfaces": _interfaces(workers.interfaces),
        },
        node_selector={"cloud.google.com/gke-accelerator": workers.accelerator},
        # The tutorial's. The second keeps a worker on a node that is about to go, for a last checkpoint.
        tolerations=("nvidia.com/gpu", "cloud.google.com/impending-node-termination", "user-workload"),
        privileged=True,
    )


def sidecars(cluster: RayCluster) -> list[Manifest]:
    """The containers beside Ray's, alike on head and workers."""
    return [fluent_bit_container(LOGS_VOLUME, LOGS_FOLDER)] if cluster.fluent_bit else []


def pod_template(cluster: RayCluster, pod: Pod) -> Manifest:
    """A pod template as a RayCluster holds it. KubeRay takes the first container for Ray's."""
    ray = {"name": pod.container, "image": cluster.image, "imagePullPolicy": "IfNotPresent", **pod.parts()}
    return {
        "metadata": {"annotations": dict(pod.annotations)},
        "spec": {"containers": [ray, *sidecars(cluster)], **pod.surroundings(cluster.service_account)},
    }


def ray_cluster_spec(cluster: RayCluster) -> Manifest:
    """The `spec` of the RayCluster: for `rayClusterSpec` of a RayJob that makes its own.

    That RayJob needs the annotation `catalog.kuberay.OVERWRITE_COMMAND: "true"`, which KubeRay copies to the cluster.
    """
    head, worker = head_pod(cluster), worker_pod(cluster)
    return {
        "rayVersion": cluster.ray_version,
        "headGroupSpec": {
            "serviceType": "ClusterIP",
            "rayStartParams": dict(head.ray_start),
            "template": pod_template(cluster, head),
        },
        "workerGroupSpecs": [
            {
                "groupName": WORKER_GROUP,
                "replicas": cluster.workers.count,
                "minReplicas": cluster.workers.count,
                "maxReplicas": cluster.workers.count,
                "rayStartParams": dict(worker.ray_start),
                "template": pod_template(cluster, worker),
            }
        ],
    }


def _environment(cluster: RayCluster, tokens: tuple[Token, ...]) -> Mapping[str, str]:
    paths = {token.path_variable: f"{TOKENS_FOLDER}/{token.file}" for token in tokens}
    return {"HF_HOME": HUGGING_FACE_HOME, **paths, **cluster.environment}


def _interfaces(extra: tuple[Interface, ...]) -> str:
    # JSON, one interface a line: a value that does not parse is ignored, and the pod comes up without RDMA.
    pairs = [("eth0", "default"), *((interface.device, interface.network) for interface in extra)]
    lines = (json.dumps({"interfaceName": device, "network": network}) for device, network in pairs)
    return "[\n  " + ",\n  ".join(lines) + "\n]\n"


def _data(cluster: RayCluster) -> Volume:
    return Volume(name="data", source={"persistentVolumeClaim": {"claimName": cluster.claim}}, path=DATA_FOLDER)


def _logs(cluster: RayCluster) -> tuple[Volume, ...]:
    # No size limit: a pod over it is evicted, and Ray's spilled objects are in here too.
    return (Volume(name=LOGS_VOLUME, source={"emptyDir": {}}, path=LOGS_FOLDER),) if cluster.fluent_bit else ()
