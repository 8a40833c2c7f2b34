"""README and docs/: their links lead somewhere, and each command in README runs here or says that it needs a cloud."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import ROOT, copy_checkout

PAGES = sorted(["README.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))])
README = (ROOT / "README.md").read_text(encoding="utf-8")

#: README's sentence says which commands need a cloud: these.
CLOUD = re.compile(r"(gcloud|kubectl|terraform|cdktf) |make (diff|deploy|run|cdktf|destroy)\b")
#: The others, in README's order; they are run below.
RUN = (
    "make synth",
    "cp environments/example-b200.yaml environments/prod.yaml",
    "make synth",
    "make",
    "python -m tools.estimate prod",
    "python -m tools.jobs",
    "make .venv/development",
    "python -m tools.picture prod",
)
#: And those that another place runs.
ELSEWHERE = {
    ". .venv/bin/activate": "the test puts the same folder on the PATH",
    "make test": "it runs this very test; .ci/run starts with it from a clean clone",
    "export TF_VAR_hf_token=... TF_VAR_wandb_api_key=...": "tests/unit/test_deploy_tokens.py",
}


def commands(text: str) -> Iterator[str]:
    """Every command of a page: the lines of its `sh` fences, without comments, and what is a command in its prose."""
    for fence in re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL):
        whole = re.sub(r"(<<END\n).*?\nEND\n", r"\1", fence, flags=re.DOTALL)
        yield from (line.partition("  #")[0].strip() for line in whole.splitlines())
    for code in re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        if re.match(r"make$|(make|python|cp|export|gcloud|kubectl|terraform|cdktf) .*[^m]$", code):
            yield " ".join(code.split())


def test_each_command_of_readme_is_run_here_or_needs_a_cloud() -> None:
    found = {command for command in commands(README) if not CLOUD.match(command)}
    assert found == {*RUN, *ELSEWHERE}
    assert "every command that begins with `gcloud`, `kubectl`, `terraform` or `cdktf`, and for\n`make diff`" in README


def test_the_commands_of_readme_do_what_it_says(tmp_path: Path) -> None:
    root = copy_checkout(tmp_path / "site")
    (root / "environments" / "example-h200.yaml").unlink()
    (root / "docs").mkdir()
    for path in (*ROOT.glob("requirements*.txt"), ROOT / "Makefile"):
        shutil.copy2(path, root)  # with their times, or make would install what is there
    (root / ".venv").symlink_to(sys.prefix)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    said: list[str] = []
    for command in RUN:
        done = subprocess.run(
            command.split(), cwd=root, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        said.append(done.stdout)
    synth, _, again, make, _, jobs, _, _ = said
    assert "example-b200_platform" in synth
    assert "prod_platform" in again
    assert "make synth" in make
    assert "gemma3-27b-gsm8k" in jobs
    assert (root / "docs" / "prod.svg").read_text(encoding="utf-8").startswith("<svg ")


def test_readme_is_read_in_five_minutes() -> None:
    """At 240 words a minute; tables and examples are looked at, and not read."""
    prose = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
    words = [word for line in prose.splitlines() if not line.lstrip().startswith("|") for word in line.split()]
    assert len(words) <= 5 * 240


def anchors(page: str) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_pages_and_headings_that_exist(page: str) -> None:
    broken: list[str] = []
    for link in re.findall(r"\]\(([^)\s]+)\)", (ROOT / page).read_text(encoding="utf-8")):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        target = (ROOT / page).parent / file if file else ROOT / page
        if not target.exists() or (anchor and anchor not in anchors(str(target.resolve().relative_to(ROOT)))):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", PAGES)
def test_files_and_tools_that_a_page_names_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    files = re.findall(
        r"`((?:catalog|settings|training|constructs|stacks|tools|tests|docs|job_specs)/[\w./*-]+)`", text
    )
    modules = re.findall(r"python -m (tools(?:\.\w+)+)", text)
    assert [name for name in files if not list(ROOT.glob(name.rstrip("/")))] == []
    assert [name for name in modules if not list(ROOT.glob(f"{name.replace('.', '/')}*"))] == []
