"""Values, best responses and exploitability: two ways, and other programs' numbers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from efg_games import game_of, random_game
from fogspiel.core.findings import UsageError
from fogspiel.games.load import load
from fogspiel.solve.result import Strategy, action_starts, uniform
from fogspiel.solve.sequence_form import sequence_game
from fogspiel.solve.strategy_value import (
    best_response,
    exploitability,
    strategy_value,
    value_in_sequence_form,
)
from fogspiel.tree.compare.reduce import reduced
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.preorder import tree_of_efg
from level_order import from_preorder
from unfolding import unfold

SEEDS = range(40)


def bundled(name: str) -> GameTree:
    return from_preorder(unfold(load(name).machine))


def made_up(seed: int) -> GameTree:
    """A small game of two or three players."""
    return from_preorder(reduced(tree_of_efg(random_game(seed))))


def any_strategy(tree: GameTree, seed: int) -> Strategy:
    """A random strategy, pure at some infosets."""
    rng = np.random.default_rng(seed)
    starts = action_starts(tree.infosets)
    parts = [rng.dirichlet(np.full(n, 0.5)) for n in tree.infosets.action_counts.tolist()]
    return Strategy(starts=starts, probabilities=np.concatenate([*parts, np.zeros(0)]))


def test_made_up_games_have_two_and_three_players() -> None:
    assert {len(made_up(seed).players) for seed in SEEDS} == {2, 3}


def test_the_tree_and_the_sequence_form_agree() -> None:
    pairs = [tree for tree in map(made_up, SEEDS) if len(tree.players) == 2]
    assert len(pairs) > 10
    for seed, tree in enumerate([*pairs, bundled("kuhn_poker"), bundled("leduc_poker")]):
        strategy = any_strategy(tree, seed)
        by_tree, by_sequences = (
            strategy_value(tree, strategy),
            value_in_sequence_form(sequence_game(tree), strategy),
        )
        assert by_tree.values == pytest.approx(by_sequences.values, abs=1e-12)
        assert by_tree.best_values == pytest.approx(by_sequences.best_values, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_best_response_earns_what_it_says_and_no_pure_change_earns_more(seed: int) -> None:
    tree = made_up(seed)
    strategy = any_strategy(tree, seed)
    for player in range(len(tree.players)):
        response = best_response(tree, strategy, player)
        earned = strategy_value(tree, response.strategy).values[player]
        assert earned == pytest.approx(response.value, abs=1e-12)
        assert response.value == pytest.approx(strategy_value(tree, strategy).best_values[player])
        own = np.flatnonzero(tree.infosets.players == player + 1).tolist()
        for infoset in own:
            for action in range(int(tree.infosets.action_counts[infoset])):
                other = response.strategy.probabilities.copy()
                start, end = response.strategy.starts[infoset : infoset + 2]
                other[start:end] = 0.0
                other[start + action] = 1.0
                changed = replace(response.strategy, probabilities=other)
                assert strategy_value(tree, changed).values[player] <= earned + 1e-12


@pytest.mark.parametrize(("name", "scale"), [("kuhn_poker", 25), ("leduc_poker", 3)])
def test_openspiel_finds_the_uniform_strategy_as_exploitable(name: str, scale: int) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    game = pyspiel.load_game(name)
    nash_conv = pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game))
    tree = bundled(name)
    assert exploitability(tree, uniform(tree)) * 2 / scale == pytest.approx(nash_conv, abs=1e-9)


def test_uniform_play_of_kuhn_poker_by_hand() -> None:
    tree = bundled("kuhn_poker")
    found = strategy_value(tree, uniform(tree))
    # Kuhn (1950), both uniform: 1/8 chip for the first player, 25 goals a chip from 50 on.
    assert found.values == pytest.approx((50 + 25 * Fraction(1, 8), 50 - 25 * Fraction(1, 8)))
    # OpenSpiel 2.0.2: best responses earn 1/2 and 5/12 chip.
    assert found.best_values == pytest.approx((62.5, 50 + 25 * 5 / 12))


def test_defecting_is_the_best_response_in_the_prisoners_dilemma() -> None:
    tree = bundled("prisoners_dilemma")
    response = best_response(tree, uniform(tree), 0)
    chosen = tree.infosets.names.actions(0)[int(np.argmax(response.strategy.at(0)))]
    assert "defect" in chosen
    assert response.value == (100 + 33) / 2
    assert response.strategy.at(1).tolist() == [0.5, 0.5]


SMALLEST = """EFG 2 R "who names the smaller number alone" { "A" "B" "C" }
p "" 1 1 "" { "1" "2" } 0
p "" 2 1 "" { "1" "2" } 0
p "" 3 1 "" { "1" "2" } 0
t "" 1 "" { 0 0 0 }
t "" 2 "" { 0 0 1 }
p "" 3 1 "" { "1" "2" } 0
t "" 3 "" { 0 1 0 }
t "" 4 "" { 1 0 0 }
p "" 2 1 "" { "1" "2" } 0
p "" 3 1 "" { "1" "2" } 0
t "" 4 "" { 1 0 0 }
t "" 3 "" { 0 1 0 }
p "" 3 1 "" { "1" "2" } 0
t "" 2 "" { 0 0 1 }
t "" 1 "" { 0 0 0 }
"""


def test_three_players_who_name_numbers() -> None:
    # The odd one out wins. All uniform: each wins with 1/4 and cannot change that. If B and C both
    # name 1, A wins by naming 2; B and C, as long as A names 1 or 2 alike, win by differing.
    tree = from_preorder(tree_of_efg(game_of(SMALLEST)))
    assert strategy_value(tree, uniform(tree)).best_values == (0.25, 0.25, 0.25)
    assert exploitability(tree, uniform(tree)) == 0.0
    pair = replace(uniform(tree), probabilities=np.array([0.5, 0.5, 1.0, 0.0, 1.0, 0.0]))
    assert strategy_value(tree, pair).values == (0.5, 0.0, 0.0)
    assert strategy_value(tree, pair).best_values == (1.0, 0.5, 0.5)
    assert exploitability(tree, pair) == 0.5


def test_a_policy_that_does_not_sum_to_one_is_refused() -> None:
    tree = bundled("kuhn_poker")
    strategy = uniform(tree)
    short = replace(strategy, probabilities=strategy.probabilities * 0.9)
    for evaluate in (strategy_value, exploitability):
        with pytest.raises(UsageError) as caught:
            evaluate(tree, short)
        assert caught.value.findings[0].code == "SOL001"
    with pytest.raises(UsageError):
        value_in_sequence_form(sequence_game(tree), short)
