"""Addresses of our stacks."""

from __future__ import annotations

import pytest
from cdktf_cdktf_provider_google.compute_network import ComputeNetwork

from constructs import Construct
from settings.state import State
from stacks.site_stack import SiteStack
from tests.constructs.one_stack import app


def test_an_address_is_the_path_joined_without_default() -> None:
    stack = SiteStack(app(), "site", state=State())
    rdma = Construct(stack, "rdma")
    main = ComputeNetwork(rdma, "Default", name="a")
    subnet = ComputeNetwork(rdma, "subnet-0", name="b")
    assert (main.friendly_unique_id, subnet.friendly_unique_id) == ("rdma", "rdma-subnet-0")


def test_two_paths_that_give_one_address_are_refused() -> None:
    stack = SiteStack(app(), "site", state=State())
    inner = ComputeNetwork(Construct(stack, "q"), "r", name="a")
    outer = ComputeNetwork(stack, "q-r", name="b")
    assert inner.friendly_unique_id == "q-r"
    with pytest.raises(Exception, match="site/q/r and site/q-r give one address, q-r"):
        _ = outer.friendly_unique_id
