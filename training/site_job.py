"""A job of whatever kind on the site that lists it."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.nemo_rl import NEMO_RL, NemoRl
from settings.environment import Environment
from settings.job import Dataset, EvaluateJob, GrpoJob, Job


@dataclass(frozen=True)
class SiteJob:
    """The job file called `name`, as the site `env` will run it."""

    name: str
    job: Job
    env: Environment

    @property
    def stack(self) -> str:
        """Id of its stack."""
        return f"job_{self.env.name}_{self.name}"

    @property
    def release(self) -> NemoRl:
        """The release that it runs on: its own, which only a cluster of its own may change, or the site's."""
        return NEMO_RL[self.job.nemo_rl or self.env.ray.nemo_rl]

    @property
    def dataset(self) -> Dataset | None:
        """The dataset that it prepares, if any."""
        return self.job.dataset if isinstance(self.job, GrpoJob | EvaluateJob) else None

    @property
    def nodes(self) -> int:
        """Ray workers that it takes."""
        match self.job:
            case GrpoJob():
                return self.job.nodes.total
            case EvaluateJob():
                return 1
            case _:
                return 0

    @property
    def gpus(self) -> int:
        """GPUs that it takes, on all its nodes."""
        match self.job:
            case GrpoJob():
                return self.job.nodes.total * self.job.nodes.gpus
            case EvaluateJob():
                return self.job.gpus
            case _:
                return 0
