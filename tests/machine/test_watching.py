"""Roles that see every joint move: all without `sees`, otherwise those to whom moves are shown."""

from __future__ import annotations

import pytest

from fogspiel.core.source import Source
from fogspiel.games.load import load, load_source
from fogspiel.machine.analysis.features import roles_seeing_all_moves

SHOWN_TO_A = """
    (role a) (role b) (init (step 1))
    (<= (legal ?r ?m) (role ?r) (way ?m)) (way l) (way r)
    (<= (next (went ?r ?m)) (does ?r ?m))
    (<= (next (step 2)) (true (step 1))) (<= terminal (true (step 2)))
    (<= (goal a 100) (true (went a ?m)) (true (went b ?m))) (goal b 50)
    (<= (sees a (did ?r ?m)) (does ?r ?m))
    (<= (sees b (did b ?m)) (does b ?m))
"""


@pytest.mark.parametrize("name", ["tic_tac_toe", "smallest", "goofspiel_4"])
def test_without_sees_everybody_watches(name: str) -> None:
    machine = load(name).machine
    assert roles_seeing_all_moves(machine) == set(range(len(machine.roles)))


def test_where_something_is_hidden_nobody_watches() -> None:
    assert not roles_seeing_all_moves(load("kuhn_poker").machine)


def test_one_may_watch_and_another_not() -> None:
    game = load_source(Source("shown.gdl", SHOWN_TO_A))
    assert roles_seeing_all_moves(game.machine) == {game.machine.roles.index("a")}


def test_nothing_is_known_without_gates() -> None:
    assert not roles_seeing_all_moves(load("tic_tac_toe", engine="reference").machine)
