"""HyperPlay and HyperPlay-II: Monte Carlo evaluation of moves in a bag of possible histories.

Source of HyperPlay: Schofield, Cerexhe & Thielscher (2012), "HyperPlay: a solution to general game
playing with imperfect information", section 4: in each model of the bag the value of a move is what
a fully informed player gets, here by playouts, and models count by their probability.
Departures: all moves are tried in the same models, which takes the luck of the draw out of their
differences.

Source of HyperPlay-II: Schofield & Thielscher (2015), "Lifting model sampling for general game
playing to incomplete-information models"; (2019), JAIR 66. In a random playout, or one of fully
informed players, a question has no value. Here every player in a playout has a small bag of models
that fit what it has done and seen in this playout, the searching role included, and chooses by them
as HyperPlay does. So it plays well after an answer, and badly without.
Departures: a player's choice is kept by what it knows, and made once; after a number of steps, or
when memory is used up, playouts go on at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.particles.populations import resample
from fogspiel.belief.protocol import Histories
from fogspiel.belief.verify import carried_along
from fogspiel.core.budget import ENDLESS, Budget
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import MoveId, Observation, RoleId
from fogspiel.machine.analysis.random_walks import random_joints
from fogspiel.machine.knowledge import NOTHING, KnowledgeTable
from fogspiel.machine.layers import merged
from fogspiel.machine.protocol import Joints, Layer, Machine, States, player_roles
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation

FLAT_ROUND = 1 << 12  #: Playouts of HyperPlay between two looks at the clock
MODELS = 16  #: Models in the bag of a player inside a playout
TRIES = 4  #: Playouts of each move in each of them
STEPS = 4_000  #: Joint moves that are looked at to find the models of the next step
FIRST_TRIED, FIRST_SECONDS = 1_000, 0.1
"""The pace of playouts until it was measured: a careful guess."""
DEEPEST = 24  #: Steps of a playout in which players think
ENTRY_BYTES = 512  #: Memory of one thing that is kept about a player inside playouts, about
MOST_BYTES = 1 << 28  #: Memory for players inside playouts, if nothing else is said
LARGEST_ROUND = 256  #: Playouts of HyperPlay-II side by side

Reals = NDArray[np.float64]


@dataclass(slots=True)
class MoveGoals:
    """Goals of playouts after each move of a role in its information set."""

    sums: Reals  #: (moves,)
    playouts: int = 0  #: Playouts of each move

    @property
    def means(self) -> Reals:
        """The mean goal of each move, (moves,)."""
        means: Reals = self.sums / self.playouts
        return means


Past = tuple[Observation, ...]


def flat_monte_carlo(
    machine: Machine,
    role: RoleId,
    moves: Sequence[MoveId],
    bag: tuple[States, Reals],
    budget: Budget,
    seed: int,
    leaves: LeafEvaluation = RANDOM_PLAYOUTS,
    before: MoveGoals | None = None,
) -> MoveGoals:
    """The goals of a role after each of its moves.

    bag: states, and their probabilities. A playout is a simulation of the budget; each move has
    at least one. before: playouts from the same information set, which are added to.
    """
    states, weights = bag
    rng = np.random.default_rng(seed)
    found = before or MoveGoals(np.zeros(len(moves)))
    models = 0
    left = ENDLESS if budget.simulations is None else budget.simulations // len(moves)
    size = 1
    while models == 0 or (models < left and size > 0):
        began = budget.clock()
        count = max(1, min(size, left - models))
        rows = rng.choice(len(states), count, p=weights / weights.sum())
        goals = play_out_moves(machine, role, moves, states[rows], rng, leaves, budget)
        found.sums += goals.sum(axis=0)
        found.playouts += count
        models += count
        size = min(2 * size, max(1, FLAT_ROUND // len(moves)))
        size = min(size, budget.fitting(count, budget.clock() - began))
    return found


def play_out_moves(
    machine: Machine,
    role: RoleId,
    moves: Sequence[MoveId],
    states: States,
    rng: np.random.Generator,
    leaves: LeafEvaluation = RANDOM_PLAYOUTS,
    budget: Budget | None = None,
) -> Reals:
    """The goals of a role after each of its moves in each state, by one playout, (n, moves).

    budget: how much time there is for them.
    """
    starts = np.repeat(states, len(moves), axis=0)
    joints = random_joints(machine, starts, rng)
    joints[:, role] = np.tile(np.array(moves, np.int32), len(states))
    ends = machine.step_batch(starts, joints)
    goals = ended_goals(machine, ends, rng, leaves, budget)
    return goals[:, role].reshape(len(states), len(moves))


def ended_goals(
    machine: Machine,
    states: States,
    rng: np.random.Generator,
    leaves: LeafEvaluation = RANDOM_PLAYOUTS,
    budget: Budget | None = None,
) -> Reals:
    """The goals of random play from states, some of which may be terminal, (n, roles)."""
    goals = np.zeros((len(states), len(machine.roles)))
    over = machine.terminal_batch(states)
    goals[over] = machine.goals_batch(states[over])
    if not over.all():
        goals[~over] = leaves.evaluator(machine)(states[~over], int(rng.integers(1 << 62)), budget)
    return goals


@dataclass(slots=True)
class _Playouts:
    """Some playouts side by side, those that go on."""

    rows: NDArray[np.int64]
    states: States
    known: NDArray[np.uint64]  #: (n, roles) numbers of what players know


class NestedSearch:
    """Evaluates moves by playouts of players that have bags of their own."""

    def __init__(
        self,
        machine: Machine,
        role: RoleId,
        seed: int,
        leaves: LeafEvaluation = RANDOM_PLAYOUTS,
        max_bytes: int = MOST_BYTES,
    ) -> None:
        """leaves: the evaluation of playouts in which nobody thinks any more.

        max_bytes: memory from which on nothing more is kept.
        """
        self.machine = machine
        self._leaves = leaves
        self.role = role
        self.simulations = 0
        """Playouts made, those of players inside playouts included."""
        self._rng = np.random.default_rng(seed)
        self._players = player_roles(machine)
        self._max_bytes = max_bytes
        self._forget()
        self._budget, self._last = Budget(simulations=0), ENDLESS
        self._tried, self._tried_seconds = FIRST_TRIED, FIRST_SECONDS
        """Playouts that were made together last, and how long they took."""

    def _forget(self) -> None:
        start = self.machine.initial()[None, :]
        first = Layer(states=start, counts=np.ones(1), weights=np.ones(1))
        self._knowledge = {other: KnowledgeTable(self.machine, other) for other in self._players}
        self._bags: dict[tuple[RoleId, Past], Layer | None] = {
            (other, ()): first for other in self._players
        }
        self._choices: dict[tuple[RoleId, Past], MoveId] = {}
        self._bag_bytes = 0

    @property
    def bytes(self) -> int:
        """Memory in use, about."""
        kept = len(self._bags) + len(self._choices) + sum(map(len, self._knowledge.values()))
        return self._bag_bytes + ENTRY_BYTES * kept

    def values(self, moves: tuple[MoveId, ...], models: Histories, budget: Budget) -> Reals:
        """The mean goals of the role for each of its moves, (moves,).

        models: histories of the role's information set. Every move has at least one playout, which
        ends at random where the budget is used up before.
        """
        if self.bytes > self._max_bytes:
            self._forget()
        start = np.full((1, len(self.machine.roles)), NOTHING, np.uint64)
        _, known = carried_along(self.machine, models.joints, start, self._learnt_from)
        probabilities = models.weights / models.weights.sum()
        most = ENDLESS if budget.simulations is None else budget.simulations
        self._budget, self._last = budget, self.simulations + most
        sums, tried = np.zeros(len(moves)), 0
        while tried == 0 or not self._spent:
            # More and more at a time: later playouts find most choices made.
            count = max(1, min(tried, LARGEST_ROUND // len(moves)))
            rows = np.repeat(
                self._rng.choice(len(probabilities), count, p=probabilities), len(moves)
            )
            playouts = _Playouts(np.arange(len(rows)), models.states[rows], known[rows])
            goals = self._played(playouts, np.tile(np.array(moves, np.int32), count))
            sums += goals.reshape(count, len(moves)).sum(axis=0)
            tried += count
        return sums / tried

    @property
    def _spent(self) -> bool:
        return self._budget.is_over or self.simulations >= self._last

    def _learnt_from(
        self,
        known: NDArray[np.uint64],
        states: States,
        origins: NDArray[np.int64],
        joints: Joints,
    ) -> NDArray[np.uint64]:
        return self._learnt(known[origins], states[origins], joints)

    def _learnt(
        self, known: NDArray[np.uint64], states: States, joints: Joints
    ) -> NDArray[np.uint64]:
        """(n, roles) what players know after a step."""
        after = known.copy()
        for role in self._players:
            after[:, role] = self._knowledge[role].after(known[:, role], states, joints)
        return after

    def _played(self, playouts: _Playouts, moves: NDArray[np.int32]) -> Reals:
        """(n,) goals of the role after given first moves."""
        goals = np.zeros(len(playouts.rows))
        for depth in range(DEEPEST):
            if depth > 0 and (self._spent or self.bytes > self._max_bytes):
                break
            joints = random_joints(self.machine, playouts.states, self._rng)
            for role in self._players:
                if depth == 0 and role == self.role:
                    joints[:, role] = moves
                else:
                    joints[:, role] = self._chosen(role, playouts, joints[:, role])
            # The step comes first: by it a machine learns that moves are not always what they seem.
            states = self.machine.step_batch(playouts.states, joints)
            known = self._learnt(playouts.known, playouts.states, joints)
            over = self.machine.terminal_batch(states)
            goals[playouts.rows[over]] = self.machine.goals_batch(states[over])[:, self.role]
            going = ~over
            playouts = _Playouts(playouts.rows[going], states[going], known[going])
            if not len(playouts.rows):
                break
        self.simulations += len(moves)
        if len(playouts.rows):
            ends = ended_goals(self.machine, playouts.states, self._rng, self._leaves, self._budget)
            goals[playouts.rows] = ends[:, self.role]
        return goals

    def _chosen(
        self, role: RoleId, playouts: _Playouts, otherwise: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """(n,) the choices of a role's players; a random move where they have no models."""
        legal = self.machine.legal_batch(playouts.states, role)
        chosen = otherwise.copy()
        for row in np.flatnonzero(legal.sum(axis=1) > 1).tolist():
            past = tuple(self._knowledge[role].past(int(playouts.known[row, role])))
            if (role, past) not in self._choices:
                if self._spent:
                    continue
                moves = tuple(MoveId(int(move)) for move in np.flatnonzero(legal[row]))
                choice = self._best(role, past, moves)
                if choice is None:
                    continue
                self._choices[role, past] = choice
            chosen[row] = self._choices[role, past]
        return chosen

    def _best(self, role: RoleId, past: Past, moves: tuple[MoveId, ...]) -> MoveId | None:
        """The choice of HyperPlay from a small bag; None where the bag is empty."""
        bag = self._bag(role, past)
        if bag is None:
            return None
        fitting = self._budget.fitting(self._tried, self._tried_seconds) // len(moves)
        tries = max(1, min(TRIES, fitting // len(bag)))
        # The heaviest come first where there is no time for all.
        rows = np.argsort(-bag.weights, kind="stable")[: max(1, fitting)]
        rows = np.repeat(np.sort(rows), tries)
        began = self._budget.clock()
        states = bag.states[rows]
        goals = play_out_moves(
            self.machine, role, moves, states, self._rng, self._leaves, self._budget
        )
        self._tried, self._tried_seconds = goals.size, self._budget.clock() - began
        self.simulations += goals.size
        return moves[int((bag.weights[rows] @ goals).argmax())]

    def _bag(self, role: RoleId, past: Past) -> Layer | None:
        """Some weighted models of a past; None where none is found."""
        # From the longest past whose bag is known, step by step: no recursion, however long.
        known = len(past)
        while (role, past[:known]) not in self._bags:
            known -= 1
        for end in range(known + 1, len(past) + 1):
            before = self._bags[role, past[: end - 1]]
            after = None if before is None else self._after(role, before, past[end - 1])
            self._bags[role, past[:end]] = after
            self._bag_bytes += 0 if after is None else after.states.nbytes
        return self._bags[role, past]

    def _after(self, role: RoleId, before: Layer, observation: Observation) -> Layer | None:
        try:
            found = self.machine.continuations(before.states, role, observation, limit=STEPS)
        except LimitError:
            return None
        if not len(found.parents):
            return None
        layer, _ = merged(before, found)
        going = ~self.machine.terminal_batch(layer.states)
        if not going.any():
            return None
        rows, kept = resample(layer.weights[going], MODELS, self._rng)
        states = layer.states[going][rows]
        return Layer(states=states, counts=np.ones(len(rows)), weights=kept / kept.sum())
