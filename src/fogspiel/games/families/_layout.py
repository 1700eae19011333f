"""Small pieces of rule text that several families share."""

from __future__ import annotations

from collections.abc import Iterable

WIDTH = 96


def facts(relation: str, rows: Iterable[Iterable[object]]) -> str:
    """Ground facts of one relation, several to a line: `(succ 1 2) (succ 2 3)`."""
    lines = [""]
    for row in rows:
        fact = f"({relation} {' '.join(map(str, row))})"
        if lines[-1] and len(lines[-1]) + 1 + len(fact) > WIDTH:
            lines.append("")
        lines[-1] += f" {fact}" if lines[-1] else fact
    return "\n".join(lines)


def successors(relation: str, last: int, first: int = 1) -> str:
    """`(relation 1 2) (relation 2 3) …` up to `last`."""
    return facts(relation, ((n, n + 1) for n in range(first, last)))


def require(name: str, value: int, least: int, most: int) -> None:
    """Raise `ValueError` unless a parameter lies in its range."""
    if not least <= value <= most:
        raise ValueError(f"{name} must be from {least} to {most}; got {value}")
