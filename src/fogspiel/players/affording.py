"""How much of something fits a budget, where nobody looks at the clock in between."""

from __future__ import annotations

from fogspiel.core.budget import Budget
from fogspiel.core.findings import FogspielError
from fogspiel.core.size_limits import DEFAULT_MAX_BYTES

ROWS_A_SIMULATION = 20
"""States of beliefs that are followed in the time of a simulation (latent tic-tac-toe: 23)."""
ROWS_A_SECOND = 1_500_000
"""In latent tic-tac-toe it is 2,200,000."""
MOST_ROWS = 8_000_000
BYTES_A_SECOND = 300_000_000
"""Of all that follows from beliefs in one step: each state takes 120."""
TIME_IS_OVER = "PLY020"
MOST_TRIES = 3
"""Of something for which time was too short."""


class FailedSizes:
    """Sizes that were not enough for something: for good, or after some tries where time was over.

    Time may have gone elsewhere, such as into native kernels that are loaded on a first run, and
    what was not reached then may be reached by the same clock next time.
    """

    def __init__(self) -> None:
        self._largest = self._tries = 0

    def forbids(self, size: int) -> bool:
        """Whether it is no use to try again with so much."""
        return size <= self._largest

    def remember(self, size: int, error: FogspielError, *, has_stalled: bool) -> None:
        """What came of a try. has_stalled: see `Budget.stall_watch`; then it does not count."""
        if error.findings[0].code == TIME_IS_OVER:
            self._tries += not has_stalled
            if self._tries < MOST_TRIES:
                return
        self._largest = max(self._largest, size)


def rows_within(budget: Budget) -> int:
    """States of beliefs that there is time to follow."""
    return affordable(
        budget, most=MOST_ROWS, a_simulation=ROWS_A_SIMULATION, a_second=ROWS_A_SECOND
    )


def affordable(budget: Budget, *, most: int, a_simulation: int, a_second: int) -> int:
    """How many of something fit a budget, by how many are done in a simulation and a second."""
    if budget.simulations is not None:
        most = min(most, a_simulation * budget.simulations)
    if budget.deadline is not None:
        most = min(most, int(a_second * max(0.0, budget.seconds_left)))
    return most


def bytes_within(budget: Budget, a_second: int = BYTES_A_SECOND) -> int:
    """That one step may take."""
    if budget.deadline is None:
        return DEFAULT_MAX_BYTES
    return min(DEFAULT_MAX_BYTES, int(a_second * max(0.0, budget.seconds_left)))
