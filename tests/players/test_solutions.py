"""Solutions are kept with the machine of a game, and computed anew if a clock cut them short."""

from __future__ import annotations

import math
from typing import Any

import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine
from fogspiel.players.solving import whole_game
from fogspiel.players.solving.whole_game import SolveTask, book_for, equilibrium
from fogspiel.solve.result import Strategy, uniform
from fogspiel.tree.build.build import build
from fogspiel.tree.game_tree import GameTree


class Stopwatch:
    """A clock that a test moves forward."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds

    def budget(self, seconds: float) -> Budget:
        return Budget.of(seconds=seconds, clock=self)


class Solver:
    """A solver that takes a share of the time left, and counts its calls."""

    def __init__(self, watch: Stopwatch, share: float) -> None:
        self.watch, self.share, self.asked = watch, share, 0

    def __call__(self, task: SolveTask) -> Strategy:
        self.asked += 1
        if not math.isinf(task.budget.seconds_left):
            self.watch.seconds += self.share * task.budget.seconds_left
        return uniform(task.tree)


@pytest.fixture
def machine() -> Machine:
    return load("kuhn_poker").machine


def asked(machine: Machine, solver: Solver, *clocks: float) -> int:
    """The number of times that the solver runs for a series of clocks."""
    for seconds in clocks:
        book_for(machine, 0, "test", solver, solver.watch.budget(seconds))
    return solver.asked


def test_what_is_finished_is_computed_once(machine: Machine) -> None:
    assert asked(machine, Solver(Stopwatch(), share=0.3), 1.0, 1.0, 100.0, 0.1) == 1


def test_what_a_clock_ended_is_computed_anew_with_a_much_longer_one(machine: Machine) -> None:
    solver = Solver(Stopwatch(), share=0.6)
    assert asked(machine, solver, 1.0, 1.0, 0.5, 1.2) == 1
    assert asked(machine, solver, 10.0, 10.0, 1.0) == 2


def test_without_a_clock_nothing_is_taken_that_a_clock_ended(machine: Machine) -> None:
    solver = Solver(Stopwatch(), share=0.6)
    book_for(machine, 0, "test", solver, solver.watch.budget(1.0))
    for _ in range(2):
        book_for(machine, 0, "test", solver, Budget.of(simulations=10))
    assert solver.asked == 2


def test_a_solver_that_waited_for_kernels_gets_another_try(machine: Machine) -> None:
    solver = Solver(Stopwatch(), share=20.0)
    assert asked(machine, solver, 1.0) == 1
    solver.share = 0.6
    assert asked(machine, solver, 1.0, 1.0) == 2


def test_a_solver_that_is_always_late_gets_one_more_try_only(machine: Machine) -> None:
    assert asked(machine, Solver(Stopwatch(), share=20.0), 1.0, 1.0, 1.0) == 2


def test_a_tree_that_waited_for_kernels_gets_another_try(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    solver = Solver(Stopwatch(), share=0.3)

    def slow_build(*arguments: Any, **settings: Any) -> GameTree:
        solver.watch.seconds += 30.0
        return build(*arguments, **settings)

    with monkeypatch.context() as patch:
        patch.setattr(whole_game, "build", slow_build)
        with pytest.raises(LimitError, match="the clock was over"):
            asked(machine, solver, 1.0)
    assert asked(machine, solver, 1.0) == 1


def test_a_tree_that_was_too_large_is_not_tried_again_with_the_same_clock() -> None:
    machine, watch = load("connect_four").machine, Stopwatch()
    solver = Solver(watch, share=0.3)
    with pytest.raises(LimitError, match="TRE001"):
        book_for(machine, 0, "test", solver, watch.budget(0.1))
    with pytest.raises(LimitError, match=r"PLY020.*more than the 6,000 nodes"):
        book_for(machine, 0, "test", solver, watch.budget(0.1))
    assert solver.asked == 0


def test_a_longer_clock_gives_a_better_strategy() -> None:
    # In the prisoner's dilemma one iteration plays uniformly, many betray.
    machine = load("prisoners_dilemma").machine
    hasty = Solver(Stopwatch(), share=0.6)
    hurried = book_for(machine, 0, "test", hasty, hasty.watch.budget(0.1))
    assert hurried.choices[0].probabilities == (0.5, 0.5)
    solved = book_for(machine, 0, "test", equilibrium, Budget.of(seconds=60.0))
    assert solved.choices[0].probabilities[1] > 0.99
