"""Bounds of what beliefs are worth: they hold the exact value, and close on it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId, format_term
from fogspiel.games.load import load, load_source
from fogspiel.machine.expander import Expander
from fogspiel.machine.protocol import Machine
from fogspiel.search.pomdp.hsvi import BeliefBounds, MoveBounds
from fogspiel.search.pomdp.mdp_bounds import MOST_EDGES, StateLayer, state_layers
from fogspiel.solve.response.belief_mdp import solve_belief_mdp

SMALL = ("coin_flip", "exploding_bomb", "monty_hall", "number_guessing_8", "slippery_robot")
ENDLESS = Budget.of(simulations=1 << 40)


@cache
def machine_of(game: str) -> Machine:
    return load(game).machine


def role_of(machine: Machine) -> RoleId:
    return next(RoleId(role) for role in range(len(machine.roles)) if role != machine.chance_role)


def steps_of(game: str) -> list[StateLayer]:
    machine = machine_of(game)
    steps = state_layers(machine, role_of(machine), ENDLESS)
    assert steps is not None
    return steps


def best_move(game: str, budget: Budget = ENDLESS) -> MoveBounds:
    """The best move at the start of play."""
    start = machine_of(game).initial()[None, :]
    return BeliefBounds(steps_of(game)).run(0, start, np.ones(1), budget)


@cache
def exact(game: str) -> float:
    machine = machine_of(game)
    return solve_belief_mdp(machine, role_of(machine)).value * machine.goal_scale


@pytest.mark.parametrize("game", [*SMALL, "number_guessing_16"])
def test_bounds_close_on_the_exact_value(game: str) -> None:
    found = best_move(game)
    assert found.proven
    assert found.lower == pytest.approx(exact(game), abs=1e-6)
    assert found.upper == pytest.approx(exact(game), abs=1e-6)


@pytest.mark.parametrize("simulations", [1, 5, 20, 80])
@pytest.mark.parametrize("game", SMALL)
def test_bounds_hold_the_exact_value_wherever_they_stop(game: str, simulations: int) -> None:
    found = best_move(game, Budget.of(simulations=simulations))
    assert found.lower - 1e-6 <= exact(game) <= found.upper + 1e-6


@pytest.mark.parametrize("game", ["mastermind", "number_guessing_8", "number_guessing_16"])
def test_the_full_goal_can_be_had_for_certain(game: str) -> None:
    # Mastermind with pegs told: one colour for all pegs three times, then every peg is known.
    # Number guessing: binary search (Geisser et al. 2014, section 5).
    found = best_move(game)
    assert found.lower == pytest.approx(100.0)
    assert found.upper == pytest.approx(100.0)


def test_questions_are_those_of_binary_search() -> None:
    machine = machine_of("number_guessing_16")
    states = machine.expand(machine.initial()).states
    budget = Budget.of(simulations=200)
    bounds = BeliefBounds(steps_of("number_guessing_16"))
    found = bounds.run(1, states, np.full(16, 1 / 16), budget)
    assert format_term(machine.move_term(role_of(machine), found.move)) == "(ask 8)"
    assert found.proven


def test_who_sees_everything_gets_more_than_a_belief_is_worth() -> None:
    # Monty Hall's guest gets 2 of 3; one who sees through doors gets all; the worst gets nothing.
    first = steps_of("monty_hall")[0]
    assert first.best.tolist() == pytest.approx([100.0])
    assert first.worst.tolist() == pytest.approx([0.0])


def test_a_state_is_found_among_those_of_its_step() -> None:
    step = steps_of("number_guessing_8")[1]
    assert step.places(step.states[[5, 0, 3]]).tolist() == [5, 0, 3]


def test_games_with_too_many_states_have_no_layers() -> None:
    machine = machine_of("latent_tic_tac_toe")
    assert state_layers(machine, role_of(machine), ENDLESS) is None


def test_states_are_left_alone_where_time_is_short() -> None:
    machine = load("mastermind").machine
    assert state_layers(machine, role_of(machine), Budget.of(seconds=0.01)) is None
    # That does not hold for ever.
    steps = state_layers(machine, role_of(machine), ENDLESS)
    assert steps is not None
    assert sum(len(step.moves) for step in steps) <= MOST_EDGES


SWITCH = """
(role a) (init off) (legal a turn) (legal a leave)
(<= (next on) (does a turn) (true off)) (<= (next off) (does a turn) (true on))
(<= (next on) (does a leave) (true on)) (<= (next off) (does a leave) (true off))
(<= terminal (true on) (true off)) (<= (goal a 100) (true on)) (<= (goal a 0) (true off))
"""


def test_a_game_without_end_is_not_followed_to_its_last_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two states a step are a million joint moves only after 250,000 steps."""
    asked, choices = [0], Expander.choices

    def counted(expander: Expander, *arguments: Any) -> Any:
        asked[0] += 1
        return choices(expander, *arguments)

    monkeypatch.setattr(Expander, "choices", counted)
    machine = load_source(Source("switch.gdl", SWITCH)).machine
    assert state_layers(machine, RoleId(0), Budget.of(seconds=0.1, clock=lambda: 0.0)) is None
    assert asked[0] <= 31
    assert state_layers(machine, RoleId(0), ENDLESS) is None
    assert asked[0] <= 1_100
