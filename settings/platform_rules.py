"""Rules of the platform layer, one function a rule; see settings/site_rules.py for what a rule is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import cast

from catalog.interfaces import Interface
from settings.environment import Environment
from settings.faults import TOKEN
from settings.findings import Finding

Rule = Callable[[Environment], Iterator[Finding]]


def no_setting_is_a_token(env: Environment) -> Iterator[Finding]:
    # Images are pinned by digests, which look like keys, and ray.env has a rule of its own.
    settings = env.model_dump(exclude={"ray": {"image", "env"}, "platform": {"gib_image"}})
    for path, text in _texts(settings, ""):
        if TOKEN.search(text):
            yield Finding(
                path,
                "looks like an access token, and settings end up in the output, the plan and the state; remove it, have"
                " it revoked, and see `tokens` for how tokens reach the pods",
            )


def pod_networks_are_apart(env: Environment) -> Iterator[Finding]:
    for clash in network_clashes(env.interfaces, own_vpc=env.cloud_names.network):
        yield Finding("names", f"{clash}, which GKE refuses; write other names")


def network_clashes(interfaces: Sequence[Interface], *, own_vpc: str) -> Iterator[str]:
    """What GKE refuses about the pods' networks: two on one subnet, or one on the cluster's own VPC."""
    inside = [one.network for one in interfaces if one.vpc == own_vpc]
    if inside:
        yield f"puts {', '.join(inside)} of the pods' networks on {own_vpc}, the cluster's own VPC"
    for (vpc, subnet), uses in Counter((one.vpc, one.subnet) for one in interfaces).items():
        if uses > 1:
            yield f"puts {uses} of the pods' networks on subnet {subnet} of {vpc}"


def clients_are_pods_or_a_range(env: Environment) -> Iterator[Finding]:
    for index, client in enumerate(env.platform.network_policy.allow):
        path = f"platform.network_policy.allow[{index}]"
        if client.namespace is None and client.ip_range is None:
            yield Finding(path, "says neither where pods are nor an IP range; write namespace or ip_range")
        elif client.namespace is not None and client.ip_range is not None:
            yield Finding(path, "has both namespace and ip_range; make two entries of it")
        if client.pods and client.namespace is None:
            yield Finding(f"{path}.pods", "is given without namespace; write the namespace of these pods")


def policy_with_the_addon_is_tried_first(env: Environment) -> Iterator[Finding]:
    platform = env.platform
    if platform.enforces_network_policy and platform.operator == "addon":
        yield Finding(
            "platform.network_policy.enforce",
            "is true with the add-on, and where its operator calls from is not documented; going on. Make the canary"
            " check of the README, or jobs may never start",
        )


def policy_is_not_switched_off(env: Environment) -> Iterator[Finding]:
    platform = env.platform
    if platform.operator == "chart" and not platform.enforces_network_policy:
        yield Finding(
            "platform.network_policy.enforce",
            "is false, so everybody in the cluster reaches the Ray head's ports and runs code there; going on. Remove"
            " it, and write under allow who is to reach them",
        )


def allowed_ranges_keep_somebody_out(env: Environment) -> Iterator[Finding]:
    for index, client in enumerate(env.platform.network_policy.allow):
        if client.ip_range == "0.0.0.0/0":
            yield Finding(
                f"platform.network_policy.allow[{index}].ip_range",
                "is 0.0.0.0/0, which lets in everybody who reaches the pods, to run code there; going on. Write the"
                " range of those who need it",
            )


def allowed_clients_have_a_policy(env: Environment) -> Iterator[Finding]:
    if env.platform.network_policy.allow and not env.platform.enforces_network_policy:
        yield Finding(
            "platform.network_policy.allow",
            "has no effect, because the policy is not enforced; going on. Everybody reaches the Ray head",
        )


def token_settings_have_an_effect(env: Environment) -> Iterator[Finding]:
    if env.tokens.secret is not None and env.tokens.revision != 1:
        yield Finding(
            "tokens.revision",
            "has no effect, because tokens.secret names a Secret that others make; going on. Renew the tokens there",
        )


def alert_settings_have_alerts(env: Environment) -> Iterator[Finding]:
    alerts = env.monitoring.alerts
    for key in sorted(alerts.model_fields_set - {"enabled"}):
        if not alerts.enabled:
            yield Finding(
                f"monitoring.alerts.{key}", "has no effect, because monitoring.alerts.enabled is false; going on"
            )


FAULTS: tuple[Rule, ...] = (no_setting_is_a_token, pod_networks_are_apart, clients_are_pods_or_a_range)
DOUBTS: tuple[Rule, ...] = (
    policy_with_the_addon_is_tried_first,
    policy_is_not_switched_off,
    allowed_ranges_keep_somebody_out,
    allowed_clients_have_a_policy,
    token_settings_have_an_effect,
    alert_settings_have_alerts,
)


def _texts(value: object, path: str) -> Iterator[tuple[str, str]]:
    """Every text in a dump of the settings, with its key path."""
    match value:
        case str():
            yield path, value
        case dict():
            for key, inner in cast("dict[object, object]", value).items():
                yield from _texts(inner, f"{path}.{key}" if path else str(key))
        case list() | tuple():
            for index, inner in enumerate(cast("Sequence[object]", value)):
                yield from _texts(inner, f"{path}[{index}]")
        case _:
            pass
