"""Playouts of the compiled machine: exact counts, exact means, and the same bytes everywhere."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from math import sqrt

import numpy as np
import pytest
from two_machines import compiled_of

from fogspiel.games.library import game_source
from fogspiel.machine.analysis.random_walks import random_walks, turn_period
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.compiled.run import playout
from fogspiel.machine.protocol import Playouts, State, States


@cache
def machine_of(name: str) -> CompiledMachine:
    return compiled_of(game_source(name).text)


def play(machine: CompiledMachine, count: int, seed: int = 1, max_steps: int = 10_000) -> Playouts:
    return machine.playouts(machine.initial()[None, :], seed=seed, count=count, max_steps=max_steps)


class Expectation:
    """Exact means of uniformly random play, by adding up over all states of a small game."""

    def __init__(self, machine: CompiledMachine) -> None:
        self.machine = machine
        self.known: dict[bytes, tuple[float, float, float]] = {}

    def of(self, state: State) -> tuple[float, float, float]:
        """The first role's goal, its square, and the steps to the end, on average."""
        key = self.machine.key(state)
        if key not in self.known:
            if self.machine.terminal(state):
                goal = float(self.machine.goals(state)[0])
                self.known[key] = goal, goal * goal, 0.0
            else:
                children = [self.of(child) for child in self.machine.expand(state).states]
                goal, square, steps = (sum(c[i] for c in children) for i in range(3))
                n = len(children)
                self.known[key] = goal / n, square / n, 1 + steps / n
        return self.known[key]


def test_random_tic_tac_toe_has_its_exact_means() -> None:
    machine = machine_of("tic_tac_toe")
    goal, square, steps = Expectation(machine).of(machine.initial())
    # P(first player wins) = 0.58492, draws 0.12698: the published 64.841 is their mix.
    assert goal == pytest.approx(64.841, abs=0.0005)
    count = 400_000
    result = play(machine, count)
    sigma = sqrt((square - goal * goal) / count)
    assert abs(result.mean_goals[0] - goal) < 5 * sigma
    assert result.mean_goals.sum() == pytest.approx(100)
    # The length lies between 5 and 9, so its deviation is at most 2.
    assert abs(result.mean_length - steps) < 5 * 2 / sqrt(count)
    assert (result.stuck, result.cut) == (0, 0)


@pytest.mark.parametrize("count", [1, 63, 64, 65, 511, 513, 1_024, 1_025, 2_500])
def test_any_number_of_playouts_is_played_to_the_last(count: int) -> None:
    """Every game of this sheet takes three steps and scores 7."""
    machine = compiled_of("""
        (role r) (init (n 0)) (s 0 1) (s 1 2) (s 2 3) (legal r a) (legal r b)
        (<= (next (n ?y)) (true (n ?x)) (s ?x ?y)) (<= terminal (true (n 3))) (goal r 7)
    """)
    result = play(machine, count)
    assert result.counts.tolist() == [count]
    assert result.goal_sums.tolist() == [[7 * count]]
    assert result.steps == 3 * count


def some_states(machine: CompiledMachine, count: int) -> States:
    """States from the middle of random walks."""
    rng = np.random.default_rng(2)
    for depth, step in enumerate(random_walks(machine, count, rng)):
        if depth == 3:
            return step.successors
    raise AssertionError("the game is over too soon")


@pytest.mark.parametrize("count", [3, 200])
def test_playouts_from_many_states_belong_to_the_right_ones(count: int) -> None:
    """Each start has the mean of its own state, known exactly."""
    machine = machine_of("tic_tac_toe")
    states = some_states(machine, 150)
    states = states[~machine.terminal_batch(states)]
    result = machine.playouts(states, seed=3, count=count)
    assert result.counts.tolist() == [count] * len(states)
    exact = Expectation(machine)
    for state, goals in zip(states, result.goal_sums, strict=True):
        goal, square, _ = exact.of(state)
        sigma = sqrt(max(0.0, square - goal * goal) * count)
        assert abs(goals[0] - goal * count) <= 5.5 * sigma
        assert goals.sum() == 100 * count


def test_a_start_that_is_over_scores_without_a_step() -> None:
    machine = compiled_of(
        "(role r) (init p) (legal r go) (<= (next p) (true p)) terminal (goal r 9)"
    )
    result = play(machine, 100)
    assert (result.goal_sums.tolist(), result.steps, result.stuck) == ([[900]], 0, 0)


ENDLESS = """
    (role r) (init p) (legal r go) (<= (next p) (true q)) (<= (next q) (true p))
    (<= (goal r 4) (true p)) (<= (goal r 8) (true q))
"""


@pytest.mark.parametrize("count", [10, 3_000])
@pytest.mark.parametrize("max_steps", [1, 20, 31])
def test_endless_games_are_given_up_at_the_limit(count: int, max_steps: int) -> None:
    result = play(compiled_of(ENDLESS), count, max_steps=max_steps)
    assert (result.cut, result.stuck, result.counts.tolist()) == (count, 0, [count])
    assert result.steps == max_steps * count
    assert result.goal_sums[0, 0] == (8 if max_steps % 2 else 4) * count


def test_the_limit_counts_from_the_start_of_each_game() -> None:
    # Every step ends half of the games: of those of a lane, some start at any step.
    machine = compiled_of("""
        (role r) (legal r stay) (legal r leave) (<= (next left) (does r leave))
        (<= terminal (true left)) (<= (goal r 100) (true left)) (<= (goal r 0) (not (true left)))
    """)
    count, limit = 100_000, 5
    result = play(machine, count, max_steps=limit)
    expected = count / 2**limit
    assert result.cut == pytest.approx(expected, abs=5 * sqrt(expected))
    assert result.goal_sums[0, 0] == 100 * (count - result.cut)
    # The mean of a geometric length that is cut off: 2 - 2 / 2^limit.
    assert result.steps / count == pytest.approx(2 - 2 / 2**limit, abs=0.02)


def test_large_limits_are_kept_to_within_a_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playout, "MAX_SLOTS", 4)
    result = play(compiled_of(ENDLESS), 3_000, max_steps=20)
    assert result.cut == 3_000
    assert 15 * 3_000 <= result.steps <= 20 * 3_000


def test_games_that_end_in_time_are_not_cut() -> None:
    machine = machine_of("tic_tac_toe")
    assert play(machine, 5_000, max_steps=9).cut == 0


def test_a_role_without_a_move_ends_its_games_and_no_other() -> None:
    # Half of the first moves lead to where `b` cannot move.
    machine = compiled_of("""
        (role a) (role b) (init start) (legal a left) (legal a right)
        (<= (legal b wait) (not (true (at left))))
        (<= (next (at ?m)) (true start) (does a ?m)) (<= (next done) (true (at right)))
        (<= terminal (true done)) (goal a 10) (<= (goal b 20) (true done))
    """)
    count = 20_000
    result = play(machine, count)
    assert abs(result.stuck - count / 2) < 5 * sqrt(count / 4)
    assert result.steps == 2 * count - result.stuck
    assert result.goal_sums.tolist() == [[10 * count, 20 * (count - result.stuck)]]


def test_goals_missing_or_many_count_as_nothing_or_the_largest() -> None:
    machine = compiled_of("""
        (role a) (role b) (init p) (legal a go) (legal b go) (<= (next q) (true p))
        (<= terminal (true q)) (<= (goal a 30) (true q)) (<= (goal a 80) (true q))
    """)
    assert play(machine, 70).goal_sums.tolist() == [[80 * 70, 0]]


@pytest.mark.parametrize("name", ["othello(4)", "goofspiel_4", "hex(4)"])
def test_goals_read_late_are_those_of_the_states_where_games_ended(name: str) -> None:
    """Playouts of one step from states before the end: goals of all children, read at once."""
    machine = machine_of(name)
    last: list[State] = []
    for step in random_walks(machine, 300, np.random.default_rng(4)):
        over = machine.terminal_batch(step.successors)
        last += [
            state
            for state in step.states[over]
            if machine.expand(state).terminal.all() and len(machine.expand(state).states) == 1
        ]
    states = np.stack(last)
    expected = [machine.goals(machine.expand(state).states[0]) for state in states]
    result = machine.playouts(states, seed=5, count=3)
    assert result.goal_sums.tolist() == [[3 * g for g in goals] for goals in expected]
    assert result.steps == 3 * len(states)


def test_reading_goals_late_changes_nothing() -> None:
    machine = machine_of("othello(4)")
    late = play(machine, 5_000, seed=6)
    at_once = compiled_of(game_source("othello(4)").text)
    wiring = at_once.network.wiring
    assert wiring.goal_cost > 0
    object.__setattr__(at_once.network, "wiring", wiring._replace(goal_cost=0))
    assert play(at_once, 5_000, seed=6).goal_sums.tolist() == late.goal_sums.tolist()


def test_turns_are_found_where_they_are() -> None:
    """Lanes of a game in turns begin together; a wrong guess would cost speed only."""
    assert turn_period(machine_of("tic_tac_toe")) == 2
    assert turn_period(machine_of("goofspiel_4")) == 1


def test_the_period_does_not_change_what_is_played_on_average() -> None:
    machine = machine_of("tic_tac_toe")
    other = compiled_of(game_source("tic_tac_toe").text)
    other.__dict__["_period"] = 1
    count = 200_000
    means = [play(m, count, seed=s).mean_goals[0] for m, s in ((machine, 1), (other, 2))]
    # The variance of a goal between 0 and 100 is at most 2,500.
    assert abs(means[0] - means[1]) < 5 * sqrt(2 * 2_500 / count)


RUN = """
import json, sys
from fogspiel import load
machine = load("kuhn_poker").machine
result = machine.playouts(machine.initial()[None, :], seed=11, count=5000)
print(json.dumps([result.goal_sums.tolist(), result.steps]))
"""


def test_the_same_seed_gives_the_same_bytes_here_and_in_another_process() -> None:
    machine = machine_of("kuhn_poker")
    first, again, other = (play(machine, 5_000, seed=seed) for seed in (11, 11, 12))
    assert first.goal_sums.tobytes() == again.goal_sums.tobytes()
    assert first.steps == again.steps
    assert first.goal_sums.tobytes() != other.goal_sums.tobytes()
    elsewhere = subprocess.run(
        [sys.executable, "-c", RUN], capture_output=True, check=True, timeout=300
    )
    assert json.loads(elsewhere.stdout) == [first.goal_sums.tolist(), first.steps]


def test_bad_counts_are_refused() -> None:
    machine = machine_of("kuhn_poker")
    with pytest.raises(ValueError, match="at least 1; got 0"):
        play(machine, 0)
    with pytest.raises(ValueError, match="at least 1"):
        play(machine, 1, max_steps=0)


def test_no_start_gives_an_empty_result() -> None:
    machine = machine_of("kuhn_poker")
    result = machine.playouts(machine.initial()[None, :][:0], seed=1, count=5)
    assert (result.goal_sums.shape, result.steps) == ((0, len(machine.roles)), 0)
