"""Where the state lies, and which keys belong to which backend."""

from pathlib import Path

import pytest

from settings.state import State
from tests.support import MINIMAL, faults

PLACES = {
    "local": (State(), "state/prod_cluster.tfstate"),
    "gcs": (State(backend="gcs", bucket="my-state"), "gs://my-state/nemo-rl/prod_cluster"),
    "gcs in a folder": (State(backend="gcs", bucket="my-state", prefix="a/b"), "gs://my-state/a/b/prod_cluster"),
    "cloud": (State(backend="cloud", organization="my-org"), "app.terraform.io/my-org/prod_cluster"),
    "enterprise": (
        State(backend="cloud", organization="o", hostname="tfe.example.com"),
        "tfe.example.com/o/prod_cluster",
    ),
}


@pytest.mark.parametrize(("state", "place"), PLACES.values(), ids=PLACES)
def test_a_state_is_where_a_person_looks_for_it(state: State, place: str) -> None:
    assert state.place("prod_cluster") == place


REFUSED: dict[str, list[str]] = {
    "{backend: gcs}": ["state.bucket is missing, but state.backend is gcs; write it"],
    "{backend: gcs, bucket: }": ["state.bucket is missing, but state.backend is gcs; write it"],
    "{backend: cloud}": ["state.organization is missing, but state.backend is cloud; write it"],
    "{bucket: my-state}": ["state.bucket is given, but state.backend is local; remove it, or write backend: gcs"],
    "{prefix: a}": ["state.prefix is given, but state.backend is local; remove it, or write backend: gcs"],
    "{backend: gcs, bucket: my-state, hostname: tfe.example.com, organization: o}": [
        "state.organization is given, but state.backend is gcs; remove it, or write backend: cloud",
        "state.hostname is given, but state.backend is gcs; remove it, or write backend: cloud",
    ],
    "{backend: s3}": ["state.backend is \"s3\"; write one of 'local', 'gcs' or 'cloud'"],
    "{backend: gcs, bucket: gs://my-state}": [
        'state.bucket is "gs://my-state", not a bucket name; write its name without gs://, 3 or more of a-z, 0-9, -, _'
        " and ."
    ],
    "{backend: gcs, bucket: my-state, prefix: /a/}": [
        'state.prefix is "/a/", not a folder; write one like nemo-rl or a/b'
    ],
    f"{{backend: gcs, bucket: my-state, prefix: {'x' * 801}}}": [
        f'state.prefix is "{"x" * 55}...", 801 characters; write at most 800'
    ],
    "{backend: cloud, organization: my org}": [
        'state.organization is "my org", not an organization\'s name; write letters, digits, - and _'
    ],
    "{backend: cloud, organization: o, hostname: 'https://tfe'}": [
        'state.hostname is "https://tfe", not a host name; write one like app.terraform.io'
    ],
}


@pytest.mark.parametrize(("state", "lines"), REFUSED.items(), ids=[text[:50] for text in REFUSED])
def test_what_a_backend_does_not_take_is_refused(state: str, lines: list[str], tmp_path: Path) -> None:
    assert faults(tmp_path, prod=f"{MINIMAL}state: {state}\n") == [f"environments/prod.yaml: {line}" for line in lines]
