"""Goals of all kinds of games become values between 0 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from endless_game import endless
from fogspiel.core.budget import Budget
from fogspiel.games.load import load
from fogspiel.machine.prover.machine import ReferenceMachine
from fogspiel.search.evaluation.value_scale import ValueScale, look_at_goals, value_scale

UNTIMED = Budget.of(simulations=1)
WIDE = ValueScale(0.0, 100.0)
"""The scale of the goals that GDL names."""


@pytest.mark.parametrize(
    ("name", "goals", "values"),
    [("tic_tac_toe", [0, 50, 100], [0.0, 0.5, 1.0]), ("difference_9", [-1, 0, 1], [0.0, 0.5, 1.0])],
)
def test_what_is_won_and_lost_is_1_and_0(name: str, goals: list[int], values: list[float]) -> None:
    machine = load(name).machine
    for budget in (Budget.of(seconds=5.0), UNTIMED):
        look_at_goals(machine, budget)
        scaled = value_scale(machine).values(np.array(goals) * machine.goal_scale)
        assert scaled.tolist() == values


def test_a_look_at_goals_stops_between_two_steps_of_a_slow_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Kuhn poker takes 3 to 5 steps, each a second here: a fifth of 8 is over after the second."""
    made, step = [0], ReferenceMachine.step

    def counted(machine: ReferenceMachine, *arguments: Any) -> Any:
        made[0] += 1
        return step(machine, *arguments)

    monkeypatch.setattr(ReferenceMachine, "step", counted)
    machine = load("kuhn_poker", engine="reference").machine
    look_at_goals(machine, Budget.of(seconds=8.0, clock=lambda: float(made[0])))
    assert made[0] == 2
    assert value_scale(machine) == WIDE


def test_a_scale_without_a_clock_does_not_depend_on_what_a_clock_allowed_before() -> None:
    """Goals of Kuhn poker are 0, 25, 75 and 100; two of its ends need not show them all."""
    scales = []
    for seconds in (None, 0.001, 10.0):
        machine = load("kuhn_poker", engine="reference").machine
        if seconds is not None:
            look_at_goals(machine, Budget.of(seconds=seconds))
        look_at_goals(machine, UNTIMED)
        scales.append(value_scale(machine))
    assert scales[0] == scales[1] == scales[2]


def test_later_matches_see_what_there_was_no_time_for_before() -> None:
    """Difference pays from -1 to 1, times a scale: hundredths of what GDL names."""
    machine = load("difference_9", engine="reference").machine
    look_at_goals(machine, Budget.of(seconds=0.0))
    assert value_scale(machine) == ValueScale(0.0, 100.0 * machine.goal_scale)
    look_at_goals(machine, Budget.of(seconds=30.0))
    assert value_scale(machine) == ValueScale(-1.0 * machine.goal_scale, 2.0 * machine.goal_scale)


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_a_game_that_never_ends_is_not_played_for_ever(engine: Any) -> None:
    machine, clock = endless(engine), iter(range(1_000_000))
    look_at_goals(machine, Budget.of(seconds=100.0, clock=lambda: float(next(clock))))
    assert next(clock) < 1_000
    assert value_scale(machine) == WIDE
