"""Latent tic-tac-toe as a Python class: players do not see each other's marks.

    fogspiel match examples/latent_tic_tac_toe.py:LatentTicTacToe ismcts random --simulations 200

The player on turn tries a cell. On a blank cell the mark is made and the turn passes; on a cell of
the opponent nothing is marked, and the same player tries again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import fogspiel

INDICES = (1, 2, 3)
CELLS = frozenset((x, y) for x in INDICES for y in INDICES)
LINES = [
    *({(x, y) for y in INDICES} for x in INDICES),
    *({(x, y) for x in INDICES} for y in INDICES),
    {(x, x) for x in INDICES},
    {(x, 4 - x) for x in INDICES},
]
OTHER = {"x": "o", "o": "x"}


@dataclass(frozen=True)
class Board:
    """The cells that each player marked and tried, and whose turn it is."""

    turn: str = "x"
    x: frozenset[tuple[int, int]] = frozenset()
    o: frozenset[tuple[int, int]] = frozenset()
    tried: frozenset[tuple[int, int]] = frozenset()
    """Cells of the opponent that were tried, by either player."""

    def marks(self, role):
        return self.x if role == "x" else self.o

    @property
    def winner(self):
        return next((r for r in "xo" if any(self.marks(r) >= line for line in LINES)), None)

    @property
    def full(self):
        return self.x | self.o == CELLS


class LatentTicTacToe(fogspiel.PythonGame):
    """The game; a win pays 100, a draw 50, as in the bundled rule sheet."""

    roles = ("x", "o")

    def initial(self):
        return Board()

    def legal(self, state, role):
        if role != state.turn:
            return []
        # The player knows those cells of the opponent that it tried.
        known = state.marks(role) | (state.tried & state.marks(OTHER[role]))
        return [("mark", *cell) for cell in sorted(CELLS - known)]

    def next(self, state, joint):
        role, (_, *cell) = state.turn, joint[state.turn]
        cell = tuple(cell)
        if cell in state.marks(OTHER[role]):
            return replace(state, tried=state.tried | {cell})
        marked = state.marks(role) | {cell}
        after = replace(state, x=marked) if role == "x" else replace(state, o=marked)
        return replace(after, turn=OTHER[role])

    def percepts(self, state, joint, role):
        after = self.next(state, joint)
        seen = [("turn", after.turn)]
        if after.winner:
            seen.append(("won", after.winner))
        return [*seen, "full"] if after.full else seen

    def terminal(self, state):
        return state.winner or state.full

    def payoffs(self, state):
        if state.winner is None:
            return [50, 50]
        return {state.winner: 100, OTHER[state.winner]: 0}

    def fluents(self, state):
        marks = [("cell", *cell, role) for role in "xo" for cell in sorted(state.marks(role))]
        return [("control", state.turn), *marks]
