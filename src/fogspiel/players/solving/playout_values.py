"""Leaf evaluation by the mean of random playouts.

Source: Shafiei (2010), section 5.2.2: batches of 25 playouts from each leaf, until the mean changes
by less than one point from one batch to the next, and 1,000 at most.
Departures: all leaves are played out side by side, a batch at a time. Values are kept, since deeper
searches and later steps may meet a state again. If the goals of two players have a constant sum, so
have their means, without rounding errors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError
from fogspiel.machine.analysis.cost import affordable_steps
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine, States, player_roles
from fogspiel.search.evaluation.features import constant_sum
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.evaluation.value_scale import value_scale

BATCH = 25
MOST = 1_000  #: Playouts from one state
CLOSE = 0.01  #: Share of the range of goals below which a change of the mean ends the playouts
GRAIN = 1024  #: Means are multiples of one over this, so that sums of two of them are exact
PROBES, PROBE_SHARE = (64, 1024), 0.1
"""Playouts that are timed, few and then many, and the share of the time left for the many."""
PATIENCE_SHARE = 0.5  #: Share of the time left for the first batch of one evaluation


@dataclass(slots=True)
class _Tally:
    """Playouts of the states under evaluation."""

    goals: NDArray[np.float64]  #: (n, players) sums
    counts: NDArray[np.int64]  #: (n,)

    @property
    def means(self) -> NDArray[np.float64]:
        means: NDArray[np.float64] = self.goals / np.maximum(self.counts, 1)[:, None]
        return means


class PlayoutValues:
    """A leaf evaluation that keeps the values it has computed."""

    def __init__(
        self,
        machine: Machine,
        seed: int,
        *,
        batch: int = BATCH,
        most: int = MOST,
        leaves: LeafEvaluation = RANDOM_PLAYOUTS,
    ) -> None:
        """batch, most: playouts from one state, at a time and in all.

        leaves: an evaluation to use in place of playouts, or mixed with one playout.
        """
        self._machine = machine
        self._batch, self._most = batch, most
        self._ends = None if leaves.name is None else leaves.evaluator(machine, batch)
        self._players = player_roles(machine)
        self._known: dict[bytes, NDArray[np.float64]] = {}
        self._seed = seed
        self._pace, self._most_together = 0.0, 0
        """Playouts a second in the largest batch so far, and its size. Small batches spend most of
        their time on the call, and their pace does not hold for large ones."""
        self.budget: Budget = Budget(simulations=MOST)
        """Budget of the next evaluations."""
        self.must_answer = True
        """Whether an evaluation goes on though there is no time for it."""
        self.playouts = 0
        """Number of playouts so far."""

    def __call__(self, states: States) -> NDArray[np.float64]:
        """Mean goals divided by the machine's goal scale, (n, players).

        Raises `LimitError` PLY020 if there is no time for a batch of each, unless it must answer.
        """
        keys = [row.tobytes() for row in states]
        new = [place for place, key in enumerate(keys) if key not in self._known]
        if new:
            fresh = np.ascontiguousarray(states[new])
            values = self._played_out(fresh) if self._ends is None else self._evaluated(fresh)
            for place, value in zip(new, values, strict=True):
                self._known[keys[place]] = value
        return np.stack([self._known[key] for key in keys])

    def _played_out(self, states: States) -> NDArray[np.float64]:
        if not self.must_answer:
            self._refuse_too_many(len(states))
        players = len(self._players)
        tally = _Tally(np.zeros((len(states), players)), np.zeros(len(states), np.int64))
        active = np.arange(len(states))
        batch = self._first_batch(states)
        first = self.playouts
        while len(active):
            before = tally.means[active]
            self._play_batch(states, active, tally, batch)
            moved = np.abs(tally.means[active] - before).max(axis=1)
            is_first = tally.counts[active] <= self._batch
            active = active[is_first | (moved >= CLOSE * value_scale(self._machine).spread)]
            active = active[tally.counts[active] + self._batch <= self._most]
            if self._is_over(self.playouts - first) or self._is_late(batch * len(active)):
                break
        return _exact(tally, self._machine.goal_scale)

    def _evaluated(self, states: States) -> NDArray[np.float64]:
        assert self._ends is not None
        self._seed += 1
        goals = self._ends(states, self._seed)[:, self._players]
        values: NDArray[np.float64] = np.rint(goals * (GRAIN / self._machine.goal_scale)) / GRAIN
        total = constant_sum(self._machine)
        if total is not None and values.shape[1] == 2:
            values[:, 1] = total / self._machine.goal_scale - values[:, 0]
        return values

    def _first_batch(self, states: States) -> int:
        """The number of playouts from each state in the first batch, fewer where time is short."""
        if self.budget.deadline is None:
            return self._batch
        if self._pace == 0.0:
            self._probe(states)
        fitting = self._pace * PATIENCE_SHARE * max(0.0, self.budget.seconds_left) / len(states)
        return max(1, min(self._batch, int(fitting)))

    def _probe(self, states: States) -> None:
        """Measure the pace of playouts, first few together and then many."""
        players = len(self._players)
        for count in PROBES:
            if self._pace * PROBE_SHARE * self.budget.seconds_left >= count or not self._pace:
                some = np.resize(np.arange(len(states)), count)
                ignored = _Tally(np.zeros((len(states), players)), np.zeros(len(states), np.int64))
                self._play_batch(states, some, ignored, 1)

    def _play_batch(
        self, states: States, active: NDArray[np.int64], tally: _Tally, batch: int
    ) -> None:
        began, made = self.budget.clock(), batch * len(active)
        self._seed += 1
        most = DEFAULT_MAX_STEPS
        if self.budget.deadline is not None:
            most = affordable_steps(self._machine, made, self.budget.seconds_left)
        found = self._machine.playouts(
            np.ascontiguousarray(states[active]), seed=self._seed, count=batch, max_steps=most
        )
        tally.goals[active] += found.goal_sums[:, self._players]
        tally.counts[active] += found.counts
        self.playouts += made
        if made >= self._most_together:
            self._pace = made / max(self.budget.clock() - began, 1e-6)
            self._most_together = made

    def _is_over(self, made: int) -> bool:
        limit = self.budget.simulations
        return self.budget.is_over or (limit is not None and made >= limit)

    def _is_late(self, playouts: int) -> bool:
        """Whether so many more playouts would take longer than the time left."""
        return self._pace > 0.0 and playouts / self._pace > self.budget.seconds_left

    def _refuse_too_many(self, count: int) -> None:
        limit = self.budget.simulations
        share = PATIENCE_SHARE * self.budget.seconds_left
        late = self._pace > 0.0 and self._batch * count / self._pace > share
        if late or (limit is not None and self._batch * count > limit):
            raise LimitError.of(
                "PLY020",
                f"there is no time to play out {count:,} states",
                fix="give more time a move",
            )


def _exact(tally: _Tally, scale: int) -> NDArray[np.float64]:
    """Means rounded to multiples of 1 / GRAIN, (n, players).

    If the goals of two players have a constant sum, so have their means.
    """
    means: NDArray[np.float64] = np.rint(tally.means * (GRAIN / scale)) / GRAIN
    totals = tally.goals.sum(axis=1)
    constant = totals[0] / tally.counts[0]
    if means.shape[1] == 2 and np.array_equal(totals, constant * tally.counts):
        means[:, 1] = constant / scale - means[:, 0]
    return means
