"""Heuristic evaluations of moves in given states, after Richards.

Source: Richards (2012), section 5.3.1. `greedy` takes the score right after the move; `mcts` makes
a number of simulations from the state, as if everybody saw it.
Departures: scores are found by their names in the rules. Where the rules name none, goals take
their place, which many rules define in every state. States are simulated side by side.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.terms import GroundTerm, MoveId, RoleId
from fogspiel.machine.analysis.random_walks import random_joints
from fogspiel.machine.protocol import Machine, State, States, player_roles
from fogspiel.search.evaluation.leaf import LeafEvaluation
from fogspiel.search.hyperplay import play_out_moves
from fogspiel.search.mcts.algorithms import UCT
from fogspiel.search.mcts.roots import state_roots
from fogspiel.search.mcts.search import Search
from fogspiel.search.mcts.statistics import MoveStatistics, root_statistics

SCORE_NAMES = frozenset({"score", "scores", "points", "pts"})

DRAWS = 8  #: Draws of the moves that others make in the same step

Values = NDArray[np.float64]  #: (states, moves)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeuristicQuery:
    """Moves of a role, to be evaluated in some states."""

    machine: Machine
    role: RoleId
    states: States
    moves: tuple[MoveId, ...]
    seed: int
    budget: Budget  #: The clock counts; the heuristic itself says how many simulations it makes


class Heuristic(Protocol):
    """An evaluation of moves."""

    @property
    def simulations(self) -> int:
        """Number of simulations that the evaluation of one state takes."""

    def values(self, query: HeuristicQuery) -> Values:
        """The value of each move in each state, up to a factor common to all, (states, moves)."""


class Greedy:
    """The lead in points after the step, if others move at random in it."""

    simulations = 1

    def values(self, query: HeuristicQuery) -> Values:
        """The lead after one random joint move with each of the moves, (states, moves)."""
        machine, role, states, moves = query.machine, query.role, query.states, query.moves
        joints = random_joints(machine, states, np.random.default_rng(query.seed))
        joints = np.repeat(joints, len(moves), axis=0)
        joints[:, role] = np.tile(np.array(moves, np.int32), len(states))
        ends = machine.step_batch(np.repeat(states, len(moves), axis=0), joints)
        firsts, inverse = distinct_rows(ends)
        leads = np.array([_lead(machine, ends[first], role) for first in firsts])
        return leads[inverse].reshape(len(states), len(moves))


class Simulated:
    """The mean of UCT simulations that begin in the state with the move."""

    def __init__(self, simulations: int) -> None:
        self.simulations = simulations

    def values(self, query: HeuristicQuery) -> Values:
        """Mean goals of a fixed number of simulations from each state, (states, moves)."""
        firsts, inverse = distinct_rows(query.states)
        different = np.ascontiguousarray(query.states[firsts])
        search = Search(query.machine, query.role, UCT, seed=query.seed)
        simulations = self.simulations * len(different)
        search.run(
            state_roots(query.machine, different), replace(query.budget, simulations=simulations)
        )
        values = np.empty((len(different), len(query.moves)))
        for row in range(len(different)):
            roots = state_roots(query.machine, different[row : row + 1])
            found = root_statistics(search, roots, query.role)
            values[row] = _means((each for _, each in found), query.moves)
        return values[inverse]


class Evaluated:
    """Leaf evaluation of the states after the move, if others move at random in the same step."""

    simulations = 1

    def __init__(self, leaves: LeafEvaluation) -> None:
        """leaves: the evaluation, and how it is mixed with playouts."""
        self._leaves = leaves

    def values(self, query: HeuristicQuery) -> Values:
        """The mean evaluation over some draws of the others' moves, (states, moves)."""
        rng = np.random.default_rng(query.seed)
        asked = query.machine, query.role, query.moves, query.states
        draws = [play_out_moves(*asked, rng, self._leaves) for _ in range(DRAWS)]
        return np.asarray(np.mean(draws, axis=0))


def _means(decisions: Iterable[MoveStatistics], moves: tuple[MoveId, ...]) -> Values:
    """(moves,) mean goals; moves that were never tried get the mean of the others."""
    tried: dict[int, float] = {}
    for found in decisions:
        # If a role cannot know its legal moves, those of this state may differ from the ones asked
        # for.
        means = np.where(found.returns > 0, found.means, np.nan)
        tried |= dict(zip(found.moves.tolist(), means.tolist(), strict=True))
    values = np.array([tried.get(int(move), np.nan) for move in moves])
    rest = 0.0 if np.isnan(values).all() else float(np.nanmean(values))
    return np.where(np.isnan(values), rest, values)


def _lead(machine: Machine, state: State, role: RoleId) -> float:
    """Points of the role less those of the best opponent; goals where nobody has points."""
    roles = player_roles(machine)
    scores = {} if machine.terminal(state) else _scores(machine, state)
    goals = machine.goals(state)
    if not scores:
        # The result of a game counts more than points on the way to it.
        scale = 1000.0 if machine.terminal(state) else 1.0
        scores = {machine.roles[place]: scale * goals[place] for place in roles}
    own = scores.get(machine.roles[role], 0.0)
    others = [scores.get(machine.roles[place], 0.0) for place in roles if place != role]
    return own - max(others, default=0.0)


def _scores(machine: Machine, state: State) -> dict[str, float]:
    """Points of each role, by its name, from fluents such as (score x 3) and (= (score x) 3)."""
    scores: dict[str, float] = {}
    for term in machine.fluent_terms(state):
        found = _score(term)
        if found is not None:
            scores[found[0]] = found[1]
    return scores


def _score(term: GroundTerm) -> tuple[str, float] | None:
    if isinstance(term, str) or len(term) != 3:
        return None
    if term[0] == "=" and not isinstance(term[1], str):
        term = (*term[1], term[2])
    name, *rest = term
    if len(rest) != 2 or not isinstance(name, str) or name.lower() not in SCORE_NAMES:
        return None
    role, points = rest
    if not isinstance(role, str) or not isinstance(points, str):
        return None
    try:
        return role, float(points)
    except ValueError:
        return None
