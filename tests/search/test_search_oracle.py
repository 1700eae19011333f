"""One simulation at a time, every combination of parts is the search in plain Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle import Oracle
from searches import assert_all_came_back, machine_of, player

from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId
from fogspiel.machine.protocol import Machine
from fogspiel.search.mcts.algorithms import (
    ISMCTS,
    NORNS,
    OPPONENT_TYPES,
    OUTCOME_SAMPLING,
    SHODAN,
    SIMULTANEOUS_EXP3,
    SIMULTANEOUS_MATCHING,
    SIMULTANEOUS_UCT,
    SINGLE_OBSERVER_ISMCTS,
    UCT,
    Algorithm,
)
from fogspiel.search.mcts.kernels.decisions import CHOSEN, MOVES, VISITS
from fogspiel.search.mcts.kernels.graph import DECISION, HEAD, NUMBERS
from fogspiel.search.mcts.kernels.selection import Exp3, RegretMatching, Ucb
from fogspiel.search.mcts.roots import Roots, first_roots
from fogspiel.search.mcts.search import Search

SEEDS, SIMULATIONS = 24, 48
Counts = dict[Hashable, NDArray[np.float64]]

ALGORITHMS = {
    "uct": UCT,
    "joint": SIMULTANEOUS_UCT,
    "exp3": SIMULTANEOUS_EXP3.with_constant(0.3),
    "matching": SIMULTANEOUS_MATCHING.with_constant(0.3),
    "ismcts": ISMCTS,
    "so-ismcts": SINGLE_OBSERVER_ISMCTS,
    "shodan": SHODAN.with_constant(0.3),
    "norns": NORNS,
    "types": OPPONENT_TYPES,
    "outcome": OUTCOME_SAMPLING,
    "memories": Algorithm(keys="memories", rule=RegretMatching(0.3)),
    "past": Algorithm(keys="past", rule=Ucb(0.5)),
    "observer exp3": Algorithm(keys="observer", rule=Exp3(0.3), only_observer=True),
}
GAMES = ["kuhn_poker", "biased_rps", "tic_tac_toe", "number_guessing_8"]


def searched_counts(
    machine: Machine, algorithm: Algorithm, seed: int, met: set[Hashable]
) -> Counts:
    """Visits of decisions, and of their moves, after a search one by one."""
    one_by_one = Algorithm(
        **{name: getattr(algorithm, name) for name in algorithm.__slots__ if name != "together"},
        together=1,
    )
    search = Search(machine, player(machine), one_by_one, seed=seed)
    assert search.run(roots_of(machine, algorithm), Budget.of(simulations=SIMULATIONS)) == (
        SIMULATIONS
    )
    assert_all_came_back(search)
    tree, found = search.tree, {}
    for key in met:
        if isinstance(key, int):
            row = int(tree.rows_of_keys(np.array([key], np.uint64))[0])
        else:
            row = row_of_state(search, *key)  # type: ignore[misc]
        if row >= 0:
            found[key] = row_counts(search, row)
    return found


def row_of_state(search: Search, state: bytes, role: RoleId) -> int:
    """The row of a decision that is found by its state."""
    tree = search.tree
    for node in range(tree.node_count):
        if search.machine.key(tree.states_of(np.array([node]))[0]) == state:
            row = int(tree.graph.heads[node, HEAD + NUMBERS * role + DECISION]) - 1
            moved = -int(tree.decisions.rows[row, MOVES]) if row >= 0 else 0
            return moved if moved > 0 else row
    return -1


def row_counts(search: Search, row: int) -> NDArray[np.float64]:
    rows = search.tree.decisions.rows
    first, moves = row + search.header_rows, int(rows[row, MOVES])
    return np.concatenate([rows[row : row + 1, VISITS], rows[first : first + moves, CHOSEN]])


def roots_of(machine: Machine, algorithm: Algorithm) -> Roots:
    """The beginning, once for each type of opponents, in turn."""
    roots = first_roots(machine)
    if not algorithm.has_types:
        return roots
    known = roots.knowledge.repeat(2, axis=0)
    return Roots(
        states=roots.states.repeat(2, axis=0), knowledge=known, weights=None, tags=np.arange(2)
    )


def oracle_counts(machine: Machine, algorithm: Algorithm, seed: int) -> Counts:
    oracle = Oracle(machine, player(machine), algorithm, seed=seed)
    oracle.run(SIMULATIONS)
    return {
        key: np.array([own.visits, *own.chosen], np.float64)
        for key, own in oracle.decisions.items()
    }


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_one_by_one_it_is_the_search_in_plain_python(name: str, game: str) -> None:
    machine, algorithm = machine_of(game), ALGORITHMS[name]
    theirs = [oracle_counts(machine, algorithm, seed) for seed in range(SEEDS)]
    times: dict[Hashable, float] = defaultdict(float)
    for run in theirs:
        for key, counts in run.items():
            times[key] += counts[0] / SEEDS
    # Those that are met most; of others there are too many, and they say little.
    met = set(sorted(times, key=lambda key: (-times[key], str(key)))[:24])
    ours = [searched_counts(machine, algorithm, seed, met) for seed in range(SEEDS)]
    for key in met:
        width = max(len(run[key]) for run in (*ours, *theirs) if key in run)
        own, their = (
            np.array([np.resize(np.append(run.get(key, np.zeros(0)), np.zeros(width)), width)
                      for run in runs])
            for runs in (ours, theirs)
        )  # fmt: skip
        error = np.sqrt((own.var(axis=0) + their.var(axis=0)) / SEEDS) + 0.05
        assert (np.abs(own.mean(axis=0) - their.mean(axis=0)) < 4.5 * error).all(), key
