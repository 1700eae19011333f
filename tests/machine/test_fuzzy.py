"""Fuzzy goals: truth is kept, values grow towards goals, and games without gates have none."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.core.terms import GroundTerm
from fogspiel.games.load import load
from fogspiel.machine.analysis.circuit_values import FuzzyGoals, Reader, cone_of, fuzzy_goals
from fogspiel.machine.analysis.random_walks import random_walks
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.protocol import State

CROSS, NOUGHT = 0, 1


def compiled(name: str) -> CompiledMachine:
    machine = load(name).machine
    assert isinstance(machine, CompiledMachine)
    return machine


def board(*rows: str) -> State:
    """Tic-tac-toe with marks of x and o, x to move."""
    fluents: list[GroundTerm] = [("control", "x")]
    for number, row in enumerate(rows, 1):
        fluents += [
            ("cell", str(number), str(column), mark)
            for column, mark in enumerate(row, 1)
            if mark != "b"
        ]
    return compiled("tic_tac_toe").state_of(fluents)


def value(*rows: str) -> float:
    machine = compiled("tic_tac_toe")
    return float(FuzzyGoals(machine)(board(*rows)[None, :])[0, CROSS])


# Recursion (hex), large gates (connect four), sums of gains (POGDDL).
GAMES = ["tic_tac_toe", "connect_four", "dark_hex_3", "checkers", "simple_poker_pogddl"]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("truth", [0.6, 1.0])
def test_what_holds_stays_above_one_half(name: str, truth: float) -> None:
    """The threshold of the t-norm: the value of a formula is above 1/2 exactly where it holds."""
    machine = compiled(name)
    fuzzy = FuzzyGoals(machine, truth)
    steps = random_walks(machine, 16, np.random.default_rng(3))
    states = np.concatenate([np.concatenate([step.states, step.successors]) for step in steps])
    literals = fuzzy.literals
    assert np.array_equal(fuzzy.read(states) > 0.5, Reader(machine.circuit(), literals)(states))


def test_more_marks_in_a_line_are_nearer_to_the_goal() -> None:
    empty = value("bbb", "bbb", "bbb")
    one = value("bbb", "bxb", "bbb")
    two = value("xbb", "bxb", "bbb")
    assert empty < one < two


def test_a_line_of_the_other_one_is_bad_and_a_win_is_best() -> None:
    won, lost = value("xxx", "oob", "bbb"), value("ooo", "xxb", "bxb")
    open_ = value("xxb", "oob", "bbb")
    assert lost < open_ < won


def test_both_roles_are_valued() -> None:
    machine = compiled("tic_tac_toe")
    found = FuzzyGoals(machine)(board("oob", "bbx", "bbb")[None, :])[0]
    assert found[NOUGHT] > found[CROSS]


def test_goals_that_hold_are_preferred_where_the_game_ends() -> None:
    """Hex on 3x3: in terminal states the winner counts more than in any state before."""
    machine = compiled("dark_hex_3")
    fuzzy = FuzzyGoals(machine)
    steps = list(random_walks(machine, 16, np.random.default_rng(0)))
    before = fuzzy(np.concatenate([step.states for step in steps]))
    after = np.concatenate([step.successors for step in steps])
    ends = after[machine.terminal_batch(after)]
    goals, values = machine.goals_batch(ends), fuzzy(ends)
    assert values[goals == 100].min() > before.max()


def test_only_the_gates_of_goals_are_evaluated() -> None:
    machine = compiled("breakthrough_6")
    circuit = machine.circuit()
    gates = int((cone_of(circuit, FuzzyGoals(machine).literals).order >= 0).sum())
    assert 0 < gates < machine.network.gate_count / 10


def test_machines_without_gates_have_no_fuzzy_goals() -> None:
    assert fuzzy_goals(load("tic_tac_toe", engine="reference").machine) is None


@pytest.mark.parametrize("truth", [0.5, 1.1])
def test_a_truth_that_is_none_is_refused(truth: float) -> None:
    with pytest.raises(ValueError, match="truth must be above"):
        FuzzyGoals(compiled("tic_tac_toe"), truth)
