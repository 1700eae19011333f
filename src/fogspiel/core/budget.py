"""Budgets: how long work may go on, until a deadline or for a number of simulations.

A budget is handed down from a match to players, and from them to beliefs, searches and solvers, so
that nobody else looks at a clock. Work that cannot be interrupted is sized beforehand, by how much
of it fits the budget (`Budget.affordable`), and its pace is watched from step to step (`in_time`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from fogspiel.core.findings import FogspielError, LimitError
from fogspiel.core.limits import DEFAULT_MAX_BYTES

FIRST_BATCH = 16
BATCH_SHARE = 8
"""A batch is at most this part of the simulations done: those under way teach nothing yet."""
TIME_SHARE = 0.25
"""Share of the time left that a batch may take, by the pace of the batch before it: playouts differ
in length, and other processes may take the processor meanwhile."""
STALLED = 2.0
"""Work stalled if it took more than this many times the seconds that were left when it began."""
ENDLESS = 1 << 62  #: A number of simulations that is never reached, where no clock runs
BYTES_A_SECOND = 300_000_000
"""Memory filled by one step of following beliefs: each state takes 120 bytes."""
MOST_STEPS = 1_000  #: Steps after which something that grows step by step is given up, clock or not
MOST_TRIES = 3  #: Tries of something for which time was too short
TIME_IS_OVER = "PLY020"

Clock = Callable[[], float]  #: Seconds since any fixed moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of one piece of work, which stops at the first that it reaches.

    With simulations alone, results are reproducible.

    >>> clock = fs.Clock.of(simulations=1000)
    >>> clock.simulations, clock.seconds_left, clock.is_over
    (1000, inf, False)
    """

    deadline: float | None = None  #: Moment at which time is over, as the clock counts
    simulations: int | None = None  #: Simulations of a search, or iterations of a solver
    clock: Clock = time.monotonic
    """`time.process_time` is fairer where other processes use the processor too."""

    def __post_init__(self) -> None:
        """Refuse a budget without end."""
        if self.deadline is None and self.simulations is None:
            raise ValueError("give a deadline or a number of simulations")

    @staticmethod
    def of(
        *,
        seconds: float | None = None,
        simulations: int | None = None,
        clock: Clock = time.monotonic,
    ) -> Budget:
        """A budget whose seconds begin now.

        seconds: the time; None for as long as the simulations take.
        simulations: simulations of a search, or iterations of a solver.
        clock: a function that gives seconds since any fixed moment.

        >>> fs.Clock.of(seconds=60.0).is_over
        False
        """
        deadline = None if seconds is None else clock() + seconds
        return Budget(deadline=deadline, simulations=simulations, clock=clock)

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline, negative after it; infinite without a deadline."""
        return float("inf") if self.deadline is None else self.deadline - self.clock()

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and self.clock() >= self.deadline

    def part(self, share: float) -> Budget:
        """The same budget with a share of the time that is left."""
        return self.without((1.0 - share) * max(0.0, self.seconds_left))

    def portion(self, share: float) -> Budget:
        """The same budget with a share of the time that is left and of the simulations."""
        return self.part(share).fewer(share)

    def fewer(self, share: float, *, least: int = 1) -> Budget:
        """The same budget with a share of the simulations, but so many at least."""
        if self.simulations is None:
            return self
        return replace(self, simulations=max(least, int(share * self.simulations)))

    def without(self, seconds: float) -> Budget:
        """The same budget with a deadline that comes so much sooner."""
        if self.deadline is None:
            return self
        return replace(self, deadline=self.deadline - seconds)

    def affordable(self, *, most: int, a_second: float, a_simulation: int | None = None) -> int:
        """The number of things that fit the budget, `most` at most.

        a_second, a_simulation: how many are done in a second, and in the time of a simulation; None
        if simulations do not limit them.
        """
        if self.simulations is not None and a_simulation is not None:
            most = min(most, a_simulation * self.simulations)
        if self.deadline is not None:
            most = min(most, int(a_second * max(0.0, self.seconds_left)))
        return most

    def stall_watch(self) -> Callable[[], bool]:
        """A function to be asked later: whether far more time went by than was left at first.

        That happens where native kernels have to be built. What was not reached then may be reached
        with the same budget next time, and does not count as out of reach.
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
        """The number of things to do together next, where `count` took `spent` seconds."""
        if self.deadline is None:
            return ENDLESS
        return int(TIME_SHARE * max(0.0, self.seconds_left) / max(spent, 1e-9) * count)


def bytes_within(budget: Budget, a_second: int = BYTES_A_SECOND) -> int:
    """Memory that one step may fill within a budget."""
    return budget.affordable(most=DEFAULT_MAX_BYTES, a_second=a_second)


def in_time(budget: Budget) -> Callable[[int], None]:
    """A check to be called, with the size so far, after each step of something that grows.

    It raises `LimitError` PLY020 where time is over, and where the next step would take longer than
    is left if it grows as the last one did: nobody looks at the clock inside a step. It does so too
    after very many steps, clock or not.
    """
    sizes, looked = [0, 0], budget.clock()

    def progress(size: int) -> None:
        nonlocal looked
        spent, looked = budget.clock() - looked, budget.clock()
        sizes.append(size)
        if len(sizes) > MOST_STEPS:
            raise LimitError.of(
                TIME_IS_OVER,
                f"the game was not over after {MOST_STEPS:,} steps",
                fix="let a player play that searches",
            )
        before, last = sizes[-2] - sizes[-3], sizes[-1] - sizes[-2]
        growth = last / before if before > 0 else 1.0
        refuse_late(budget.without(spent * growth))

    return progress


def refuse_late(budget: Budget) -> None:
    """Raise `LimitError` PLY020 where time is over."""
    if budget.is_over:
        raise LimitError.of(
            TIME_IS_OVER,
            "the clock was over before the game was solved",
            fix="give more time at the start, or a strategy from a file",
        )


class FailedSizes:
    """Sizes known to be too small for something, so that it is not tried again with them.

    Where only time was too short, some tries are left: time may have gone elsewhere, such as into
    native kernels that are loaded on a first run.
    """

    def __init__(self) -> None:
        self._largest = self._tries = 0

    def forbids(self, size: int) -> bool:
        """Whether it is no use to try again with this size."""
        return size <= self._largest

    def remember(self, size: int, error: FogspielError, *, has_stalled: bool) -> None:
        """Note a failure. has_stalled: see `Budget.stall_watch`; then it does not count."""
        if error.findings[0].code == TIME_IS_OVER:
            self._tries += not has_stalled
            if self._tries < MOST_TRIES:
                return
        self._largest = max(self._largest, size)
