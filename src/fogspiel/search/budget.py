"""How long a search may go on: until a moment, or for a number of simulations."""

from __future__ import annotations

import time
from dataclasses import dataclass


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
