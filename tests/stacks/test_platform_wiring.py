"""Each setting that the platform reads, with a value that is not its default, arrives at its place in the JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import cdktf
import pytest

from catalog.terraform import literal
from constructs.ray_start import worker_script
from settings.environment import Environment
from settings.yaml_file import Section
from stacks.platform import PlatformStack
from tests.constructs.one_stack import app
from tests.stacks.one_platform import texts, yaml
from tests.support import environment

SITE = """\
name: wired
project: other-project
region: europe-west1
zone: europe-west1-b
names:
  network: n
  gvnic_prefix: g
  rdma_prefix: r
  cluster: the-cluster
  lustre: the-lustre
  workload_account: the-account
gpu_pool:
  gpu: nvidia-h200-141gb
  machine: a3-ultragpu-8g
  reservation: {name: my-reservation}
  max_nodes: 3
cpu_pool: {name: heads}
lustre: {throughput: 1000, capacity_gib: 9000}
cluster: {version: "1.35", endpoint: public, authorized_networks: [203.0.113.0/24]}
platform:
  namespace: training
  service_account: trainer
  operator: chart
  credentials: plugin
  gib_image: example.com/gib:v9
  network_policy:
    allow:
      - {namespace: ci, pods: {app: runner}}
      - {ip_range: 10.8.0.0/24}
tokens: {revision: 7}
ray:
  workers: 3
  nemo_rl: v0.6.0
  image: example.com/nemo-rl:mine
  kuberay: "1.7"
  head: {cpus: 10, memory_gib: 100}
  worker: {cpus: 110, memory_gib: 1100, shared_memory_gib: 111}
  env: {NRL_COLOUR: green}
monitoring:
  alerts:
    enabled: true
    idle_gpu_minutes: 41
    missing_worker_minutes: 43
    channels: [projects/other-project/notificationChannels/5]
state: {backend: gcs, bucket: the-bucket}
"""


@pytest.fixture(scope="module")
def stack() -> dict[str, Any]:
    """The platform's JSON, with the texts that hold YAML or JSON themselves read."""
    content = json.loads(cdktf.Testing.synth(PlatformStack(app(), environment(SITE), scripts={"a.py": "1\n"})))
    releases = content["resource"]["helm_release"]
    for release in releases.values():
        (release["values"],) = map(yaml, release["values"])
    board = content["resource"]["google_monitoring_dashboard"]["dashboard"]
    board["dashboard_json"] = json.loads(board["dashboard_json"])
    return content


CLUSTER = "data google_container_cluster cluster"
INSTALLER = "resource kubernetes_daemon_set_v1 nccl-installer spec template spec"
POLICY = "resource kubernetes_network_policy_v1 network-policy spec ingress"
RAY = "resource helm_release ray values"
HEAD, WORKERS = f"{RAY} head", f"{RAY} additionalWorkerGroups gpu"
VOLUME = "resource kubernetes_persistent_volume_v1 lustre-volume spec 0"
ALERTS = "resource google_monitoring_alert_policy"
IDLE = f"{ALERTS} alerts-idle-gpus conditions 0 condition_prometheus_query_language"
MISSING = f"{ALERTS} alerts-missing-workers conditions 0 condition_prometheus_query_language"
TILES = "resource google_monitoring_dashboard dashboard dashboard_json mosaicLayout tiles"
READY = (
    'sum(kube_pod_container_status_ready{cluster="the-cluster",namespace="training",'
    'pod=~"ray-[0-9a-f]{10}-gpu-worker-.+",container="ray-worker"})'
)
ACCOUNT = "the-account@other-project.iam.gserviceaccount.com"
OPERATOR = "resource helm_release kuberay-operator"
NAMESPACE = "${kubernetes_namespace_v1.namespace.metadata[0].name}"
PLUGIN = {"api_version": "client.authentication.k8s.io/v1beta1", "command": "gke-gcloud-auth-plugin"}

#: Settings -> place -> what stands there.
PLACES: dict[str, dict[str, object]] = {
    "project": {
        "provider google 0 project": "other-project",
        f"{CLUSTER} project": "other-project",
        "data google_lustre_instance lustre-instance project": "other-project",
        "resource google_monitoring_dashboard dashboard project": "other-project",
        f"{ALERTS} alerts-idle-gpus project": "other-project",
    },
    "region": {"provider google 0 region": "europe-west1", f"{CLUSTER} location": "europe-west1"},
    "zone": {"data google_lustre_instance lustre-instance zone": "europe-west1-b"},
    "name": {
        f"{ALERTS} alerts-idle-gpus display_name": "wired: GPUs are idle",
        "resource google_monitoring_dashboard dashboard dashboard_json displayName": "wired: Ray on GPUs",
    },
    "state": {"terraform backend gcs": {"bucket": "the-bucket", "prefix": "nemo-rl/wired_platform"}},
    "names.cluster": {
        f"{CLUSTER} name": "the-cluster",
        f"{TILES} 1 widget xyChart dataSets 0 timeSeriesQuery": {
            "prometheusQuery": 'avg by (instance) (DCGM_FI_DEV_GPU_UTIL{cluster="the-cluster"})'
        },
        f"{IDLE} query": f'(max(DCGM_FI_DEV_GPU_UTIL{{cluster="the-cluster"}}) < 1) and on() ({READY} > 0)',
    },
    "names.lustre": {
        "data google_lustre_instance lustre-instance instance_id": "the-lustre",
        f"{VOLUME} persistent_volume_source csi volume_handle": "other-project/europe-west1-b/the-lustre",
        f"{TILES} 3 widget xyChart dataSets 0 timeSeriesQuery timeSeriesFilter filter": 'metric.type="lustre.googleapis'
        '.com/instance/read_bytes_total" resource.type="lustre.googleapis.com/Instance"'
        ' resource.label."instance_id"="the-lustre"',
    },
    "names.workload_account": {
        "resource kubernetes_service_account_v1 pod-identity metadata annotations": {
            "iam.gke.io/gcp-service-account": ACCOUNT
        },
        "resource google_service_account_iam_member pod-identity-binding service_account_id": "projects/other-project"
        f"/serviceAccounts/{ACCOUNT}",
    },
    "names.gvnic_prefix": {
        "resource kubernetes_manifest pod-networks-gvnic-1-parameters manifest spec": {
            "vpc": "g-net",
            "vpcSubnet": "g-sub",
            "deviceMode": "NetDevice",
        }
    },
    "names.rdma_prefix": {
        "resource kubernetes_manifest pod-networks-rdma-7-parameters manifest spec": {
            "vpc": "r-net",
            "vpcSubnet": "r-sub-7",
            "deviceMode": "RDMA",
        }
    },
    "gpu_pool.gpu": {
        f"{INSTALLER} node_selector": {"cloud.google.com/gke-accelerator": "nvidia-h200-141gb"},
        f"{WORKERS} nodeSelector": {"cloud.google.com/gke-accelerator": "nvidia-h200-141gb"},
        f"{WORKERS} containerEnv 6 value": "/usr/local/gib/configs/tuner_config_a3u.txtpb",
    },
    "cpu_pool.name": {f"{HEAD} nodeSelector": {"cloud.google.com/gke-nodepool": "heads"}},
    "lustre.throughput": {
        f"{VOLUME} storage_class_name": "lustre-rwx-1000mbps-per-tib",
        "resource kubernetes_persistent_volume_claim_v1 lustre spec storage_class_name": "lustre-rwx-1000mbps-per-tib",
    },
    "cluster.version": {
        "check gke-version assert 0 condition": "${try(startswith(data.google_container_cluster.cluster.master_version,"
        ' "1.35."), false)}'
    },
    "cluster.endpoint": {
        "provider kubernetes 0 host": "https://${data.google_container_cluster.cluster.endpoint}",
        "provider helm 0 kubernetes host": "https://${data.google_container_cluster.cluster.endpoint}",
    },
    "platform.namespace": {
        "resource kubernetes_namespace_v1 namespace metadata name": "training",
        f"{OPERATOR} values watchNamespace": ["training"],
        f"{TILES} 0 widget xyChart dataSets 0 timeSeriesQuery prometheusQuery": f"{READY} or vector(0)",
        f"{MISSING} query": f"({READY} or vector(0)) < 3",
    },
    "platform.service_account": {
        "resource kubernetes_service_account_v1 pod-identity metadata name": "trainer",
        "resource google_service_account_iam_member pod-identity-binding member": "serviceAccount:other-project.svc.id"
        f".goog[{NAMESPACE}/trainer]",
        f"{HEAD} serviceAccountName": "trainer",
        f"{WORKERS} serviceAccountName": "trainer",
    },
    "platform.operator": {
        f"{OPERATOR} chart": "kuberay-operator",
        f"{POLICY} 1 from 0 namespace_selector match_labels": {"kubernetes.io/metadata.name": "kuberay-system"},
        f"{HEAD} sidecarContainers 0 name": "fluent-bit",
        "resource kubernetes_manifest pod-monitoring-pods manifest kind": "PodMonitoring",
    },
    "platform.credentials": {
        "provider kubernetes 0 exec": [PLUGIN],
        "provider helm 0 kubernetes exec": PLUGIN,
    },
    "platform.gib_image": {
        f"{INSTALLER} init_container 0 image": "example.com/gib:v9",
        f"{WORKERS} args 0": literal(worker_script("example.com/gib:v9")),
    },
    "platform.network_policy.allow": {
        f"{POLICY} 3 from": [
            {
                "namespace_selector": {"match_labels": {"kubernetes.io/metadata.name": "ci"}},
                "pod_selector": {"match_labels": {"app": "runner"}},
            },
            {"ip_block": {"cidr": "10.8.0.0/24"}},
        ]
    },
    "tokens.revision": {"resource kubernetes_secret_v1 tokens data_wo_revision": 7},
    "ray.workers": {
        f"{WORKERS} replicas": 3,
        f"{TILES} 0 widget xyChart dataSets 1 timeSeriesQuery": {"prometheusQuery": "vector(3)"},
    },
    "ray.nemo_rl": {f"{HEAD} rayVersion": "2.54.0"},
    "ray.image": {f"{RAY} image repository": "example.com/nemo-rl", f"{RAY} image tag": "mine"},
    "ray.kuberay": {f"{OPERATOR} version": "1.7.0"},
    "ray.head": {f"{HEAD} resources requests": {"cpu": "10", "memory": "100Gi"}},
    "ray.worker": {
        f"{WORKERS} resources requests": {"cpu": "110", "memory": "1100Gi", "nvidia.com/gpu": "8"},
        f"{WORKERS} volumes 2 emptyDir": {"medium": "Memory", "sizeLimit": "111Gi"},
    },
    "ray.env": {
        f"{HEAD} containerEnv 8": {"name": "NRL_COLOUR", "value": "green"},
        f"{WORKERS} containerEnv 7": {"name": "NRL_COLOUR", "value": "green"},
    },
    "monitoring.alerts.idle_gpu_minutes": {f"{IDLE} duration": "2460s"},
    "monitoring.alerts.missing_worker_minutes": {f"{MISSING} duration": "2580s"},
    "monitoring.alerts.channels": {
        f"{ALERTS} alerts-{name} notification_channels": ["projects/other-project/notificationChannels/5"]
        for name in ("idle-gpus", "missing-workers")
    },
}
#: Settings that the platform reads too: tests/stacks/test_platform.py has both their values.
ELSEWHERE = {
    "platform.network_policy.enforce",
    "tokens.secret",
    "tokens.wandb",
    "monitoring.logs",
    "monitoring.metrics",
    "monitoring.dashboard",
    "monitoring.alerts.enabled",
}
SECTIONS = ("platform", "tokens", "ray", "monitoring")


@pytest.mark.parametrize("setting", PLACES)
def test_a_setting_arrives_where_it_is_used(setting: str, stack: dict[str, Any]) -> None:
    assert {place: _at(stack, place) for place in PLACES[setting]} == PLACES[setting]


def test_no_name_of_the_site_is_a_default_where_another_one_is_given(stack: dict[str, Any]) -> None:
    assert [path for path, text in texts(stack) if "wired" in text] == [
        "resource.google_monitoring_alert_policy.alerts-idle-gpus.display_name",
        "resource.google_monitoring_alert_policy.alerts-missing-workers.display_name",
        "resource.google_monitoring_dashboard.dashboard.dashboard_json.displayName",
        "terraform.backend.gcs.prefix",
    ]


def test_no_setting_of_the_platforms_sections_is_forgotten_here() -> None:
    known = PLACES.keys() | ELSEWHERE
    assert [key for key in _keys(Environment) if key.startswith(SECTIONS) and not _covered(key, known)] == []


def _covered(key: str, known: set[str]) -> bool:
    return any(key == one or key.startswith(f"{one}.") for one in known)


def _keys(section: type[Section], above: str = "") -> Iterator[str]:
    """The path of every setting that is no section itself."""
    for name, field in section.model_fields.items():
        path, kind = f"{above}{name}", field.annotation
        if isinstance(kind, type) and issubclass(kind, Section):
            yield from _keys(kind, f"{path}.")
        else:
            yield path


def _at(tree: Any, place: str) -> Any:
    for step in place.split():
        tree = tree[int(step) if step.isdecimal() else step]
    return tree
