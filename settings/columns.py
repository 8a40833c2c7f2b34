"""Text in columns, for what is printed."""

from __future__ import annotations

from collections.abc import Sequence


def in_columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """One line a row, the columns as wide as their widest text; all rows have the same number of columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
