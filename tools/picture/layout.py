"""Boxes that stand in each other, beside and below each other, placed by the Cassowary solver (kiwisolver).

Wishes about boxes become equations and inequalities between their edges; the solver finds the smallest edges that hold
them all. The same wishes, in the same order, give the same places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kiwisolver import Constraint, Expression, Solver, Variable

#: Widths of the printable ASCII characters of DejaVu Sans, in thousandths of the size. It is the widest of the fonts
#: that the picture names, so what fits in it fits in the others.
_SANS = (
    *(318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337),  # space to /
    *(*(636,) * 10, 337, 337, 838, 838, 838, 531, 1000),  # digits, : to @
    *(684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863),  # A to M
    *(748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685),  # N to Z
    *(390, 337, 390, 838, 500, 500),  # [ to `
    *(613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974),  # a to m
    *(634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525),  # n to z
    *(636, 337, 636, 838),  # { to ~
)
_MONO = 603
#: DejaVu Sans Bold is at most this much wider than the regular face.
_BOLD = 1.15


@dataclass(frozen=True, kw_only=True)
class Font:
    """How a text is set: its size in pixels, and its face."""

    size: int
    bold: bool = False
    mono: bool = False

    def width(self, text: str) -> float:
        """The most that the text takes, in pixels."""
        if self.mono:
            units = float(_MONO * len(text))
        else:
            units = float(sum(_SANS[ord(c) - 32] if " " <= c <= "~" else 1000 for c in text))  # × and … are narrower
        return units * self.size / 1000 * (_BOLD if self.bold else 1)

    def fitted(self, text: str, room: float) -> str:
        """The text, or, where it is too wide, as much of its two ends as there is room for."""
        if self.width(text) <= room:
            return text
        for kept in range(len(text) - 1, 1, -1):
            front = kept - kept // 2
            short = f"{text[:front]}…{text[len(text) - kept // 2 :]}"
            if self.width(short) <= room:
                return short
        return "…"


class Box:
    """A rectangle whose edges the solver finds."""

    def __init__(self) -> None:
        self.left, self.top, self.right, self.bottom = Variable(), Variable(), Variable(), Variable()

    @property
    def width(self) -> Expression:
        """Its width, for wishes."""
        return self.right - self.left

    @property
    def height(self) -> Expression:
        """Its height, for wishes."""
        return self.bottom - self.top


@dataclass(frozen=True)
class Place:
    """Where a box has come to stand, in whole pixels."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Its width."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Its height."""
        return self.bottom - self.top

    @property
    def middle(self) -> int:
        """Half-way between top and bottom."""
        return (self.top + self.bottom) // 2


class Layout:
    """Wishes about boxes, and the places that fulfil them."""

    def __init__(self) -> None:
        self._solver = Solver()

    def want(self, *wishes: Constraint) -> None:
        """Adds wishes that must hold."""
        for wish in wishes:
            self._solver.addConstraint(wish)

    def box(self, *, width: float | None = None, height: float | None = None) -> Box:
        """A box, of a fixed size where one is given and otherwise as small as what stands in it allows."""
        box = Box()
        self.want(box.left >= 0, box.top >= 0)
        for size, given in ((box.width, width), (box.height, height)):
            self.want(size >= 0 if given is None else size == given)
            if given is None:
                self._solver.addConstraint((size == 0) | "weak")
        for edge in (box.left, box.top):
            self._solver.addConstraint((edge == 0) | "weak")
        return box

    def inside(self, outer: Box, inner: Box, *, head: float, sides: float) -> None:
        """`inner` stands in `outer`: `head` below its top, `sides` away from its other edges, or more."""
        self.want(
            inner.top >= outer.top + head,
            inner.bottom <= outer.bottom - sides,
            inner.left >= outer.left + sides,
            inner.right <= outer.right - sides,
        )

    def column(self, outer: Box, inner: Sequence[Box], *, head: float, sides: float, gap: float) -> None:
        """The boxes stand in `outer` one below the other, as wide as it."""
        for box in inner:
            self.inside(outer, box, head=head, sides=sides)
            self.want(box.left == outer.left + sides, box.right == outer.right - sides)
        self.below(inner, gap=gap)

    def below(self, boxes: Sequence[Box], *, gap: float) -> None:
        """Each box stands below the one before it, at least `gap` away."""
        for upper, lower in pairwise(boxes):
            self.want(lower.top >= upper.bottom + gap)

    def side_by_side(self, boxes: Sequence[Box], *, gap: float) -> None:
        """The boxes stand beside each other, on one line, equally wide."""
        for left, right in pairwise(boxes):
            self.want(right.left == left.right + gap, right.top == left.top, right.width == left.width)

    def level(self, one: Box, other: Box) -> None:
        """The middles of both boxes are at one height."""
        self.want(one.top + one.bottom == other.top + other.bottom)

    def place(self, box: Box) -> Place:
        """Where a box stands by the wishes so far."""
        self._solver.updateVariables()
        return Place(*(round(edge.value()) for edge in (box.left, box.top, box.right, box.bottom)))
