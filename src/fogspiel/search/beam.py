"""Beam search for the best line of moves of one player without chance.

A sweep goes from step to step with all states that can be reached, each met once; where they are
more than the beam is wide, it keeps the best by an evaluation. Sweeps alternate between
evaluations: the mean of random playouts, or the proximity of goals. The first sweep evaluates
nothing, and gives up where states become too many. Then beams become wider from sweep to sweep,
until one has left nothing out, which proves its line to be best, or the budget is used up.

Sources: Lowerre (1976), The HARPY speech recognition system, for beams; Cazenave (2012), "Monte
Carlo beam search", IEEE Transactions on Computational Intelligence and AI in Games 4(1), for
playouts that choose; Mehat & Cazenave (2010) for following the best line that was met.
Departures: states met before are left out, told apart by 64 bits of a hash; single playouts in
place of nested ones; wider beams in place of beams inside beams.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.kernels.rows import widened
from fogspiel.core.kernels.words import FACTOR, HALF
from fogspiel.core.native import native
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine, State, States
from fogspiel.search.evaluation.leaf import LeafEvaluator

FIRST_WIDTH = 16
MOST_WIDTH = 1 << 16
BREADTH_SHARE = 0.4  #: Share of a budget for the sweep without evaluation
MOST_STATES = 20_000_000  #: States of one sweep that are remembered: the way to each takes 16 bytes
FIRST_CHUNK, CHUNK = 8, 1024
"""States between looks at the clock: the first ones, and later at most, by the pace of those."""
MOST_SUCCESSORS = 1 << 15  #: Successors of these states, at most, by the number of moves

Numbers = NDArray[np.int64]
Keys = NDArray[np.uint64]  #: (n,)


@dataclass(frozen=True, slots=True)
class ActionLine:
    """The moves of one player up to the end of the game."""

    moves: tuple[MoveId, ...]
    goal: int  #: The goal at its end, by the scale of the machine
    proven: bool = False  #: Whether no other line has a higher goal


@dataclass(frozen=True, slots=True)
class _Step:
    """The predecessors of the states of a step."""

    parents: Numbers
    moves: Numbers


@dataclass(frozen=True, slots=True)
class _Fresh:
    """Different states that were not met before."""

    states: States
    keys: Keys
    parents: Numbers  #: The predecessor of each
    moves: Numbers


class BeamSearch:
    """A search for the best line from a state, which can be continued from a later one."""

    def __init__(
        self,
        machine: Machine,
        role: RoleId,
        *,
        seed: int,
        ranks: Sequence[LeafEvaluator],
        highest: int | None = None,
    ) -> None:
        """ranks: evaluations of states, for each kind of sweep. highest: the best goal there is."""
        self._machine, self._role = machine, role
        self._ranks, self._highest = ranks, highest
        self._rng = np.random.default_rng(seed)
        self._paces: dict[LeafEvaluator | None, tuple[int, float]] = {}
        """Numbers of states and the seconds that their last evaluation took; None: expansion."""
        self._width, self._sweeps = FIRST_WIDTH, 0
        self._is_complete = False
        """Whether the last sweep left nothing out."""
        self.spent = 0
        """States that were looked at in the last run."""

    def run(self, state: State, budget: Budget) -> ActionLine | None:
        """The best line found; None if none came to the end of the game.

        A state that is looked at counts as a simulation.
        """
        self.spent = 0
        best = self._sweep(state, None, budget.portion(BREADTH_SHARE), None)
        while not self._is_complete and self._room(budget, None):
            best = self._sweep(state, self._ranks[self._sweeps % len(self._ranks)], budget, best)
            self._sweeps += 1
            if self._sweeps % len(self._ranks) == 0:
                self._width = min(MOST_WIDTH, 2 * self._width)
        return best

    def _sweep(
        self, state: State, rank: LeafEvaluator | None, budget: Budget, best: ActionLine | None
    ) -> ActionLine | None:
        """The best line of this sweep and those before it."""
        states: States = state[None, :]
        met = _keys(states)
        steps: list[_Step] = []
        complete = True
        while len(states) and len(steps) < DEFAULT_MAX_STEPS and len(met) < MOST_STATES:
            over = self._machine.terminal_batch(states)
            best = self._better(best, steps, states, over)
            if best is not None and best.goal == self._highest:
                break
            going = np.flatnonzero(~over)
            fresh, whole = self._after(states[going], met, budget)
            kept, all_kept = self._kept(fresh.states, rank, budget)
            met = np.sort(np.concatenate([met, fresh.keys[kept]]))
            states = fresh.states[kept]
            steps.append(_Step(going[fresh.parents[kept]], fresh.moves[kept]))
            complete &= whole and all_kept
        is_highest = best is not None and best.goal == self._highest
        self._is_complete = is_highest or (complete and not len(states))
        return replace(best, proven=self._is_complete) if best is not None else None

    def _better(
        self, best: ActionLine | None, steps: list[_Step], states: States, over: NDArray[np.bool_]
    ) -> ActionLine | None:
        """The best line so far, or one that ends here."""
        ends = np.flatnonzero(over)
        if not len(ends):
            return best
        goals = self._machine.goals_batch(states[ends])[:, self._role]
        top = int(goals.argmax())
        if best is not None and goals[top] <= best.goal:
            return best
        place, moves = int(ends[top]), list[MoveId]()
        for step in reversed(steps):
            moves.append(MoveId(int(step.moves[place])))
            place = int(step.parents[place])
        return ActionLine(tuple(reversed(moves)), int(goals[top]))

    def _after(self, states: States, met: Keys, budget: Budget) -> tuple[_Fresh, bool]:
        """The successors that were not met before, and whether these are all."""
        found: list[_Fresh] = []
        seen, first = met, 0
        while first < len(states) and (room := self._room(budget, None)):
            began = budget.clock()
            chunk = states[first : first + room]
            rows, moves = np.nonzero(self._machine.legal_batch(chunk, self._role))
            after = self._machine.step_batch(chunk[rows], moves[:, None].astype(np.int32))
            keys, firsts = np.unique(_keys(after), return_index=True)
            is_new = ~_is_in(keys, seen)
            keys, firsts = keys[is_new], firsts[is_new]
            found.append(_Fresh(after[firsts], keys, rows[firsts] + first, moves[firsts]))
            seen = np.sort(np.concatenate([seen, keys]))
            first += len(chunk)
            self._spend(None, len(chunk), budget.clock() - began)
        none = np.empty(0, np.int64)
        if not found:
            return _Fresh(states[:0], none.astype(np.uint64), none, none), not len(states)
        # The last chunk has the longest states, if the machine meets fluents as it goes.
        width = found[-1].states.shape[1]
        joined = _Fresh(
            np.concatenate([widened(part.states, width) for part in found]),
            np.concatenate([part.keys for part in found]),
            np.concatenate([part.parents for part in found]),
            np.concatenate([part.moves for part in found]),
        )
        return joined, first >= len(states)

    def _kept(
        self, states: States, rank: LeafEvaluator | None, budget: Budget
    ) -> tuple[Numbers, bool]:
        """The states with which the beam goes on, and whether these are all."""
        if len(states) <= (MOST_WIDTH if rank is None else self._width):
            return np.arange(len(states)), True
        if rank is None:
            return np.empty(0, np.int64), False
        # In any order: among equals, and if time is short, none is preferred.
        order = self._rng.permutation(len(states))
        values: list[NDArray[np.float64]] = []
        first = 0
        while first < len(order) and (room := self._room(budget, rank)):
            began = budget.clock()
            chunk = order[first : first + room]
            seed = int(self._rng.integers(1 << 31))
            values.append(rank(np.ascontiguousarray(states[chunk]), seed)[:, self._role])
            first += len(chunk)
            self._spend(rank, len(chunk), budget.clock() - began)
        seen = np.concatenate(values) if values else np.empty(0)
        best = np.argsort(-seen, kind="stable")[: self._width]
        return order[best], False

    def _room(self, budget: Budget, rank: LeafEvaluator | None) -> int:
        """The number of states to evaluate, or to expand, before the next look at the clock."""
        if budget.is_over:
            return 0
        count, seconds = self._paces.get(rank, (FIRST_CHUNK, inf))
        fitting = budget.fitting(count, seconds) if seconds < inf else FIRST_CHUNK
        few = MOST_SUCCESSORS // max(1, self._machine.move_count(self._role))
        room = max(1, min(CHUNK, fitting, few))
        if budget.simulations is None:
            return room
        return max(0, min(room, budget.simulations - self.spent))

    def _spend(self, rank: LeafEvaluator | None, count: int, seconds: float) -> None:
        self._paces[rank] = count, seconds
        self.spent += count


def _keys(states: States) -> Keys:
    return _hashed(np.ascontiguousarray(states))


@native
def _hashed(states: States) -> Keys:
    """(n,) equal for equal states; words without a bit change nothing."""
    keys = np.zeros(len(states), np.uint64)
    for row in range(len(states)):
        for word in range(states.shape[1]):
            if states[row, word]:
                mixed = states[row, word] ^ (np.uint64(word + 1) * FACTOR)
                mixed = (mixed ^ (mixed >> HALF)) * FACTOR
                mixed = (mixed ^ (mixed >> HALF)) * FACTOR
                keys[row] += mixed ^ (mixed >> HALF)
    return keys


def _is_in(keys: Keys, met: Keys) -> NDArray[np.bool_]:
    """(n,) met: ascending, not empty."""
    places = np.minimum(np.searchsorted(met, keys), len(met) - 1)
    found: NDArray[np.bool_] = met[places] == keys
    return found
