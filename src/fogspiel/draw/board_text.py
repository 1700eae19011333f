"""Boards as text, with what a role can be sure of and what it cannot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fogspiel.core.terms import GroundTerm
    from fogspiel.draw.board import Layout
    from fogspiel.players.human import Known

NOTHING, UNKNOWN = ".", "?"


def board_text(layout: Layout, known: Known) -> str:
    """Rows from the last to the first, columns from left to right, and what the signs mean."""
    signs = _signs(layout.contents)
    cells = {cell[0]: UNKNOWN for cell in map(layout.cell, known.open) if cell is not None}
    # A rule file may say of one cell both what is certain and what is not.
    cells |= {
        cell[0]: signs.get(cell[1], cell[1])
        for cell in map(layout.cell, known.certain)
        if cell is not None
    }
    wide = max(map(len, [*signs.values(), *cells.values(), *layout.columns]))
    label = max(map(len, layout.rows))
    lines = [f"The board ({layout.name}):"]
    for row in reversed(layout.rows):
        held = [cells.get((column, row), NOTHING) for column in layout.columns]
        lines.append(f"  {row:>{label}}  {' '.join(f'{sign:<{wide}}' for sign in held)}".rstrip())
    columns = " ".join(f"{column:<{wide}}" for column in layout.columns)
    lines.append(f"  {'':>{label}}  {columns}".rstrip())
    meanings = [f"{sign} {name}" for name, sign in signs.items() if sign != name]
    if UNKNOWN in cells.values():
        meanings.append(f"{UNKNOWN} not known")
    return "\n".join([*lines, *([f"  {', '.join(meanings)}"] if meanings else [])])


def any_cell(layouts: Sequence[Layout]) -> Callable[[GroundTerm], bool]:
    """Whether a fluent stands on one of the boards."""
    return lambda fluent: any(layout.cell(fluent) is not None for layout in layouts)


def _signs(contents: Sequence[str]) -> dict[str, str]:
    """As few letters of each as tell them apart."""
    for length in range(1, max(map(len, contents)) + 1):
        signs = {name: name[:length] for name in contents}
        if len(set(signs.values())) == len(contents) and UNKNOWN not in signs.values():
            return signs
    return {name: name for name in contents}
