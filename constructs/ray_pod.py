"""One kind of Ray pod, in the words of Kubernetes.

Nothing here writes a zero value (false, 0, "", an empty list): the operator drops those, and Terraform would see a
difference for ever.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from constructs.ray_start import SHELL

#: A part of a Kubernetes manifest.
Manifest = dict[str, object]


@dataclass(frozen=True, kw_only=True)
class Volume:
    """A volume and the one place where the Ray container mounts it."""

    name: str
    source: Manifest
    path: str
    read_only: bool = False

    @property
    def volume(self) -> Manifest:
        return {"name": self.name, **self.source}

    @property
    def mount(self) -> Manifest:
        mount: Manifest = {"name": self.name, "mountPath": self.path}
        return {**mount, "readOnly": True} if self.read_only else mount


@dataclass(frozen=True, kw_only=True)
class Pod:
    """One kind of Ray pod. `resources` are requested and limited alike; `tolerations` are keys of taints."""

    container: str
    script: str
    ray_start: Mapping[str, str]
    environment: Mapping[str, str]
    resources: Mapping[str, str]
    volumes: tuple[Volume, ...]
    annotations: Mapping[str, str]
    node_selector: Mapping[str, str]
    ports: Mapping[str, int] = field(default_factory=dict[str, int])
    tolerations: tuple[str, ...] = ()
    privileged: bool = False

    def parts(self) -> Manifest:
        """The fields of the Ray container, under Kubernetes' names."""
        return _given(
            {
                "command": list(SHELL),
                "args": [self.script],
                # By name, so that the order in a settings file makes no other pod.
                "env": [
                    {"name": name, "value": unexpanded(self.environment[name])} for name in sorted(self.environment)
                ],
                "ports": [{"name": name, "containerPort": port} for name, port in self.ports.items()],
                "resources": {"limits": dict(self.resources), "requests": dict(self.resources)},
                "securityContext": {"privileged": True} if self.privileged else None,
                "volumeMounts": [volume.mount for volume in self.volumes],
            }
        )

    def surroundings(self, service_account: str) -> Manifest:
        """The fields of the pod beside its containers, under Kubernetes' names."""
        return _given(
            {
                "serviceAccountName": service_account,
                "nodeSelector": dict(self.node_selector),
                "tolerations": [{"key": key, "operator": "Exists"} for key in self.tolerations],
                "volumes": [volume.volume for volume in self.volumes],
            }
        )


def gibibytes(amount: int) -> str:
    """A Kubernetes quantity in its canonical form: 2400 is 2400Gi, 2048 is 2Ti.

    The operator writes quantities back in that form, so any other would be a difference at the next plan.
    """
    return f"{amount // 1024}Ti" if amount % 1024 == 0 else f"{amount}Gi"


def unexpanded(text: str) -> str:
    """The text, so written that Kubernetes hands it to the process unchanged: it replaces `$(NAME)` and `$$`."""
    return re.sub(r"\$(?=[$(])", "$$", text)


def _given(fields: Mapping[str, object]) -> Manifest:
    return {name: value for name, value in fields.items() if value}
