"""What fits a budget, and what is tried again that did not."""

from __future__ import annotations

import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.findings import Finding, LimitError
from fogspiel.players.affording import MOST_TRIES, TIME_IS_OVER, FailedSizes, affordable


def failure(code: str) -> LimitError:
    return LimitError(Finding(code=code, message="it did not fit", fix="give more"))


@pytest.mark.parametrize(
    ("budget", "fitting"),
    [
        (Budget.of(simulations=10), 200),
        (Budget.of(simulations=1_000_000), 5_000),
        (Budget.of(seconds=0.0), 0),
        (Budget.of(seconds=1e6, simulations=3), 60),
    ],
)
def test_the_scarcer_of_clock_and_simulations_counts(budget: Budget, fitting: int) -> None:
    assert affordable(budget, most=5_000, a_simulation=20, a_second=100) == fitting


def test_what_is_too_large_is_out_of_reach_for_as_much_and_less() -> None:
    sizes = FailedSizes()
    assert not sizes.forbids(1)
    sizes.remember(1_000, failure("TRE001"), has_stalled=False)
    assert sizes.forbids(1_000)
    assert sizes.forbids(999)
    assert not sizes.forbids(1_001)
    sizes.remember(10, failure("TRE001"), has_stalled=False)
    assert sizes.forbids(1_000)


def test_where_time_was_over_some_tries_are_left() -> None:
    sizes = FailedSizes()
    for _ in range(MOST_TRIES):
        assert not sizes.forbids(1_000)
        sizes.remember(1_000, failure(TIME_IS_OVER), has_stalled=False)
    assert sizes.forbids(1_000)


def test_time_that_went_elsewhere_does_not_count() -> None:
    sizes = FailedSizes()
    for _ in range(2 * MOST_TRIES):
        sizes.remember(1_000, failure(TIME_IS_OVER), has_stalled=True)
    assert not sizes.forbids(1_000)
