"""What the Ray containers run: a little shell, then the start command that KubeRay generated.

KubeRay runs these scripts as they stand only with the annotation `catalog.kuberay.OVERWRITE_COMMAND`. They install
nothing: whatever a pod needs is in its image. No `$(` and no `$$`: Kubernetes would look at them first.
"""

from catalog.nccl import GIB_INSTALLED
from catalog.ray_environment import GIB_FOLDER, NVIDIA_FOLDER

#: The script is the one argument after it. No login shell: a profile could take the image's Python off the PATH.
SHELL = ("/bin/bash", "-c", "--")

# KubeRay's own start line raises the limit of open files (to 65536); its generated command alone does not.
_LIMITS = """\
set -euo pipefail
ulimit -n 1048576 2>/dev/null || ulimit -n hard
"""

# Extended and not set in the pod: some images of NeMo RL bring a value of their own. Alike on head and workers, because
# the head's value is the one that the workers' processes get.
_LIBRARIES = f"""\
export LD_LIBRARY_PATH="{GIB_FOLDER}/lib64:{NVIDIA_FOLDER}/lib64${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"
"""

# eval, because the generated command may hold quoted values; exec, so that Ray gets the pod's signals.
_RAY = """\
eval "exec $KUBERAY_GEN_RAY_START_CMD"
"""

# The script that is sourced is Google's, and written neither for -u nor for -e, which `||` suspends inside.
_GIB = f"""\
ldconfig {NVIDIA_FOLDER}/lib64
set +u
source {GIB_FOLDER}/scripts/set_nccl_env.sh || {{
  echo "{GIB_FOLDER}/scripts/set_nccl_env.sh ended with status $?" >&2
  exit 1
}}
set -u
"""

HEAD_SCRIPT = _LIMITS + _LIBRARIES + _RAY


def worker_script(gib_image: str) -> str:
    """Starts Ray on a node where the installer has copied gIB from this image, and until then ends with an error."""
    installed = f"""\
if ! grep -qsxF '{gib_image}' {GIB_FOLDER}/{GIB_INSTALLED}; then
  echo "gIB is not in {GIB_FOLDER}: the installer of {gib_image} has not finished on this node" >&2
  exit 1
fi
"""
    return _LIMITS + _LIBRARIES + installed + _GIB + _RAY
