"""Estimates of the time of operations: their dependencies, and limits on steps of playouts."""

from __future__ import annotations

import pytest

from fogspiel.games.load import load
from fogspiel.machine.analysis import cost
from fogspiel.machine.analysis.cost import affordable_steps
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS


def test_playouts_of_a_small_game_are_never_cut() -> None:
    machine = load("tic_tac_toe", engine="compiled").machine
    assert affordable_steps(machine, 1024, 0.5) == DEFAULT_MAX_STEPS


def test_more_playouts_have_fewer_steps_and_more_time_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Gates are assumed to take ten thousand times as long as they do."""
    monkeypatch.setattr(cost, "GATE_SECONDS", 3e-5)
    machine = load("tic_tac_toe", engine="compiled").machine
    few, many = (affordable_steps(machine, playouts, 0.5) for playouts in (64, 2048))
    assert 1 <= many < few < affordable_steps(machine, 64, 1.0) < DEFAULT_MAX_STEPS
    assert affordable_steps(machine, 64, -1.0) == 1


def test_where_rules_are_not_compiled_others_keep_to_the_clock() -> None:
    machine = load("tic_tac_toe", engine="reference").machine
    assert affordable_steps(machine, 1, 0.01) == DEFAULT_MAX_STEPS
