"""How long a search may go on: until a moment, or for a number of simulations."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

FIRST_BATCH = 16
BATCH_SHARE = 8
"""A batch is at most this part of the simulations done: what is under way teaches nothing yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A search stops at the first that it reaches. With simulations alone it is reproducible."""

    deadline: float | None = None
    """In the time of `time.monotonic`."""
    simulations: int | None = None

    def __post_init__(self) -> None:
        """Refuse a search without end."""
        if self.deadline is None and self.simulations is None:
            raise ValueError("give a deadline or a number of simulations")

    @staticmethod
    def of(*, seconds: float | None = None, simulations: int | None = None) -> Budget:
        """From now on."""
        deadline = None if seconds is None else time.monotonic() + seconds
        return Budget(deadline=deadline, simulations=simulations)

    @property
    def seconds_left(self) -> float:
        """Until the deadline; without one, for ever."""
        return float("inf") if self.deadline is None else self.deadline - time.monotonic()

    def batches(self, before: int, largest: int) -> Iterator[int]:
        """Numbers of simulations to make together, one after the other, until all is used up.

        before: simulations that were made already; batches grow with all of them.
        """
        done = 0
        while True:
            count = max(FIRST_BATCH, min((before + done) // BATCH_SHARE, largest))
            if self.simulations is not None:
                count = min(count, self.simulations - done)
            if count <= 0 or self.seconds_left <= 0.0:
                return
            yield count
            done += count
