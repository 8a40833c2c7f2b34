"""A synth replaces what it generates, all or nothing, and touches nothing of Terraform's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stacks import synthesis
from stacks.synthesis import synthesize
from tests.support import MINIMAL, copy_checkout, files_in, write_environments
from training.checkout import Checkout, read_checkout

#: What Terraform keeps in a stack's folder.
TERRAFORMS = {
    ".terraform/providers/lock": "provider",
    ".terraform.lock.hcl": "lock",
    "terraform.tfstate": "state",
    "plan": "plan",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    write_environments(tmp_path, prod=MINIMAL, test=MINIMAL)
    return read_checkout(tmp_path)


def add_terraforms_files(output: Path) -> dict[str, bytes]:
    for stack in output.glob("stacks/*"):
        for name, text in TERRAFORMS.items():
            path = stack / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text} of {stack.name}", encoding="utf-8")
    return {name: content for name, content in files_in(output).items() if Path(name).name not in GENERATED}


GENERATED = {"cdk.tf.json", "manifest.json"}


def test_what_terraform_keeps_stays_also_for_a_stack_that_is_no_more(checkout: Checkout, tmp_path: Path) -> None:
    output = tmp_path / "cdktf.out"
    synthesize(checkout, output)
    kept = add_terraforms_files(output)
    synthesize(checkout, output)
    assert {name: files_in(output)[name] for name in kept} == kept
    (tmp_path / "environments" / "test.yaml").unlink()
    synthesize(read_checkout(tmp_path), output)
    now = files_in(output)
    assert {name: now[name] for name in kept} == kept
    generated = sorted(name for name in now if Path(name).name in GENERATED)
    assert generated == [
        "manifest.json",
        "stacks/prod_cluster/cdk.tf.json",
        "stacks/prod_network/cdk.tf.json",
        "stacks/prod_platform/cdk.tf.json",
        "stacks/prod_storage/cdk.tf.json",
    ]
    assert not (tmp_path / "cdktf.out.partial").exists()


def test_a_synth_that_fails_half_way_leaves_the_old_output_whole(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "cdktf.out"
    synthesize(checkout, output)
    before = files_in(output)
    whole = synthesis.add_site

    def fail_at_the_second(app: object, env: object, **others: object) -> object:
        if getattr(env, "name", "") == "test":
            raise RuntimeError("a fault of ours")
        return whole(app, env, **others)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] # handed through

    monkeypatch.setattr(synthesis, "add_site", fail_at_the_second)
    with pytest.raises(RuntimeError, match="a fault of ours"):
        synthesize(checkout, output)
    assert files_in(output) == before
    assert not (tmp_path / "cdktf.out.partial").exists()


def test_a_signal_waits_until_all_is_in_place(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it comes to jsii's thread, which a blocked signal does."""
    output = tmp_path / "cdktf.out"
    rename = Path.replace

    def rename_while_a_signal_comes(path: Path, target: Path) -> Path:
        if path.name == "cdk.tf.json":
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.01)
        return rename(path, target)

    def stop(number: int, _frame: object) -> None:
        sys.exit(128 + number)

    monkeypatch.setattr(Path, "replace", rename_while_a_signal_comes)
    before = signal.signal(signal.SIGTERM, stop)
    try:
        with pytest.raises(SystemExit, match="143"):
            synthesize(checkout, output)
        assert signal.getsignal(signal.SIGTERM) is stop
    finally:
        signal.signal(signal.SIGTERM, before)
    assert len([name for name in files_in(output) if name.endswith("cdk.tf.json")]) == 8
    assert (output / "manifest.json").exists()
    assert not (tmp_path / "cdktf.out.partial").exists()


def test_an_output_that_is_a_link_stays_one(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "cdktf.out").symlink_to("elsewhere/out", target_is_directory=True)
    synthesize(checkout, tmp_path / "cdktf.out")
    assert (tmp_path / "cdktf.out").is_symlink()
    assert (tmp_path / "elsewhere" / "out" / "manifest.json").exists()
    assert sorted(path.name for path in (tmp_path / "elsewhere").iterdir()) == ["out"]


@pytest.mark.parametrize(
    ("how", "seconds"),
    [(signal.SIGINT, 0.3), (signal.SIGTERM, 0.8), (signal.SIGKILL, 1.5), (signal.SIGINT, 0), (signal.SIGKILL, 0)],
    ids=[
        "interrupted early",
        "stopped while it loads",
        "killed",
        "interrupted while it writes",
        "killed while it writes",
    ],
)
def test_a_synth_that_is_killed_leaves_the_old_output_whole(
    how: signal.Signals, seconds: float, old_checkout: Path
) -> None:
    before = files_in(old_checkout / "cdktf.out")
    process = subprocess.Popen(
        [sys.executable, str(old_checkout / "main.py")],
        cwd=old_checkout,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=heed_signals,
    )
    if seconds:
        time.sleep(seconds)
    else:
        wait_for(old_checkout / "cdktf.out.partial" / "stacks")
    os.killpg(process.pid, how)
    _, errors = process.communicate(timeout=30)
    assert process.returncode != 0, "it was over before it was stopped"
    assert files_in(old_checkout / "cdktf.out") == before
    if (how, seconds) == (signal.SIGINT, 0):
        assert process.returncode == 130
        assert b"main.py" not in errors, "a traceback of ours"
        assert not (old_checkout / "cdktf.out.partial").exists()


def test_the_synth_after_one_that_was_killed_is_clean(checkout: Checkout, tmp_path: Path) -> None:
    for left in ("cdktf.out.partial/stacks/left/cdk.tf.json", "cdktf.out/stacks/gone_network/cdk.tf.json"):
        path = tmp_path / left
        path.parent.mkdir(parents=True)
        path.write_text("old", encoding="utf-8")
    synthesize(checkout, tmp_path / "cdktf.out")
    assert not (tmp_path / "cdktf.out.partial").exists()
    written = files_in(tmp_path / "cdktf.out")
    assert "stacks/prod_network/cdk.tf.json" in written
    assert [name for name in written if "gone" in name or "left" in name] == []


@pytest.fixture(scope="module")
def old_checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout whose output is of an earlier program, so that any change of it shows."""
    root = copy_checkout(tmp_path_factory.mktemp("old") / "site")
    (root / "environments" / "example-h200.yaml").unlink()
    for name in ("manifest.json", "stacks/example-b200_network/cdk.tf.json", "stacks/gone_network/cdk.tf.json"):
        path = root / "cdktf.out" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("old", encoding="utf-8")
    return root


def heed_signals() -> None:
    """In the child: a run of the tests in the background may have been told to ignore them, and hands that on."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def wait_for(path: Path) -> None:
    """Until the path is there, half a minute at most."""
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.005)
