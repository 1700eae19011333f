"""How long a search may go on: until a moment, or for a number of simulations."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

FIRST_BATCH = 16
BATCH_SHARE = 8
"""A batch is at most this part of the simulations done: what is under way teaches nothing yet."""
TIME_SHARE = 0.25
"""Of the time left, that a batch may take by the pace of the one before it: playouts differ in
length, and others may take the processor meanwhile."""
STALLED = 2.0
"""Times what there was, after which time must have gone elsewhere."""
ENDLESS = 1 << 62
"""Things that may be done where no clock runs."""

Clock = Callable[[], float]
"""Seconds, from any moment on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A search stops at the first that it reaches. With simulations alone it is reproducible."""

    deadline: float | None = None
    """In the time of the clock."""
    simulations: int | None = None
    clock: Clock = time.monotonic
    """Another one, such as `time.process_time`, is fair where others use the processor too."""

    def __post_init__(self) -> None:
        """Refuse a search without end."""
        if self.deadline is None and self.simulations is None:
            raise ValueError("give a deadline or a number of simulations")

    @staticmethod
    def of(
        *,
        seconds: float | None = None,
        simulations: int | None = None,
        clock: Clock = time.monotonic,
    ) -> Budget:
        """From now on."""
        deadline = None if seconds is None else clock() + seconds
        return Budget(deadline=deadline, simulations=simulations, clock=clock)

    @property
    def seconds_left(self) -> float:
        """Until the deadline; without one, for ever."""
        return float("inf") if self.deadline is None else self.deadline - self.clock()

    def part(self, share: float) -> Budget:
        """The same with a share of the time that is left."""
        return self.without((1.0 - share) * max(0.0, self.seconds_left))

    def portion(self, share: float) -> Budget:
        """The same with a share of the time that is left and of the simulations."""
        return self.part(share).fewer(share)

    def fewer(self, share: float, *, least: int = 1) -> Budget:
        """The same with a share of the simulations, but so many at least."""
        if self.simulations is None:
            return self
        return replace(self, simulations=max(least, int(share * self.simulations)))

    def without(self, seconds: float) -> Budget:
        """The same, but so much sooner over."""
        if self.deadline is None:
            return self
        return replace(self, deadline=self.deadline - seconds)

    def stall_watch(self) -> Callable[[], bool]:
        """To be asked later: whether far more time went by than there was when it began.

        That happens where kernels have to be built. What was not reached then may be reached by the
        same clock next time, and should not be held for out of reach.
        """
        began, left = self.clock(), max(0.0, self.seconds_left)
        return lambda: self.clock() - began > STALLED * left

    def batches(self, before: int, largest: int) -> Iterator[int]:
        """Numbers of simulations to make together, one after the other, until all is used up.

        before: simulations that were made already; batches grow with all of them.
        """
        # With a clock, one simulation comes first, to see how long it takes.
        done, fitting, shortest = 0, largest if self.deadline is None else 1, 0.0
        while True:
            count = max(min(FIRST_BATCH, fitting), min((before + done) // BATCH_SHARE, fitting))
            if self.simulations is not None:
                count = min(count, self.simulations - done)
            left = self.seconds_left
            # However few are made together, a batch takes some time.
            if count <= 0 or left <= shortest:
                return
            yield count
            done += count
            if self.deadline is not None:
                spent = left - self.seconds_left
                fitting = max(1, min(largest, self.fitting(count, spent)))
                shortest = min(spent, shortest or spent)

    def fitting(self, count: int, spent: float) -> int:
        """How many things may be done together next, where so many took so many seconds."""
        if self.deadline is None:
            return ENDLESS
        return int(TIME_SHARE * max(0.0, self.seconds_left) / max(spent, 1e-9) * count)
