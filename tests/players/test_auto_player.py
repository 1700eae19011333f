"""`auto` recognises the class of a game, and delegates to a player that fits."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from endless_game import endless
from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.machine.analysis.features import GameKind, explore
from fogspiel.machine.protocol import player_roles
from fogspiel.play.loop import play_match
from fogspiel.players import exploration
from fogspiel.players.auto import AutoPlayer, choice_for
from fogspiel.players.catalogue import make_player
from fogspiel.players.exploration import explored_kind
from fogspiel.players.protocol import Agent, Mixing, Seat
from fogspiel.solve.response.restricted_nash import ModelledGame
from fogspiel.solve.result import uniform
from fogspiel.tree.build.build import build

KINDS = {
    "mastermind": "alone",
    "nim": "turns",
    "connect_four": "turns",
    "goofspiel_4": "open",
    "smallest": "open",
    "kuhn_poker": "hidden",
    "latent_tic_tac_toe": "hidden",
    "gops_4_10": "hidden",
}


SMALL = GameKind(
    players=2,
    chance=False,
    secrecy=0.5,
    payoff_sums=(Fraction(100),),
    log10_nodes=4.0,
    mean_steps=5.0,
)


LARGE = {"hidden_information": True, "log10_nodes": 9.0}


@pytest.mark.parametrize("game", list(KINDS))
def test_the_kind_of_a_game_is_found_by_looking_at_it(game: str) -> None:
    assert explored_kind(load(game).machine, Budget.of(simulations=10)).category == KINDS[game]


def test_a_game_seen_too_shortly_counts_as_large() -> None:
    machine = load("chess").machine
    seen = explored_kind(machine, Budget.of(seconds=0.001))
    assert math.isinf(seen.log10_nodes)
    assert seen.category == "turns"


@pytest.mark.parametrize(
    ("changes", "player"),
    [
        ({"players": 1, "hidden_information": True, "chance": True}, "norns-belief"),
        ({"players": 1}, "beam"),
        ({}, "uct"),
        ({"parts": 4}, "parts"),
        ({"parts": 2, "players": 1}, "beam"),
        ({"parts": 2, "simultaneous": True}, "cfr"),
        ({"simultaneous": True}, "cfr"),
        ({"simultaneous": True, "payoff_sums": ()}, "cfr:trust=0.5"),
        ({"simultaneous": True, "players": 3}, "cfr:trust=0.5"),
        ({"hidden_information": True}, "exploit:0.2"),
        ({"hidden_information": True, "players": 3, "payoff_sums": ()}, "solved"),
        (LARGE, "outguess"),
        ({"hidden_information": True, "log10_nodes": math.inf}, "outguess"),
        ({**LARGE, "secrecy": 0.1}, "bayes"),
        ({**LARGE, "secrecy": 0.1, "mean_steps": 100.0}, "outguess"),
        ({**LARGE, "simultaneous": True}, "ismcts"),
        ({**LARGE, "players": 3}, "ismcts"),
        ({**LARGE, "chance": True}, "bayes:0.5"),
        ({**LARGE, "chance": True, "mean_steps": 15.0}, "ismcts"),
        ({**LARGE, "chance": True, "simultaneous": True}, "ismcts"),
        ({**LARGE, "chance": True, "payoff_sums": ()}, "ismcts"),
    ],
)
def test_each_kind_has_its_player(changes: dict[str, Any], player: str) -> None:
    choice = choice_for(replace(SMALL, **changes), Budget.of(simulations=10))
    assert choice.player == player
    assert isinstance(make_player(player), Mixing)


def test_a_short_clock_leaves_no_time_to_solve() -> None:
    assert (
        choice_for(replace(SMALL, hidden_information=True), Budget.of(seconds=0.01)).player
        == "outguess"
    )


def test_auto_wins_where_winning_is_sure() -> None:
    """Nim 1-3-5-7 is won by the second player (Bouton 1902)."""
    machine = load("nim").machine
    budget = Budget.of(simulations=3_000)
    first, second = player_roles(machine)
    players: dict[RoleId, Agent] = {first: make_player("auto"), second: make_player("auto")}
    match = play_match(
        machine, players, start_budget=lambda: budget, turn_budget=lambda: budget, seed=1
    )
    assert match.goals[second] == 100


def test_auto_says_why() -> None:
    machine = load("kuhn_poker").machine
    player = AutoPlayer(make_player)
    player.start(Seat(machine, RoleId(1), 3), Budget.of(simulations=10))
    assert "hidden" in player.choice.why


def test_a_little_trust_costs_next_to_nothing() -> None:
    """The figures of docs/players.md about Leduc poker."""
    tree = build(load("leduc_poker").machine)
    for player, gain, loss in ((0, 0.7, 0.07), (1, 2.4, 0.22)):
        modelled = ModelledGame(tree, uniform(tree), player)
        trusting, sure = modelled.restricted(0.2), modelled.restricted(0.0)
        assert trusting.exploitation - sure.exploitation > gain
        assert trusting.exploitability < loss


@pytest.mark.parametrize(
    ("game", "player"),
    [("battleship_4_2", "bayes"), ("battleship_10", "outguess"), ("dark_hex_3", "outguess"),
     ("phantom_connect_four", "outguess"), ("blind_breakthrough_6", "outguess")],
)  # fmt: skip
def test_secrets_that_were_laid_at_first_are_told_from_hidden_moves(game: str, player: str) -> None:
    # Without a clock, so that no slow machine cuts the walks.
    kind = explored_kind(load(game).machine, Budget.of(simulations=1))
    assert choice_for(kind, Budget.of(seconds=1.0)).player == player


def test_a_longer_clock_looks_again_at_what_a_shorter_one_cut() -> None:
    machine = load("chess").machine
    assert math.isinf(explored_kind(machine, Budget.of(seconds=0.001)).mean_steps)
    assert math.isfinite(explored_kind(machine, Budget.of(seconds=60.0)).mean_steps)


@pytest.mark.parametrize(
    ("seconds", "looks"),
    # With a clock of a second, each exploration may take a fifth of it.
    [((0.1, 0.1, 0.1), 1), ((0.3, 0.1, 0.1), 2), ((0.3, 0.3, 0.3, 0.3, 0.3), 3),
     ((30.0, 30.0, 30.0, 30.0, 0.1, 0.1), 5)],
)  # fmt: skip
def test_a_look_that_a_clock_cut_is_repeated_some_times(
    monkeypatch: pytest.MonkeyPatch, seconds: tuple[float, ...], looks: int
) -> None:
    machine, now, taken = load("kuhn_poker").machine, [0.0], iter(seconds)
    seen: list[float] = []

    def slow(*arguments: Any, **settings: Any) -> GameKind:
        seen.append(next(taken))
        now[0] += seen[-1]
        return explore(*arguments, **settings)

    monkeypatch.setattr(exploration, "explore", slow)
    for _ in seconds:
        explored_kind(machine, Budget.of(seconds=1.0, clock=lambda: now[0]))
    assert len(seen) == looks


def test_without_a_clock_a_game_is_seen_as_if_no_clock_had_cut_a_look_before() -> None:
    untimed, kinds = Budget.of(simulations=10), []
    for seconds in (None, 0.001):
        machine = load("leduc_poker").machine
        if seconds is not None:
            explored_kind(machine, Budget.of(seconds=seconds))
        kinds.append(explored_kind(machine, untimed))
    assert kinds[0] == kinds[1]


def test_a_look_at_a_game_that_never_ends_is_over_some_time() -> None:
    found = explored_kind(endless(), Budget.of(simulations=10))
    assert math.isinf(found.mean_steps)
    assert found.category == "open"
