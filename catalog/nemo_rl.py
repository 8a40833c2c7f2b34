"""NVIDIA NeMo RL by release: what its image holds and how its command line is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: Where every image of NeMo RL has its tree. The scripts and prompt files are named relative to it.
HOME = "/opt/nemo-rl"


@dataclass(frozen=True, kw_only=True)
class NemoRl:
    """One release of NeMo RL, which is one container image.

    `ray` is what `rayVersion` must say of a cluster that runs the image. `data_layout` is the shape of the `data`
    section: `flat` keys beside each other, or `nested` ones under train, validation and default. `resumes_wandb` is
    whether a later start may go on in the same run of Weights & Biases. `traps` are what a user of this release must
    know, each one sentence.
    """

    version: str
    image: str
    ray: str
    python: str
    cuda: str
    math_verify: str
    data_layout: Literal["flat", "nested"]
    resumes_wandb: bool
    traps: tuple[str, ...]

    script: str = "examples/run_grpo.py"

    @property
    def order(self) -> tuple[int, ...]:
        """The release as numbers, for rules that begin or end with one."""
        return tuple(int(part) for part in self.version.removeprefix("v").split("."))


# Image: NGC, public since v0.4.0 (README, News). Ray and math-verify: each tag's uv.lock. Python and CUDA: each tag's
# docker/Dockerfile. Layout: nemo_rl/data of each tag; at v0.6.0 the old keys fail in Hydra's struct mode, and with a
# leading + they are accepted and ignored. Scripts: run_grpo_math.py is gone since v0.6.0; run_grpo.py is in all three.
# W&B: nemo_rl/utils/logger.py writes the configuration of each start, with its own exp_NNN, into the run's; only since
# v0.6.0 with allow_val_change (its pull request 2137).
NEMO_RL: dict[str, NemoRl] = {
    release.version: release
    for release in (
        NemoRl(
            version="v0.5.0",
            image="nvcr.io/nvidia/nemo-rl:v0.5.0",
            ray="2.49.2",
            python="3.12",
            cuda="12.9",
            math_verify="0.8.0",
            data_layout="flat",
            resumes_wandb=False,
            traps=(
                "a head that offers Ray no CPU (num-cpus 0) hangs the run for ever",
                "a second start with the same logger.wandb.id ends before it trains, because W&B refuses the changed "
                "logger.log_dir",
                "vLLM sampling takes only top_k null, -1 or at least 8000, and top_p of at least 0.99",
            ),
        ),
        NemoRl(
            version="v0.6.0",
            image="nvcr.io/nvidia/nemo-rl:v0.6.0",
            ray="2.54.0",
            python="3.13",
            cuda="12.9",
            math_verify="0.8.0",
            data_layout="nested",
            resumes_wandb=True,
            traps=(
                "a head that offers Ray no CPU (num-cpus 0) hangs the run for ever",
                "with tensor parallelism of 4 or more, logprob_batch_size must equal train_micro_batch_size, which the "
                "shipped gemma-3-27b recipes break",
                "the image sets LD_LIBRARY_PATH, so a pod must extend it and not replace it",
            ),
        ),
        NemoRl(
            version="v0.7.0",
            image="nvcr.io/nvidia/nemo-rl:v0.7.0",
            ray="2.55.1",
            python="3.13",
            cuda="13.2",
            math_verify="0.9.0",
            data_layout="nested",
            resumes_wandb=True,
            traps=(
                "CUDA 13: the driver of the GKE node image must be new enough for it",
                "with tensor parallelism of 4 or more, logprob_batch_size must equal train_micro_batch_size, which the "
                "shipped gemma-3-27b recipes break",
                "the image sets LD_LIBRARY_PATH, so a pod must extend it and not replace it",
            ),
        ),
    )
}

#: The release of the tutorial, whose image a site gets unless it names another.
DEFAULT_NEMO_RL = "v0.5.0"
