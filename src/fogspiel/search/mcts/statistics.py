"""What a search has learnt, read off its tree: statistics of moves, and strategies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.models import UniformModel
from fogspiel.belief.protocol import ChosenMoves
from fogspiel.core.budget import Budget
from fogspiel.core.kernels.words import NONE
from fogspiel.core.native import native
from fogspiel.core.terms import RoleId
from fogspiel.machine.knowledge import Keys, knowledge_of
from fogspiel.machine.protocol import Machine, States
from fogspiel.search.mcts.algorithms import MIXING_RULES, SHODAN
from fogspiel.search.mcts.growth import Indices, SearchTree
from fogspiel.search.mcts.kernels.decisions import CHOSEN, MEAN, MOVES, RETURNS, STRATEGY, VISITS
from fogspiel.search.mcts.kernels.graph import DECISION, HEAD, NUMBERS, SET
from fogspiel.search.mcts.kernels.simulations import BY_NODE
from fogspiel.search.mcts.keys import choice_keys
from fogspiel.search.mcts.roots import Roots, first_roots
from fogspiel.search.mcts.search import Search

Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MoveStatistics:
    """Statistics of the moves of a decision, (moves,)."""

    moves: NDArray[np.int32]
    visits: Reals
    returns: Reals  #: Simulations that came to their end
    means: Reals
    """The mean value of each move, between 0 and 1; 0 where it was never tried, and for rules that
    mix."""
    strategy: Reals
    """The sum of the probabilities with which a rule that mixes chose each move."""

    @property
    def average(self) -> Reals:
        """The average strategy; uniform if nothing was chosen so far."""
        total = float(self.strategy.sum())
        if total <= 0.0:
            return np.full(len(self.moves), 1.0 / len(self.moves))
        average: Reals = self.strategy / total
        return average


def root_statistics(
    search: Search, roots: Roots, role: RoleId
) -> Iterator[tuple[float, MoveStatistics]]:
    """The decisions of a role in roots, with the probability of each.

    There is one for each state, or just one, depending on keys, and one for each set of moves where
    rules leave the role in doubt about them.
    """
    nodes, tree = search.nodes_of(roots), search.tree
    rows = decision_rows(tree, nodes, roots.knowledge, role)
    sets = tree.graph.heads[nodes, HEAD + NUMBERS * role + SET].astype(np.int64)
    pairs, same = np.unique(np.stack([rows, sets], axis=1), axis=0, return_inverse=True)
    shares = np.bincount(same.ravel(), roots.shares)
    for (row, move_set), share in zip(pairs.tolist(), shares.tolist(), strict=True):
        if row != NONE and tree.decisions.rows[row, MOVES] > 0.0:
            first = int(tree.graph.set_rows[move_set, 0])
            moves = tree.graph.moves[first : first + int(tree.decisions.rows[row, MOVES])]
            found = _statistics(search, row, moves.copy())
            means = search.stratified_means(len(moves)) if len(pairs) == 1 else None
            if role == search.observer and means is not None:
                found = replace(found, means=means)
            yield share, found


def decision_rows(tree: SearchTree, nodes: Indices, knowledge: Keys, role: RoleId) -> Indices:
    """(n,) rows of a role's decisions at nodes; NONE where there is none.

    knowledge: (n, roles) what roles know there.
    """
    at, graph, column = HEAD + NUMBERS * role, tree.graph, int(tree.keys.columns[role])
    if column == BY_NODE:
        rows: Indices = graph.heads[nodes, at + DECISION].astype(np.int64) - 1
        met = rows != NONE
        moved = -tree.decisions.rows[rows[met], MOVES].astype(np.int64)
        rows[met] = np.where(moved > 0, moved, rows[met])
        return rows
    if column >= 0:
        known = knowledge[:, tree.keys.carried[column]]
    else:
        known = graph.rows[nodes, BY_NODE - 1 - column]
    return tree.rows_of_keys(known ^ graph.set_keys[graph.heads[nodes, at + SET]])


def _statistics(search: Search, row: int, moves: NDArray[np.int32]) -> MoveStatistics:
    first = row + search.header_rows
    own = search.tree.decisions.rows[first : first + len(moves)].copy()
    none = np.zeros(len(moves))
    mixes = isinstance(search.algorithm.rule, MIXING_RULES)
    return MoveStatistics(
        moves=moves,
        visits=own[:, CHOSEN],
        returns=own[:, RETURNS],
        means=none if mixes else np.where(own[:, RETURNS] > 0.0, own[:, MEAN], 0.0),
        strategy=own[:, STRATEGY] if mixes else none,
    )


def visited_strategy(
    search: Search, role: RoleId, states: States, legal: NDArray[np.bool_], *, doubt: float,
    slip: float,
) -> Reals:  # fmt: skip
    """(n, moves) the shares of simulations that chose each move of a role in states.

    doubt: visits that the uniform strategy counts for. slip: probability of a random move instead.
    Decisions are found by states; the strategy is uniform where none was met.
    """
    tree, found = search.tree, _uniform(legal)
    nodes = tree.known_nodes(np.zeros((len(states), 0), np.uint64), states)
    met = np.flatnonzero(nodes != NONE)
    rows = np.full(len(states), NONE)
    rows[met] = decision_rows(tree, nodes[met], np.zeros((len(met), 0), np.uint64), role)
    own = search.header_rows
    _read_strategy(tree.decisions.rows, rows, legal, own, CHOSEN, doubt, slip, found)
    return found


def average_strategy(search: Search, role: RoleId, known: Keys, legal: NDArray[np.bool_]) -> Reals:
    """(n, moves) the average strategy of a role that knows something; uniform where no simulation
    was. legal: (n, moves)"""
    found, tree = _uniform(legal), search.tree
    rows = tree.rows_of_keys(choice_keys(known, role, legal))
    own = search.header_rows
    _read_strategy(tree.decisions.rows, rows, legal, own, STRATEGY, 0.0, 0.0, found)
    return found


def _uniform(legal: NDArray[np.bool_]) -> Reals:
    uniform: Reals = legal / legal.sum(axis=1, keepdims=True)
    return uniform


@native
def _read_strategy(
    rows: Reals, decisions: Indices, legal: NDArray[np.bool_], headers: int, column: int,
    doubt: float, slip: float, probabilities: Reals,
) -> None:  # fmt: skip
    """Overwrite the probabilities of decisions that have moves, by a column of these."""
    for row in range(len(decisions)):
        if decisions[row] == NONE or rows[decisions[row], MOVES] <= 0.0:
            continue
        count = int(rows[decisions[row], MOVES])
        first = decisions[row] + headers
        total = 0.0
        for move in range(first, first + count):
            total += rows[move, column]
        if total > 0.0:
            at = first
            for move in range(legal.shape[1]):
                if legal[row, move]:
                    chosen = (rows[at, column] + doubt / count) / (total + doubt)
                    probabilities[row, move] = (1.0 - slip) * chosen + slip / count
                    at += 1


class VisitedMovesModel(UniformModel):
    """The share of the simulations through a decision that went on with a move.

    Source: Cerny (2014), equation 5.5 and section 5.4.3. Where no simulation has been, or none went
    on with the move, moves are uniform. Decisions must be found by what roles know.
    """

    name = "forest"
    needs_knowledge = True

    def __init__(self, search: Search) -> None:
        self.search = search
        self._keys: dict[tuple[RoleId, tuple[object, ...]], np.uint64] = {}

    def probabilities(self, machine: Machine, chosen: ChosenMoves) -> Reals:
        """(n,) probabilities by visits."""
        assert chosen.knowledge is not None
        role, legal = chosen.role, machine.legal_batch(chosen.states, chosen.role)
        known = np.empty(len(chosen.moves), np.uint64)
        for row, past in enumerate(chosen.knowledge):
            key = (role, tuple(past))
            if key not in self._keys:
                self._keys[key] = knowledge_of(machine, role, past)
            known[row] = self._keys[key]
        found, tree = _uniform(legal), self.search.tree
        rows = tree.rows_of_keys(choice_keys(known, role, legal))
        before = found[np.arange(len(known)), chosen.moves]
        own = self.search.header_rows
        _read_strategy(tree.decisions.rows, rows, legal, own, CHOSEN, 0.0, 0.0, found)
        shares = found[np.arange(len(known)), chosen.moves]
        return np.where(shares > 0.0, shares, before)


def visited_moves_model(
    machine: Machine, observer: RoleId, *, simulations: int, seed: int
) -> VisitedMovesModel:
    """The model of a new search from the initial state on, in which all roles learn by EXP3.

    Nobody knows more in it than it would in play, so that the visits are those of fair opponents.
    """
    search = Search(machine, observer, SHODAN, seed=seed)
    search.run(first_roots(machine), Budget(simulations=simulations))
    return VisitedMovesModel(search)


def decision_visits(
    search: Search, known: np.uint64, role: RoleId, legal: NDArray[np.bool_]
) -> float:
    """The number of simulations that came to the decision of a role that knows something."""
    tree = search.tree
    row = int(tree.rows_of_keys(choice_keys(np.array([known]), role, legal[None, :]))[0])
    return 0.0 if row == NONE else float(tree.decisions.rows[row, VISITS])
