"""A reservation in each of its forms, and what the pool and the plan make of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from settings.gpu_pool import Reservation

# form, affinity, owner, short name, whether the plan reads it: for a site in my-project.
FORMS = [
    ("res", "res", "my-project", "res", True),
    ("projects/my-project/reservations/res", "res", "my-project", "res", True),
    (
        "projects/other-project/reservations/res",
        "projects/other-project/reservations/res",
        "other-project",
        "res",
        False,
    ),
    (
        "projects/example.com:other-project/reservations/res",
        "projects/example.com:other-project/reservations/res",
        "example.com:other-project",
        "res",
        False,
    ),
    (
        "res/reservationBlocks/res-block-1",
        "projects/my-project/reservations/res/reservationBlocks/res-block-1",
        "my-project",
        "res",
        True,
    ),
    (
        "res/reservationBlocks/b/reservationSubBlocks/s",
        "projects/my-project/reservations/res/reservationBlocks/b/reservationSubBlocks/s",
        "my-project",
        "res",
        True,
    ),
    (
        "projects/my-project/reservations/res/reservationBlocks/b",
        "projects/my-project/reservations/res/reservationBlocks/b",
        "my-project",
        "res",
        True,
    ),
    (
        "projects/other-project/reservations/res/reservationBlocks/b/reservationSubBlocks/s",
        "projects/other-project/reservations/res/reservationBlocks/b/reservationSubBlocks/s",
        "other-project",
        "res",
        False,
    ),
]


@pytest.mark.parametrize(("form", "affinity", "owner", "name", "read"), FORMS)
def test_a_form_is_named_to_the_pool_as_the_api_takes_it(
    form: str, affinity: str, owner: str, name: str, read: bool
) -> None:
    it = Reservation(name=form)
    assert (it.affinity("my-project"), it.project("my-project"), it.short_name()) == (affinity, owner, name)
    assert it.verified("my-project") is read
    assert Reservation(name=form, verify=not read).verified("my-project") is not read


NO_FORMS = [
    "",
    "Res",
    "res/",
    "res-",
    "my-project/res",
    "res/block-1",
    "res/reservationBlocks/",
    "res/reservationBlocks/größe",
    "res/reservationSubBlocks/s",
    "res/reservationBlocks/b/reservationSubBlocks/",
    "projects/my-project/reservations/",
    "projects/my-project/zones/us-central1-b/reservations/res",
    "projects/123456789012/reservations/res",
    "https://www.googleapis.com/compute/v1/projects/my-project/zones/us-central1-b/reservations/res",
    "r" * 64,
    "res\n",
    "${var.res}",
]


@pytest.mark.parametrize("text", NO_FORMS)
def test_another_form_is_refused(text: str) -> None:
    with pytest.raises(
        ValidationError, match="not a reservation; write NAME or projects/PROJECT/reservations/NAME, and"
    ):
        Reservation(name=text)


FORM = r"(projects/(myproj|[a-z]{6})/reservations/)?[a-z]{1,3}(/reservationBlocks/[-a-zA-Z0-9_]{1,3})?"


@given(st.from_regex(FORM, fullmatch=True))
def test_the_pool_gets_the_same_value_however_the_own_reservation_is_written(text: str) -> None:
    it = Reservation(name=text)
    affinity = it.affinity("myproj")
    again = Reservation(name=affinity)
    assert again.affinity("myproj") == affinity
    assert (again.short_name(), again.project("myproj")) == (it.short_name(), it.project("myproj"))
