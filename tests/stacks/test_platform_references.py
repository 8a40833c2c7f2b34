"""What Terraform evaluates in the platform's JSON, one expression after the other: all else is plain text."""

from __future__ import annotations

from tests.stacks.one_platform import LIVE, platform, texts

CLUSTER = "data.google_container_cluster.cluster"
LUSTRE = "data.google_lustre_instance.lustre-instance"
DNS_HOST = f"https://${{{CLUSTER}.control_plane_endpoints_config[0].dns_endpoint_config[0].endpoint}}"
ACCESS_TOKEN = "${data.google_client_config.cluster-client.access_token}"
NAMESPACE = "${kubernetes_namespace_v1.namespace.metadata[0].name}"
CAPACITY = f"${{{LUSTRE}.capacity_gib}}Gi"

SIGN_IN = {
    "provider.kubernetes[0].host": DNS_HOST,
    "provider.kubernetes[0].token": ACCESS_TOKEN,
    "provider.helm[0].kubernetes.host": DNS_HOST,
    "provider.helm[0].kubernetes.token": ACCESS_TOKEN,
}
CHECKS = {
    "check.gke-version.assert[0].condition": f'${{try(startswith({CLUSTER}.master_version, "1.34."), false)}}',
    "check.gke-version.assert[0].error_message": "cluster.version is 1.34, but the control plane runs"
    f' ${{try(coalesce({CLUSTER}.master_version), "an unknown version")}}. What the KubeRay operator understands was'
    " taken from the former. Write the minor that runs.",
}
IN_THE_NAMESPACE = (
    "kubernetes_config_map_v1.job-scripts",
    "kubernetes_persistent_volume_claim_v1.lustre",
    "kubernetes_pod_disruption_budget_v1.disruption-budget",
    "kubernetes_secret_v1.tokens",
    "kubernetes_service_account_v1.pod-identity",
)
RESOURCES = {
    **{f"resource.{address}.metadata.namespace": NAMESPACE for address in IN_THE_NAMESPACE},
    "resource.helm_release.ray.namespace": NAMESPACE,
    "resource.helm_release.ray.set[0].value": '${replace(kubernetes_persistent_volume_claim_v1.lustre.id, "/.+/",'
    ' "CLUSTER")}',
    "resource.google_service_account_iam_member.pod-identity-binding.member": "serviceAccount:my-project.svc.id.goog"
    f"[{NAMESPACE}/ray]",
    "resource.kubernetes_persistent_volume_v1.lustre-volume.spec[0].capacity.storage": CAPACITY,
    "resource.kubernetes_persistent_volume_v1.lustre-volume.spec[0].claim_ref.namespace": NAMESPACE,
    "resource.kubernetes_persistent_volume_v1.lustre-volume.spec[0].persistent_volume_source.csi.volume_attributes"
    ".filesystem": f"${{{LUSTRE}.filesystem}}",
    "resource.kubernetes_persistent_volume_v1.lustre-volume.spec[0].persistent_volume_source.csi.volume_attributes"
    ".ip": f'${{element(split("@", {LUSTRE}.mount_point), 0)}}',
    "resource.kubernetes_persistent_volume_claim_v1.lustre.spec.resources.requests.storage": CAPACITY,
    "resource.kubernetes_persistent_volume_claim_v1.lustre.spec.volume_name": "${kubernetes_persistent_volume_v1"
    ".lustre-volume.metadata[0].name}",
    "resource.terraform_data.lustre-mounted.input.mount_point": f"${{{LUSTRE}.mount_point}}",
    "resource.kubernetes_secret_v1.tokens.data_wo": '${{ for key, text in { "hf_token" = var.hf_token, "netrc" ='
    ' var.wandb_api_key == null || var.wandb_api_key == "" ? null : format("machine api.wandb.ai\\n  login user\\n'
    '  password %s\\n", var.wandb_api_key) } : key => text if text != null && text != "" }}',
}
OUTPUTS = {
    "output.ray_dashboard.value": f"kubectl --namespace={NAMESPACE} port-forward service/CLUSTER-head-svc 8265",
}
ADDON_ON = f"try({CLUSTER}.addons_config[0].ray_operator_config[0].enabled, false)"
OPERATOR_RELEASE = "resource.helm_release.kuberay-operator"


def live(text: str = "") -> dict[str, str]:
    stack = platform(text, scripts={"run.sh": "echo ${HOME} %{x} $${y}\n"})
    # The RayCluster's name is a digest of its pods, and no matter here.
    name = stack["resource"]["helm_release"]["ray"]["name"]
    return {path: value.replace(name, "CLUSTER") for path, value in texts(stack) if LIVE.search(value)}


def test_with_the_addon() -> None:
    assert live("ray: {env: {GREETING: '${HOME} %{if} $${x}'}}\n") == {
        **SIGN_IN,
        **CHECKS,
        **RESOURCES,
        **OUTPUTS,
        "check.ray-operator.assert[0].condition": f"${{{ADDON_ON}}}",
    }


def test_with_the_operator_chart() -> None:
    assert live("platform: {operator: chart}\n") == {
        **SIGN_IN,
        **CHECKS,
        **RESOURCES,
        **OUTPUTS,
        "resource.kubernetes_network_policy_v1.network-policy.metadata.namespace": NAMESPACE,
        "resource.kubernetes_network_policy_v1.network-policy-others.metadata.namespace": NAMESPACE,
        "resource.kubernetes_manifest.pod-monitoring-pods.manifest.metadata.namespace": NAMESPACE,
        "resource.kubernetes_manifest.pod-monitoring-head.manifest.metadata.namespace": NAMESPACE,
        f"{OPERATOR_RELEASE}.namespace": "${kubernetes_namespace_v1.kuberay-operator-namespace.metadata[0].name}",
        f"{OPERATOR_RELEASE}.lifecycle.precondition[0].condition": f"${{!{ADDON_ON}}}",
    }


def test_by_a_private_address_with_the_plugin() -> None:
    text = "platform: {credentials: plugin}\ncluster: {endpoint: private, authorized_networks: [10.9.0.0/24]}\n"
    signed = {path: value for path, value in live(text).items() if path.startswith("provider.")}
    host = f"https://${{{CLUSTER}.private_cluster_config[0].private_endpoint}}"
    authority = f"${{base64decode({CLUSTER}.master_auth[0].cluster_ca_certificate)}}"
    assert signed == {
        "provider.kubernetes[0].host": host,
        "provider.kubernetes[0].cluster_ca_certificate": authority,
        "provider.helm[0].kubernetes.host": host,
        "provider.helm[0].kubernetes.cluster_ca_certificate": authority,
    }
