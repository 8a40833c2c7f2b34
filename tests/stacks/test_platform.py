from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from stacks.ray_cluster import ray_cluster
from tests.stacks.one_platform import addresses, needs, platform, site, yaml
from tests.support import ROOT

CHART = "platform: {operator: chart}\n"
CLAIM = "kubernetes_persistent_volume_claim_v1.lustre"
RELEASE = "helm_release.ray"
NETWORKS = [f"kubernetes_manifest.pod-networks-{name}" for name in ("gvnic-1", *(f"rdma-{i}" for i in range(8)))]


def values(stack: dict[str, Any]) -> dict[str, Any]:
    """What the RayCluster's chart is given."""
    return yaml(stack["resource"]["helm_release"]["ray"]["values"][0])


def test_the_claim_which_waits_for_the_pods_depends_on_all_that_they_use() -> None:
    claim = platform()["resource"]["kubernetes_persistent_volume_claim_v1"]["lustre"]
    assert claim["depends_on"] == [
        "kubernetes_service_account_v1.pod-identity",
        "google_service_account_iam_member.pod-identity-binding",
        "kubernetes_secret_v1.tokens",
        "kubernetes_config_map_v1.job-scripts",
        "kubernetes_daemon_set_v1.nccl-installer",
        *NETWORKS,
    ]


def test_with_the_addon_the_release_depends_on_the_claim() -> None:
    assert platform()["resource"]["helm_release"]["ray"]["depends_on"] == [CLAIM]


def test_with_the_chart_the_release_depends_on_claim_policy_and_operator() -> None:
    assert platform(CHART)["resource"]["helm_release"]["ray"]["depends_on"] == [
        CLAIM,
        "kubernetes_network_policy_v1.network-policy",
        "kubernetes_network_policy_v1.network-policy-others",
        "helm_release.kuberay-operator",
    ]


def test_destroy_takes_ray_away_before_anything_that_its_pods_use() -> None:
    assert needs(platform(CHART), RELEASE) == {
        CLAIM,
        "kubernetes_persistent_volume_v1.lustre-volume",
        "kubernetes_namespace_v1.namespace",
        "kubernetes_service_account_v1.pod-identity",
        "google_service_account_iam_member.pod-identity-binding",
        "kubernetes_secret_v1.tokens",
        "kubernetes_config_map_v1.job-scripts",
        "kubernetes_daemon_set_v1.nccl-installer",
        "kubernetes_network_policy_v1.network-policy",
        "kubernetes_network_policy_v1.network-policy-others",
        "helm_release.kuberay-operator",
        "kubernetes_namespace_v1.kuberay-operator-namespace",
        *NETWORKS,
        *(f"{network}-parameters" for network in NETWORKS),
    }


def test_the_addon_leaves_no_operator_to_install_and_is_looked_for() -> None:
    stack = platform()
    assert list(stack["resource"]["helm_release"]) == ["ray"]
    assert list(stack["check"]) == ["gke-version", "ray-operator"]
    assert stack["provider"]["helm"][0]["experiments"] == {"manifest": True}


def test_the_chart_is_installed_in_the_version_of_its_minor_and_the_plan_cannot_render_yet() -> None:
    stack = platform(f'{CHART}ray: {{kuberay: "1.5"}}\n')
    assert stack["resource"]["helm_release"]["kuberay-operator"]["version"] == "1.5.2"
    assert list(stack["check"]) == ["gke-version"]
    assert "experiments" not in stack["provider"]["helm"][0]


def test_the_policy_is_for_the_cluster_that_the_release_makes() -> None:
    stack = platform(CHART)
    name = stack["resource"]["helm_release"]["ray"]["name"]
    policy = stack["resource"]["kubernetes_network_policy_v1"]["network-policy"]["spec"]
    (of_the_cluster,) = policy["pod_selector"]["match_expressions"]
    assert of_the_cluster == {"key": "ray.io/cluster", "operator": "In", "values": [name]}
    assert policy["ingress"][1]["from"] == [
        {
            "namespace_selector": {"match_labels": {"kubernetes.io/metadata.name": "kuberay-system"}},
            "pod_selector": {"match_labels": {"app.kubernetes.io/name": "kuberay-operator"}},
        }
    ]


def test_with_the_addon_the_policy_exists_on_request_and_lets_in_who_is_allowed() -> None:
    assert "kubernetes_network_policy_v1" not in platform()["resource"]
    stack = platform("platform: {network_policy: {enforce: true, allow: [{namespace: notebooks}]}}\n")
    policy = stack["resource"]["kubernetes_network_policy_v1"]["network-policy"]["spec"]
    assert [[port["port"] for port in rule.get("ports", [])] for rule in policy["ingress"]] == [
        [],
        ["8080", "44217", "44227"],
        ["8265", "10001"],
    ]


@pytest.mark.parametrize(
    ("text", "monitors", "sidecars"),
    [
        ("", 0, False),
        (CHART, 2, True),
        (f"{CHART}monitoring: {{logs: false, metrics: false}}\n", 0, False),
        ("monitoring: {logs: false, metrics: false}\n", 0, False),
    ],
)
def test_logs_and_metrics_come_one_way_or_the_other_and_never_both(text: str, monitors: int, sidecars: bool) -> None:
    stack = platform(text)
    found = [name for name in stack["resource"]["kubernetes_manifest"] if name.startswith("pod-monitoring")]
    assert len(found) == monitors
    assert ("sidecarContainers" in values(stack)["head"]) is sidecars


def test_every_claim_secret_configmap_and_account_that_a_pod_names_is_in_the_stack() -> None:
    stack = platform()
    rendered = values(stack)
    for group in (rendered["head"], *rendered["additionalWorkerGroups"].values()):
        named = {
            kind: volume[kind] for volume in group["volumes"] for kind in volume if kind not in ("name", "hostPath")
        }
        assert named["persistentVolumeClaim"] == {"claimName": _named(stack, "persistent_volume_claim_v1", "lustre")}
        assert named["secret"]["secretName"] == _named(stack, "secret_v1", "tokens")
        assert group["serviceAccountName"] == _named(stack, "service_account_v1", "pod-identity")
    scripts = next(volume["configMap"] for volume in rendered["head"]["volumes"] if "configMap" in volume)
    assert scripts == {"name": _named(stack, "config_map_v1", "job-scripts")}


def _named(stack: dict[str, Any], kind: str, name: str) -> str:
    return stack["resource"][f"kubernetes_{kind}"][name]["metadata"]["name"]


def test_pods_ask_for_the_networks_that_the_stack_makes_in_their_order() -> None:
    stack = platform()
    manifests = [one["manifest"] for one in stack["resource"]["kubernetes_manifest"].values()]
    made = [manifest["metadata"]["name"] for manifest in manifests if manifest["kind"] == "Network"]
    asked = yaml(values(stack)["additionalWorkerGroups"]["gpu"]["annotations"]["networking.gke.io/interfaces"])
    assert [one["network"] for one in asked] == ["default", *made]


def test_a_lost_state_is_followed_by_the_deletion_of_all_that_the_namespace_does_not_take_along() -> None:
    page = (ROOT / "docs" / "migration.md").read_text(encoding="utf-8").partition("## A state that was lost")[2]
    deleted = {
        f"{kind.removesuffix('.networking.gke.io')} {name}"
        for kind, names in re.findall(r"^kubectl .*?delete (\S+) (.*?)(?:  #.*)?$", page, flags=re.MULTILINE)
        for name in names.split()
    }
    assert deleted == set(_outside_a_namespace(platform(CHART)))
    assert "helm -n kuberay-system uninstall kuberay-operator" in page


KINDS = {"kubernetes_persistent_volume_v1": "pv", "kubernetes_daemon_set_v1": "daemonset"}


def _outside_a_namespace(stack: dict[str, Any]) -> Iterator[str]:
    """What is in neither of the namespaces that the stack makes, by kind and name, as kubectl takes them."""
    for address, configuration in addresses(stack).items():
        made = configuration.get("manifest", configuration)
        if address.startswith("kubernetes_") and made["metadata"].get("namespace", "kube-system") == "kube-system":
            kind = KINDS.get(address.partition(".")[0]) or made.get("kind", "namespace")
            yield f"{kind.lower()}{'s' if 'kind' in made else ''} {made['metadata']['name']}"


def test_a_secret_of_the_users_own_is_mounted_and_no_variable_asks_for_a_token() -> None:
    stack = platform("tokens: {secret: team-tokens}\n")
    assert "variable" not in stack
    assert "kubernetes_secret_v1" not in stack["resource"]
    secrets = [volume["secret"] for volume in values(stack)["head"]["volumes"] if "secret" in volume]
    assert [secret["secretName"] for secret in secrets] == ["team-tokens"]


def test_without_weights_and_biases_there_is_one_variable_and_one_key() -> None:
    stack = platform("tokens: {wandb: false, revision: 2}\n")
    assert list(stack["variable"]) == ["hf_token"]
    assert stack["resource"]["kubernetes_secret_v1"]["tokens"] == {
        "metadata": {"name": "ray-tokens", "namespace": "${kubernetes_namespace_v1.namespace.metadata[0].name}"},
        "type": "Opaque",
        "data_wo": '${{ for key, text in { "hf_token" = var.hf_token } : key => text if text != null && text != "" }}',
        "data_wo_revision": 2,
    }


def test_dashboard_and_alerts_are_had_and_left_out_by_their_switches() -> None:
    assert "google_monitoring_dashboard" in platform()["resource"]
    assert "google_monitoring_alert_policy" not in platform()["resource"]
    bent = platform("monitoring: {dashboard: false, alerts: {enabled: true}}\n")["resource"]
    assert "google_monitoring_dashboard" not in bent
    assert list(bent["google_monitoring_alert_policy"]) == ["alerts-idle-gpus", "alerts-missing-workers"]


def test_outputs_say_what_a_user_asks_next() -> None:
    stack = platform(scripts={"run.sh": "abc"})
    name = ray_cluster(site()).name
    assert {key: output["value"] for key, output in stack["output"].items()} == {
        "ray_cluster": name,
        "ray_dashboard": "kubectl --namespace=${kubernetes_namespace_v1.namespace.metadata[0].name} port-forward"
        f" service/{name}-head-svc 8265",
        # printf abc | sha256sum
        "script_digests": {"run.sh": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    }
