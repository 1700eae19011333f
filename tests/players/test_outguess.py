"""`outguess`: best responses to both types of opponents where they fit, `ismcts` elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId, Observation, RoleId
from fogspiel.games.load import load
from fogspiel.machine.knowledge import observation_of
from fogspiel.machine.protocol import Machine
from fogspiel.machine.wrappers.fixed_opponents import EVEN, OTHER
from fogspiel.play.loop import play_match
from fogspiel.players.catalogue import make_player
from fogspiel.players.modelling import outguess
from fogspiel.players.modelling.outguess import OutguessPlayer
from fogspiel.players.protocol import Agent, Seat

CROSS, NOUGHT = RoleId(0), RoleId(1)
MIDDLE, NOOP = MoveId(4), MoveId(9)


@pytest.fixture(scope="module")
def machine() -> Machine:
    return load("latent_tic_tac_toe").machine


def enough() -> Budget:
    return Budget.of(simulations=20_000)


def started(machine: Machine, role: RoleId, budget: Budget) -> OutguessPlayer:
    player = OutguessPlayer()
    player.start(Seat(machine, role, 3), budget)
    return player


@pytest.mark.parametrize(("own", "least"), [(CROSS, 87.5), (NOUGHT, 58.0)])
def test_random_play_is_beaten_about_as_well_as_can_be(
    machine: Machine, own: RoleId, least: float
) -> None:
    """Exact best responses get 97.66 and 81.22 (tests/solve/test_belief_mdp.py)."""
    goals = []
    for seed in range(12):
        players: dict[RoleId, Agent] = {
            own: OutguessPlayer(),
            RoleId(1 - own): make_player("random"),
        }
        played = play_match(machine, players, start_budget=enough, turn_budget=enough, seed=seed)
        goals.append(played.goals[own])
    assert np.mean(goals) >= least


def test_observations_tell_searchers_from_random_players(machine: Machine) -> None:
    """Searchers open in the middle (tests/solve/test_pimc_opponent.py)."""
    weights = []
    for opening in (MIDDLE, MoveId(0)):
        player, state = started(machine, NOUGHT, enough()), machine.initial()
        for joint in ((opening, NOOP), (NOOP, MIDDLE)):
            player.observe(observation_of(machine, state, joint, NOUGHT))
            state = machine.step(state, joint)
        if machine.legal(state, NOUGHT) != (NOOP,):
            player.choose(enough())
        else:
            joint = (MoveId(8), NOOP)
            player.observe(Observation(NOOP, machine.percepts(state, joint, NOUGHT)))
            player.choose(enough())
        weights.append(player._weights.sum(axis=0))
    assert weights[0][OTHER] > 0.8
    assert weights[1][EVEN] > 0.8


def test_it_plays_as_ismcts_where_states_are_too_many(machine: Machine) -> None:
    budget = Budget.of(simulations=300)
    assert started(machine, CROSS, budget)._model is None
    chosen = []
    for name in ("outguess", "ismcts"):
        player = make_player(name)
        player.start(Seat(machine, CROSS, 3), budget)
        chosen.append(player.choose(budget))
    assert chosen[0] == chosen[1]


def test_what_was_found_with_more_is_not_used_with_less() -> None:
    """The same budget makes the same moves, whatever was played before on the machine."""
    machine = load("tic_tac_toe").machine
    used = []
    for simulations in (100, 1_000, 100, 1_000):
        player = started(machine, CROSS, Budget.of(simulations=simulations))
        used.append(player._model is not None)
    assert used == [False, True, False, True]


def test_histories_that_are_too_many_are_given_up(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outguess, "MOST_STEPS", 3)
    player = started(machine, NOUGHT, enough())
    joint = (MIDDLE, NOOP)
    player.observe(Observation(NOOP, machine.percepts(machine.initial(), joint, NOUGHT)))
    assert player.choose(Budget.of(simulations=50)) in range(9)
    assert player._model is None
