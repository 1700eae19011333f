"""Best responses to uniform random opponents, by beliefs and by trees."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.core.findings import LimitError
from fogspiel.core.source import Source
from fogspiel.core.terms import MoveId, RoleId, format_term
from fogspiel.games.load import load, load_source
from fogspiel.lab.own.strength.against_random import BEST
from fogspiel.machine.wrappers.fixed_opponents import FixedOpponents
from fogspiel.solve.response.belief_mdp import LISTED_BYTES, BestAnswer, solve_belief_mdp
from fogspiel.solve.result import uniform
from fogspiel.solve.strategy_value import best_response, strategy_value
from fogspiel.tree.build.build import build

SMALL = ["kuhn_poker", "leduc_poker", "hidden_goofspiel_4", "biased_rps", "monty_hall"]


@pytest.mark.parametrize("name", SMALL)
def test_beliefs_and_trees_agree(name: str) -> None:
    machine = load(name).machine
    tree = build(machine)
    for player, title in enumerate(tree.players):
        best = best_response(tree, uniform(tree), player)
        expected = strategy_value(tree, best.strategy).values[player]
        found = solve_belief_mdp(machine, RoleId(machine.roles.index(title)))
        assert found.value == pytest.approx(expected, abs=1e-9)


def test_a_role_alone_has_a_tree_of_its_own() -> None:
    machine = load("kuhn_poker").machine
    first = RoleId(machine.roles.index("first"))
    tree = build(FixedOpponents(machine, first))
    assert tree.players == ("first",)
    assert len(tree.infosets) == 6
    best = best_response(tree, uniform(tree), 0)
    # With a king, jack or queen against even play: 62.5 goals, half a chip.
    assert strategy_value(tree, best.strategy).values == pytest.approx((62.5,))


def test_a_perfect_player_of_tic_tac_toe() -> None:
    """Nothing is hidden: beliefs are the 5,478 states (known from many enumerations)."""
    found = solve_belief_mdp(load("tic_tac_toe").machine, RoleId(0))
    assert found.beliefs == found.rows == 5_478
    # Starting in a corner and playing perfectly, 191 of 192 random opponents lose.
    assert found.value == pytest.approx(100 * (1 - 0.5 / 192))


def test_the_limit_is_kept() -> None:
    with pytest.raises(LimitError, match="TRE001"):
        solve_belief_mdp(load("latent_tic_tac_toe").machine, RoleId(0), max_rows=10_000)


def test_a_question_has_its_worth() -> None:
    """Exploding bomb, once a wire is connected: Geisser et al. (2014), section 5, asking gives 90.

    Without it one of two wires is cut blindly.
    """
    machine = load("exploding_bomb").machine
    player = RoleId(machine.roles.index("player"))
    states = machine.expand(machine.initial()).states
    found = solve_belief_mdp(machine, player, start=(states, np.full(2, 0.5)))
    names = {format_term(machine.move_term(player, move)): own for move, own in found.moves.items()}
    assert names == pytest.approx({"ask": 90.0, "wait": 50.0})
    assert found.value == pytest.approx(90.0)
    assert format_term(machine.move_term(player, found.move)) == "ask"


@pytest.mark.parametrize("name", ["number_guessing_8", "number_guessing_16"])
def test_no_number_is_out_of_reach(name: str) -> None:
    """Halving finds it in the questions that are free: Geisser et al. (2014), section 5."""
    machine = load(name).machine
    assert solve_belief_mdp(machine, RoleId(machine.roles.index("player"))).value == pytest.approx(
        100
    )


@pytest.mark.parametrize(
    ("name", "role", "value"),
    [
        # What players get from random play is measured against these
        # (lab/own/strength/against_random).
        ("latent_tic_tac_toe", "x", 97.65625),
        ("latent_tic_tac_toe", "o", 81.21693),
        ("meier", "first", 98.04486),
        ("meier", "second", 95.27932),
    ],
)
def test_what_random_play_gives_away(name: str, role: str, value: float) -> None:
    machine = load(name).machine
    found = solve_belief_mdp(machine, RoleId(machine.roles.index(role)))
    assert found.value == pytest.approx(value, abs=1e-5)
    assert value in BEST[name]


def test_the_first_of_equal_moves_is_taken() -> None:
    """Rounding makes the second look better; the third is worse."""
    moves = {MoveId(3): 50.0 - 1e-12, MoveId(5): 50.0, MoveId(1): 49.0}
    assert BestAnswer(value=50.0, beliefs=1, rows=1, moves=moves).move == MoveId(3)


def test_a_deal_of_whole_hands_is_not_listed_where_there_is_no_room() -> None:
    """8,000 hands and a bid of two roles at once: before, they were listed, then refused."""
    machine = load_source(Source("hands.gdl", HANDS)).machine
    player = RoleId(machine.roles.index("a"))
    alone = FixedOpponents(machine, player)
    assert alone.lotteries(machine.initial()[None, :]) == 16_000
    with pytest.raises(LimitError, match="TRE001"):
        solve_belief_mdp(machine, player, max_bytes=16_000 * LISTED_BYTES - 1)
    found = solve_belief_mdp(machine, player, max_bytes=1_000 * 16_000 * LISTED_BYTES)
    assert found.value == pytest.approx(100.0)


HANDS = (
    "".join(f"(card {card})" for card in range(20))
    + """
(role random) (role a) (role b) (init dealing)
(<= (legal random (deal ?a ?b ?c)) (true dealing) (card ?a) (card ?b) (card ?c))
(legal a wait) (legal b high) (legal b low)
(<= (next (first ?a)) (does random (deal ?a ?b ?c)))
(<= (next bold) (does b high))
(<= terminal (not (true dealing)))
(goal a 100) (goal b 0)
"""
)
