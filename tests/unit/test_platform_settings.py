from __future__ import annotations

from pathlib import Path

import pytest

from settings.platform import NetworkPolicy, Platform
from tests.support import MINIMAL, faults


def platform_faults(root: Path, line: str) -> list[str]:
    return [
        line.removeprefix("environments/prod.yaml: ")
        for line in faults(root, prod=f"{MINIMAL}platform:\n  {line}\n")
        if ": platform" in line
    ]


@pytest.mark.parametrize(
    ("operator", "enforce", "exists"),
    [
        ("addon", None, False),
        ("addon", True, True),
        ("chart", None, True),
        ("chart", False, False),
    ],
)
def test_the_policy_exists_with_the_chart_and_on_request_with_the_addon(
    operator: str, enforce: bool | None, exists: bool
) -> None:
    platform = Platform.model_validate({"operator": operator, "network_policy": NetworkPolicy(enforce=enforce)})
    assert platform.enforces_network_policy is exists


@pytest.mark.parametrize("both_or_neither", ["both", "none", "'addon,chart'"])
def test_one_operator_and_no_other_number_of_them(tmp_path: Path, both_or_neither: str) -> None:
    (fault,) = platform_faults(tmp_path, f"operator: {both_or_neither}")
    assert fault.startswith("platform.operator is ")
    assert fault.endswith("; write one of 'addon' or 'chart'")


@pytest.mark.parametrize("name", ["default", "kube-system", "gmp-system", "gke-managed-system", "kuberay-system"])
def test_namespaces_of_others_are_refused_because_destroy_would_take_them(tmp_path: Path, name: str) -> None:
    assert platform_faults(tmp_path, f"namespace: {name}") == [
        f'platform.namespace is "{name}", a namespace that others use; the platform makes and destroys its own, so name'
        " another one"
    ]


def test_the_account_that_kubernetes_makes_itself_is_refused(tmp_path: Path) -> None:
    assert platform_faults(tmp_path, "service_account: default") == [
        'platform.service_account is "default", an account that Kubernetes itself makes in each namespace, so that'
        " making it would fail; write another name, like ray"
    ]


@pytest.mark.parametrize(
    "image", ["us-docker.pkg.dev/p/r/gib", "us-docker.pkg.dev/p/r/gib:latest", "https://x/y:v1", "x/y@sha256:12"]
)
def test_an_image_that_may_change_under_its_name_is_refused(tmp_path: Path, image: str) -> None:
    (fault,) = platform_faults(tmp_path, f"gib_image: '{image}'")
    assert "not a pinned image; write REPOSITORY:TAG or REPOSITORY@sha256:DIGEST, and not :latest" in fault


def test_a_namespace_of_allowed_pods_may_begin_with_a_digit_as_in_kubernetes(tmp_path: Path) -> None:
    policy = "operator: chart\n  network_policy: {{allow: [{{namespace: {}}}]}}"
    assert platform_faults(tmp_path, policy.format("3d-team")) == []
    assert platform_faults(tmp_path, policy.format("Team")) == [
        'platform.network_policy.allow[0].namespace is "Team", not a namespace; write lower-case letters, digits'
        " and -, no - first or last"
    ]


def test_labels_of_allowed_pods_are_kubernetes_labels(tmp_path: Path) -> None:
    text = "network_policy: {allow: [{namespace: ci, pods: {app: 'a b'}}]}"
    assert platform_faults(tmp_path, text) == [
        'platform.network_policy.allow[0].pods is a mapping, in which "app: a b" is no Kubernetes label; correct it'
    ]
