"""The start scripts of the Ray pods in a real bash, with stand-ins for Ray, for ldconfig and for the node's folders."""

from __future__ import annotations

import re
import resource
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from constructs.ray_start import HEAD_SCRIPT, SHELL, worker_script

IMAGE = "example.com/gib:v1"
WORKER_SCRIPT = worker_script(IMAGE)

#: As KubeRay writes it where rayStartParams hold custom resources: quotes inside quotes.
GENERATED = "ray start --head --num-gpus=0 --resources='{\"accelerator type\": 1}' --block"

#: Prints its arguments one a line, what it was told about libraries and NCCL, and whether it took the shell's place.
RAY = """\
#!/bin/sh
printf '%s\\n' "$@"
echo "libraries $LD_LIBRARY_PATH"
echo "traffic class ${NCCL_IB_TC-unset}"
echo "files $(ulimit -n)"
echo "process $$"
"""


@dataclass(frozen=True)
class Node:
    """A folder that stands for the container's root as far as the scripts look at it."""

    root: Path

    def run(self, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
        for folder in ("/usr/local/gib", "/usr/local/nvidia"):
            script = script.replace(folder, f"{self.root}{folder}")
        process = subprocess.Popen(
            [*SHELL, script],
            env={"PATH": f"{self.root}/bin:/usr/bin:/bin", "KUBERAY_GEN_RAY_START_CMD": GENERATED, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        out, err = process.communicate(timeout=30)
        return subprocess.CompletedProcess([str(process.pid)], process.returncode, out, err)

    def program(self, name: str, text: str) -> None:
        path = self.root / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def gib(self, text: str, image: str = IMAGE) -> None:
        folder = self.root / "usr/local/gib"
        (folder / "scripts").mkdir(parents=True)
        (folder / "scripts/set_nccl_env.sh").write_text(text, encoding="utf-8")
        (folder / "installed-image").write_text(f"{image}\n", encoding="utf-8")


@pytest.fixture
def node(tmp_path: Path) -> Node:
    """A node that is ready, but for gIB."""
    node = Node(tmp_path)
    node.program("ray", RAY)
    node.program("ldconfig", f'#!/bin/sh\necho "$@" > {tmp_path}/ldconfig\n')
    return node


@pytest.fixture
def ready(node: Node) -> Node:
    """A node with gIB, whose script looks at variables that nobody set."""
    node.gib('if [ -n "$NCCL_NEVER_SET" ]; then false; fi\nexport NCCL_IB_TC=52\n')
    return node


def test_the_head_runs_the_generated_command_with_its_quotes_as_this_very_process(node: Node) -> None:
    result = node.run(HEAD_SCRIPT)

    assert result.stderr == ""
    assert result.stdout.splitlines()[:5] == [
        *("start", "--head", "--num-gpus=0", '--resources={"accelerator type": 1}', "--block")
    ]
    assert f"process {result.args[0]}" in result.stdout.splitlines()
    assert result.returncode == 0


def test_a_worker_runs_it_with_googles_nccl_settings(ready: Node) -> None:
    result = ready.run(WORKER_SCRIPT)

    assert (result.returncode, result.stderr) == (0, "")
    assert '--resources={"accelerator type": 1}' in result.stdout.splitlines()
    assert "traffic class 52" in result.stdout.splitlines()
    assert f"process {result.args[0]}" in result.stdout.splitlines()


def test_the_head_leaves_googles_nccl_settings_to_the_workers(ready: Node) -> None:
    assert "traffic class unset" in ready.run(HEAD_SCRIPT).stdout.splitlines()


def test_a_worker_tells_the_linker_of_the_nodes_driver(ready: Node) -> None:
    ready.run(WORKER_SCRIPT)

    assert (ready.root / "ldconfig").read_text() == f"{ready.root}/usr/local/nvidia/lib64\n"


@pytest.mark.parametrize("script", [HEAD_SCRIPT, WORKER_SCRIPT])
def test_head_and_workers_extend_the_images_library_path_alike(ready: Node, script: str) -> None:
    ours = f"{ready.root}/usr/local/gib/lib64:{ready.root}/usr/local/nvidia/lib64"

    assert f"libraries {ours}" in ready.run(script).stdout.splitlines()
    assert f"libraries {ours}:/image" in ready.run(script, LD_LIBRARY_PATH="/image").stdout.splitlines()


@pytest.mark.parametrize("script", [HEAD_SCRIPT, WORKER_SCRIPT])
def test_ray_may_open_as_many_files_as_the_node_allows_up_to_a_million(ready: Node, script: str) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)

    assert f"files {min(most, 1_048_576)}" in ready.run(script).stdout.splitlines()


def waits(node: Node) -> bool:
    """Whether a worker ends because its gIB is not there yet, and says so."""
    result = node.run(WORKER_SCRIPT)
    return (result.returncode, result.stdout, result.stderr) == (
        1,
        "",
        f"gIB is not in {node.root}/usr/local/gib: the installer of example.com/gib:v1 has not finished on this node\n",
    )


def test_a_worker_without_gib_stops_and_says_so(node: Node) -> None:
    assert waits(node)


def test_a_worker_waits_until_gib_is_whole_and_of_its_own_image(node: Node) -> None:
    node.gib("", image="example.com/gib:v1.1")
    assert waits(node)

    (node.root / "usr/local/gib/installed-image").unlink()
    assert waits(node)


def test_a_failing_ldconfig_stops_a_worker(ready: Node) -> None:
    ready.program("ldconfig", "#!/bin/sh\nexit 4\n")

    result = ready.run(WORKER_SCRIPT)

    assert (result.returncode, result.stdout) == (4, "")


@pytest.mark.parametrize("line", ["false", "false | cat", '[ -n "$NCCL_NEVER_SET" ]'])
def test_a_line_of_googles_script_may_be_untrue_on_the_way(node: Node, line: str) -> None:
    node.gib(f"{line}\nexport NCCL_IB_TC=52\n")

    result = node.run(WORKER_SCRIPT)

    assert (result.returncode, result.stderr) == (0, "")
    assert "traffic class 52" in result.stdout.splitlines()


@pytest.mark.parametrize(("end", "status"), [("return 3", 3), ("false", 1), ("false | cat", 1)])
def test_googles_script_that_fails_stops_a_worker_which_says_so(node: Node, end: str, status: int) -> None:
    node.gib(f"export NCCL_IB_TC=52\n{end}\n")

    result = node.run(WORKER_SCRIPT)

    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"{node.root}/usr/local/gib/scripts/set_nccl_env.sh ended with status {status}\n"


@pytest.mark.parametrize("script", [HEAD_SCRIPT, WORKER_SCRIPT])
def test_a_failing_line_of_our_own_stops_a_pod(ready: Node, script: str) -> None:
    result = ready.run(script.replace("eval ", "false\neval "))

    assert (result.returncode, result.stdout) == (1, "")


@pytest.mark.parametrize("script", [HEAD_SCRIPT, WORKER_SCRIPT])
def test_a_missing_ray_is_an_error_and_not_a_silent_end(ready: Node, script: str) -> None:
    (ready.root / "bin/ray").unlink()

    assert ready.run(script).returncode == 127


@pytest.mark.parametrize("script", [HEAD_SCRIPT, WORKER_SCRIPT])
def test_a_pod_without_kuberays_command_stops(ready: Node, script: str) -> None:
    result = ready.run(script.replace("KUBERAY_GEN_RAY_START_CMD", "NOT_SET_BY_ANYBODY"))

    assert result.returncode != 0
    assert "unbound variable" in result.stderr


def test_what_ray_ends_with_is_what_the_pod_ends_with(ready: Node) -> None:
    ready.program("ray", "#!/bin/sh\nexit 17\n")

    assert ready.run(WORKER_SCRIPT).returncode == 17


@pytest.mark.parametrize("script", [HEAD_SCRIPT, WORKER_SCRIPT])
def test_the_scripts_print_no_environment(ready: Node, script: str) -> None:
    result = ready.run(script, HARMLESS="a-recognisable-value")

    assert "a-recognisable-value" not in result.stdout + result.stderr


@pytest.mark.parametrize("script", [HEAD_SCRIPT, WORKER_SCRIPT])
@pytest.mark.parametrize("program", ["apt", "apt-get", "pip", "uv", "curl", "wget", "git"])
def test_the_scripts_install_nothing(script: str, program: str) -> None:
    assert not re.search(rf"\b{program}\b", script)


@pytest.mark.parametrize("script", [HEAD_SCRIPT, WORKER_SCRIPT])
def test_kubernetes_finds_nothing_to_replace_in_the_scripts(script: str) -> None:
    assert "$(" not in script
    assert "$$" not in script
