"""The margin before the end of a clock: where it starts, and what it learns."""

from __future__ import annotations

import pytest

from fogspiel.play.ggp.serve.hosted_match import MOST_SHARE, NETWORK_SECONDS, Margin


def test_it_starts_with_about_a_third_of_a_second_and_less_of_short_clocks() -> None:
    assert Margin().for_player(30.0) == pytest.approx(0.325)
    assert Margin().for_player(0.5) == pytest.approx(0.5 * MOST_SHARE)


def test_punctual_players_get_almost_the_whole_clock() -> None:
    margin = Margin()
    for _ in range(60):
        margin.note_choice(-0.001)
        margin.note_answer(0.0005)
    assert NETWORK_SECONDS < margin.for_player(10.0) < NETWORK_SECONDS + 0.01


def test_one_late_turn_makes_it_careful_for_a_while_and_not_for_ever() -> None:
    margin = Margin()
    margin.note_choice(1.0)
    assert margin.for_player(30.0) > 1.5
    for _ in range(40):
        margin.note_choice(0.0)
    assert margin.for_player(30.0) < 0.2


def test_turns_in_which_nothing_was_thought_about_teach_nothing() -> None:
    margin = Margin()
    margin.note_choice(0.5)
    for _ in range(20):
        margin.note_choice(-1.9)
    assert margin.late_seconds == 0.5


def test_slow_answering_moves_both_moments() -> None:
    margin = Margin()
    margin.note_answer(0.4)
    assert margin.for_answer(30.0) == pytest.approx(0.45)
    assert margin.for_player(30.0) > margin.for_answer(30.0)


def test_whatever_was_measured_some_of_the_clock_is_left_to_think() -> None:
    margin = Margin()
    margin.note_choice(100.0)
    margin.note_answer(100.0)
    assert margin.for_player(1.0) == pytest.approx(MOST_SHARE)
    assert margin.for_answer(1.0) < margin.for_player(1.0)


@pytest.mark.parametrize("clock", [0.2, 1.0, 3.0, 30.0, 600.0])
@pytest.mark.parametrize("late", [0.0, 0.15, 2.0])
def test_a_player_stops_before_its_readiness_is_told(clock: float, late: float) -> None:
    """The first question may follow at once, and a player that thinks on would not hear it."""
    margin = Margin(late_seconds=late)
    assert margin.for_readiness(clock) <= margin.for_getting_ready(clock) <= 0.4 * clock
    if late and clock >= 30.0:
        assert margin.for_getting_ready(clock) >= margin.for_readiness(clock) + late
