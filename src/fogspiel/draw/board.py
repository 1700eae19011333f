"""Fluents that look like a board: which of the rules' fluents say what is where.

A fluent such as `(cell a 1 rook)` or `(pawn white 2 5)` has two places that say where and one that
says what. Which is which is seen in some random matches, so it depends on the rules alone and tells
nothing about the match that is shown.
As text, a board shows what a role can be sure of and what it cannot.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from fogspiel.api.known import Known
from fogspiel.api.names import term_of
from fogspiel.core.terms import GroundTerm, RoleId
from fogspiel.machine.memo import once_per_machine
from fogspiel.machine.protocol import Machine, State

if TYPE_CHECKING:
    from fogspiel.api.state import State as PublicState


MATCHES = 8
STEPS = 60
LONGEST_SIDE = 26
MOST_CONTENTS = 16
LEAST_COVERED = 0.5
"""Share of all pairs of coordinates that must come up for them to be those of a board."""
NOTHING, UNKNOWN = ".", "?"
WHERE = ((0, 1, 2), (1, 2, 0))
"""Places of column, row and content behind the name, the usual one first."""

Cell = tuple[str, str]
Atom = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A board that the fluents of one name make."""

    name: str
    order: tuple[int, int, int]  #: Places of column, row and content among what follows the name
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    contents: tuple[str, ...]

    def cell(self, fluent: str) -> tuple[Cell, str] | None:
        """The cell that a fact tells of, and its content; None if it is no part of the board."""
        found = _atom(term_of(fluent))
        if found is None or found[0] != self.name:
            return None
        column, row, content = (found[1 + place] for place in self.order)
        return (column, row), content


@once_per_machine
def layouts_of(machine: Machine) -> tuple[Layout, ...]:
    """The boards of a game, by random matches with fixed seeds; none where nothing looks so."""
    seen: dict[str, list[set[Atom]]] = defaultdict(list)
    for seed in range(MATCHES):
        for state in _random_states(machine, seed):
            by_name: dict[str, set[Atom]] = defaultdict(set)
            for atom in filter(None, map(_atom, machine.fluent_terms(state))):
                by_name[atom[0]].add(atom[1:])
            for name, atoms in by_name.items():
                seen[name].append(atoms)
    found = (_layout(name, states) for name, states in sorted(seen.items()))
    return tuple(layout for layout in found if layout is not None)


def _random_states(machine: Machine, seed: int) -> Iterator[State]:
    """The states of a match of uniform random moves; it ends early where a role has no move."""
    rng, state = np.random.default_rng(seed), machine.initial()
    for _ in range(STEPS):
        yield state
        options = [machine.legal(state, RoleId(role)) for role in range(len(machine.roles))]
        if machine.terminal(state) or not all(options):
            return
        state = machine.step(state, [moves[int(rng.integers(len(moves)))] for moves in options])


def _layout(name: str, states: Sequence[set[Atom]]) -> Layout | None:
    """states: what held of that name, at different times."""
    every = set(chain.from_iterable(states))
    for order in WHERE:
        columns, rows, contents = (_sorted({atom[place] for atom in every}) for place in order)
        cells = {(atom[order[0]], atom[order[1]]) for atom in every}
        is_square = (
            min(len(columns), len(rows)) >= 2 and max(len(columns), len(rows)) <= LONGEST_SIDE
        )
        is_covered = len(cells) >= LEAST_COVERED * len(columns) * len(rows)
        fits = is_square and is_covered and len(contents) <= MOST_CONTENTS
        if fits and all(_holds_one_each(atoms, order) for atoms in states):
            return Layout(name=name, order=order, columns=columns, rows=rows, contents=contents)
    return None


def _holds_one_each(atoms: set[Atom], order: tuple[int, int, int]) -> bool:
    """Whether no cell has two contents at a time."""
    return len({(atom[order[0]], atom[order[1]]) for atom in atoms}) == len(atoms)


def _atom(fluent: GroundTerm) -> Atom | None:
    """A name and three words; None for any other fluent."""
    if isinstance(fluent, str) or len(fluent) != 4:
        return None
    words = tuple(word for word in fluent if isinstance(word, str))
    return words if len(words) == 4 else None


def _sorted(words: Iterable[str]) -> tuple[str, ...]:
    """Numbers by their value, before names."""
    return tuple(
        sorted(words, key=lambda word: (0, int(word), word) if word.isdecimal() else (1, 0, word))
    )


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


def state_text(state: PublicState) -> str:
    """A state as text: its boards, then the facts that stand on none of them on a line."""
    layouts = layouts_of(state.game.machine)
    known = state.known()
    boards = [board_text(layout, known) for layout in layouts]
    on_board = any_cell(layouts)
    rest = [fluent for fluent in known.certain if not on_board(fluent)]
    return "\n".join([*boards, *([" ".join(rest)] if rest else [])])


def any_cell(layouts: Sequence[Layout]) -> Callable[[str], bool]:
    """Whether a fact stands on one of the boards."""
    return lambda fluent: any(layout.cell(fluent) is not None for layout in layouts)


def _signs(contents: Sequence[str]) -> dict[str, str]:
    """The contents of cells in as few letters as tell them apart."""
    for length in range(1, max(map(len, contents)) + 1):
        signs = {name: name[:length] for name in contents}
        if len(set(signs.values())) == len(contents) and UNKNOWN not in signs.values():
            return signs
    return {name: name for name in contents}
