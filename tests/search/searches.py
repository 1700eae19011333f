"""What tests of the tree search share: searches of small games, and what they have learnt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId, format_term
from fogspiel.games.load import load
from fogspiel.machine.knowledge import first_knowledge
from fogspiel.machine.protocol import Machine, States, player_roles
from fogspiel.search.mcts.algorithms import Algorithm
from fogspiel.search.mcts.kernels.backup import PICK, SUM
from fogspiel.search.mcts.kernels.decisions import (
    BACK,
    CHOSEN,
    MOVES,
    RETURNS,
    ROWS,
    STOOD,
    VISITS,
)
from fogspiel.search.mcts.kernels.selection import COUNTED, BestWorth, EagerUcb
from fogspiel.search.mcts.roots import Roots, first_roots
from fogspiel.search.mcts.search import Search
from fogspiel.search.mcts.statistics import MoveStatistics, root_statistics


def machine_of(name: str) -> Machine:
    """The machine of a bundled game."""
    return load(name).machine


def player(machine: Machine) -> RoleId:
    """The first role that is not chance."""
    return player_roles(machine)[0]


def roots_at(machine: Machine, states: States, weights: NDArray[np.float64] | None = None) -> Roots:
    """States of which nobody knows anything, all as probable if no weights are given."""
    known = np.array([first_knowledge(RoleId(role)) for role in range(len(machine.roles))])
    return Roots(
        states=states,
        knowledge=np.tile(known, (len(states), 1)),
        weights=np.full(len(states), 1.0 / len(states)) if weights is None else weights,
    )


def after_chance(machine: Machine) -> Roots:
    """The states after the first step, in which chance alone has a choice."""
    return roots_at(machine, machine.expand(machine.initial()).states)


def searched(
    game: str | Machine, algorithm: Algorithm, simulations: int, roots: Roots | None = None,
    *, seed: int = 7, **options: Any,
) -> Search:  # fmt: skip
    """A search of so many simulations, from the beginning if there are no other roots."""
    machine = machine_of(game) if isinstance(game, str) else game
    search = Search(machine, player(machine), algorithm, seed=seed, **options)
    made = search.run(roots or first_roots(machine), Budget.of(simulations=simulations))
    assert made == search.simulations == simulations
    return search


def statistics_at(
    search: Search, roots: Roots | None = None, role: RoleId | None = None
) -> MoveStatistics:
    """The statistics of the one decision of a role at the roots."""
    observer = search.observer if role is None else role
    found = list(root_statistics(search, roots or first_roots(search.machine), observer))
    assert len(found) == 1
    return found[0][1]


def by_name(
    search: Search, statistics: MoveStatistics, values: NDArray[np.float64]
) -> dict[str, float]:
    """Values of moves by the names of these."""
    terms = [search.machine.move_term(search.observer, move) for move in statistics.moves.tolist()]
    return dict(zip(map(format_term, terms), values.tolist(), strict=True))


def blocks(search: Search) -> Iterator[NDArray[np.float64]]:
    """The headers and moves of each decision that has not moved elsewhere."""
    own, row, rows = search.header_rows, 1, search.tree.decisions.rows
    while row < int(search.tree.decisions.sizes[ROWS]):
        moves = int(rows[row, MOVES])
        if moves >= 0:
            yield rows[row : row + own + moves]
        row += own + max(0, moves)


def assert_all_came_back(search: Search, *, some: bool = True) -> None:
    """Check that every simulation came back to all of its decisions, or stood there."""
    own, count = search.header_rows, 0
    for block in blocks(search):
        moves, count = block[own:], count + 1
        assert np.array_equal(moves[:, CHOSEN], moves[:, RETURNS])
        if isinstance(search.algorithm.rule, BestWorth):
            assert block[1, COUNTED] == block[0, VISITS]
            assert not len(moves) or moves[:, CHOSEN].sum() == block[0, VISITS]
            assert block[0, PICK] >= 0
        elif isinstance(search.algorithm.rule, EagerUcb):
            # The first simulation made a move too; before there are moves, its value stands alone.
            assert len(moves) or (block[0, VISITS] == 1.0 and 0.0 <= block[0, SUM] <= 1.0)
            assert not len(moves) or moves[:, CHOSEN].sum() == block[0, VISITS]
        else:
            assert block[0, STOOD] == block[0, BACK]
            assert block[0, VISITS] == moves[:, CHOSEN].sum() + block[0, STOOD]
    assert count > 0 or not some
    assert not search._states.any()
