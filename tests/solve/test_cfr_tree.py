"""Regrets over the tree: the same as on sequences where both apply, and more players besides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from efg_games import game_of, random_game
from fogspiel.games.load import load
from fogspiel.solve.regret.cfr import CFR, cfr_on_tree, minimise_regrets
from fogspiel.solve.result import Point, SolveLimits
from fogspiel.solve.strategy_value import exploitability
from fogspiel.tree.compare.reduce import reduced
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.preorder import tree_of_efg
from level_order import from_preorder
from unfolding import unfold


def bundled(name: str) -> GameTree:
    return from_preorder(unfold(load(name).machine))


# Nobody sees what the others chose. The odd one out pays 2; agreeing on y is worth more than on x.
MAJORITY = """EFG 2 R "two alike beat the third" { "A" "B" "C" }
p "" 1 1 "" { "x" "y" } 0
p "" 2 1 "" { "x" "y" } 0
p "" 3 1 "" { "x" "y" } 0
t "" 1 "" { 1 1 1 }
t "" 2 "" { 1 1 -2 }
p "" 3 1 "" { "x" "y" } 0
t "" 3 "" { 1 -2 1 }
t "" 4 "" { -2 1 1 }
p "" 2 1 "" { "x" "y" } 0
p "" 3 1 "" { "x" "y" } 0
t "" 4 "" { -2 1 1 }
t "" 3 "" { 1 -2 1 }
p "" 3 1 "" { "x" "y" } 0
t "" 2 "" { 1 1 -2 }
t "" 5 "" { 2 2 2 }
"""


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "hidden_goofspiel_4"])
@pytest.mark.parametrize("iterations", [1, 2, 40])
def test_the_tree_and_the_sequence_form_iterate_alike(name: str, iterations: int) -> None:
    tree, limits = bundled(name), SolveLimits(iterations=iterations)
    by_tree = cfr_on_tree(tree, limits=limits)
    by_sequences = minimise_regrets(tree, replace(CFR, alternating=False), limits=limits)
    assert np.allclose(
        by_tree.strategy.probabilities, by_sequences.strategy.probabilities, atol=1e-9
    )
    assert by_tree.exploitability == pytest.approx(by_sequences.exploitability, abs=1e-9)


def test_two_iterations_of_shafieis_first_example() -> None:
    # Shafiei Khadem 2010, section 4.5.1: against paper, rock earns nothing, paper 50 and scissors
    # 100. He starts from rock; we start from uniform play, which earns 50.
    rps = """EFG 2 R "rock, paper, scissors against paper" { "p1" "p2" }
    p "" 1 1 "" { "r" "p" "s" } 0
    t "" 1 "" { 0 100 }
    t "" 2 "" { 50 50 }
    t "" 3 "" { 100 0 }
    """
    tree = from_preorder(tree_of_efg(game_of(rps)))
    result = cfr_on_tree(tree, limits=SolveLimits(iterations=2))
    # Regrets -50, 0, 50: scissors alone comes next, and the average is that of both iterations.
    assert result.strategy.probabilities.tolist() == pytest.approx([1 / 6, 1 / 6, 4 / 6])


def test_three_players_settle_on_a_pure_equilibrium() -> None:
    tree = from_preorder(tree_of_efg(game_of(MAJORITY)))
    result = cfr_on_tree(tree, limits=SolveLimits(iterations=2000))
    # All y is best for everybody and no single change pays; uniform play regrets x at once.
    assert result.exploitability < 0.01
    assert result.values == pytest.approx((2, 2, 2), abs=0.05)


@pytest.mark.parametrize("seed", range(20))
def test_made_up_games_run_and_the_claim_holds(seed: int) -> None:
    tree = from_preorder(reduced(tree_of_efg(random_game(seed))))
    result = cfr_on_tree(tree, limits=SolveLimits(iterations=50))
    assert result.exploitability == exploitability(tree, result.strategy)
    assert len(result.values) == len(tree.players)


def test_the_prisoners_defect_and_general_sums_are_welcome() -> None:
    tree = bundled("prisoners_dilemma")
    result = cfr_on_tree(tree, limits=SolveLimits(target=0.5, iterations=5000))
    assert result.exploitability <= 0.5
    for infoset in (0, 1):
        place = [("defect" in action) for action in tree.infosets.names.actions(infoset)].index(
            True
        )
        assert result.strategy.at(infoset)[place] > 0.97


def test_one_player_finds_the_door() -> None:
    result = cfr_on_tree(bundled("monty_hall"), limits=SolveLimits(iterations=500))
    # The classical solution: switching wins in 2 of 3 games, 100 points each.
    assert max(result.values) == pytest.approx(100 * 2 / 3, abs=1.0)


def test_a_watcher_can_stop_it() -> None:
    seen: list[Point] = []

    def stop(point: Point) -> bool:
        seen.append(point)
        return len(seen) == 3

    result = cfr_on_tree(bundled("kuhn_poker"), limits=SolveLimits(iterations=10**9), on_point=stop)
    assert result.curve == tuple(seen)
    assert result.iterations == seen[-1].iteration
