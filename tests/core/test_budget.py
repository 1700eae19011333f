"""Budgets: batches that end in time, shares of what is left, and what fits into it."""

from __future__ import annotations

import pytest

from fogspiel.core.budget import FIRST_BATCH, MOST_TRIES, TIME_IS_OVER, Budget, FailedSizes, in_time
from fogspiel.core.findings import Finding, LimitError

LARGEST = 1024


class HandClock:
    """A clock that is moved by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_without_a_clock_batches_depend_on_numbers_alone() -> None:
    counts = list(Budget(simulations=1_000).batches(0, LARGEST))
    assert sum(counts) == 1_000
    assert counts[:2] == [FIRST_BATCH, FIRST_BATCH]
    assert counts == list(Budget(simulations=1_000).batches(0, LARGEST))
    assert next(Budget(simulations=5_000).batches(10_000, LARGEST)) == LARGEST


@pytest.mark.parametrize("each_seconds", [1e-6, 1e-3, 0.02, 0.3])
@pytest.mark.parametrize("fixed_seconds", [0.0, 0.01])
def test_batches_end_in_time_once_the_pace_is_known(
    each_seconds: float, fixed_seconds: float
) -> None:
    """However slow simulations are, and though 100,000 made before would allow large batches."""
    clock = HandClock()
    budget = Budget.of(seconds=6.0, clock=clock)
    counts = []
    for count in budget.batches(100_000 if each_seconds < 1e-3 else 0, LARGEST):
        counts.append(count)
        clock.now += fixed_seconds + each_seconds * count
    assert clock.now <= 106.0 + 1e-9
    # Most of the time is used.
    assert clock.now >= 105.5
    assert len(counts) > 1


def test_a_single_slow_batch_is_not_repeated() -> None:
    clock = HandClock()
    counts = []
    for count in Budget.of(seconds=1.0, clock=clock).batches(0, LARGEST):
        counts.append(count)
        clock.now += 0.6
    assert counts == [1]


def test_parts_of_a_budget_keep_its_clock_and_its_simulations() -> None:
    clock = HandClock()
    budget = Budget.of(seconds=8.0, simulations=5, clock=clock)
    assert budget.part(0.25).seconds_left == pytest.approx(2.0)
    assert budget.without(3.0).seconds_left == pytest.approx(5.0)
    assert budget.part(0.25).simulations == 5
    clock.now += 10.0
    # Nothing is left to share.
    assert budget.part(0.25).seconds_left == pytest.approx(-2.0)
    endless = Budget(simulations=3)
    assert endless.part(0.5) == endless.without(1.0) == endless


def test_portions_share_time_and_simulations() -> None:
    budget = Budget.of(seconds=8.0, simulations=100, clock=HandClock())
    assert budget.portion(0.25) == budget.part(0.25).fewer(0.25)
    assert budget.portion(0.25).seconds_left == pytest.approx(2.0)
    assert budget.portion(0.25).simulations == 25
    assert budget.portion(0.001).simulations == 1
    assert budget.fewer(0.25, least=40).simulations == 40
    timed = Budget.of(seconds=8.0, clock=HandClock())
    assert timed.fewer(0.25) == timed


def test_a_stall_is_more_than_twice_what_there_was() -> None:
    clock = HandClock()
    budget = Budget.of(seconds=3.0, clock=clock)
    clock.now += 1.0
    has_stalled = budget.stall_watch()
    clock.now += 3.9
    assert not has_stalled()
    clock.now += 0.2
    assert has_stalled()
    assert not Budget(simulations=5, clock=clock).stall_watch()()


def failure(code: str) -> LimitError:
    return LimitError(Finding(code, "it did not fit", fix="give more"))


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
    assert budget.affordable(most=5_000, a_simulation=20, a_second=100) == fitting


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


def test_work_is_refused_whose_next_step_would_come_too_late() -> None:
    clock = HandClock()
    progress = in_time(Budget.of(seconds=10.0, clock=clock))
    clock.now += 1.0
    progress(100)
    clock.now += 2.0
    progress(300)
    clock.now += 3.0
    # Four seconds are left, and the next step would take twice the last one's three.
    with pytest.raises(LimitError, match=TIME_IS_OVER):
        progress(700)


def test_a_budget_is_over_from_its_deadline_on() -> None:
    clock = HandClock()
    budget = Budget.of(seconds=1.0, clock=clock)
    assert budget.seconds_left == pytest.approx(1.0)
    clock.now += 1.0
    assert budget.is_over
    assert not Budget(simulations=1, clock=clock).is_over
