"""Student's intervals of means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fogspiel.core.values import bounded_interval, margin_text, mean_interval, student_half


def test_an_interval_is_students() -> None:
    # Mean 3, deviation sqrt(2.5), t of 4 degrees of freedom 2.776 (Student's table): half is 1.963.
    assert mean_interval(np.array([1, 2, 3, 4, 5])) == pytest.approx((1.037, 4.963), abs=1e-3)
    assert mean_interval(np.array([7])) is None
    assert mean_interval(np.array([7, 7, 7])) == (7.0, 7.0)


def test_intervals_hold_the_mean_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    # Goals 0, 50 and 100 with a mean of 50, in 2,000 series of 40 games.
    drawn = rng.choice([0, 50, 100], size=(2_000, 40), p=[0.3, 0.4, 0.3])
    intervals = [mean_interval(row) for row in drawn]
    held = np.mean([ends is not None and ends[0] <= 50 <= ends[1] for ends in intervals])
    # Four standard errors of 2,000 draws at 95 % are 0.0195; goals are not normal, but nearly.
    assert held == pytest.approx(0.95, abs=0.0195)


@given(st.lists(st.integers(0, 100), min_size=2, max_size=30))
def test_an_interval_lies_around_the_mean(goals: list[int]) -> None:
    ends = mean_interval(np.array(goals))
    assert ends is not None
    assert ends[0] <= np.mean(goals) + 1e-9
    assert ends[1] >= np.mean(goals) - 1e-9


def test_intervals_of_several_comparisons_are_wider() -> None:
    # Student's table: t of 10 degrees of freedom leaves out 2.5 % at 2.228 and 0.5 % at 3.169.
    assert student_half(1.0, 10) == pytest.approx(2.228, abs=1e-3)
    assert student_half(2.0, 10, comparisons=5) == pytest.approx(2 * 3.169, abs=2e-3)


def test_an_interval_of_bounded_values_stays_within_the_bounds() -> None:
    # A mean of 80 less 3.1824 (Student's t of 3) times a deviation of 40 over the root of 4.
    ends = bounded_interval(np.array([100, 100, 20, 100]), 100)
    assert ends == pytest.approx((80 - 3.1824 * 20, 100.0), abs=1e-2)
    assert bounded_interval(np.array([0, 100]), 100) == (0.0, 100.0)
    # Values beyond the bounds show that these are none.
    ends = mean_interval(np.array([-50.0, 150.0, -50.0, 150.0]))
    assert bounded_interval(np.array([-50.0, 150.0, -50.0, 150.0]), 100) == (-50.0, 150.0)
    assert ends is not None
    assert ends[0] < -50.0
    assert bounded_interval(np.array([7]), 100) is None


def test_an_interval_is_written_beside_its_mean_from_four_values_on() -> None:
    assert margin_text(0.5, (0.4, 0.6), 4) == "± 0.100"
    assert margin_text(0.9, (0.7, 1.0), 4, ".2f") == "-0.20 +0.10"
    assert margin_text(60.0, (-448.0, 568.0), 3) == ""
    assert margin_text(60.0, None, 9) == ""
