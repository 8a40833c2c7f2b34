"""The RayCluster of a site: how many workers, of which image, how large."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, Field

from catalog.kuberay import ADDON_KUBERAY, CHART_KUBERAY, KUBERAY, KubeRay
from catalog.nemo_rl import NEMO_RL, NemoRl
from settings.images import PinnedImage
from settings.yaml_file import Section

if TYPE_CHECKING:
    from settings.environment import Environment


def _nemo_rl(version: str) -> str:
    if version not in NEMO_RL:
        raise ValueError(f", not a release of NeMo RL that the catalog knows; write {' or '.join(NEMO_RL)}")
    return version


def _kuberay(minor: str) -> str:
    if minor not in KUBERAY:
        raise ValueError(f", not a KubeRay minor that the catalog knows; write {' or '.join(KUBERAY)}")
    return minor


class Head(Section):
    """What the Ray head asks of its CPU node. It runs the drivers of the jobs, and no GPU work."""

    cpus: Annotated[int, Field(ge=1)] = 64
    """CPUs, requested and limited alike. The default is the tutorial's."""

    memory_gib: Annotated[int, Field(ge=8)] = 465
    """Memory in GiB, requested and limited alike. The default is the tutorial's 500 GB."""


class Worker(Section):
    """What one Ray worker asks of its GPU node, beside all eight GPUs. A node holds one worker.

    The defaults are the tutorial's; they fit both machines and leave the rest to GKE's own pods.
    """

    cpus: Annotated[int, Field(ge=8)] = 206
    """CPUs, requested and limited alike."""

    memory_gib: Annotated[int, Field(ge=64)] = 2400
    """Memory in GiB, requested and limited alike. Shared memory counts against it."""

    shared_memory_gib: Annotated[int, Field(ge=16)] = 240
    """Size of /dev/shm in GiB: Ray's object store and NCCL's buffers within the node."""


class Ray(Section):
    """The RayCluster.

    A change of anything but `workers` gives the cluster a new name and so replaces it, because KubeRay never restarts
    a running pod for a new image, environment or size.
    """

    workers: Annotated[int, Field(ge=0)] = 2
    """Ray workers, one a GPU node. They hold their nodes whether a job runs or not; 0 hands the nodes back and keeps
    the head. Changes in place."""

    nemo_rl: Annotated[str, AfterValidator(_nemo_rl)] = "v0.5.0"
    """Release of NeMo RL. The image, its Ray version, its scripts and the layout of its data section follow from it."""

    image: PinnedImage | None = None
    """An image of your own, built from that release of NeMo RL (same Ray version, /opt/nemo-rl in place, runs as
    root), with its tag or digest. Left out, NVIDIA's public one. The nodes' service account must be able to pull it."""

    kuberay: Annotated[str, AfterValidator(_kuberay)] | None = None
    """Minor version of the KubeRay operator, in quotes, like "1.6". Left out: with the add-on, the one that Google's
    documentation names for `cluster.version`; with the operator chart, 1.6. Write it for a GKE minor that the catalog
    does not know yet, or to choose the chart's version."""

    head: Head = Head()
    worker: Worker = Worker()

    env: dict[str, str] = Field(default_factory=dict)
    """Further environment variables of all Ray containers, head and workers alike: NeMo RL hands the head's whole
    environment to the workers' processes, so a variable cannot differ between them. Never a token: they stand in the
    plan, the state and Ray's dashboard."""

    @property
    def release(self) -> NemoRl:
        """The catalog's row of the NeMo RL release."""
        return NEMO_RL[self.nemo_rl]

    @property
    def pod_image(self) -> str:
        """The image that all Ray containers run."""
        return self.image or self.release.image


def kuberay(env: Environment) -> KubeRay:
    """The catalog's row of the operator that will reconcile this site; only for an environment that passed its rules.

    Raises `KeyError` where neither the file nor the catalog says which minor that is.
    """
    if env.ray.kuberay is not None:
        return KUBERAY[env.ray.kuberay]
    return KUBERAY[CHART_KUBERAY if env.platform.operator == "chart" else ADDON_KUBERAY[env.cluster.version]]
