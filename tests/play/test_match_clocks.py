"""Matches measure players against their clocks, wait for the late, and tell by how much."""

from __future__ import annotations

from functools import partial

import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError
from fogspiel.core.terms import MoveId, Observation, RoleId
from fogspiel.games.load import load
from fogspiel.play.clocks import START, Timing
from fogspiel.play.loop import Match, play_match
from fogspiel.play.series import Entrant, play_series
from fogspiel.players.protocol import Agent, Seat
from fogspiel.players.simple import FirstPlayer

CLOCK_SECONDS = 1.0


class HandClock:
    """A clock that is moved by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def budget(self) -> Budget:
        return Budget.of(seconds=CLOCK_SECONDS, clock=self)


class Slow(FirstPlayer):
    """Takes as long as it is told: to get ready, to take note of a step, and to choose."""

    def __init__(
        self, clock: HandClock, *, start: float = 0, note: float = 0, choose: float = 0
    ) -> None:
        self._clock, self._start, self._note, self._choose = clock, start, note, choose

    def start(self, seat: Seat, budget: Budget) -> None:
        super().start(seat, budget)
        self._clock.now += self._start

    def observe(self, observation: Observation) -> None:
        super().observe(observation)
        self._clock.now += self._note

    def choose(self, budget: Budget) -> MoveId:
        self._clock.now += self._choose
        return super().choose(budget)


def played(clock: HandClock, first: Agent, second: Agent) -> Match:
    """Tic-tac-toe by first moves: x wins in step 7 with the diagonal from 1 3 to 3 1."""
    return play_match(
        load("tic_tac_toe").machine,
        {RoleId(0): first, RoleId(1): second},
        start_budget=clock.budget,
        turn_budget=clock.budget,
        seed=1,
    )


def test_every_choice_and_getting_ready_is_measured() -> None:
    clock = HandClock()
    match = played(clock, Slow(clock, start=1.5, choose=0.5), Slow(clock, choose=1.25))
    first, second = ([t for t in match.timings if t.role == role] for role in (0, 1))
    assert [timing.step for timing in first] == list(range(START, len(match.joints) + 1))
    assert {timing.allowed_seconds for timing in match.timings} == {CLOCK_SECONDS}
    assert [timing.over_seconds for timing in first] == [0.5] + [-0.5] * len(match.joints)
    assert [timing.over_seconds for timing in second] == [-1.0] + [0.25] * len(match.joints)
    assert match.late_seconds(RoleId(0)) == [0.5]
    assert match.late_seconds(RoleId(1)) == [0.25] * 7


def test_taking_note_of_a_step_counts_to_the_choice_after_it() -> None:
    clock = HandClock()
    match = played(clock, Slow(clock, note=0.75, choose=0.5), Slow(clock))
    over = [timing.over_seconds for timing in match.timings if timing.role == 0]
    assert over == [-1.0, -0.5] + [0.25] * (len(match.joints) - 1)


def test_there_is_nothing_to_measure_without_a_clock() -> None:
    match = play_match(
        load("tic_tac_toe").machine,
        {RoleId(0): FirstPlayer(), RoleId(1): FirstPlayer()},
        start_budget=partial(Budget.of, simulations=1),
        turn_budget=partial(Budget.of, simulations=1),
        seed=1,
    )
    assert match.timings == ()


def test_timings_are_told_as_they_come_though_the_match_does_not_end() -> None:
    clock, told = HandClock(), list[Timing]()
    with pytest.raises(PlayError, match="MAT002"):
        play_match(
            load("tic_tac_toe").machine,
            {RoleId(0): Slow(clock, choose=3.0), RoleId(1): FirstPlayer()},
            start_budget=clock.budget,
            turn_budget=clock.budget,
            seed=1,
            max_steps=2,
            on_timing=told.append,
        )
    assert [(t.role, t.step, t.over_seconds) for t in told if t.over_seconds > 0] == [
        (0, 1, 2.0),
        (0, 2, 2.0),
    ]


def test_a_series_tells_who_was_late_wherever_it_sat() -> None:
    clock = HandClock()
    series = play_series(
        load("tic_tac_toe").machine,
        [
            Entrant("slow", partial(Slow, clock, choose=1.5)),
            Entrant("quick", partial(Slow, clock, choose=0.5)),
        ],
        games=2,
        turn_budget=clock.budget,
        seed=0,
        swap=True,
    )
    slow, quick = series.totals()
    assert (slow.late, slow.most_late_seconds) == (14, 0.5)
    assert (quick.late, quick.most_late_seconds) == (0, 0.0)
    assert [tally.late for tally in series.results()] == [7, 7, 0, 0]
