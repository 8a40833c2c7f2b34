"""What the tests of the stacks share."""

from __future__ import annotations

import pytest

from tests.stacks.alternatives import synthesized
from tests.support import Stacks


@pytest.fixture(scope="session")
def alternatives(tmp_path_factory: pytest.TempPathFactory) -> Stacks:
    """The stacks of a site for each choice of an environment file: stack id -> Terraform JSON."""
    return synthesized(tmp_path_factory.mktemp("alternatives"))
