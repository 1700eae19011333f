"""How much of something fits a budget, where nobody looks at the clock in between."""

from __future__ import annotations

from fogspiel.search.budget import Budget
from fogspiel.tree.building_limits import DEFAULT_MAX_BYTES

ROWS_A_SIMULATION = 20
"""States of beliefs that are followed in the time of a simulation (latent tic-tac-toe: 23)."""
ROWS_A_SECOND = 1_500_000
"""In latent tic-tac-toe it is 2,200,000."""
MOST_ROWS = 8_000_000
BYTES_A_SECOND = 300_000_000
"""Of all that follows from beliefs in one step: each state takes 120."""


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
