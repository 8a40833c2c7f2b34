"""All that the user wrote, read and checked: the environments, their jobs, and the doubts about them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from settings.environment import Environment
from settings.faults import Fault, SettingsError
from settings.findings import Finding
from settings.rules import DOUBTS, FAULTS
from settings.site_rules import Rule
from settings.yaml_file import parse, read_yaml

FOLDER = "environments"


@dataclass(frozen=True, kw_only=True)
class Sites:
    """The well-formed environments by their files, and what is wrong and doubtful about all that were read."""

    by_file: Mapping[str, Environment]
    faults: tuple[Fault, ...] = ()
    doubts: tuple[Fault, ...] = ()

    @property
    def environments(self) -> tuple[Environment, ...]:
        """Those whose file has no fault, in the order of their names."""
        faulty = {fault.where for fault in self.faults}
        sound = (environment for where, environment in self.by_file.items() if where not in faulty)
        return tuple(sorted(sound, key=lambda environment: environment.name))


def find_sites(root: Path) -> Sites:
    """Reads `environments/*.yaml` under `root`, with every fault of every file.

    First comes what is no YAML or has wrong types, then, for the files that are well-formed, what does not fit together
    in one file, and then between files. Hidden files, which editors leave there, are passed over.
    """
    read: dict[str, Environment] = {}
    faults: list[Fault] = []
    files = _files(root / FOLDER)
    if isinstance(files, Fault):
        return Sites(by_file={}, faults=(files,))
    for path in files:
        where = f"{FOLDER}/{path.name}"
        environment = _read(path, where)
        if isinstance(environment, Environment):
            read[where] = environment
        else:
            faults += environment
    faults += [fault for where, environment in read.items() for fault in _apply(FAULTS, where, environment)]
    faults += _between_files(read)
    faulty = {fault.where for fault in faults}
    sound = {where: environment for where, environment in read.items() if where not in faulty}
    told = noted(sound.values())
    doubts = (fault for where, env in sound.items() if env in told for fault in _apply(DOUBTS, where, env))
    return Sites(by_file=read, faults=tuple(faults), doubts=tuple(doubts))


def read_sites(root: Path) -> Sites:
    """Environments without any fault. Raises `SettingsError` with all faults where there is one."""
    sites = find_sites(root)
    if sites.faults:
        raise SettingsError(sites.faults)
    return sites


def noted(environments: Iterable[Environment]) -> tuple[Environment, ...]:
    """Those whose doubts are told: the user's own, or the examples where there is no other."""
    known = tuple(environments)
    return tuple(env for env in known if not env.is_example) or known


def named(environments: Iterable[Environment], name: str) -> Environment:
    """The environment of this name. Raises `SettingsError` with the near names, or else all."""
    known = {environment.name: environment for environment in environments}
    if name not in known:
        near = difflib.get_close_matches(name, known, n=2, cutoff=0.7)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
        raise SettingsError([Fault(FOLDER, "", f"has no site called {name}; {hint}")])
    return known[name]


def _files(folder: Path) -> list[Path] | Fault:
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix.lower() in (".yaml", ".yml"))
    except FileNotFoundError:
        files = []
    except OSError as error:
        return Fault(FOLDER, "", f"cannot be read ({error.strerror}); make it a readable folder")
    files = [path for path in files if not path.name.startswith(".")]
    return files or Fault(FOLDER, "", "holds no .yaml file; copy one of the examples into it")


def _read(path: Path, where: str) -> Environment | list[Fault]:
    file = read_yaml(path, where)
    if isinstance(file, Fault):
        return [file]
    return parse(Environment, file.with_default("name", path.stem, "the file's name"))


def _apply(rules: Iterable[Rule], where: str, environment: Environment) -> list[Fault]:
    return [_fault(where, finding) for rule in rules for finding in rule(environment)]


def _fault(where: str, finding: Finding) -> Fault:
    return Fault(where, finding.path, finding.text)


def _between_files(read: dict[str, Environment]) -> list[Fault]:
    first: dict[str, str] = {}
    faults: list[Fault] = []
    for where, environment in read.items():
        if environment.name in first:
            other = first[environment.name]
            faults.append(Fault(where, "name", f"is {environment.name}, as in {other}; write another name"))
        first.setdefault(environment.name, where)
    for (other, one), (where, environment) in combinations(read.items(), 2):
        if environment.name != one.name and environment.project == one.project:
            for kind, names in _cloud_names(environment).items():
                for name in sorted(names & _cloud_names(one).get(kind, set())):
                    text = f"makes the {kind} {name}, as {other} does in the same project; write other names"
                    faults.append(Fault(where, "names", text))
    return faults


def _cloud_names(environment: Environment) -> dict[str, set[str]]:
    """The names that a project has once, or once a region, by what they name."""
    names = environment.cloud_names
    return {
        "network": {names.network, names.gvnic_network, names.rdma_network},
        f"{environment.region} subnet": {names.subnet, names.gvnic_subnet, *names.rdma_subnets},
        f"{environment.region} cluster": {names.cluster},
        "address range": {names.private_services_range},
        "service account": {names.node_account, names.workload_account},
    }
