"""Writes import blocks, so that Terraform takes over what exists instead of making it anew.

    python -m tools.import_plan SITE               a site that was built by hand, by the tutorial's commands
    python -m tools.import_plan SITE --everything  a site of this project whose state was lost

Takes addresses and names from the synthesized JSON (run `make synth` first) and writes `imports.tf` beside the
`cdk.tf.json` of network, storage and cluster: the first form for what the tutorial makes, the second for every resource
of these layers. Terraform reads both files; the next plan shows what is imported, and what would change. Remove the
files after the apply. docs/migration.md tells the rest.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from tools.command import ROOT, run
from tools.synthesized import NotSynthesizedError, stacks_of

Json = Mapping[str, Any]

LAYERS = ("network", "storage", "cluster")

#: Resource type -> the form of its import id, as on its page under website/docs/r/ of the provider's release 6.50.0.
_FORMS = {
    "google_project_service": "{project}/{service}",
    "google_compute_network": "projects/{project}/global/networks/{name}",
    "google_compute_subnetwork": "projects/{project}/regions/{region}/subnetworks/{name}",
    "google_compute_firewall": "projects/{project}/global/firewalls/{name}",
    "google_compute_global_address": "projects/{project}/global/addresses/{name}",
    "google_service_networking_connection": "{network}:{service}",
    "google_compute_router": "projects/{project}/regions/{region}/routers/{name}",
    "google_compute_router_nat": "projects/{project}/regions/{region}/routers/{router}/{name}",
    "google_lustre_instance": "projects/{project}/locations/{location}/instances/{instance_id}",
    "google_service_account": "projects/{project}/serviceAccounts/{account_id}@{project}.iam.gserviceaccount.com",
    "google_project_iam_member": "{project} {role} {member}",
    "google_container_cluster": "projects/{project}/locations/{location}/clusters/{name}",
    "google_container_node_pool": "{project}/{location}/{cluster}/{name}",
}

#: What references of a resource ask for beside its own arguments: the attribute -> its form.
_COMPUTED = {
    ("google_compute_network", "id"): _FORMS["google_compute_network"],
    ("google_service_account", "email"): "{account_id}@{project}.iam.gserviceaccount.com",
}

#: The addresses of what the tutorial's commands make.
_TUTORIAL = re.compile(
    r"google_project_service\.api-(compute|container|storage)"
    r"|google_compute_network\.(main|gvnic|rdma)"
    r"|google_compute_subnetwork\.(gvnic-subnet|rdma-subnet-[0-7])"
    r"|google_compute_firewall\.gvnic-internal"
    r"|google_compute_global_address\.private-services-range"
    r"|google_service_networking_connection\.private-services"
    r"|google_lustre_instance\.lustre"
    r"|google_container_cluster\.cluster"
)

_REFERENCE = re.compile(r"\$\{(data\.)?(\w+)\.([\w-]+)\.(\w+)\}")


def from_tutorial(stack: Json) -> Callable[[str], bool]:
    """Whether an address is of something that the tutorial makes: what it names, and the pool of GPU nodes."""
    pools: Json = stack.get("resource", {}).get("google_container_node_pool", {})
    gpu = {
        f"google_container_node_pool.{name}"
        for name, pool in pools.items()
        if "guest_accelerator" in pool["node_config"]
    }
    return lambda address: address in gpu or bool(_TUTORIAL.fullmatch(address))


def everything(address: str) -> bool:
    """Any address."""
    return bool(address)


def imports(stack: Json, wanted: Callable[[str], bool]) -> dict[str, str]:
    """Address -> import id of each wanted resource in a stack. Raises `KeyError` for a type whose form is not known."""
    return {
        f"{kind}.{name}": _filled(stack, _FORMS[kind], block)
        for kind, blocks in stack.get("resource", {}).items()
        for name, block in blocks.items()
        if wanted(f"{kind}.{name}")
    }


def _filled(stack: Json, form: str, block: Json) -> str:
    """A form with a resource's arguments, and what these refer to, put in."""
    arguments = {key: value for key, value in block.items() if isinstance(value, str)}
    return _REFERENCE.sub(lambda found: _referred(stack, found), form.format_map(arguments))


def _referred(stack: Json, found: re.Match[str]) -> str:
    data, kind, name, attribute = found.groups()
    block: Json = stack["data" if data else "resource"][kind][name]
    return _filled(stack, _COMPUTED.get((kind, attribute), f"{{{attribute}}}"), block)


def as_hcl(found: Mapping[str, str]) -> str:
    """The import blocks."""
    return "\n".join(f"import {{\n  to = {address}\n  id = {json.dumps(id_)}\n}}\n" for address, id_ in found.items())


def main(arguments: list[str]) -> int:
    """Exit status: 0, or 2 with a reason on standard error."""
    match arguments:
        case [site] if not site.startswith("-"):
            every = False
        case [site, "--everything"]:
            every = True
        case _:
            print("write: python -m tools.import_plan SITE [--everything]", file=sys.stderr)
            return 2
    layers = {f"{site}_{layer}" for layer in LAYERS}
    try:
        stacks = [stack for stack in stacks_of(site) if stack.name in layers]
    except NotSynthesizedError as error:
        print(error, file=sys.stderr)
        return 2
    for stack in stacks:
        found = imports(stack.content, everything if every else from_tutorial(stack.content))
        path = ROOT / stack.folder / "imports.tf"
        try:
            path.write_text(as_hcl(found), encoding="utf-8")
        except OSError as error:
            print(f"{stack.folder}/{path.name} cannot be written: {error.strerror}", file=sys.stderr)
            return 2
        print(f"{stack.folder}/{path.name}: {len(found)} resources")
    return 0


if __name__ == "__main__":
    run(main)
