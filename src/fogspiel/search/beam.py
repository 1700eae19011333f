"""Lines of play of one player, alone and without chance: what was found once can be repeated.

A sweep goes from step to step with all states that can be reached, each met once; where they are
more than the beam is wide, it keeps those that look best. Sweeps take turns in what that means: the
mean of random playouts, or how near goals are by the rules. The first one judges nothing, and gives
up where states become too many. Then beams become wider from sweep to sweep, until one has left
nothing out, which proves its line to be best, or the budget is used up.

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

from fogspiel.core.ids import MoveId, RoleId
from fogspiel.core.native import native
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine, State, States
from fogspiel.machine.rows import distinct_rows, widened
from fogspiel.search.budget import Budget
from fogspiel.search.ends import Ends
from fogspiel.search.kernels.table import FACTOR, HALF

FIRST_WIDTH = 16
MOST_WIDTH = 1 << 16
BREADTH_SHARE = 0.4
"""Of a budget, for the sweep that judges nothing."""
MOST_STATES = 20_000_000
"""Of one sweep, that are remembered: how each was reached takes 16 bytes."""
FIRST_CHUNK, CHUNK = 8, 1024
"""States that are looked at before the clock is: the first ones, and later by the pace of those."""

Numbers = NDArray[np.int64]
"""(n,)"""


@dataclass(frozen=True, slots=True)
class Line:
    """What one player does, step by step, up to the end of the game."""

    moves: tuple[MoveId, ...]
    goal: int
    """By the scale of the machine."""
    proven: bool = False
    """Whether no other line brings more."""


@dataclass(slots=True)
class _Step:
    """How the states of a step were reached."""

    parents: Numbers
    moves: Numbers


class BeamSearch:
    """Looks for the best line from a state; can be asked again from a later one."""

    def __init__(
        self,
        machine: Machine,
        role: RoleId,
        *,
        seed: int,
        ranks: Sequence[Ends],
        highest: int | None = None,
    ) -> None:
        """ranks: what states look like, for each kind of sweep. highest: no goal is better."""
        self._machine, self._role = machine, role
        self._ranks, self._highest = ranks, highest
        self._rng = np.random.default_rng(seed)
        self._paces: dict[Ends | None, tuple[int, float]] = {}
        """How many states were judged in how many seconds last, by what; None: followed."""
        self._width, self._sweeps = FIRST_WIDTH, 0
        self._is_complete = False
        """Whether the last sweep has left nothing out."""
        self.spent = 0
        """States that were looked at in the last run."""

    def run(self, state: State, budget: Budget) -> Line | None:
        """The best line that was met; None if none came to the end of the game.

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
        self, state: State, rank: Ends | None, budget: Budget, best: Line | None
    ) -> Line | None:
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
            after, step, whole = self._after(states[going], budget)
            step.parents = going[step.parents]
            keys = _keys(after)
            fresh = np.flatnonzero(~_is_in(keys, met))
            kept, all_kept = self._kept(after[fresh], rank, budget)
            chosen = fresh[kept]
            met = np.sort(np.concatenate([met, keys[chosen]]))
            states = after[chosen]
            steps.append(_Step(step.parents[chosen], step.moves[chosen]))
            complete &= whole and all_kept
        is_highest = best is not None and best.goal == self._highest
        self._is_complete = is_highest or (complete and not len(states))
        return replace(best, proven=self._is_complete) if best is not None else None

    def _better(
        self, best: Line | None, steps: list[_Step], states: States, over: NDArray[np.bool_]
    ) -> Line | None:
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
        return Line(tuple(reversed(moves)), int(goals[top]))

    def _after(self, states: States, budget: Budget) -> tuple[States, _Step, bool]:
        """What can follow, each state once, and whether that is all."""
        found: list[tuple[States, Numbers, Numbers]] = []
        first = 0
        while first < len(states) and (room := self._room(budget, None)):
            began = budget.clock()
            chunk = states[first : first + room]
            rows, moves = np.nonzero(self._machine.legal_batch(chunk, self._role))
            after = self._machine.step_batch(chunk[rows], moves[:, None].astype(np.int32))
            found.append((after, rows + first, moves))
            first += len(chunk)
            self._spend(None, len(chunk), budget.clock() - began)
        none = np.empty(0, np.int64)
        if not found:
            return states[:0], _Step(none, none), not len(states)
        # The last chunk has the longest states, if the machine meets fluents as it goes.
        width = found[-1][0].shape[1]
        rows_after = np.concatenate([widened(after, width) for after, _, _ in found])
        firsts, _ = distinct_rows(rows_after)
        parents = np.concatenate([owners for _, owners, _ in found])
        made = np.concatenate([moves for _, _, moves in found])
        return rows_after[firsts], _Step(parents[firsts], made[firsts]), first >= len(states)

    def _kept(self, states: States, rank: Ends | None, budget: Budget) -> tuple[Numbers, bool]:
        """Which states the beam goes on with, and whether these are all."""
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

    def _room(self, budget: Budget, rank: Ends | None) -> int:
        """How many states may be judged, or followed, before the next look at the clock."""
        if budget.seconds_left <= 0.0:
            return 0
        count, seconds = self._paces.get(rank, (FIRST_CHUNK, inf))
        fitting = budget.fitting(count, seconds) if seconds < inf else FIRST_CHUNK
        room = max(1, min(CHUNK, fitting))
        if budget.simulations is None:
            return room
        return max(0, min(room, budget.simulations - self.spent))

    def _spend(self, rank: Ends | None, count: int, seconds: float) -> None:
        self._paces[rank] = count, seconds
        self.spent += count


def _keys(states: States) -> NDArray[np.uint64]:
    return _hashed(np.ascontiguousarray(states))


@native
def _hashed(states: States) -> NDArray[np.uint64]:
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


def _is_in(keys: NDArray[np.uint64], met: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """(n,) met: ascending, not empty."""
    places = np.minimum(np.searchsorted(met, keys), len(met) - 1)
    found: NDArray[np.bool_] = met[places] == keys
    return found
