from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from catalog.nccl import GIB_IMAGE, PAUSE_IMAGE
from constructs.nccl_installer import NcclInstaller
from tests.constructs.one_stack import built


def installer() -> dict[str, Any]:
    stack = built(
        lambda stack: NcclInstaller(
            stack,
            "nccl-installer",
            image=GIB_IMAGE,
            pause_image=PAUSE_IMAGE,
            gpu="nvidia-b200",
            plugin_folder="/home/kubernetes/bin/gib",
            driver_folder="/home/kubernetes/bin/nvidia/lib64",
        )
    )
    return stack["resource"]["kubernetes_daemon_set_v1"]["nccl-installer"]


def test_the_plugin_is_copied_to_gpu_nodes_only_and_nobody_waits_for_nodes() -> None:
    labels = {"k8s-app": "nccl-rdma-installer"}
    assert installer() == {
        "metadata": {"name": "nccl-rdma-installer", "namespace": "kube-system", "labels": labels},
        "spec": {
            "selector": {"match_labels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "priority_class_name": "system-node-critical",
                    "automount_service_account_token": False,
                    "host_network": True,
                    "host_pid": True,
                    "node_selector": {"cloud.google.com/gke-accelerator": "nvidia-b200"},
                    "toleration": [{"operator": "Exists"}],
                    "init_container": [
                        {
                            "name": "install",
                            "image": "us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-plugin-gib:v1.1.1",
                            "command": ["/bin/sh", "-c"],
                            "args": [
                                "set -eux\n"
                                "rm -f /host/gib/installed-image\n"
                                "/scripts/container_entry.sh install\n"
                                "cp -r /var/lib/gib/lib64/. /host/nvidia/lib64\n"
                                "cp -r /var/lib/gib/. /host/gib\n"
                                "echo 'us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-plugin-gib:v1.1.1'"
                                " > /host/gib/installed-image\n"
                            ],
                            "resources": {"requests": {"cpu": "150m"}},
                            "security_context": {"privileged": True},
                            "volume_mount": [
                                {"name": "driver", "mount_path": "/host/nvidia/lib64"},
                                {"name": "gib", "mount_path": "/host/gib"},
                            ],
                        }
                    ],
                    "container": [
                        {
                            "name": "pause",
                            "image": "gke.gcr.io/pause:3.8@sha256:"
                            "880e63f94b145e46f1b1082bb71b85e21f16b99b180b9996407d61240ceb9830",
                        }
                    ],
                    "volume": [
                        {
                            "name": "driver",
                            "host_path": {"path": "/home/kubernetes/bin/nvidia/lib64", "type": "DirectoryOrCreate"},
                        },
                        {
                            "name": "gib",
                            "host_path": {"path": "/home/kubernetes/bin/gib", "type": "DirectoryOrCreate"},
                        },
                    ],
                },
            },
        },
        "wait_for_rollout": False,
    }


def test_a_failed_installation_is_not_taken_for_a_finished_one(tmp_path: Path) -> None:
    script = installer()["spec"]["template"]["spec"]["init_container"][0]["args"][0]
    run = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert run.returncode != 0
    assert "cp" not in run.stderr, "the copies come after the installer, which this machine does not have"
