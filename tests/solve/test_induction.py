"""Backward induction and alpha-beta: known games, and agreement with the linear program."""

from __future__ import annotations

from random import Random

import pytest

from efg_games import game_of
from fogspiel.core.findings import UsageError
from fogspiel.games.load import load
from fogspiel.solve.induction.backward import alpha_beta, alpha_beta_bounds, backward_induction
from fogspiel.solve.lp.linear import solve_linear
from fogspiel.solve.strategy_value import strategy_value
from fogspiel.tree.build.build import build
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.preorder import tree_of_efg
from level_order import from_preorder
from unfolding import unfold


def efg_tree(text: str) -> GameTree:
    return from_preorder(tree_of_efg(game_of(text)))


def random_game(seed: int, depth: int) -> GameTree:
    """Two players and chance, nothing hidden, payoffs that add up to 0."""
    rng = Random(seed)
    lines = ['EFG 2 R "random" { "A" "B" }']
    counts = [0, 0, 0]
    outcomes = 0

    def grow(left: int) -> None:
        nonlocal outcomes
        if not left or rng.random() < 0.1:
            outcomes += 1
            payoff = rng.randint(-6, 6)
            lines.append(f't "" {outcomes} "" {{ {payoff} {-payoff} }}')
            return
        mover, width = rng.randrange(3), rng.randint(2, 4)
        counts[mover] += 1
        if mover:
            actions = " ".join(f'"{action}"' for action in range(width))
            lines.append(f'p "" {mover} {counts[mover]} "" {{ {actions} }} 0')
        else:
            shares = [rng.randint(1, 5) for _ in range(width)]
            draws = " ".join(f'"{i}" {share}/{sum(shares)}' for i, share in enumerate(shares))
            lines.append(f'c "" {counts[0]} "" {{ {draws} }} 0')
        for _ in range(width):
            grow(left - 1)

    grow(depth)
    return efg_tree("\n".join(lines))


@pytest.mark.parametrize("seed", range(20))
def test_all_ways_lead_to_the_same_value(seed: int) -> None:
    tree = random_game(seed, 6)
    induced, searched, planned = backward_induction(tree), alpha_beta(tree), solve_linear(tree)
    assert induced.values == pytest.approx(planned.values, abs=1e-7)
    assert searched.values == pytest.approx(induced.values)
    assert alpha_beta_bounds(tree).visited[0] <= len(tree)
    # Both are equilibria, by a sweep that knows nothing of how they were found.
    for result in (induced, searched):
        assert strategy_value(tree, result.strategy).exploitability == pytest.approx(0.0, abs=1e-9)


def test_alpha_beta_leaves_most_of_tic_tac_toe_unseen() -> None:
    tree = build(load("tic_tac_toe").machine)
    searched = alpha_beta(tree)
    assert searched.values == (50.0, 50.0)  # a draw, as everybody knows
    assert searched.exploitability == 0.0
    assert alpha_beta_bounds(tree).visited[0] < len(tree) / 20
    induced = backward_induction(tree)
    assert induced.values == (50.0, 50.0)
    assert induced.exploitability == 0.0


def test_a_game_that_is_over_has_its_payoff() -> None:
    tree = efg_tree('EFG 2 R "over" { "A" "B" } t "" 1 "" { 4 -4 }')
    assert alpha_beta(tree).values == backward_induction(tree).values == (4.0, -4.0)


def test_three_players_each_take_what_is_best_for_themselves() -> None:
    tree = efg_tree("""EFG 2 R "three" { "A" "B" "C" }
    p "" 1 1 "" { "l" "r" } 0
    p "" 2 1 "" { "l" "r" } 0
    t "" 1 "" { 3 1 5 }
    t "" 2 "" { 0 2 0 }
    p "" 3 1 "" { "l" "r" } 0
    t "" 3 "" { 9 9 0 }
    t "" 4 "" { 1 7 1 }
    """)
    result = backward_induction(tree)
    # After r the third player takes (1, 7, 1); after l the second would take (0, 2, 0).
    assert result.values == (1.0, 7.0, 1.0)
    assert [result.strategy.at(i).tolist() for i in range(3)] == [[0, 1], [0, 1], [0, 1]]
    assert result.exploitability == 0.0
    with pytest.raises(UsageError) as caught:
        alpha_beta(tree)
    assert caught.value.findings[0].code == "SOL003"


@pytest.mark.parametrize("method", [backward_induction, alpha_beta])
@pytest.mark.parametrize("name", ["kuhn_poker", "biased_rps"])
def test_hidden_information_is_refused(name: str, method: type) -> None:
    with pytest.raises(UsageError) as caught:
        method(from_preorder(unfold(load(name).machine)))
    assert caught.value.findings[0].code == "SOL010"


def test_alpha_beta_refuses_general_sums() -> None:
    tree = efg_tree("""EFG 2 R "gift" { "A" "B" }
    p "" 1 1 "" { "l" "r" } 0
    t "" 1 "" { 1 1 }
    t "" 2 "" { 2 3 }
    """)
    assert backward_induction(tree).values == (2.0, 3.0)
    with pytest.raises(UsageError) as caught:
        alpha_beta(tree)
    assert caught.value.findings[0].code == "SOL002"
