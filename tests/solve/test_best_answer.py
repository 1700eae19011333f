"""The best answer to opponents that choose evenly, by beliefs and by trees."""

from __future__ import annotations

import pytest

from fogspiel.core.findings import LimitError
from fogspiel.core.ids import RoleId
from fogspiel.games.loading import load
from fogspiel.machine.alone import Alone
from fogspiel.solve.best_answer import best_answer
from fogspiel.solve.response import best_response, worth
from fogspiel.solve.results import uniform
from fogspiel.tree.building import build

SMALL = ["kuhn_poker", "leduc_poker", "hidden_goofspiel_4", "biased_rps", "monty_hall"]


@pytest.mark.parametrize("name", SMALL)
def test_beliefs_and_trees_agree(name: str) -> None:
    machine = load(name).machine
    tree = build(machine)
    for player, title in enumerate(tree.players):
        best = best_response(tree, uniform(tree), player)
        expected = worth(tree, best.strategy).values[player]
        found = best_answer(machine, RoleId(machine.roles.index(title)))
        assert found.value == pytest.approx(expected, abs=1e-9)


def test_a_role_alone_has_a_tree_of_its_own() -> None:
    machine = load("kuhn_poker").machine
    first = RoleId(machine.roles.index("first"))
    tree = build(Alone(machine, first))
    assert tree.players == ("first",)
    assert len(tree.infosets) == 6
    best = best_response(tree, uniform(tree), 0)
    # With a king, jack or queen against even play: 62.5 goals, half a chip.
    assert worth(tree, best.strategy).values == pytest.approx((62.5,))


def test_a_perfect_player_of_tic_tac_toe() -> None:
    """Nothing is hidden: beliefs are the 5,478 states (known from many enumerations)."""
    found = best_answer(load("tic_tac_toe").machine, RoleId(0))
    assert found.beliefs == found.rows == 5_478
    # Starting in a corner and playing perfectly, 191 of 192 random opponents lose.
    assert found.value == pytest.approx(100 * (1 - 0.5 / 192))


def test_the_limit_is_kept() -> None:
    with pytest.raises(LimitError, match="TRE001"):
        best_answer(load("latent_tic_tac_toe").machine, RoleId(0), max_rows=10_000)
