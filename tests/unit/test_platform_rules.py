from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from catalog.interfaces import extra_interfaces
from settings.environment import Environment
from settings.platform_rules import DOUBTS, FAULTS, network_clashes
from settings.yaml_file import SettingsFile, parse, read_yaml
from tests.support import MINIMAL, environment
from tests.unit.test_faults import TOKENS

ADDON_ENFORCED = "platform: {network_policy: {enforce: true}}\n"


def site(text: str = "") -> Environment:
    return environment(f"name: prod\n{MINIMAL}{text}")


def found(env: Environment, *, doubts: bool = False) -> list[str]:
    return [f"{one.path} {one.text}" for rule in (DOUBTS if doubts else FAULTS) for one in rule(env)]


def test_the_smallest_environment_is_good_and_leaves_nothing_doubtful() -> None:
    assert found(site()) == []
    assert found(site(), doubts=True) == []


def test_two_networks_on_one_subnet_or_one_on_the_clusters_own_vpc_are_refused() -> None:
    twice = extra_interfaces(
        gvnic_vpc="main", gvnic_subnet="main-sub", rdma_vpc="r", rdma_subnets=("r-0", "r-1", "r-0")
    )
    assert list(network_clashes(twice, own_vpc="main")) == [
        "puts gvnic-1 of the pods' networks on main, the cluster's own VPC",
        "puts 2 of the pods' networks on subnet r-0 of r",
    ]


def test_a_name_that_puts_rdma_on_the_main_vpc_is_refused() -> None:
    assert found(_unchecked("names: {network: prod-rdma-net}\n")) == [
        "names puts rdma-0, rdma-1, rdma-2, rdma-3, rdma-4, rdma-5, rdma-6, rdma-7 of the pods' networks on"
        " prod-rdma-net, the cluster's own VPC, which GKE refuses; write other names"
    ]


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        ("{}", " says neither where pods are nor an IP range; write namespace or ip_range"),
        ("{namespace: ci, ip_range: 10.8.0.0/24}", " has both namespace and ip_range; make two entries of it"),
        (
            "{ip_range: 10.8.0.0/24, pods: {app: x}}",
            ".pods is given without namespace; write the namespace of these pods",
        ),
    ],
)
def test_a_client_is_pods_or_a_range(client: str, expected: str) -> None:
    env = _unchecked(f"platform: {{operator: chart, network_policy: {{allow: [{client}]}}}}\n")
    assert found(env) == [f"platform.network_policy.allow[0]{expected}"]


# No setting but ray.env takes a space, as a private key has it.
@pytest.mark.parametrize("kind", [kind for kind in TOKENS if kind != "a private key"])
def test_a_token_in_any_setting_is_refused_and_not_repeated(kind: str) -> None:
    channel = f"projects/p/notificationChannels/{TOKENS[kind]}"
    (line,) = found(_unchecked(f"monitoring: {{alerts: {{enabled: true, channels: [{channel}]}}}}\n"))
    assert line.startswith("monitoring.alerts.channels[0] looks like an access token")
    assert TOKENS[kind] not in line


@pytest.mark.parametrize("setting", ["ray: {image", "platform: {gib_image"])
@pytest.mark.parametrize("pin", [f":{'0a' * 20}", f"@sha256:{'0a' * 32}"], ids=["commit", "digest"])
def test_an_image_that_is_pinned_by_a_commit_or_a_digest_is_no_token(setting: str, pin: str) -> None:
    assert found(site(f"{setting}: 'example.com/team/image{pin}'}}\n")) == []


def test_a_policy_with_the_addon_asks_for_the_canary_check() -> None:
    (line,) = found(site(ADDON_ENFORCED), doubts=True)
    assert line.startswith("platform.network_policy.enforce is true with the add-on")


@pytest.mark.parametrize(
    ("policy", "line"),
    [
        (
            "enforce: false",
            "platform.network_policy.enforce is false, so everybody in the cluster reaches the Ray head's ports and"
            " runs code there; going on. Remove it, and write under allow who is to reach them",
        ),
        (
            "allow: [{ip_range: 10.8.0.0/24}, {ip_range: 0.0.0.0/0}]",
            "platform.network_policy.allow[1].ip_range is 0.0.0.0/0, which lets in everybody who reaches the pods, to"
            " run code there; going on. Write the range of those who need it",
        ),
    ],
)
def test_a_policy_that_keeps_nobody_out_is_noted(policy: str, line: str) -> None:
    assert found(site(f"platform: {{operator: chart, network_policy: {{{policy}}}}}\n"), doubts=True) == [line]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("platform: {network_policy: {allow: [{namespace: ci}]}}\n", "platform.network_policy.allow"),
        ("tokens: {secret: mine, revision: 2}\n", "tokens.revision"),
        (
            "monitoring: {alerts: {channels: [projects/p/notificationChannels/1]}}\n",
            "monitoring.alerts.channels",
        ),
    ],
)
def test_a_setting_without_effect_is_noted(text: str, path: str) -> None:
    (line,) = found(site(text), doubts=True)
    assert line.startswith(f"{path} has no effect, because ")


def _unchecked(text: str) -> Environment:
    """An environment that its rules have not seen yet."""

    with tempfile.TemporaryDirectory() as root:
        path = Path(root) / "prod.yaml"
        path.write_text(f"name: prod\n{MINIMAL}{text}", encoding="utf-8")
        file = read_yaml(path, "environments/prod.yaml")
    assert isinstance(file, SettingsFile)
    env = parse(Environment, file)
    assert isinstance(env, Environment)
    return env
