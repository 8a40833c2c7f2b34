"""The RayCluster that the chart renders from our values: assertions on what reaches the API server."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from catalog.kuberay import KUBERAY
from catalog.machines import CPU_MACHINES, GPU_MACHINES
from constructs.ray_pods import RayCluster, ray_cluster_spec
from constructs.ray_values import chart_values, values_yaml
from stacks.ray_cluster import ray_cluster
from tests.crds.schemas import schema_faults
from tests.helm.render import Tree, parse_yaml, render, render_texts
from tests.helm.test_chart import OUR_KEYS
from tests.helm.trees import Leaf, leaves, replaced
from tests.support import MINIMAL, environment

H200 = """\
project: my-project
region: us-central1
zone: us-central1-b
gpu_pool:
  gpu: nvidia-h200-141gb
  machine: a3-ultragpu-8g
  reservation: {name: my-reservation}
"""
SITES = {
    "b200": MINIMAL,
    "h200": H200,
    "chart-operator": f"{MINIMAL}platform: {{operator: chart}}\n",
    "no-wandb": f"{MINIMAL}tokens: {{secret: team-tokens, wandb: false}}\n",
    "own-image": f"{MINIMAL}ray: {{image: 'europe-docker.pkg.dev/p/r/nemo-rl@sha256:{'a1' * 32}'}}\n",
    "odd-values": f"{MINIMAL}ray: {{env: {{YES: 'yes', OCTAL: '0777', SHELL: 'a ${{b}} %{{c}} \"d\" #e',"
    ' LINES: "a\\r\\n\\e\\u2028b\\n"}}\n',
    "no-workers": f"{MINIMAL}ray: {{workers: 0}}\n",
}
Rendered = Callable[[str], Tree]


@pytest.fixture
def rendered(chart: Path) -> Rendered:
    """The RayCluster of one of the sites, through the text that Terraform hands to Helm."""
    return lambda site: copy.deepcopy(_rendered(chart, site))


@cache
def _rendered(chart: Path, site: str) -> Tree:
    cluster = _cluster(site)
    (document,) = render(chart, parse_yaml(values_yaml(chart_values(cluster))), release=cluster.name)
    return document


@cache
def _cluster(site: str) -> RayCluster:
    return ray_cluster(environment(SITES[site]))


def pods(document: Tree) -> dict[str, Tree]:
    """The pod templates of a RayCluster: head and workers."""
    spec = document["spec"]
    return {"head": spec["headGroupSpec"]["template"], "workers": spec["workerGroupSpecs"][0]["template"]}


def containers(template: Tree) -> dict[str, Tree]:
    return {container["name"]: container for container in template["spec"]["containers"]}


def environment_of(container: Tree) -> dict[str, str]:
    return {variable["name"]: variable["value"] for variable in container["env"]}


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize("minor", KUBERAY)
def test_every_supported_kuberay_accepts_the_cluster_and_drops_nothing(
    rendered: Rendered, site: str, minor: str
) -> None:
    assert schema_faults("rayclusters", minor, rendered(site)) == []


def test_the_schemas_refuse_what_the_api_would_refuse_or_drop(rendered: Rendered) -> None:
    good = rendered("b200")
    number = replaced(good, ("spec", "headGroupSpec", "rayStartParams", "num-gpus"), 0)
    unknown = replaced(good, ("spec", "upgradeStrategy"), {"type": "Recreate"})

    assert schema_faults("rayclusters", "1.4", number) == [
        "$.spec.headGroupSpec.rayStartParams['num-gpus']: 0 is not of type 'string'"
    ]
    assert schema_faults("rayclusters", "1.6", unknown) == []
    assert len(schema_faults("rayclusters", "1.5", unknown)) == 1


@pytest.mark.parametrize("site", SITES)
def test_no_value_is_a_zero_that_the_operator_would_drop(rendered: Rendered, site: str) -> None:
    document = rendered(site)
    number_of_workers = ("replicas", "minReplicas")  # pointers: their zero stays

    zeros = [path for path, value in leaves(document) if value in (False, 0, "", [], None)]

    assert [path for path in zeros if path[-1] not in number_of_workers] == []


@pytest.mark.parametrize(("site", "gpu"), [("b200", "nvidia-b200"), ("h200", "nvidia-h200-141gb")])
def test_every_worker_has_its_nine_interfaces_in_order(rendered: Rendered, site: str, gpu: str) -> None:
    workers = pods(rendered(site))["workers"]
    annotations = workers["metadata"]["annotations"]

    assert annotations["networking.gke.io/default-interface"] == "eth0"
    assert json.loads(annotations["networking.gke.io/interfaces"]) == [
        {"interfaceName": "eth0", "network": "default"},
        {"interfaceName": "eth1", "network": "gvnic-1"},
        {"interfaceName": "eth2", "network": "rdma-0"},
        {"interfaceName": "eth3", "network": "rdma-1"},
        {"interfaceName": "eth4", "network": "rdma-2"},
        {"interfaceName": "eth5", "network": "rdma-3"},
        {"interfaceName": "eth6", "network": "rdma-4"},
        {"interfaceName": "eth7", "network": "rdma-5"},
        {"interfaceName": "eth8", "network": "rdma-6"},
        {"interfaceName": "eth9", "network": "rdma-7"},
    ]
    assert workers["spec"]["nodeSelector"] == {"cloud.google.com/gke-accelerator": gpu}


def test_the_head_has_no_interface_beside_its_own(rendered: Rendered) -> None:
    assert pods(rendered("b200"))["head"]["metadata"]["annotations"] == {
        "cluster-autoscaler.kubernetes.io/safe-to-evict": "false"
    }


def test_the_autoscaler_evicts_no_ray_pod(rendered: Rendered) -> None:
    for template in pods(rendered("b200")).values():
        assert template["metadata"]["annotations"]["cluster-autoscaler.kubernetes.io/safe-to-evict"] == "false"


@pytest.mark.parametrize("site", SITES)
def test_every_volume_has_one_source_and_every_mount_its_volume(rendered: Rendered, site: str) -> None:
    for template in pods(rendered(site)).values():
        volumes = {volume["name"]: volume for volume in template["spec"]["volumes"]}
        mounts = [mount for container in containers(template).values() for mount in container["volumeMounts"]]

        assert all(len(volume) == 2 for volume in volumes.values())
        assert {mount["name"] for mount in mounts} == set(volumes)


def test_the_head_mounts_lustre_every_token_and_the_scripts(rendered: Rendered) -> None:
    head = pods(rendered("b200"))["head"]

    assert head["spec"]["volumes"] == [
        {"name": "data", "persistentVolumeClaim": {"claimName": "lustre-pvc"}},
        {"name": "tokens", "secret": {"secretName": "ray-tokens", "defaultMode": 256}},
        {"name": "scripts", "configMap": {"name": "ray-job-scripts"}},
    ]
    assert containers(head)["ray-head"]["volumeMounts"] == [
        {"name": "data", "mountPath": "/data"},
        {"name": "tokens", "mountPath": "/var/run/secrets/ray-tokens", "readOnly": True},
        {"name": "scripts", "mountPath": "/opt/ray-job-scripts", "readOnly": True},
    ]


def test_a_worker_mounts_lustre_one_token_shared_memory_and_the_nodes_libraries(rendered: Rendered) -> None:
    workers = pods(rendered("b200"))["workers"]

    assert workers["spec"]["volumes"] == [
        {"name": "data", "persistentVolumeClaim": {"claimName": "lustre-pvc"}},
        {
            "name": "tokens",
            "secret": {
                "secretName": "ray-tokens",
                "items": [{"key": "hf_token", "path": "hf_token"}],
                "defaultMode": 256,
            },
        },
        {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "240Gi"}},
        {"name": "nvidia", "hostPath": {"path": "/home/kubernetes/bin/nvidia"}},
        {"name": "gib", "hostPath": {"path": "/home/kubernetes/bin/gib"}},
    ]
    assert containers(workers)["ray-worker"]["volumeMounts"] == [
        {"name": "data", "mountPath": "/data"},
        {"name": "tokens", "mountPath": "/var/run/secrets/ray-tokens", "readOnly": True},
        {"name": "shared-memory", "mountPath": "/dev/shm"},
        {"name": "nvidia", "mountPath": "/usr/local/nvidia"},
        {"name": "gib", "mountPath": "/usr/local/gib"},
    ]


def test_a_secret_of_the_users_own_is_the_one_that_pods_mount(rendered: Rendered) -> None:
    for template in pods(rendered("no-wandb")).values():
        (secret,) = (volume["secret"] for volume in template["spec"]["volumes"] if "secret" in volume)
        assert secret["secretName"] == "team-tokens"


def test_kuberay_runs_our_scripts_as_they_stand(rendered: Rendered) -> None:
    document = rendered("b200")

    assert document["metadata"]["annotations"] == {"ray.io/overwrite-container-cmd": "true"}
    for template in pods(document).values():
        ray = template["spec"]["containers"][0]
        assert ray["command"] == ["/bin/bash", "-c", "--"]
        assert len(ray["args"]) == 1
        assert ray["args"][0].endswith('\neval "exec $KUBERAY_GEN_RAY_START_CMD"\n')


@pytest.mark.parametrize(
    ("site", "tuner"),
    [
        ("b200", "/usr/local/gib/configs/tuner_config_a4.txtpb"),
        ("h200", "/usr/local/gib/configs/tuner_config_a3u.txtpb"),
    ],
)
def test_head_and_workers_share_their_environment_and_only_the_head_has_the_wandb_key(
    rendered: Rendered, site: str, tuner: str
) -> None:
    templates = pods(rendered(site))
    workers = environment_of(containers(templates["workers"])["ray-worker"])

    assert workers == {
        "HF_HOME": "/data/hf",
        "HF_TOKEN_PATH": "/var/run/secrets/ray-tokens/hf_token",
        "NCCL_NET": "gIB",
        "NCCL_TUNER_CONFIG_PATH": tuner,
        "NCCL_IB_GID_INDEX": "3",
        "NCCL_SOCKET_IFNAME": "eth0",
        "GLOO_SOCKET_IFNAME": "eth0",
        "TP_SOCKET_IFNAME": "eth0",
    }
    assert environment_of(containers(templates["head"])["ray-head"]) == {
        **workers,
        "NETRC": "/var/run/secrets/ray-tokens/netrc",
    }


def test_without_wandb_no_pod_looks_for_a_netrc_file(rendered: Rendered) -> None:
    head = environment_of(containers(pods(rendered("no-wandb"))["head"])["ray-head"])

    assert "NETRC" not in head


def test_a_users_variables_reach_head_and_workers_as_written(rendered: Rendered) -> None:
    for template in pods(rendered("odd-values")).values():
        values = environment_of(template["spec"]["containers"][0])
        assert (values["YES"], values["OCTAL"]) == ("yes", "0777")
        assert values["SHELL"] == 'a ${b} %{c} "d" #e'
        assert values["LINES"] == "a\r\n\x1b\u2028b\n"


def test_the_head_serves_its_ports_by_name(rendered: Rendered) -> None:
    assert containers(pods(rendered("b200"))["head"])["ray-head"]["ports"] == [
        {"name": "gcs-server", "containerPort": 6379},
        {"name": "dashboard", "containerPort": 8265},
        {"name": "client", "containerPort": 10001},
        {"name": "as-metrics", "containerPort": 44217},
        {"name": "dash-metrics", "containerPort": 44227},
    ]
    assert rendered("b200")["spec"]["headGroupSpec"]["serviceType"] == "ClusterIP"


def test_the_head_runs_on_the_cpu_pool_and_offers_ray_its_cpus_and_no_gpu(rendered: Rendered) -> None:
    spec = rendered("b200")["spec"]
    head = pods(rendered("b200"))["head"]["spec"]

    assert head["nodeSelector"] == {"cloud.google.com/gke-nodepool": "cpu-pool"}
    assert head["serviceAccountName"] == "ray"
    assert "tolerations" not in head
    assert spec["headGroupSpec"]["rayStartParams"] == {"dashboard-host": "0.0.0.0", "num-gpus": "0"}
    assert spec["rayVersion"] == "2.49.2"


def test_only_the_workers_ray_container_is_privileged(rendered: Rendered) -> None:
    templates = pods(rendered("chart-operator"))

    assert containers(templates["workers"])["ray-worker"]["securityContext"] == {"privileged": True}
    assert "securityContext" not in containers(templates["head"])["ray-head"]
    assert all("securityContext" not in containers(template)["fluent-bit"] for template in templates.values())


def test_workers_tolerate_the_taints_of_gpu_nodes(rendered: Rendered) -> None:
    workers = pods(rendered("b200"))["workers"]["spec"]

    assert workers["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Exists"},
        {"key": "cloud.google.com/impending-node-termination", "operator": "Exists"},
        {"key": "user-workload", "operator": "Exists"},
    ]
    assert workers["serviceAccountName"] == "ray"


@pytest.mark.parametrize("site", SITES)
def test_requests_equal_limits_and_fit_what_the_machine_leaves(rendered: Rendered, site: str) -> None:
    templates = pods(rendered(site))
    gpu = GPU_MACHINES["a3-ultragpu-8g" if site == "h200" else "a4-highgpu-8g"]

    for template, machine in ((templates["head"], CPU_MACHINES["n2-highmem-80"]), (templates["workers"], gpu)):
        asked = [container["resources"] for container in containers(template).values()]
        assert all(resources["requests"] == resources["limits"] for resources in asked)
        assert sum(_cpus(resources["requests"]["cpu"]) for resources in asked) <= machine.allocatable_cpus
        assert sum(_gib(resources["requests"]["memory"]) for resources in asked) <= machine.allocatable_memory_gib
    assert containers(templates["workers"])["ray-worker"]["resources"]["limits"] == {
        "cpu": "206",
        "memory": "2400Gi",
        "nvidia.com/gpu": "8",
    }
    assert containers(templates["head"])["ray-head"]["resources"]["limits"] == {"cpu": "64", "memory": "465Gi"}


def test_the_number_of_workers_is_fixed_and_each_is_one_node(rendered: Rendered) -> None:
    (group,) = rendered("b200")["spec"]["workerGroupSpecs"]

    assert [group[key] for key in ("groupName", "replicas", "minReplicas", "maxReplicas", "numOfHosts")] == [
        *("gpu", 2, 2, 2, 1)
    ]
    assert group["rayStartParams"] == {"num-gpus": "8"}


def test_no_workers_is_a_group_of_none(rendered: Rendered) -> None:
    (group,) = rendered("no-workers")["spec"]["workerGroupSpecs"]

    assert [group[key] for key in ("replicas", "minReplicas", "maxReplicas")] == [0, 0, 1]


def test_an_image_by_digest_stays_one(rendered: Rendered) -> None:
    for template in pods(rendered("own-image")).values():
        ray = template["spec"]["containers"][0]
        assert ray["image"] == f"europe-docker.pkg.dev/p/r/nemo-rl@sha256:{'a1' * 32}"
        assert ray["imagePullPolicy"] == "IfNotPresent"


def test_with_the_add_on_there_is_no_sidecar_and_no_volume_on_rays_logs(rendered: Rendered) -> None:
    for template in pods(rendered("b200")).values():
        assert len(template["spec"]["containers"]) == 1
        assert all(mount["mountPath"] != "/tmp/ray" for mount in template["spec"]["containers"][0]["volumeMounts"])


def test_with_the_operator_chart_fluent_bit_reads_the_volume_that_ray_writes(rendered: Rendered) -> None:
    for name, template in pods(rendered("chart-operator")).items():
        ray, fluent_bit = template["spec"]["containers"]
        assert ray["name"] == ("ray-head" if name == "head" else "ray-worker")  # KubeRay takes the first for Ray's
        assert {"name": "logs", "mountPath": "/tmp/ray"} in ray["volumeMounts"]
        assert {"name": "logs", "emptyDir": {}} in template["spec"]["volumes"]
        assert fluent_bit == {
            "name": "fluent-bit",
            "image": "fluent/fluent-bit:4.2.0",
            "args": [
                *("-i", "tail"),
                "-p",
                "path=/tmp/ray/session_latest/logs/*.log,/tmp/ray/session_latest/logs/*.out,"
                "/tmp/ray/session_latest/logs/*.err",
                *("-p", "exclude_path=/tmp/ray/session_latest/logs/runtime_env*"),
                *("-p", "path_key=file"),
                *("-p", "read_from_head=true"),
                *("-p", "refresh_interval=10"),
                *("-p", "skip_long_lines=on"),
                *("-p", "buffer_max_size=1M"),
                *("-p", "mem_buf_limit=32M"),
                *("-o", "stdout"),
                *("-p", "match=*"),
                *("-p", "format=json_lines"),
            ],
            "resources": {
                "limits": {"cpu": "100m", "memory": "128Mi"},
                "requests": {"cpu": "100m", "memory": "128Mi"},
            },
            "volumeMounts": [{"name": "logs", "mountPath": "/tmp/ray", "readOnly": True}],
        }


@pytest.mark.parametrize("site", ["chart-operator", "no-workers"])
def test_every_leaf_of_our_values_arrives_in_what_is_rendered(chart: Path, site: str) -> None:
    values = chart_values(_cluster(site))
    marks: dict[Leaf, str] = {}
    for number, (leaf, value) in enumerate(leaves(values), start=70_000):
        if not isinstance(value, bool):
            marks[leaf] = str(number)
            mark = number if isinstance(value, int) else f"mark-{number}"
            values = replaced(values, leaf, {"medium": mark} if value == {} else mark)

    text = "".join(render_texts(chart, values))

    assert [leaf for leaf, mark in marks.items() if mark not in text] == []
    assert len(marks) > 100


@pytest.mark.parametrize("site", ["chart-operator", "no-workers"])
def test_every_switch_in_our_values_changes_what_is_rendered(chart: Path, site: str) -> None:
    values = chart_values(_cluster(site))
    switches = {leaf: value for leaf, value in leaves(values) if isinstance(value, bool)}
    before = render_texts(chart, values)

    assert [
        leaf for leaf, value in switches.items() if render_texts(chart, replaced(values, leaf, not value)) == before
    ] == []


def test_our_values_hold_no_key_but_those_that_the_record_covers() -> None:
    values: Any = chart_values(_cluster("chart-operator"))
    whole = {"head", "additionalWorkerGroups", "image", "service", "worker"}
    written = {key for key in values if key not in whole}
    written |= {f"{key}.{inner}" for key in whole - {"additionalWorkerGroups"} for inner in values[key]}
    written |= {f"additionalWorkerGroups.gpu.{key}" for key in values["additionalWorkerGroups"]["gpu"]}

    assert written == set(OUR_KEYS)


@pytest.mark.parametrize("site", [site for site in SITES if site != "no-workers"])
def test_a_jobs_own_cluster_is_the_rendered_one_field_by_field(rendered: Rendered, site: str) -> None:
    of_chart = rendered(site)["spec"]
    for template in (of_chart["headGroupSpec"]["template"], of_chart["workerGroupSpecs"][0]["template"]):
        assert set(template["metadata"].pop("labels")) == {
            *("helm.sh/chart", "app.kubernetes.io/instance", "app.kubernetes.io/managed-by")
        }
    assert of_chart["workerGroupSpecs"][0].pop("numOfHosts") == 1  # the default of every KubeRay

    assert ray_cluster_spec(_cluster(site)) == of_chart


def _cpus(quantity: str) -> float:
    return int(quantity[:-1]) / 1000 if quantity.endswith("m") else int(quantity)


def _gib(quantity: str) -> float:
    return int(quantity[:-2]) * {"Mi": 1 / 1024, "Gi": 1, "Ti": 1024}[quantity[-2:]]
