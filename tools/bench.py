"""Measures a synth of the examples against what the provider packages cost when they are imported as usual.

    python -m tools.bench [RUNS]

Each line is the median of RUNS (default 3) runs in fresh processes, after one run to warm the caches.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import stacks.bindings  # noqa: F401 # pyright: ignore[reportUnusedImport] # sets JSII_NODE, for the plain import too
from tools.command import ROOT, run

_PLAIN = """
import tempfile
from cdktf import App, TerraformStack
from cdktf_cdktf_provider_google import compute_network, provider
import cdktf_cdktf_provider_kubernetes, cdktf_cdktf_provider_helm
app = App(outdir=tempfile.mkdtemp())
stack = TerraformStack(app, "plain")
provider.GoogleProvider(stack, "google", project="p")
compute_network.ComputeNetwork(stack, "network", name="n")
app.synth()
"""
_REFUSED = (
    "project: my-project\nregion: us-central1\nzone: us-central1-b\ngpu_pool: {gpu: nvidia-b300, machine: none}\n"
)


def main(arguments: list[str]) -> int:
    """Exit status: 0, or 2 with what to write."""
    match arguments:
        case []:
            runs = 3
        case [number] if number.isdecimal() and int(number):
            runs = int(number)
        case _:
            print("write: python -m tools.bench [RUNS], with 1 run or more", file=sys.stderr)
            return 2
    with tempfile.TemporaryDirectory() as folder:
        plain = _measure(
            "plain import of the three provider packages, trivial synth", runs, lambda: _python("-c", _PLAIN)
        )
        _measure("node loading the same bindings", runs, lambda: _node(Path(folder) / "node"))
        two = _measure("main.py, both examples", runs, lambda: _python("main.py", cwd=_copy(Path(folder) / "two")))
        _measure("main.py, 20 environments", runs, lambda: _python("main.py", cwd=_copy(Path(folder) / "20", times=10)))
        _measure("main.py, a refused file", runs, lambda: _refuse(Path(folder) / "refused"))
    print(f"\nmain.py on both examples takes {two / plain:.2f} of the plain import")
    return 0


def _measure(name: str, runs: int, work: Callable[[], None]) -> float:
    work()
    times: list[float] = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    median = statistics.median(times)
    print(f"{median:6.2f} s  {name}", flush=True)
    return median


def _python(*arguments: str, cwd: Path = ROOT, status: int = 0) -> None:
    done = subprocess.run([sys.executable, *arguments], cwd=cwd, capture_output=True, check=False)
    if done.returncode != status:
        sys.exit(done.stderr.decode())


def _copy(target: Path, times: int = 1) -> Path:
    """The project in another folder, each example `times` times under names of their own."""
    if not target.exists():
        ignored = shutil.ignore_patterns(".*", "cdktf.out*", "node_modules", "state", "tests", "__pycache__")
        shutil.copytree(ROOT, target, ignore=ignored)
        for index in range(times - 1):
            for example in sorted(target.glob("environments/example-?200.yaml")):
                shutil.copy(example, example.with_stem(f"{example.stem}-{index}"))
    return target


def _refuse(target: Path) -> None:
    (_copy(target) / "environments" / "refused.yaml").write_text(_REFUSED, encoding="utf-8")
    _python("main.py", cwd=target, status=2)


def _node(folder: Path) -> None:
    """Lets node load what jsii would load; the packages are unpacked once."""
    if not folder.exists():
        for package, name in _PACKAGES.items():
            _unpack(package, folder / "node_modules" / name)
    providers = [name for name in _PACKAGES.values() if "provider" in name]
    command = [os.environ["JSII_NODE"], "-e", "process.argv.slice(1).forEach(name => require(name))", *providers]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


#: Python package -> the npm package inside it.
_PACKAGES = {
    "constructs": "constructs",
    "cdktf": "cdktf",
    "cdktf_cdktf_provider_google": "@cdktf/provider-google",
    "cdktf_cdktf_provider_kubernetes": "@cdktf/provider-kubernetes",
    "cdktf_cdktf_provider_helm": "@cdktf/provider-helm",
}


def _unpack(package: str, target: Path) -> None:
    (archive,) = Path(sysconfig.get_path("purelib"), package, "_jsii").glob("*.jsii.tgz")
    with tarfile.open(archive) as content, tempfile.TemporaryDirectory() as folder:
        content.extractall(folder, filter="data")
        shutil.move(Path(folder) / "package", target)


if __name__ == "__main__":
    run(main)
