"""What all belief methods share: the record of play, a clock for each call, and errors.

A new method is a subclass of `BeliefBase` with `advance`, `sample` and `enumerate`, and an entry in
`methods`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from fogspiel.belief.protocol import BeliefLimits, BeliefRequest, Histories
from fogspiel.core.findings import LimitError, PlayError, UsageError
from fogspiel.core.terms import Observation
from fogspiel.machine.protocol import State

PROBED = 4096  #: Histories drawn to estimate a probability where they cannot all be found


class BeliefBase:
    """The game, the role and its observations, with answers that a method may improve on."""

    method: str

    def __init__(self, request: BeliefRequest) -> None:
        self.machine = request.machine
        self.role = request.role
        self.limits = request.limits
        self.seed = request.seed
        self.observations: list[Observation] = []

    def sample(self, count: int, seed: int) -> Histories:
        """See `Belief.sample`."""
        raise NotImplementedError

    def enumerate(self, limit: int) -> Histories:
        """See `Belief.enumerate`."""
        raise NotImplementedError

    def size(self) -> int | None:
        """The number of possible histories is not known."""
        return None

    def witness(self) -> State | None:
        """No state is at hand."""
        return None

    def probability(self, state: State) -> float:
        """Exact if all histories can be enumerated within the limits, else from a sample."""
        found = self.enumerate(self.limits.histories)
        if not found.complete:
            found = self.sample(PROBED, seed=0)
        return found.probability(state)

    def clock(self, part: float = 1.0) -> CallClock:
        """A clock that starts now, for one call or a part of its time."""
        return CallClock(self.method, self.limits, time.monotonic() + part * self.limits.seconds)

    def gave_up(self, step: int | None = None) -> LimitError:
        """The error of a method that reached a limit, at the last step if no other is given."""
        return gave_up(self.method, step or len(self.observations), self.limits)


@dataclass(frozen=True, slots=True)
class CallClock:
    """The time that one call of a method may take."""

    method: str
    limits: BeliefLimits
    deadline: float  #: The moment it is over, by `time.monotonic`

    @property
    def over(self) -> bool:
        """Whether the time is used up."""
        return time.monotonic() > self.deadline

    @property
    def seconds_left(self) -> float:
        """Time until the deadline."""
        return self.deadline - time.monotonic()

    def check(self, step: int) -> None:
        """Raise `LimitError` BEL002 once the time is used up."""
        if self.over:
            raise gave_up(self.method, step, self.limits)


def gave_up(method: str, step: int, limits: BeliefLimits) -> LimitError:
    """The error of a method that reached a limit."""
    return LimitError.of(
        "BEL002",
        f"the method {method} gave up at step {step}: more than {limits.histories:,} "
        f"histories, {limits.bytes / 2**20:,.0f} MiB or {limits.seconds:g} s",
        fix="raise the limits, or let another method sample",
    )


def contradiction(step: int) -> PlayError:
    """The error that no history is possible, with the step that shows it."""
    return PlayError.of(
        "BEL001",
        f"nothing fits what the role did and saw: step {step} is impossible",
        fix="check the moves and percepts of that step against the rules",
    )


def improbable(step: int) -> PlayError:
    """The error that the opponent model gives all possible histories probability 0."""
    return PlayError.of(
        "BEL005",
        f"by step {step} the model of the other roles rules out all that fits",
        fix="use a model that gives every legal move some probability",
    )


def needs_gates(method: str) -> UsageError:
    """The error that a method reasons on gates which the machine does not have."""
    return UsageError.of(
        "BEL006",
        f"the method {method} reasons on gates, and this machine has none",
        fix="play the game on the compiled machine, or use another method",
    )
