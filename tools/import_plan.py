"""Writes import blocks for a site that was built by hand from the tutorial.

    python -m tools.import_plan SITE

For each resource of the tutorial it takes the address and the names from the synthesized JSON (run `make synth` first)
and the id in the form that the provider documents, and writes `imports.tf` beside each stack's `cdk.tf.json`. Terraform
reads both; the next plan shows what is imported and what would change. Remove the files after the apply.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

Json = Mapping[str, Any]

#: Layers that hold what the tutorial's gcloud commands make.
LAYERS = ("network", "storage", "cluster")

#: Resource type -> its import id, from its attributes and those of the resources that it names. The forms are those of
#: the pages docs/r/*.html.markdown of the provider's release 6.50.0.
_IDS: dict[str, Callable[[Json], str]] = {
    "google_project_service": lambda it: f"{it['project']}/{it['service']}",
    "google_compute_network": lambda it: f"projects/{it['project']}/global/networks/{it['name']}",
    "google_compute_subnetwork": lambda it: f"projects/{it['project']}/regions/{it['region']}/subnetworks/{it['name']}",
    "google_compute_firewall": lambda it: f"projects/{it['project']}/global/firewalls/{it['name']}",
    "google_compute_global_address": lambda it: f"projects/{it['project']}/global/addresses/{it['name']}",
    "google_service_networking_connection": lambda it: f"/{it['network']}:{it['service']}",
    "google_lustre_instance": lambda it: (
        f"projects/{it['project']}/locations/{it['location']}/instances/{it['instance_id']}"
    ),
    "google_container_cluster": lambda it: f"projects/{it['project']}/locations/{it['location']}/clusters/{it['name']}",
    "google_container_node_pool": lambda it: f"{it['project']}/{it['location']}/{it['cluster']}/{it['name']}",
}

#: Resources of those types that the tutorial does not make.
_OURS = frozenset({"main-nodes", "lustre-ingress", "cpu-pool"})

#: APIs that the tutorial switches on.
_APIS = frozenset({"api-container", "api-storage", "api-compute"})


def imports(stack: Json) -> dict[str, str]:
    """Address -> import id for each resource of the tutorial in a stack."""
    return {
        f"{kind}.{name}": form(_resolved(stack, block))
        for kind, form in _IDS.items()
        for name, block in stack.get("resource", {}).get(kind, {}).items()
        if name not in _OURS and (kind != "google_project_service" or name in _APIS)
    }


def as_hcl(found: Mapping[str, str]) -> str:
    """The import blocks."""
    return "\n".join(f'import {{\n  to = {address}\n  id = "{id_}"\n}}\n' for address, id_ in found.items())


def _resolved(stack: Json, block: Json) -> dict[str, Any]:
    """The block with references to the network's and cluster's name or id of the same stack put in."""
    return {key: _text(stack, value) if isinstance(value, str) else value for key, value in block.items()}


def _text(stack: Json, value: str) -> str:
    if not value.startswith("${"):
        return value
    *owner, attribute = value[2:-1].split(".")
    section = stack["data"] if owner[0] == "data" else stack["resource"]
    block = section[owner[-2]][owner[-1]]
    if attribute == "id":
        return f"projects/{block['project']}/global/networks/{block['name']}"
    return str(block[attribute]) if attribute in block else value


def _files(site: str) -> Iterator[tuple[Path, dict[str, str]]]:
    for layer in LAYERS:
        folder = ROOT / "cdktf.out" / "stacks" / f"{site}_{layer}"
        stack = json.loads((folder / "cdk.tf.json").read_text(encoding="utf-8"))
        yield folder / "imports.tf", imports(stack)


def main(arguments: list[str]) -> int:
    """See above."""
    if len(arguments) != 1:
        print("write: python -m tools.import_plan SITE, after `make synth`", file=sys.stderr)
        return 2
    try:
        files = list(_files(arguments[0]))
    except FileNotFoundError as error:
        print(f"{error.filename} does not exist; is the site's name right, and was it synthesized?", file=sys.stderr)
        return 2
    for path, found in files:
        path.write_text(as_hcl(found), encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {len(found)} resources")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
