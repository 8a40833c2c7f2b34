"""The pictures under docs/ are those of the examples' JSON, and nothing in a picture overlaps or is cut off."""

from __future__ import annotations

import copy
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from PIL import ImageFont

from tests.support import MINIMAL, ROOT, Stacks
from tools.picture.__main__ import main
from tools.picture.facts import read_site
from tools.picture.svg import INK, LOOKS, draw
from tools.synthesized import Stack

EXAMPLES = ("example-b200", "example-h200")
SVG = "{http://www.w3.org/2000/svg}"

#: A site with the longest names, and whatever makes a picture larger.
LARGE = (
    "name: a-site-with-a-long-name\n"
    + MINIMAL.replace("name: my-reservation", "name: projects/another-project/reservations/a-rather-long-reservation")
    + "  max_nodes: 9\n"
    + "  name: gpu-pool-whose-name-is-36-characters\n"
    + f"ray: {{workers: 9, kuberay: '1.6', image: 'europe-docker.pkg.dev/p/r/nemo-rl@sha256:{'ab' * 32}'}}\n"
    + "tokens: {secret: mine}\nmonitoring: {logs: false, metrics: false, dashboard: false}\n"
    + "platform: {operator: chart}\n"
    + "cluster: {endpoint: public, authorized_networks: [203.0.113.0/24]}\n"
    + "names: {network: a-network-whose-name-fills-all-of-the-room-there-is-5}\n"
    + "jobs: [gemma3-1b-smoke, gemma3-27b-gsm8k, gemma3-27b-gsm8k-long, llama3-8b-gsm8k, qwen2-1-5b-gsm8k]\n"
)
#: And one that leaves out what can be left out.
SMALL = (
    "name: tiny\n"
    + MINIMAL.replace("  reservation: {name: my-reservation}\n", "  capacity: spot\n")
    + "network: {mode: auto, nat: false}\n"
    + "cluster: {private_nodes: false}\n"
    + "ray: {workers: 0}\n"
)


@dataclass(frozen=True)
class Area:
    """What something covers, in pixels."""

    what: str
    left: float
    top: float
    right: float
    bottom: float

    def covers(self, other: Area) -> bool:
        return (
            self.left <= other.left
            and self.top <= other.top
            and self.right >= other.right
            and self.bottom >= other.bottom
        )

    def meets(self, other: Area) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def font(name: str, size: int) -> ImageFont.FreeTypeFont:
    """A font that comes with matplotlib: the widest of those that the pictures name."""
    package = find_spec("matplotlib")
    assert package is not None
    assert package.origin is not None
    return ImageFont.truetype(Path(package.origin).parent / "mpl-data" / "fonts" / "ttf" / f"{name}.ttf", size)


FONTS = {
    "title": font("DejaVuSans-Bold", 18),
    "heading": font("DejaVuSans-Bold", 13),
    "plain": font("DejaVuSans", 12),
    "name": font("DejaVuSansMono", 11),
}


def text_area(element: ET.Element) -> Area:
    """What a text covers."""
    text, face = element.text or "", FONTS[element.attrib["class"]]
    width, x, y = face.getlength(text), float(element.attrib["x"]), float(element.attrib["y"])
    left = x - width if element.get("text-anchor") == "end" else x
    return Area(text, left, y - face.size, left + width, y + 3)


def card_area(group: ET.Element) -> Area:
    """What a card covers."""
    rect = group.find(f"{SVG}rect")
    assert rect is not None
    x, y, width, height = (float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
    return Area(rect.attrib["class"], x, y, x + width, y + height)


def cards(group: ET.Element) -> Iterator[ET.Element]:
    """A card and all that stand in it."""
    yield group
    for inner in group.findall(f"{SVG}g"):
        yield from cards(inner)


@pytest.fixture(scope="module")
def pictures(examples: Stacks, synthesize: Any) -> dict[str, ET.Element]:
    """The pictures of the examples and of two unusual sites."""
    stacks: Stacks = {**examples, **synthesize(LARGE, SMALL)}
    sites = (*EXAMPLES, "a-site-with-a-long-name", "tiny")
    return {site: ET.fromstring(draw(read_site(site, stacks))) for site in sites}


@pytest.mark.parametrize("site", EXAMPLES)
def test_the_picture_in_the_docs_is_current(site: str, examples: Stacks) -> None:
    file = ROOT / "docs" / f"{site}.svg"
    assert draw(read_site(site, examples)) == file.read_text(encoding="utf-8"), "run `make pictures`"


def test_the_same_json_gives_the_same_bytes_in_any_order_of_the_stacks(examples: Stacks) -> None:
    turned = dict(reversed(examples.items()))
    assert draw(read_site("example-b200", turned)) == draw(read_site("example-b200", examples))


@pytest.mark.parametrize("site", [*EXAMPLES, "a-site-with-a-long-name", "tiny"])
def test_every_text_is_inside_its_card_and_beside_the_others(site: str, pictures: dict[str, ET.Element]) -> None:
    ground = pictures[site].find(f"{SVG}g")
    assert ground is not None
    for card in cards(ground):
        area, texts = card_area(card), [text_area(text) for text in card.findall(f"{SVG}text")]
        assert [text for text in texts if not area.covers(text)] == []
        assert [(one.what, other.what) for one, other in combinations(texts, 2) if one.meets(other)] == []
        inner = [card_area(one) for one in card.findall(f"{SVG}g")]
        assert [(text.what, other) for text in texts for other in inner if text.meets(other)] == []


@pytest.mark.parametrize("site", [*EXAMPLES, "a-site-with-a-long-name", "tiny"])
def test_cards_stand_in_each_other_and_never_over_each_other(site: str, pictures: dict[str, ET.Element]) -> None:
    ground = pictures[site].find(f"{SVG}g")
    assert ground is not None
    assert card_area(ground).right == 900
    for card in cards(ground):
        inner = [card_area(one) for one in card.findall(f"{SVG}g")]
        assert [one for one in inner if not card_area(card).covers(one)] == []
        assert [(one, other) for one, other in combinations(inner, 2) if one.meets(other)] == []


@pytest.mark.parametrize("site", [*EXAMPLES, "a-site-with-a-long-name", "tiny"])
def test_labels_of_lines_stand_on_the_ground(site: str, pictures: dict[str, ET.Element]) -> None:
    ground = pictures[site].find(f"{SVG}g")
    assert ground is not None
    labels = [text_area(text) for text in pictures[site].findall(f"{SVG}text")]
    assert len(labels) == (2 if site == "tiny" else 3)
    for label in labels:
        assert card_area(ground).covers(label)
        assert [one.what for one in map(card_area, ground.findall(f"{SVG}g")) if one.meets(label)] == []


@pytest.mark.parametrize("site", [*EXAMPLES, "a-site-with-a-long-name"])
def test_each_interface_of_a_node_is_joined_straight_to_its_subnet(site: str, pictures: dict[str, ET.Element]) -> None:
    lines = [
        line.attrib["points"].split()
        for line in pictures[site].findall(f"{SVG}polyline")
        if line.attrib["class"] in ("wire to-gvnic", "wire to-rdma")
    ]
    assert len(lines) == 9
    assert [points for points in lines if points[0].split(",")[1] != points[1].split(",")[1]] == []


def test_the_lines_follow_the_pods_annotation_to_the_subnet(examples: Stacks) -> None:
    stacks = copy.deepcopy(examples)
    manifests = stacks["example-b200_platform"]["resource"]["kubernetes_manifest"]
    one, other = (manifests[f"pod-networks-rdma-{index}-parameters"]["manifest"]["spec"] for index in (0, 7))
    one["vpcSubnet"], other["vpcSubnet"] = other["vpcSubnet"], one["vpcSubnet"]
    found = {one.device: one.subnet for one in read_site("example-b200", stacks).ray.workers.interfaces}
    assert (found["eth2"], found["eth9"]) == ("example-b200-rdma-sub-7", "example-b200-rdma-sub-0")


def test_a_picture_shows_the_names_ranges_and_sizes_of_the_json(pictures: dict[str, ET.Element]) -> None:
    texts = {text.text for text in pictures["example-h200"].iter(f"{SVG}text")}
    assert texts >= {
        "example-h200",
        "project my-project, zone europe-west1-b",
        "GKE cluster example-h200",
        "1.34, channel REGULAR, DNS endpoint, KubeRay by GKE's add-on",
        "cpu-pool: 1 to 5 × n2-highmem-80",
        "gpu-pool: 0 to 2 × a3-ultragpu-8g",
        "8 × nvidia-h200-141gb each",
        "From the reservation my-reservation",
        "Ray head",
        "64 CPUs, 465 GiB",
        "206 CPUs, 2,400 GiB, 240 GiB shared, 8 GPUs",
        "VPC example-h200-net",
        "10.0.0.0/20",
        "10.4.0.0/14",
        "10.0.32.0/20",
        "example-h200-lustre-range",
        "10.1.0.0/20",
        "Lets in tcp 6988 from 10.1.0.0/20",
        "Cloud NAT example-h200-net-nat",
        "VPC example-h200-gvnic-net",
        "example-h200-gvnic-sub",
        "192.168.0.0/24",
        "VPC example-h200-rdma-net",
        "europe-west1-b-vpc-roce, MTU 8896",
        "example-h200-rdma-sub-7",
        "192.168.8.0/24",
        "eth9 rdma-7",
        "Managed Lustre example-h200-lustre",
        "18,000 GiB at 500 MB/s per TiB: 8,789 MB/s in all",
        "File system lustrefs, port 6988, volume claim lustre-pvc",
        "mounted at /data in every Ray pod",
    }
    assert len([text for text in texts if text and text.startswith("gemma3-")]) == 2


def test_unusual_sites_say_what_is_different(pictures: dict[str, ET.Element]) -> None:
    small = {text.text for text in pictures["tiny"].iter(f"{SVG}text")}
    assert small >= {"No Ray workers: ray.workers is 0", "No Cloud NAT", "auto", "Spot VMs"}
    large = {text.text for text in pictures["a-site-with-a-long-name"].iter(f"{SVG}text")}
    assert large >= {"and 6 more like these", "1.34, channel REGULAR, public endpoint, KubeRay 1.6.2 by its chart"}


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("look", sorted(set(LOOKS) - {"gpu"}))
@pytest.mark.parametrize("dark", [0, 1], ids=["light", "dark"])
def test_text_stands_out_from_its_card_in_both_colour_schemes(look: str, dark: int) -> None:
    bright, dim = sorted((luminance(INK[dark]), luminance(LOOKS[look][dark][0])), reverse=True)
    assert (bright + 0.05) / (dim + 0.05) >= 7


def test_a_site_that_was_not_synthesized_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no-such-site", str(tmp_path / "it.svg")]) == 2
    told = capsys.readouterr().err
    assert told.startswith(
        ("cdktf.out has no stack of a site called no-such-site; there are ", "cdktf.out does not exist")
    )
    assert not (tmp_path / "it.svg").exists()


def test_without_the_layout_library_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in [name for name in sys.modules if name.startswith("tools.picture.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "kiwisolver", None)
    assert main(["example-b200"]) == 2
    assert capsys.readouterr().err.startswith("a picture needs kiwisolver, a development requirement: make .venv/")


@pytest.fixture
def synthesized(examples: Stacks, monkeypatch: pytest.MonkeyPatch) -> list[Stack]:
    """The stacks that the command finds: those of an example."""
    stacks = [
        Stack(name=name, folder=name, order=1, content=content)
        for name, content in examples.items()
        if "example-b200" in name
    ]

    def found(_site: str) -> list[Stack]:
        return stacks

    monkeypatch.setattr("tools.picture.__main__.stacks_of", found)
    return stacks


@pytest.mark.parametrize(
    ("file", "reason"), [("none/it.svg", "No such file or directory"), (".", "Is a directory")], ids=["none", "folder"]
)
@pytest.mark.usefixtures("synthesized")
def test_a_file_that_cannot_be_written_is_said(
    file: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["example-b200", str(tmp_path / file)]) == 2
    assert capsys.readouterr().err == f"{tmp_path / file} cannot be written: {reason}\n"


def test_a_site_without_all_of_its_layers_is_not_drawn(
    synthesized: list[Stack], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    synthesized[:] = [stack for stack in synthesized if not stack.name.endswith(("_storage", "_platform"))]
    assert main(["example-b200", str(tmp_path / "it.svg")]) == 2
    assert capsys.readouterr().err == (
        "cdktf.out has no example-b200_storage and no example-b200_platform: run `make synth`\n"
    )
