"""Lockstep with OpenSpiel: the same legal moves all the way and the same returns at the end."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from scripted import Game, start

from fogspiel.games.library import bundled_games

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")

WALKS = 60


@dataclass(frozen=True, slots=True)
class Twin:
    """A game of OpenSpiel with the names of its actions in our sheet."""

    theirs: str
    roles: tuple[str, str]
    move: Callable[[int], str]
    deal: Callable[[int], str] = str


def cell(name: str) -> Callable[[int], str]:
    """Cells are counted row by row; ours are (column, row)."""
    return lambda action: f"({name} {action % 3 + 1} {action // 3 + 1})"


def liars_bid(action: int) -> str:
    """Twelve bids in rising order, then the call."""
    return "liar" if action == 12 else f"(bid {action // 6 + 1} {action % 6 + 1})"


LEDUC_CARDS = ("jack_1", "jack_2", "queen_1", "queen_2", "king_1", "king_2")
PLAYERS = ("first", "second")
TURN_TAKING = {
    "kuhn_poker": Twin(
        "kuhn_poker",
        PLAYERS,
        lambda action: ("pass", "bet")[action],
        lambda action: f"(deal {('jack', 'queen', 'king')[action]})",
    ),
    "leduc_poker": Twin(
        "leduc_poker",
        PLAYERS,
        lambda action: ("fold", "call", "raise")[action],
        lambda action: f"(deal {LEDUC_CARDS[action]})",
    ),
    "liars_dice": Twin("liars_dice", PLAYERS, liars_bid, lambda action: f"(roll {action + 1})"),
    "latent_tic_tac_toe": Twin("phantom_ttt", ("x", "o"), cell("mark")),
    "dark_hex_3": Twin("dark_hex(num_rows=3,num_cols=3)", PLAYERS, cell("place")),
}
SIMULTANEOUS = {
    **{
        f"goofspiel_{n}": f"goofspiel(num_cards={n},points_order=ascending,returns_type=win_loss)"
        for n in (4, 5, 7)
    },
    **{
        f"hidden_goofspiel_{n}": f"goofspiel(num_cards={n},imp_info=True,"
        "points_order=descending,returns_type=win_loss)"
        for n in (4, 5)
    },
}


@pytest.mark.parametrize("name", TURN_TAKING)
def test_random_walks_agree_where_players_take_turns(name: str) -> None:
    twin = TURN_TAKING[name]
    rng = random.Random(name)
    other = pyspiel.load_game(twin.theirs)
    for _ in range(WALKS):
        ours, theirs = start(name), other.new_initial_state()
        while not theirs.is_terminal():
            player = theirs.current_player()
            role, write = ("random", twin.deal) if player < 0 else (twin.roles[player], twin.move)
            actions = theirs.legal_actions()
            assert not ours.over
            assert ours.moves(role) == sorted(map(write, actions)), str(theirs)
            action = rng.choice(actions)
            ours.play(**{role: write(action)})
            theirs.apply_action(action)
        assert_same_returns(name, ours, theirs, twin.roles)


@pytest.mark.parametrize("name", SIMULTANEOUS)
def test_random_walks_agree_where_players_bid_at_once(name: str) -> None:
    rng = random.Random(name)
    other = pyspiel.load_game(SIMULTANEOUS[name])
    for _ in range(WALKS):
        ours, theirs = start(name), other.new_initial_state()
        while not theirs.is_terminal():
            actions = [theirs.legal_actions(player) for player in (0, 1)]
            for role, legal in zip(PLAYERS, actions, strict=True):
                assert ours.moves(role) == [f"(bid {action + 1})" for action in legal]
            joint = [rng.choice(legal) for legal in actions]
            ours.play(first=f"(bid {joint[0] + 1})", second=f"(bid {joint[1] + 1})")
            theirs.apply_actions(joint)
        if not ours.over:
            # OpenSpiel plays the last card of each hand unasked.
            ours.play()
        assert_same_returns(name, ours, theirs, PLAYERS)


def assert_same_returns(name: str, ours: Game, theirs: Any, roles: tuple[str, str]) -> None:
    """Goals as payoffs are what OpenSpiel returns; games without a payoff are won or lost."""
    assert ours.over
    unit = bundled_games()[name].unit
    goals = [ours.goal(role) for role in roles]
    returns = [unit.value(goal) if unit else (goal - 50) / 50 for goal in goals]
    assert returns == theirs.returns(), str(theirs)
