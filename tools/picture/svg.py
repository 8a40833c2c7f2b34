"""The SVG of a site: the cards of its picture at their places, and the lines between them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

from tools.picture.cards import HEADING, LINE, NAME, PAD, PLAIN, ROW, TITLE, WIDTH, Card, Picture, Text, Wire
from tools.picture.facts import Site
from tools.picture.layout import Font

#: Class -> (fill, stroke) on a light and on a dark ground.
LOOKS = {
    "ground": (("#ffffff", "#d0d7de"), ("#0d1117", "#3d444d")),
    "jobs": (("#f6f8fa", "#8c959f"), ("#151b23", "#656c76")),
    "cluster": (("#faf5ff", "#8250df"), ("#1c1530", "#ab7df8")),
    "pool": (("#ffffff", "#8250df"), ("#0d1117", "#ab7df8")),
    "pod": (("#f3ecff", "#8250df"), ("#2a1f47", "#ab7df8")),
    "gpu": (("#8250df", "#8250df"), ("#ab7df8", "#ab7df8")),
    "main": (("#ddf4ff", "#0969da"), ("#0c2d4d", "#4493f8")),
    "gvnic": (("#dafbe1", "#1a7f37"), ("#0f2d1a", "#3fb950")),
    "rdma": (("#fff1e5", "#bc4c00"), ("#3a1f08", "#f0883e")),
    "lustre": (("#fff8c5", "#9a6700"), ("#332a06", "#d29922")),
    "row": (("#ffffff", "#d0d7de"), ("#0d1117", "#3d444d")),
}
#: Class of a line -> its colour on a light and on a dark ground.
WIRES = {
    "to-jobs": ("#59636e", "#9198a1"),
    "to-main": ("#0969da", "#4493f8"),
    "to-gvnic": ("#1a7f37", "#3fb950"),
    "to-rdma": ("#bc4c00", "#f0883e"),
    "to-lustre": ("#9a6700", "#d29922"),
}
INK = ("#1f2328", "#f0f6fc")
SANS = '-apple-system, "Segoe UI", Roboto, Helvetica, Arial, "DejaVu Sans", sans-serif'
MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'


def draw(site: Site) -> str:
    """The SVG of a site."""
    picture = Picture(site)
    ground = picture.place(picture.ground)
    size = {"width": str(WIDTH), "height": str(ground.bottom), "viewBox": f"0 0 {WIDTH} {ground.bottom}"}
    root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", **size, "role": "img"})
    ET.SubElement(root, "title").text = f"The site {site.name}"
    ET.SubElement(root, "desc").text = _described(site)
    ET.SubElement(root, "style").text = _style()
    definitions = ET.SubElement(root, "defs")
    for look in WIRES:
        marker = {
            "id": f"arrow-{look}",
            "viewBox": "0 0 8 8",
            "refX": "8",
            "refY": "4",
            "orient": "auto",
            "markerUnits": "userSpaceOnUse",
        }
        arrow = ET.SubElement(definitions, "marker", {**marker, "markerWidth": "8", "markerHeight": "8"})
        ET.SubElement(arrow, "path", {"d": "M0 0 8 4 0 8z", "class": f"end {look}"})
    _draw_card(root, picture, picture.ground)
    for wire in picture.wires():
        _draw_wire(root, wire)
    ET.indent(root, " ")
    return ET.tostring(root, encoding="unicode") + "\n"


def _described(site: Site) -> str:
    return (
        f"GKE cluster {site.cluster.name} with {site.cluster.cpu_pool.name} and {site.cluster.gpu_pool.name}, whose"
        f" nodes are in the VPCs {site.main.name}, {site.gvnic.name} and {site.rdma.name}; Managed Lustre"
        f" {site.lustre.name}; RayCluster {site.ray.name} with {site.ray.workers.count} workers; {len(site.jobs)} jobs."
    )


def _style() -> str:
    def colours(dark: int) -> str:
        looks = "".join(f".{look}{{fill:{both[dark][0]};stroke:{both[dark][1]}}}\n" for look, both in LOOKS.items())
        wires = "".join(
            f".{look}{{stroke:{both[dark]}}}\n.end.{look}{{fill:{both[dark]}}}\n" for look, both in WIRES.items()
        )
        return f"{looks}{wires}text{{fill:{INK[dark]}}}\n"

    fonts = {"title": TITLE, "heading": HEADING, "plain": PLAIN, "name": NAME}
    faces = "".join(
        f".{name}{{font:{'bold ' if font.bold else ''}{font.size}px {MONO if font.mono else SANS}}}\n"
        for name, font in fonts.items()
    )
    return (
        f"\n.wire{{fill:none;stroke-width:1.5px}}\n.end{{stroke:none}}\n{faces}"
        f"{colours(0)}@media (prefers-color-scheme: dark) {{\n{colours(1)}}}\n"
    )


def _font_class(font: Font) -> str:
    return {TITLE: "title", HEADING: "heading", PLAIN: "plain", NAME: "name"}[font]


def _far(card: Card) -> int:
    """Padding at the right: an indent at the left may be wider."""
    return card.indent if card.look in ("ground", "row") else PAD


def _draw_card(parent: ET.Element, picture: Picture, card: Card) -> None:
    """A group of the card's rectangle, its texts, and the groups of the cards in it."""
    place = picture.place(card)
    group = ET.SubElement(parent, "g")
    size = {"x": place.left, "y": place.top, "width": place.width, "height": place.height}
    ET.SubElement(group, "rect", {"class": card.look, **{key: str(value) for key, value in size.items()}, "rx": "4"})
    baseline = place.top + PAD + LINE - 4
    if place.height == ROW:
        baseline = place.middle + 4
    for text in card.texts:
        room = float(place.width - card.indent - _far(card) - card.aside)
        if text.right:
            font = NAME if text.font is NAME else PLAIN
            _draw_text(
                group,
                replace(text, left=text.right, right="", font=font),
                place.right - _far(card),
                baseline,
                room,
                "end",
            )
            room -= font.width(text.right) + 8
        _draw_text(group, text, place.left + card.indent, baseline, room, "start")
        baseline += LINE
    for inner in card.inner:
        _draw_card(group, picture, inner)


def _draw_text(parent: ET.Element, text: Text, x: int, y: int, room: float, anchor: str) -> None:
    """A text that is cut in its middle where there is no room; the whole of it shows under the pointer then."""
    shown = text.font.fitted(text.left, room)
    attributes = {"class": _font_class(text.font), "x": str(x), "y": str(y)}
    if anchor != "start":
        attributes["text-anchor"] = anchor
    element = ET.SubElement(parent, "text", attributes)
    element.text = shown
    if shown != text.left:
        ET.SubElement(element, "title").text = text.left


def _draw_wire(parent: ET.Element, wire: Wire) -> None:
    attributes = {"class": f"wire {wire.look}", "points": " ".join(f"{x},{y}" for x, y in wire.points)}
    if wire.end == "arrow":
        attributes["marker-end"] = f"url(#arrow-{wire.look})"
    ET.SubElement(parent, "polyline", attributes)
    if wire.end == "dot":
        x, y = wire.points[-1]
        ET.SubElement(parent, "circle", {"class": f"end {wire.look}", "cx": str(x), "cy": str(y), "r": "3"})
    if wire.label:
        x, y = wire.at
        ET.SubElement(parent, "text", {"class": "plain", "x": str(x), "y": str(y)}).text = wire.label
