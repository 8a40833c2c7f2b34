"""The container that writes Ray's log files to its standard output, from where GKE's agent takes them."""

from __future__ import annotations

from catalog.fluent_bit import FLUENT_BIT_CPU, FLUENT_BIT_IMAGE, FLUENT_BIT_MEMORY


def fluent_bit_container(volume: str, folder: str) -> dict[str, object]:
    """The container `fluent-bit`, which reads Ray's session folder from `volume`, mounted at `folder`.

    One JSON line a log line, with the file's path under `file`. Everything is said by arguments, so that it is part of
    the pod and no ConfigMap has to be there before it. The log of the runtime environment agent stays out: it holds
    the environment of every job.
    """
    logs = f"{folder}/session_latest/logs"
    tail = {
        "path": ",".join(f"{logs}/*.{ending}" for ending in ("log", "out", "err")),
        "exclude_path": f"{logs}/runtime_env*",
        "path_key": "file",
        "read_from_head": "true",  # the first lines are older than this container
        "refresh_interval": "10",
        "skip_long_lines": "on",  # otherwise a file with one line over the buffer is given up
        "buffer_max_size": "1M",
        "mem_buf_limit": "32M",
    }
    resources = {"cpu": FLUENT_BIT_CPU, "memory": FLUENT_BIT_MEMORY}
    return {
        "name": "fluent-bit",
        "image": FLUENT_BIT_IMAGE,
        "args": [
            *("-i", "tail", *_properties(tail)),
            *("-o", "stdout", *_properties({"match": "*", "format": "json_lines"})),
        ],
        "resources": {"limits": resources, "requests": dict(resources)},
        "volumeMounts": [{"name": volume, "mountPath": folder, "readOnly": True}],
    }


def _properties(values: dict[str, str]) -> list[str]:
    return [word for name, value in values.items() for word in ("-p", f"{name}={value}")]
