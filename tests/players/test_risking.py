"""Playing for an opponent's faults: more against the model, never more at risk than allowed."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.findings import UsageError
from fogspiel.core.ids import RoleId
from fogspiel.core.observation import Observation
from fogspiel.games.load import load
from fogspiel.play.loop import play_match, roles_to_play
from fogspiel.players.catalogue import make_player
from fogspiel.players.modelling.safe_exploitation import (
    RIVALS,
    SafeExploiter,
    UctModel,
    safe_response,
)
from fogspiel.players.protocol import Seat
from fogspiel.players.searching.search_player import ucb

BIASED = np.array([[50.0, 25.0, 100.0], [75.0, 50.0, 45.0], [0.0, 55.0, 50.0]])
"""Shafiei (2010), table 3.3: rock, paper, scissors; worth 50."""
EQUILIBRIUM = np.array([1 / 16, 10 / 16, 5 / 16])
"""The same, section 3.6.1."""
ROCK = np.array([1.0, 0.0, 0.0])


def budget() -> Budget:
    return Budget.of(simulations=400)


def started(game: str, name: str, role: int) -> SafeExploiter:
    player = make_player(name)
    assert isinstance(player, SafeExploiter)
    player.start(Seat(load(game).machine, RoleId(role), 5), budget())
    return player


def test_without_risk_the_only_equilibrium_is_all_that_is_safe() -> None:
    found = safe_response(BIASED, ROCK, 50.0)
    assert found is not None
    np.testing.assert_allclose(found, EQUILIBRIUM, atol=1e-6)


def test_what_is_risked_is_gained_many_times_if_the_model_is_right() -> None:
    found = safe_response(BIASED, ROCK, 48.0)
    assert found is not None
    assert (found @ BIASED).min() == pytest.approx(48.0)
    assert (found @ BIASED)[0] > (EQUILIBRIUM @ BIASED)[0] + 4.0


def test_with_all_at_risk_a_best_response_is_played() -> None:
    found = safe_response(BIASED, ROCK, 0.0)
    assert found is not None
    # Paper gets 75 against rock.
    np.testing.assert_allclose(found, [0.0, 1.0, 0.0], atol=1e-9)


def test_more_than_the_value_cannot_be_made_safe() -> None:
    assert safe_response(BIASED, ROCK, 50.5) is None


@pytest.mark.parametrize("role", [0, 1])
def test_the_mixture_keeps_to_the_allowance_in_both_seats(role: int) -> None:
    player = started("goofspiel_4", "sm-lp:safe=3", role)
    shares = player.mixture(budget())
    stage = player.stage()
    assert stage is not None
    # Even chances are what the game is worth: it is symmetric.
    assert (shares @ stage).min() >= 50.0 - 3.0 - 1e-6
    assert shares.sum() == pytest.approx(1.0)


def test_what_an_opponent_gives_away_may_be_risked_later() -> None:
    machine = load("goofspiel_4").machine
    player = started("goofspiel_4", "sm-lp:safe=2", 0)
    shares, legal = player.mixture(budget()), machine.legal(machine.initial(), RoleId(1))
    stage = player.stage()
    assert stage is not None
    for column, move in enumerate(legal):
        player = started("goofspiel_4", "sm-lp:safe=2", 0)
        np.testing.assert_allclose(player.mixture(budget()), shares)
        own = machine.legal(machine.initial(), RoleId(0))[0]
        joint = (own, move)
        player.observe(Observation(own, machine.percepts(machine.initial(), joint, RoleId(0))))
        # What was seen is looked at in the next turn, on its clock.
        player.mixture(budget())
        gained = float((shares @ stage)[column]) - 50.0
        assert player.risk == pytest.approx(max(0.0, 2.0 + gained), abs=1e-6)


def test_rivals_are_counted_by_what_they_would_play() -> None:
    machine = load("biased_rps").machine
    rivals = UctModel(machine, rule=ucb(0.4), seed=1)
    roles = [RoleId(0), RoleId(1)]
    found = rivals.shares(machine.initial(), roles, Budget.of(simulations=RIVALS * 200))
    for shares in found:
        assert shares.sum() == pytest.approx(1.0)
        np.testing.assert_allclose(shares * RIVALS, np.rint(shares * RIVALS), atol=1e-9)


def test_a_predictable_opponent_is_beaten() -> None:
    machine = load("goofspiel_4").machine
    total = 0
    for seed in range(12):
        role = roles_to_play(machine)[seed % 2]
        players = {
            other: make_player("sm-lp:safe=20" if other == role else "first")
            for other in roles_to_play(machine)
        }
        match = play_match(machine, players, start_budget=budget, turn_budget=budget, seed=seed)
        total += match.goals[role]
    assert total / 12 > 50


@pytest.mark.parametrize("name", ["sm-lp:safe=", "sm-lp:safe=-1", "sm-lp:safe=101", "cfr:safe=3"])
def test_what_is_no_risk_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        make_player(name)
