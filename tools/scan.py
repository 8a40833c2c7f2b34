"""Scans the synthesized JSON with checkov, and holds its findings to those that we accept, each with a reason.

    python -m tools.scan CHECKOV        (`make scan` does it, with a checkov in an environment of its own)

Exit status 0 when there is no finding but the accepted ones and each of those is still found; 1 otherwise, with a line
for each; 2 when cdktf.out or checkov cannot be used. checkov cannot read provider blocks as cdktf writes them, and then
skips the whole file with no more than a line in its log; so it gets the resources and data sources alone, and an error
of reading is a fault.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from catalog.interfaces import RDMA_CARDS
from tools.command import run
from tools.synthesized import OUTPUT, NotSynthesizedError, synthesized_stacks


@dataclass(frozen=True)
class Accepted:
    """A finding that we live with: checkov's check, the resources that it is about (by the end of their names), why."""

    check: str
    resources: tuple[str, ...]
    reason: str


_RDMA_SUBNETS = tuple(f"rdma-subnet-{index}" for index in range(RDMA_CARDS))

ACCEPTED = (
    Accepted("CKV2_GCP_18", ("rdma",), "a VPC with a RoCE profile takes no firewall rules"),
    Accepted(
        "CKV_GCP_12", ("cluster",), "Dataplane V2 enforces network policies; the add-on that this asks for excludes it"
    ),
    Accepted("CKV_GCP_13", ("cluster",), "GKE issues no client certificates unless it is told to"),
    Accepted(
        "CKV_GCP_20", ("cluster",), "the DNS endpoint is guarded by IAM, and there is no IP endpoint to authorize"
    ),
    Accepted("CKV_GCP_21", ("cluster",), "labels are a matter of each organization; the provider adds its own"),
    Accepted(
        "CKV_GCP_26",
        ("main-nodes", "gvnic-subnet", *_RDMA_SUBNETS),
        "flow logs of training traffic cost much and say little; RDMA traffic does not show in them",
    ),
    Accepted(
        "CKV_GCP_61",
        ("cluster",),
        "flow logs between the pods of one node cost much and say little, as those of the subnets do",
    ),
    Accepted("CKV_GCP_65", ("cluster",), "Google Groups need a security group of the organization's own domain"),
    Accepted("CKV_GCP_66", ("cluster",), "the image is NVIDIA's, and no attestor of ours signs it"),
    Accepted("CKV_GCP_68", ("cluster",), "the node configuration of the default pool, which is removed at once"),
    Accepted("CKV_GCP_68", ("cpu-pool",), "Lustre's kernel module loads under secure boot on GPU machines only"),
    Accepted("CKV_GCP_69", ("cluster",), "the node configuration of the default pool, which is removed at once"),
    Accepted("CKV_GCP_74", ("gvnic-subnet", *_RDMA_SUBNETS), "no traffic to Google's APIs takes these networks"),
    Accepted("CKV_K8S_29", ("nccl-installer",), "it writes the plugin into the node's own folders, as Google's does"),
)


def scan(checkov: str, output: Path) -> list[str]:
    """What is wrong with the stacks below `output`, a line each: findings, or that checkov did not read everything.

    Raises `NotSynthesizedError`, and `OSError` where checkov cannot be run.
    """
    stacks = synthesized_stacks(output)
    with tempfile.TemporaryDirectory() as folder:
        for stack in stacks:
            target = Path(folder) / stack.name / "cdk.tf.json"
            target.parent.mkdir()
            kept = {key: value for key, value in stack.content.items() if key in ("resource", "data")}
            target.write_text(json.dumps(kept, indent=2), encoding="utf-8")
        command = [
            checkov,
            "--directory",
            folder,
            "--framework",
            "terraform_json",
            "--skip-download",
            "--output",
            "json",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        results = json.loads(done.stdout)["results"]
    except (ValueError, LookupError, TypeError):
        said = " ".join((done.stderr.strip() or done.stdout.strip()).split())
        return [f"checkov printed no report of one framework: {said[:500]}"]
    read = {Path(one["file_path"]).parent.name for one in results["passed_checks"] + results["failed_checks"]}
    # A stack of Kubernetes objects of kinds that checkov does not know has no result, so files are counted by errors.
    faults = [f"checkov could not read {error}" for error in results.get("parsing_errors", ())]
    if not read:
        faults.append("checkov read no stack at all")
    found = {
        (one["check_id"], one["check_name"], one["resource"].rpartition(".")[2]) for one in results["failed_checks"]
    }
    return [*faults, *judge(found, ACCEPTED)]


def judge(found: Iterable[tuple[str, str, str]], accepted: Iterable[Accepted]) -> Iterator[str]:
    """A line for each finding (check, its name, resource) that nobody accepted, and each that is accepted in vain."""
    reasons = {(one.check, resource): one.reason for one in accepted for resource in one.resources}
    seen = {(check, resource): name for check, name, resource in found}
    for (check, resource), name in sorted(seen.items()):
        if (check, resource) not in reasons:
            yield f"{check} {resource}: {name}"
    for check, resource in sorted(reasons.keys() - seen.keys()):
        yield f"{check} {resource}: is accepted in tools/scan.py but no longer found; remove it there"


def main(arguments: list[str]) -> int:
    """See above."""
    if len(arguments) != 1:
        print("write: python -m tools.scan CHECKOV, or `make scan`", file=sys.stderr)
        return 2
    try:
        faults = scan(arguments[0], OUTPUT)
    except NotSynthesizedError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{arguments[0]} cannot be run: {error.strerror}; `make scan` installs it", file=sys.stderr)
        return 2
    for fault in faults:
        print(fault, file=sys.stderr)
    if not faults:
        print("checkov finds nothing but what is accepted:")
        for one in ACCEPTED:
            print(f"  {one.check} {', '.join(one.resources)}: {one.reason}")
    return 1 if faults else 0


if __name__ == "__main__":
    run(main)
