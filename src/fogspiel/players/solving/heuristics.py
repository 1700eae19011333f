"""What moves seem to be worth in states that are given: Richards' heuristic evaluation functions.

Source: Richards (2012), section 5.3.1: `greedy` takes what scores most at once, `mcts` simulates
from the state, as if everybody saw it, a number of times.
Departures: scores are found by their names in the rules. Where the rules name none, goals take
their place, which many rules define in every state. States are simulated side by side.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.terms import GroundTerm, MoveId, RoleId
from fogspiel.machine.analysis.random_walks import random_joints
from fogspiel.machine.protocol import Machine, State, States
from fogspiel.players.searching.search_player import UCT_CONSTANT, ucb
from fogspiel.search.evaluation.leaf import LeafEvaluation
from fogspiel.search.hyperplay import play_out_moves
from fogspiel.search.mcts.roots import SimulationStarts
from fogspiel.search.mcts.state_tree import StateTree
from fogspiel.search.mcts.statistics import MoveStatistics

SCORE_NAMES = frozenset({"score", "scores", "points", "pts"})

DRAWS = 8  #: Of the moves that others make in the same step

Values = NDArray[np.float64]  #: (states, moves)


class Heuristic(Protocol):
    """An evaluation of moves."""

    @property
    def simulations(self) -> int:
        """That one state takes."""

    def values(
        self,
        machine: Machine,
        role: RoleId,
        states: States,
        moves: tuple[MoveId, ...],
        seed: int,
        budget: Budget,
    ) -> Values:
        """What each move of the role is worth in each state, up to a scale common to all.

        budget: whose clock counts; how many simulations a state takes is the heuristic's own.
        """


class Greedy:
    """The lead in points after the step."""

    simulations = 1

    def values(
        self,
        machine: Machine,
        role: RoleId,
        states: States,
        moves: tuple[MoveId, ...],
        seed: int,
        budget: Budget,
    ) -> Values:
        """Others move at random in the same step, if they do."""
        joints = random_joints(machine, states, np.random.default_rng(seed))
        joints = np.repeat(joints, len(moves), axis=0)
        joints[:, role] = np.tile(np.array(moves, np.int32), len(states))
        ends = machine.step_batch(np.repeat(states, len(moves), axis=0), joints)
        firsts, inverse = distinct_rows(ends)
        leads = np.array([_lead(machine, ends[first], role) for first in firsts])
        return leads[inverse].reshape(len(states), len(moves))


class Simulated:
    """The mean of simulations by UCT that begin in the state with the move."""

    def __init__(self, simulations: int) -> None:
        self.simulations = simulations

    def values(
        self,
        machine: Machine,
        role: RoleId,
        states: States,
        moves: tuple[MoveId, ...],
        seed: int,
        budget: Budget,
    ) -> Values:
        """As many simulations from each state as are fixed."""
        firsts, inverse = distinct_rows(states)
        different = np.ascontiguousarray(states[firsts])
        tree = StateTree(machine, rule=ucb(UCT_CONSTANT), seed=seed)
        tree.run(
            _InTurn(different, len(machine.roles)),
            replace(budget, simulations=self.simulations * len(different)),
        )
        values = np.stack([_means(tree.statistics(state, role), moves) for state in different])
        return values[inverse]


class Evaluated:
    """What an evaluation says about the states after the move, others moving at random."""

    simulations = 1

    def __init__(self, leaves: LeafEvaluation) -> None:
        """leaves: the evaluation, and how it is mixed with playouts."""
        self._leaves = leaves

    def values(
        self,
        machine: Machine,
        role: RoleId,
        states: States,
        moves: tuple[MoveId, ...],
        seed: int,
        budget: Budget,
    ) -> Values:
        """The mean of some draws of what others do in the same step."""
        rng = np.random.default_rng(seed)
        draws = [
            play_out_moves(machine, role, moves, states, rng, self._leaves) for _ in range(DRAWS)
        ]
        return np.asarray(np.mean(draws, axis=0))


class _InTurn:
    """Starts that come one after the other, each as often as the others."""

    def __init__(self, states: States, roles: int) -> None:
        self._states, self._roles, self._next = states, roles, 0

    def __call__(self, count: int, seed: int) -> SimulationStarts:
        rows = (self._next + np.arange(count)) % len(self._states)
        self._next = (self._next + count) % len(self._states)
        known = np.zeros((count, self._roles), np.uint64)
        return SimulationStarts(states=self._states[rows], knowledge=known)


def _means(verdict: MoveStatistics, moves: tuple[MoveId, ...]) -> Values:
    """(moves,) mean goals; those of moves that were never tried count as the mean of the rest."""
    means = np.where(verdict.returns > 0, verdict.means, np.nan)
    # Where rules leave a role in doubt about its moves, the state may have others.
    tried = dict(zip(verdict.moves.tolist(), means.tolist(), strict=True))
    values = np.array([tried.get(int(move), np.nan) for move in moves])
    rest = 0.0 if np.isnan(values).all() else float(np.nanmean(values))
    return np.where(np.isnan(values), rest, values)


def _lead(machine: Machine, state: State, role: RoleId) -> float:
    """Points of the role less those of the best other; goals where nobody has points."""
    roles = [place for place in range(len(machine.roles)) if place != machine.chance_role]
    scores = {} if machine.terminal(state) else _scores(machine, state)
    goals = machine.goals(state)
    if not scores:
        # The end of a game is what points are for: its goals outweigh them.
        scale = 1000.0 if machine.terminal(state) else 1.0
        scores = {machine.roles[place]: scale * goals[place] for place in roles}
    own = scores.get(machine.roles[role], 0.0)
    others = [scores.get(machine.roles[place], 0.0) for place in roles if place != role]
    return own - max(others, default=0.0)


def _scores(machine: Machine, state: State) -> dict[str, float]:
    """Points by the name of the role, from fluents such as (score x 3) and (= (score x) 3)."""
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
