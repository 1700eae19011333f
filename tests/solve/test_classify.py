"""Richards' taxonomy: textbook games, and small games against the search of all pairs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from efg_games import game_of, random_game
from fogspiel.games.load import load
from fogspiel.solve.lp.linear import normal_form
from fogspiel.solve.strategy_value import strategy_value
from fogspiel.solve.taxonomy.classify import GameClass, taxonomy
from fogspiel.solve.taxonomy.dominance import Dominance
from fogspiel.tree.build.build import build
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.preorder import tree_of_efg
from level_order import from_preorder

Matrix = NDArray[np.float64]
"""(rows, columns)"""

PAYOFFS = st.integers(0, 3).map(float)
"""Few different ones, so that ties and dominance are common."""


def at_once(first: Matrix, second: Matrix) -> GameTree:
    """Both players choose, neither sees the other's choice."""
    rows, columns = first.shape
    names = [" ".join(f'"{action}"' for action in range(count)) for count in (rows, columns)]
    lines = ['EFG 2 R "at once" { "A" "B" }', f'p "" 1 1 "A" {{ {names[0]} }} 0']
    for row in range(rows):
        lines.append(f'p "" 2 1 "B" {{ {names[1]} }} 0')
        for column in range(columns):
            pair = f"{first[row, column]:g} {second[row, column]:g}"
            lines.append(f't "" {row * columns + column + 1} "" {{ {pair} }}')
    return from_preorder(tree_of_efg(game_of("\n".join(lines))))


def is_pure(tree: GameTree, probabilities: NDArray[np.float64]) -> bool:
    return bool(np.isin(probabilities, (0.0, 1.0)).all()) and len(probabilities) > 0


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tic_tac_toe", GameClass.PURE),  # Zermelo (1913): nothing is hidden
        ("kuhn_poker", GameClass.MIXED),  # Kuhn (1950): the second player's strategy is unique
        ("simple_poker", GameClass.MIXED),  # Richards (2012), section 2.3: a bluff with 1/3
        ("biased_rps", GameClass.MIXED),  # Shafiei (2010), section 3.6.1: one equilibrium, mixed
        ("leduc_poker", GameClass.MIXED),
        ("prisoners_dilemma", GameClass.DOMINANT),  # Cerny (2014), section 4.1.3
        ("monty_hall", GameClass.DOMINANT),  # one player: switch
    ],
)
def test_bundled_games(name: str, expected: GameClass) -> None:
    tree = build(load(name).machine)
    found = taxonomy(tree)
    assert found.game_class is expected
    assert len(found.dominant) == len(tree.players)
    if found.pure.strategy is not None:
        assert is_pure(tree, found.pure.strategy.probabilities)
        assert strategy_value(tree, found.pure.strategy).exploitability == pytest.approx(
            0.0, abs=1e-9
        )


def test_defecting_dominates_strictly() -> None:
    tree = build(load("prisoners_dilemma").machine)
    found = taxonomy(tree)
    assert [own.kind for own in found.dominant] == [Dominance.STRICT, Dominance.STRICT]
    assert found.pure.strategy is not None
    for infoset in (0, 1):
        defect = tree.infosets.names.actions(infoset).index("defect")
        assert found.pure.strategy.at(infoset)[defect] == 1.0


def test_kuhn_poker_has_no_pure_pair_by_its_normal_form_either() -> None:
    matrix = normal_form(build(load("kuhn_poker").machine)).payoffs[0]
    assert matrix.min(axis=1).max() < matrix.max(axis=0).min()


def test_matching_pennies_must_be_mixed() -> None:
    pennies = np.array([[1.0, -1.0], [-1.0, 1.0]])
    found = taxonomy(at_once(pennies, -pennies))
    assert found.game_class is GameClass.MIXED
    assert "no pure strategy of" in found.pure.reason
    assert [own.kind for own in found.dominant] == [Dominance.NONE, Dominance.NONE]


def test_a_saddle_point_without_dominance_is_pure() -> None:
    # Rows 1 and 2 are each better against some column, yet row 0 and column 0 meet in a saddle.
    matrix = np.array([[2.0, 3.0, 3.0], [1.0, 9.0, 0.0], [1.0, 0.0, 9.0]])
    found = taxonomy(at_once(matrix, -matrix))
    assert found.game_class is GameClass.PURE
    assert found.pure.strategy is not None
    assert found.pure.strategy.at(0).tolist() == [1.0, 0.0, 0.0]
    assert found.pure.strategy.at(1).tolist() == [1.0, 0.0, 0.0]


def stop_or_guess(right: int) -> GameTree:
    """The first player stops for 9, or goes on to guess what the other did. right: a right guess"""
    text = f"""EFG 2 R "stop or guess" {{ "A" "B" }}
    p "" 2 1 "B" {{ "heads" "tails" }} 0
    p "" 1 1 "A" {{ "stop" "go" }} 0
    t "" 1 "" {{ 9 -9 }}
    p "" 1 2 "guess" {{ "heads" "tails" }} 0
    t "" 2 "" {{ {right} -{right} }}
    t "" 3 "" {{ 0 0 }}
    p "" 1 1 "A" {{ "stop" "go" }} 0
    t "" 1
    p "" 1 2 "guess" {{ "heads" "tails" }} 0
    t "" 3
    t "" 2
    """
    return from_preorder(tree_of_efg(game_of(text)))


def test_a_dominant_strategy_may_avoid_what_it_could_not_decide() -> None:
    # Stopping is worth 9, a guess 5 at most; which guess is right depends on the other player.
    found = taxonomy(stop_or_guess(5))
    assert found.dominant[0].kind is Dominance.WEAK
    assert "whole numbers" in found.dominant[0].reason
    # What B should do depends on a guess that A has no reason to make.
    assert found.dominant[1].kind is Dominance.NONE
    assert found.game_class is GameClass.PURE


def test_what_a_guess_could_bring_may_undo_dominance() -> None:
    # The same with a right guess worth 12: neither stopping nor a guess is always best.
    found = taxonomy(stop_or_guess(12))
    assert found.dominant[0].kind is Dominance.NONE


SHAPES = st.tuples(st.integers(2, 3), st.integers(2, 3))


@given(SHAPES.flatmap(lambda shape: st.tuples(*[arrays(np.float64, shape, elements=PAYOFFS)] * 2)))
@settings(max_examples=60)
def test_small_games_agree_with_the_search_of_all_pairs(games: tuple[Matrix, Matrix]) -> None:
    first, second = games
    found = taxonomy(at_once(first, second))
    steady = (first == first.max(axis=0)) & (second == second.max(axis=1)[:, None])
    assert found.pure.exists is bool(steady.any())
    for own, matrix in zip(found.dominant, (first, second.T), strict=True):
        always_best = (matrix == matrix.max(axis=0)).all(axis=1)
        assert (own.kind in (Dominance.WEAK, Dominance.STRICT)) is bool(always_best.any())
        only_best = always_best & ((matrix == matrix.max(axis=0)).sum(axis=0) == 1).all()
        assert (own.kind is Dominance.STRICT) is bool(only_best.any())


@given(SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=PAYOFFS)))
@settings(max_examples=40)
def test_saddle_points_are_found_by_the_program(matrix: Matrix) -> None:
    found = taxonomy(at_once(matrix, -matrix))
    assert found.pure.exists is bool(matrix.min(axis=1).max() == matrix.max(axis=0).min())


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 6, 8, 10, 14, 15, 18, 19, 20, 1465])
def test_games_made_at_random_agree_with_their_normal_form(seed: int) -> None:
    made = from_preorder(tree_of_efg(random_game(seed)))
    zero_sum = tuple((first, -first) for first, _ in made.exact_payoffs)
    for tree in (made, replace(made, exact_payoffs=zero_sum)):
        found = taxonomy(tree)
        first, second = normal_form(tree).payoffs
        near = 1e-9 * np.ptp(tree.payoffs)
        rows, columns = (own >= own.max(axis=0) - near for own in (first, second.T))
        assert found.pure.exists is bool((rows & columns.T).any())
        for own, good in zip(found.dominant, (rows, columns), strict=True):
            has_one = bool(good.all(axis=1).any())
            assert (own.kind in (Dominance.WEAK, Dominance.STRICT)) is has_one


def test_three_players_with_secrets_may_stay_unknown() -> None:
    # C gains nothing; A and B match pennies, so best responses never come to rest.
    text = """EFG 2 R "three" { "A" "B" "C" }
    p "" 3 1 "C" { "x" "y" } 0
    p "" 1 1 "A" { "h" "t" } 0
    p "" 2 1 "B" { "h" "t" } 0
    t "" 1 "" { 1 -1 0 }
    t "" 2 "" { -1 1 0 }
    p "" 2 1 "B" { "h" "t" } 0
    t "" 2
    t "" 1
    p "" 1 1 "A" { "h" "t" } 0
    p "" 2 1 "B" { "h" "t" } 0
    t "" 1
    t "" 2
    p "" 2 1 "B" { "h" "t" } 0
    t "" 2
    t "" 1
    """
    found = taxonomy(from_preorder(tree_of_efg(game_of(text))))
    assert found.game_class is GameClass.UNKNOWN
    assert found.pure.exists is None
    assert "3 players" in found.pure.reason
    assert "the game has 3" in found.dominant[0].reason
