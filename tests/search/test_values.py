"""Goals of all kinds of games become values between 0 and 1."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.games.loading import load
from fogspiel.search.values import value_scale


@pytest.mark.parametrize(
    ("name", "goals", "values"),
    [("tic_tac_toe", [0, 50, 100], [0.0, 0.5, 1.0]), ("difference_9", [-1, 0, 1], [0.0, 0.5, 1.0])],
)
def test_what_is_won_and_lost_is_1_and_0(name: str, goals: list[int], values: list[float]) -> None:
    machine = load(name).machine
    scaled = value_scale(machine).values(np.array(goals) * machine.goal_scale)
    assert scaled.tolist() == values
