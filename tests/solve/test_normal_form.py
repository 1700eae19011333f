"""The normal form against the published matrix, and against the sequence form."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.core.findings import LimitError, UsageError
from fogspiel.games.library import bundled_games
from fogspiel.games.load import load
from fogspiel.solve.arrays import treeplex
from fogspiel.solve.lp.linear import normal_form, solve_normal_form, strategy_count
from fogspiel.tree.game_tree import GameTree
from level_order import from_preorder
from unfolding import unfold


def tree_of(name: str) -> GameTree:
    return from_preorder(unfold(load(name).machine))


def test_simple_poker_has_the_published_matrix() -> None:
    form = normal_form(tree_of("simple_poker"))
    published = bundled_games()["simple_poker"].facts["normal_form"].value
    # Richards (2012), figure 2.2, has fold before bet, and the answer to a fold before that to a
    # bet; here bet comes before fold and the answer to a bet first. A goal of 25 is a dollar.
    dollars = (form.payoffs[0] - 50) / 25
    ours = dollars[::-1, ::-1].reshape(4, 2, 2).transpose(0, 2, 1).reshape(4, 4)
    assert ours.tolist() == published
    assert (form.payoffs[0] + form.payoffs[1] == 100).all()


def test_kuhn_poker_has_27_and_64_reduced_strategies() -> None:
    # Kuhn (1950): with each of three cards bet, or pass and then fold or call; the second player
    # answers a pass and a bet.
    tree = tree_of("kuhn_poker")
    assert [strategy_count(treeplex(tree.infosets, player)) for player in (1, 2)] == [27, 64]
    form = normal_form(tree)
    assert form.payoffs[0].shape == (27, 64)
    assert [len(np.unique(side.toarray(), axis=0)) for side in form.strategies] == [27, 64]


def test_kuhn_poker_is_worth_minus_one_eighteenth() -> None:
    result = solve_normal_form(tree_of("kuhn_poker"))
    assert (result.values[0] - 50) / 25 == pytest.approx(-1 / 18)  # Kuhn (1950)
    assert result.exploitability == pytest.approx(0.0, abs=1e-10)


def test_general_sums_have_a_normal_form_but_no_solution_here() -> None:
    tree = tree_of("prisoners_dilemma")
    form = normal_form(tree)
    # Cerny (2014), section 4.1.3: 100 > 66 and 33 > 0.
    assert sorted(form.payoffs[0].ravel().tolist()) == [0, 33, 66, 100]
    assert form.payoffs[0].tolist() == form.payoffs[1].T.tolist()
    with pytest.raises(UsageError) as caught:
        solve_normal_form(tree)
    assert caught.value.findings[0].code == "SOL002"


def test_too_many_strategies_are_counted_but_not_listed() -> None:
    with pytest.raises(LimitError) as caught:
        normal_form(tree_of("leduc_poker"))
    assert caught.value.findings[0].code == "SOL013"
    assert "about 10^" in caught.value.findings[0].message
