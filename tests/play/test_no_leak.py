"""No player learns anything but its own moves and percepts.

The true course of play is swapped for another that looks the same to the role. What a player does
must not change by it, from the first choice to the last: same seed, same number of simulations.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.positions import position_after, random_history
from fogspiel.belief.protocol import BeliefRequest
from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.games.load import load
from fogspiel.machine.knowledge import observation_of
from fogspiel.machine.protocol import Machine, State, player_roles
from fogspiel.players.catalogue import PLAYERS, make_player
from fogspiel.players.protocol import Seat

GAMES = {"kuhn_poker": 3, "hidden_goofspiel_4": 3, "simple_poker": 2, "monty_hall": 2}
"""Games with something hidden, and after how many steps courses are compared."""
MOST_SEEDS = 50

Course = Sequence[Sequence[MoveId]]


def few() -> Budget:
    return Budget.of(simulations=32)


@cache
def twins(game: str) -> tuple[Machine, RoleId, tuple[Course, Course]]:
    """Two true courses of a game that look the same to one of its roles."""
    machine, steps = load(game).machine, GAMES[game]
    role = player_roles(machine)[-1]
    for seed in range(MOST_SEEDS):
        course = random_history(machine, steps, seed=seed)
        belief = ExactBelief(BeliefRequest(machine, role))
        belief.follow(position_after(machine, course, role).observations)
        joints = belief.enumerate(10_000).joints.tolist()
        first, last = ([[MoveId(move) for move in joint] for joint in joints[k]] for k in (0, -1))
        states = {machine.key(state_after(machine, each)) for each in (first, last)}
        if len(course) == steps and len(states) == 2:
            return machine, role, (first, last)
    raise AssertionError(f"no course of {game} has a twin")


def state_after(machine: Machine, course: Course) -> State:
    state = machine.initial()
    for joint in course:
        state = machine.step(state, joint)
    return state


def choices(name: str, machine: Machine, role: RoleId, course: Course) -> list[MoveId]:
    """What a player chooses on the way along a course, and at its end."""
    player, state = make_player(name), machine.initial()
    player.start(Seat(machine, role, 5), few())
    chosen = []
    for joint in course:
        chosen.append(player.choose(few()))
        player.observe(observation_of(machine, state, joint, role))
        state = machine.step(state, joint)
    if not machine.terminal(state):
        chosen.append(player.choose(few()))
    player.stop()
    return chosen


@pytest.mark.parametrize("game", list(GAMES))
@pytest.mark.parametrize("name", list(PLAYERS))
def test_another_course_that_looks_the_same_changes_no_choice(name: str, game: str) -> None:
    machine, role, (one, other) = twins(game)
    assert [list(joint) for joint in one] != [list(joint) for joint in other]
    first = choices(name, machine, role, one)
    assert first == choices(name, machine, role, other)
    assert len(first) >= len(one)


@pytest.mark.parametrize("game", list(GAMES))
def test_there_is_something_to_leak(game: str) -> None:
    """A player that was told the state would be found out: it differs in what it can read there."""
    machine, _, (one, other) = twins(game)
    fluents = [set(machine.fluent_terms(state_after(machine, course))) for course in (one, other)]
    assert fluents[0] != fluents[1]
