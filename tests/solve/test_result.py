"""Strategies are checked for the tree that they are used on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fogspiel.core.findings import UsageError
from fogspiel.games.load import load
from fogspiel.solve.result import checked, uniform
from fogspiel.tree.game_tree import GameTree
from level_order import from_preorder
from unfolding import unfold


@pytest.fixture(scope="module")
def kuhn() -> GameTree:
    return from_preorder(unfold(load("kuhn_poker").machine))


def test_uniform_is_a_strategy(kuhn: GameTree) -> None:
    strategy = checked(kuhn, uniform(kuhn))
    assert strategy.at(5).tolist() == [0.5, 0.5]
    assert len(strategy.probabilities) == 24


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [(3, 0.4, "the sum is 0.9"), (3, -0.5, "negative"), (3, np.nan, "no number")],
)
def test_what_is_no_strategy_is_refused(
    kuhn: GameTree, place: int, value: float, said: str
) -> None:
    strategy = uniform(kuhn)
    strategy.probabilities[place] = value
    with pytest.raises(UsageError) as caught:
        checked(kuhn, strategy)
    assert caught.value.findings[0].code == "SOL001"
    assert said in caught.value.findings[0].message


def test_a_strategy_of_another_game_is_refused(kuhn: GameTree) -> None:
    short = uniform(kuhn)
    with pytest.raises(UsageError, match="infosets"):
        checked(kuhn, replace(short, probabilities=short.probabilities[:-2]))
