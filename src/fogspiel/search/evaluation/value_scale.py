"""Goals scaled to values between 0 and 1: rules may pay 0 to 100, -1 to 1, or anything else.

The range of goals is sampled by random play from the start. Without a clock that is a fixed number
of playouts, whatever was seen before: the same rules have the same scale on any computer. With a
clock, it is as many as fit a share of it, and later matches add to what was seen. Until enough was
seen, goals are assumed to be those that GDL names, 0 to 100. Goals beyond the scale get values
beyond 0 and 1, which harms no selection rule.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.values import FULL_GOAL
from fogspiel.machine.analysis.random_walks import random_walks
from fogspiel.machine.memo import MachineMemo
from fogspiel.machine.protocol import Machine, States, player_roles

PLAYOUTS = 256
SLOW_PLAYOUTS = 16  #: Playouts of rules that are not compiled, where one may take seconds
FEW = 16  #: Playouts that say too little by themselves: two may end with almost the same goals
LANES = 64  #: Playouts that a compiled machine makes in the time of one
FIRST_STEPS = 128
"""Steps of the first playouts on a clock: a game that never ends takes no longer than others."""
SHARE = 0.2  #: Share of the clock before play
SEED = 20


@dataclass(frozen=True, slots=True)
class ValueScale:
    """A linear scale: goals of value 0, and their distance from goals of value 1."""

    low: float
    spread: float

    def values(self, goals: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.float64]:
        """Goals, or their means, as values."""
        return (goals.astype(np.float64) - self.low) / self.spread


@dataclass(slots=True)
class _Seen:
    """Goals of players at the ends of random play."""

    playouts: int = 0
    low: float = math.inf
    high: float = -math.inf
    is_settled: bool = False  #: Whether it is as much as is seen without a clock

    def add(self, goals: NDArray[np.int64]) -> None:
        """goals: (n, players)"""
        self.playouts += len(goals)
        if goals.size:
            self.low = min(self.low, float(goals.min()))
            self.high = max(self.high, float(goals.max()))

    def scale(self, goal_scale: int) -> ValueScale:
        low, high, full = self.low, self.high, float(FULL_GOAL * goal_scale)
        if low >= high:
            # All ends were alike, or none was seen.
            low, high = 0.0, full
        elif self.playouts < FEW and not self.is_settled and low >= 0.0 and high <= full:
            low, high = 0.0, full
        return ValueScale(low, high - low)


_SEEN: MachineMemo[_Seen] = MachineMemo()


def value_scale(machine: Machine) -> ValueScale:
    """The scale of the goals seen so far; a fixed number of playouts if there were none."""
    return _seen(machine).scale(machine.goal_scale)


def _seen(machine: Machine) -> _Seen:
    return _SEEN.once(machine, lambda: _settled(machine))


def look_at_goals(machine: Machine, budget: Budget) -> None:
    """Sample the range of goals before play, within a share of the clock."""
    seen = _SEEN.get(machine)
    if budget.deadline is None:
        # What was seen on a clock depends on how fast the machine is.
        if seen is None or not seen.is_settled:
            _SEEN.keep(machine, _settled(machine))
        return
    seen = _SEEN.once(machine, _Seen)
    if not seen.is_settled and seen.playouts < PLAYOUTS:
        look = _played if machine.engine == "compiled" else _walked
        look(machine, seen, budget.part(SHARE))


def share_goals(machine: Machine, twin: Machine) -> None:
    """Give a machine the scale of another that has the same goals."""
    _SEEN.keep(twin, _seen(machine))


def _settled(machine: Machine) -> _Seen:
    playouts = PLAYOUTS if machine.engine == "compiled" else SLOW_PLAYOUTS
    seen = _Seen(is_settled=True)
    found = machine.playouts(_starts(machine, playouts), seed=SEED, count=1)
    seen.add(found.goal_sums[:, player_roles(machine)])
    return seen


def _played(machine: Machine, seen: _Seen, budget: Budget) -> None:
    """Sample goals by batches of playouts; a batch counts only if all of it ended in time."""
    count, max_steps = LANES, FIRST_STEPS
    while count > 0 and seen.playouts < PLAYOUTS:
        count = min(count, PLAYOUTS)
        began = budget.clock()
        found = machine.playouts(
            _starts(machine, count), seed=SEED + seen.playouts, count=1, max_steps=max_steps
        )
        if found.cut:
            # Longer ones may take as many times longer.
            max_steps, cost = 8 * max_steps, 8
        else:
            seen.add(found.goal_sums[:, player_roles(machine)])
            cost = 1
        count = min(budget.fitting(count, cost * (budget.clock() - began)), PLAYOUTS)


def _walked(machine: Machine, seen: _Seen, budget: Budget) -> None:
    """Sample goals by one walk after the other, with a look at the clock after every step."""
    while seen.playouts < PLAYOUTS:
        last = machine.initial()[None, :]
        rng = np.random.default_rng([SEED, seen.playouts])
        for step in random_walks(machine, 1, rng):
            last = step.successors
            if budget.is_over:
                return
        seen.add(machine.goals_batch(last)[:, player_roles(machine)])


def _starts(machine: Machine, count: int) -> States:
    return np.repeat(machine.initial()[None, :], count, axis=0)
