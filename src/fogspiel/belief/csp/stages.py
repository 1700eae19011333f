"""The stage graph: what is known of the state after each step, and which moves are plausible.

Source: M. D. Richards, Reasoning and decisions in partially observable games (PhD thesis, Illinois
2012), section 4.3. Stage 0 is the start; stage t holds the candidate joint moves of step t and, for
every fluent, whether it is true, false or unknown after it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.findings import gave_up
from fogspiel.belief.protocol import BeliefLimits
from fogspiel.core.observation import Observation
from fogspiel.machine.protocol import Joints, State, States
from fogspiel.machine.three_valued import FluentBounds, known, unknown

Marks = NDArray[np.bool_]


class StageGraph:
    """What is known of one course of play, from the start to the last step."""

    def __init__(self, start: State) -> None:
        first = known(start[None, :])
        self.can_hold: States = first.can_hold
        """(stages + 1, words) the fluents that can be true."""
        self.can_fail: States = first.can_fail
        self.observations: list[Observation] = []
        self.joints: list[Joints] = []
        """(n, roles) of each step, its candidates. Never written to."""
        self.plausible: list[Marks] = []
        """(n,) of each step, which of them nothing speaks against. Replaced, never written to."""

    def __len__(self) -> int:
        """How many steps there are."""
        return len(self.observations)

    def copy(self) -> StageGraph:
        """A graph that can be narrowed without changing this one."""
        other = StageGraph.__new__(StageGraph)
        other.can_hold, other.can_fail = self.can_hold.copy(), self.can_fail.copy()
        other.observations, other.joints = self.observations, self.joints
        other.plausible = self.plausible.copy()
        return other

    def extended(self, observation: Observation) -> StageGraph:
        """A graph with one step more, of which nothing is known but what the role saw."""
        other = self.copy()
        nothing = unknown(self.can_hold.shape[1])
        other.can_hold = np.concatenate([self.can_hold, nothing.can_hold])
        other.can_fail = np.concatenate([self.can_fail, nothing.can_fail])
        other.observations = [*self.observations, observation]
        other.joints = self.joints.copy()
        return other

    def bounds(self, stage: int) -> FluentBounds:
        """What is known of the state after so many steps."""
        rows = slice(stage, stage + 1)
        return FluentBounds(self.can_hold[rows], self.can_fail[rows])

    def narrow(self, stage: int, can_hold: State, can_fail: State) -> bool:
        """Take away what is excluded; whether anything was."""
        hold, fail = self.can_hold[stage] & can_hold, self.can_fail[stage] & can_fail
        same = (hold == self.can_hold[stage]).all() and (fail == self.can_fail[stage]).all()
        self.can_hold[stage], self.can_fail[stage] = hold, fail
        return not same

    def candidates(self, step: int) -> Joints:
        """(n, roles) the plausible joint moves of a step, counted from 1."""
        return self.joints[step - 1][self.plausible[step - 1]]

    def counts(self) -> NDArray[np.int64]:
        """(steps,) how many joint moves of each step are plausible."""
        return np.array([int(marks.sum()) for marks in self.plausible], np.int64)

    @property
    def bytes(self) -> int:
        """Memory in use."""
        held = self.can_hold.nbytes + self.can_fail.nbytes
        return held + sum(joints.nbytes + len(joints) for joints in self.joints)


@dataclass(slots=True)
class CallClock:
    """The time that one call may take."""

    method: str
    limits: BeliefLimits
    began: float

    @property
    def over(self) -> bool:
        """Whether the time is used up."""
        return time.perf_counter() - self.began > self.limits.seconds

    def check(self, step: int) -> None:
        """Raise `LimitError` BEL002 once the time is used up."""
        if self.over:
            raise gave_up(self.method, step, self.limits)


def clock_of(method: str, limits: BeliefLimits) -> CallClock:
    """A clock that starts now."""
    return CallClock(method, limits, time.perf_counter())
