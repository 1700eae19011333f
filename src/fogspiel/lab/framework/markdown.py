"""Results as Markdown: tables, and means with their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = [_line(head), f"|{'---|' * len(head)}", *map(_line, rows)]
    return "\n".join(lines)


def with_interval(mean: float, interval: Sequence[float] | None, digits: int) -> str:
    """A mean and half of its interval, if there is one, with so many digits after the point."""
    if interval is None:
        return f"{mean:.{digits}f}"
    low, high = interval
    return f"{mean:.{digits}f} ± {(high - low) / 2:.{digits}f}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
