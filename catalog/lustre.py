"""Managed Lustre: what capacity each performance tier can have, and where the service has been seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Throughput = Literal[125, 250, 500, 1000]


#: The ports of Lustre's network: its own, and the one beside which GKE's metadata server has room.
Port = Literal[988, 6988]
PORT: Port = 988
LEGACY_PORT: Port = 6988

#: The minor from whose first patch on nodes do without the legacy port. In 1.33 only patches from
#: `PORT_988_PATCH` on do, by the more careful of two published figures (xpk and the GKE Terraform module; the API's own
#: text says 1.33.2-gke.4655000).
PORT_988_MINOR = 33
PORT_988_PATCH = "1.33.2-gke.4780000"

#: Addresses that the documentation asks for in the private services range: a /23 an instance.
SERVICES_PREFIX = 23


@dataclass(frozen=True, kw_only=True)
class LustreTier:
    """One tier: MB/s for each TiB, and the capacities in GiB that it comes in.

    Capacities are multiples of `step` from `minimum` to `threshold`, and above it multiples of `large_step` up to
    `maximum`. The documentation does not say whether the large steps count from zero or from the threshold; each
    documented maximum is a multiple of its large step and none is a whole number of them above the threshold, so
    they are counted from zero here.
    """

    throughput: Throughput
    minimum: int
    step: int
    threshold: int
    large_step: int
    maximum: int

    def nearest(self, capacity: int) -> tuple[int, int]:
        """The largest good capacity that is not above, and the smallest that is not below; equal if it is good."""
        bounded = min(max(capacity, self.minimum), self.maximum)
        if bounded != capacity:
            return (bounded, bounded)
        step = self.step if capacity <= self.threshold else self.large_step
        below = max(capacity // step * step, self.threshold if capacity > self.threshold else self.minimum)
        above = -(-capacity // step) * step
        return (below, above)


def total_throughput(throughput: int, capacity_gib: int) -> int:
    """MB/s of a whole instance, from the MB/s for each TiB."""
    return throughput * capacity_gib // 1024


# Google's pages "Performance tiers" and "Increase capacity" of Managed Lustre, their newest copies. The provider's own
# text (18,000 to 954,000) is older.
LUSTRE_TIERS: dict[Throughput, LustreTier] = {
    tier.throughput: tier
    for tier in (
        LustreTier(
            throughput=1000, minimum=9_000, step=9_000, threshold=1_530_000, large_step=72_000, maximum=10_008_000
        ),
        LustreTier(
            throughput=500, minimum=18_000, step=18_000, threshold=3_060_000, large_step=144_000, maximum=20_016_000
        ),
        LustreTier(
            throughput=250, minimum=36_000, step=36_000, threshold=6_120_000, large_step=288_000, maximum=40_032_000
        ),
        LustreTier(
            throughput=125, minimum=72_000, step=72_000, threshold=12_240_000, large_step=72_000, maximum=12_240_000
        ),
    )
}

# Regions of the zones that copies of Google's locations page list. The list of zones was cut short in every copy, the
# United States above all, so a region that is not here is worth a warning and no more.
LUSTRE_REGIONS = frozenset(
    {
        "africa-south1",
        "asia-east1",
        "asia-east2",
        "asia-northeast1",
        "asia-northeast2",
        "asia-northeast3",
        "asia-south1",
        "asia-south2",
        "asia-southeast1",
        "asia-southeast2",
        "australia-southeast1",
        "europe-west1",
        "europe-west2",
        "europe-west3",
        "europe-west4",
        "europe-west9",
        "me-central2",
        "me-west1",
        "northamerica-northeast1",
        "southamerica-east1",
        "us-central1",
        "us-west1",
        "us-west2",
    }
)
