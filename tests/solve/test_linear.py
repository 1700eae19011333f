"""The sequence-form linear program against published values, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from efg_games import COIN, game_of
from fogspiel.core.findings import LimitError, UsageError
from fogspiel.games.library import bundled_games
from fogspiel.games.load import load
from fogspiel.solve.arrays import treeplex
from fogspiel.solve.lp.linear import plan_equations, solve_linear
from fogspiel.solve.result import Solution, checked
from fogspiel.solve.strategy_value import strategy_value
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.preorder import tree_of_efg
from level_order import from_preorder
from unfolding import unfold


def tree_of(name: str) -> GameTree:
    return from_preorder(unfold(load(name).machine))


def probability(tree: GameTree, result: Solution, knows: str, action: str) -> float:
    """The probability of an action at the only infoset whose label has `knows` in it."""
    names = tree.infosets.names
    (infoset,) = (i for i in range(len(tree.infosets)) if knows in names.infoset(i))
    return float(result.strategy.at(infoset)[names.actions(infoset).index(action)])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kuhn_poker", -1 / 18),  # Kuhn (1950), A simplified two-person poker
        ("leduc_poker", -0.0856064),  # OpenSpiel 2.0.2, sequence_form_lp
        ("simple_poker", 1 / 6),  # Richards (2012), section 2.3
        ("hidden_goofspiel_4", 0.0),  # symmetry
        ("hidden_goofspiel_5", 0.0),  # symmetry
        ("goofspiel_4", 50.0),  # symmetry, in goals
        ("biased_rps", 50.0),  # Shafiei (2010), section 3.6.1, in goals
    ],
)
def test_published_values_are_found_with_a_certificate(name: str, value: float) -> None:
    tree = tree_of(name)
    result = solve_linear(tree)
    unit = bundled_games()[name].unit
    found = result.values[0] if unit is None else unit.value(result.values[0])
    assert found == pytest.approx(value, abs=6e-8)
    assert 0.0 <= result.exploitability < 1e-9
    # The certificate does not come from the program: a sweep over the tree says the same.
    again = strategy_value(tree, checked(tree, result.strategy))
    assert again.exploitability == pytest.approx(result.exploitability, abs=1e-9)
    assert (result.strategy.probabilities >= 0.0).all()


def test_biased_rock_paper_scissors_is_mixed_as_published() -> None:
    tree = tree_of("biased_rps")
    result = solve_linear(tree)
    # Shafiei (2010), section 3.6.1 and table 3.4: the only equilibrium.
    published = {"rock": 1 / 16, "paper": 10 / 16, "scissors": 5 / 16}
    for infoset in (0, 1):
        actions = tree.infosets.names.actions(infoset)
        expected = [published[action] for action in actions]
        assert result.strategy.at(infoset) == pytest.approx(expected, abs=1e-9)


def test_an_infoset_that_its_player_avoids_gets_a_best_response() -> None:
    text = """EFG 2 R "slip" { "A" "B" }
    p "" 1 1 "start" { "stop" "go" } 0
    t "" 1 "" { 5 -5 }
    p "" 1 2 "after a slip" { "bad" "good" } 0
    t "" 2 "" { 0 0 }
    t "" 3 "" { 1 -1 }
    """
    tree = from_preorder(tree_of_efg(game_of(text)))
    result = solve_linear(tree)
    assert result.values == (5.0, -5.0)
    assert result.strategy.at(0).tolist() == [1.0, 0.0]
    assert result.strategy.at(1).tolist() == [0.0, 1.0]


def test_a_coin_that_one_player_sees_is_worth_a_third() -> None:
    # By hand: Rose bets on tails with 1/3, so that a call brings Colin as much as a fold; he calls
    # with 2/3, so that a bet on tails brings her as much as none.
    tree = from_preorder(tree_of_efg(game_of(COIN)))
    result = solve_linear(tree)
    assert result.values == pytest.approx((1 / 3, -1 / 3))
    bets = [probability(tree, result, side, "bet") for side in ("heads", "tails")]
    assert bets == pytest.approx([1.0, 1 / 3])
    assert probability(tree, result, "a bet", "call") == pytest.approx(2 / 3)


def test_plan_equations_hold_for_every_strategy() -> None:
    tree = tree_of("kuhn_poker")
    result = solve_linear(tree)
    for player in (1, 2):
        side = treeplex(tree.infosets, player)
        flows = plan_equations(side) @ side.plan(result.strategy)
        assert flows == pytest.approx(np.eye(1, len(flows))[0])


@pytest.mark.parametrize(
    ("name", "code"), [("prisoners_dilemma", "SOL002"), ("monty_hall", "SOL003")]
)
def test_games_without_guarantee_are_refused(name: str, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        solve_linear(tree_of(name))
    assert caught.value.findings[0].code == code


def test_a_limit_on_time_is_told() -> None:
    with pytest.raises(LimitError) as caught:
        solve_linear(tree_of("leduc_poker"), seconds=1e-3)
    assert caught.value.findings[0].code == "SOL011"
    assert "time" in caught.value.findings[0].message
