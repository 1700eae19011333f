"""Small pieces of rule text that several families share."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

WIDTH = 96
INIT = 9
"""Columns by which the facts of a POGDDL problem are moved to the right."""
OBJECTS = 12
"""The same for its objects."""


def facts(relation: str, rows: Iterable[Iterable[object]], width: int = WIDTH) -> str:
    """Ground facts of one relation, several to a line: `(succ 1 2) (succ 2 3)`."""
    lines = [""]
    for row in rows:
        fact = f"({relation} {' '.join(map(str, row))})"
        if lines[-1] and len(lines[-1]) + 1 + len(fact) > width:
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


def start_facts(relation: str, rows: Iterable[Iterable[object]]) -> str:
    """Facts as lines of the `:init` of a POGDDL problem."""
    return textwrap.indent(facts(relation, rows, WIDTH - INIT), " " * INIT)


def object_names(names: Iterable[str]) -> str:
    """Names as lines of the `:objects` of a POGDDL problem, with room for their type."""
    margin = " " * OBJECTS
    return textwrap.fill(
        " ".join(names), WIDTH - OBJECTS, initial_indent=margin, subsequent_indent=margin
    )


def comment(text: str) -> str:
    """A comment, as many words to a line as fit."""
    return textwrap.fill(text, WIDTH, initial_indent="; ", subsequent_indent="; ")
