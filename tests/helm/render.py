"""Renders a Helm chart without Helm: the template engine gotpl, and around it what Helm does before and after."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from gotpl.exts.helm import HelmTemplateEngine
from ruamel.yaml import YAML

#: YAML as a program reads it: nested dicts and lists.
Tree = dict[str, Any]

OWN_CHART = Path(__file__).with_name("chart")


def render(chart: Path, values: Mapping[str, Any], *, release: str = "ray", namespace: str = "ray") -> list[Tree]:
    """The documents that a release of the chart in this folder would apply, in file order."""
    texts = render_texts(chart, values, release=release, namespace=namespace)
    return [document for text in texts for document in _documents(text)]


def render_texts(chart: Path, values: Mapping[str, Any], *, release: str = "ray", namespace: str = "ray") -> list[str]:
    """What the chart's templates make of the values, one text a template, before it is read as YAML."""
    engine, context = _loaded(chart)
    data = {
        **context,
        "Values": _merged(context["Values"], values),
        "Release": {"Name": release, "Namespace": namespace, "Service": "Helm", "IsInstall": True, "Revision": 1},
    }
    names = [name for name in context["Files"] if name.endswith(".yaml")]
    return list(engine.render(dict.fromkeys(names, data)).values())


def parse_yaml(text: str) -> Any:
    """One YAML document read as Helm reads values: by YAML 1.1, where `yes` and `0777` without quotes are no texts."""
    yaml: Any = YAML(typ="safe", pure=True)
    yaml.version = (1, 1)
    return yaml.load(text)


@cache
def _loaded(chart: Path) -> tuple[HelmTemplateEngine, Tree]:
    sources = {
        f"{chart.name}/{path.relative_to(chart)}": path.read_text(encoding="utf-8")
        for path in sorted((chart / "templates").iterdir())
    }
    description = cast("Tree", parse_yaml((chart / "Chart.yaml").read_text(encoding="utf-8")))
    about = {key[0].upper() + key[1:]: value for key, value in description.items()}
    context: Tree = {
        "Chart": {"AppVersion": "", **about},
        "Values": parse_yaml((chart / "values.yaml").read_text(encoding="utf-8")),
        "Files": sources,
    }
    return HelmTemplateEngine.from_sources(sources), context


def _merged(defaults: Mapping[str, Any], values: Mapping[str, Any]) -> Tree:
    merged: Tree = dict(defaults)
    for key, value in values.items():
        below = merged.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            merged[key] = _merged(cast("Tree", below), cast("Tree", value))
        elif value is None:  # Helm takes a null as "no default"
            merged.pop(key, None)
        else:
            merged[key] = value
    return merged


def _documents(text: str) -> list[Tree]:
    parts = text.split("\n---")
    return [document for part in parts if (document := parse_yaml(part.removeprefix("---")))]
