"""The environment of a Ray container that trains over gIB.

NeMo RL hands the whole environment of the driver, which is the head's, to every process on the workers, where it wins
over the worker's own (nemo_rl/distributed/virtual_cluster.py, in all releases). So what is set at all is set alike on
head and workers; what only `set_nccl_env.sh` knows is set in the workers' shell, and not on the head.
"""

from __future__ import annotations

from collections.abc import Mapping

from catalog.pod_folders import DATA_FOLDER

#: Where NVIDIA's libraries and gIB stand in a worker; catalog/nccl.py has their folders on the node.
NVIDIA_FOLDER = "/usr/local/nvidia"
GIB_FOLDER = "/usr/local/gib"

#: Models and datasets from Hugging Face, downloaded once for all pods.
HUGGING_FACE_HOME = f"{DATA_FOLDER}/hf"


def nccl_environment(tuner: str) -> Mapping[str, str]:
    """NCCL's variables that are fixed; `tuner` is the tuner file of the GPU (catalog/machines.py).

    The tutorial's values, less NCCL_CROSS_NIC and NCCL_NET_GDR_LEVEL, which `set_nccl_env.sh` sets with others (traffic
    classes, queue pairs, chunk sizes) and may set otherwise in the next gIB. NCCL_NET stays fixed although the script
    sets it as well: with it, NCCL fails where gIB cannot be loaded, instead of training over TCP at a small part of
    the speed.
    """
    return {
        "NCCL_NET": "gIB",
        "NCCL_TUNER_CONFIG_PATH": tuner,
        "NCCL_IB_GID_INDEX": "3",
        "NCCL_SOCKET_IFNAME": "eth0",
        "GLOO_SOCKET_IFNAME": "eth0",
        "TP_SOCKET_IFNAME": "eth0",
    }
