"""There and back: every way through the languages leaves the same game in extensive form.

Games are written as text and read again at every stop. Whether trees are the same is a matter of
movers, moves, infosets, chances and payoffs (`tree/compare/isomorphism.py`).
"""

from __future__ import annotations

import pytest
from trips import MAX_NODES, assert_survives

from fogspiel.core.findings import LimitError
from fogspiel.games.convert import Format
from fogspiel.games.library import bundled_games
from fogspiel.games.load import load
from unfolding import in_preorder

BUNDLED_GDL = [
    "biased_rps", "coin_flip", "exploding_bomb", "goofspiel_4", "hidden_goofspiel_4", "kuhn_poker",
    "leduc_poker", "monty_hall", "prisoners_dilemma", "simple_poker",
]  # fmt: skip
BUNDLED_POGDDL = ["kuhn_poker_pogddl", "simple_poker_pogddl", "slippery_robot"]
"""All bundled games whose trees have no more than 20,000 nodes."""

IN_GDL = [*BUNDLED_GDL, "nim(1,2,3)"]
IN_POGDDL = [*BUNDLED_POGDDL, "urn"]

TOO_MANY_COPIES = {"slippery_robot"}
"""A slip of 1/20 is one of 20 copies of a move in GDL, in each of five drives, so that chance alone
has millions of histories. Walks and playouts compare what becomes of this game there."""
SLOW = "leduc_poker"
"""Half a minute through EFG and GDL, ten seconds through EFG and POGDDL; through EFG alone, POGDDL
alone, and POGDDL and GDL it is compared."""
THROUGH_GDL = [name for name in IN_POGDDL if name not in TOO_MANY_COPIES]
TREES = [*(name for name in IN_GDL if name != SLOW), *THROUGH_GDL]


@pytest.mark.parametrize("name", sorted(set(bundled_games()) - {*BUNDLED_GDL, *BUNDLED_POGDDL}))
def test_every_other_bundled_game_has_a_larger_tree(name: str) -> None:
    with pytest.raises(LimitError, match="TRE001"):
        in_preorder(load(name).machine, max_nodes=MAX_NODES)


@pytest.mark.parametrize("way", [("pogddl",), ("pogddl", "gdl")], ids=" ".join)
@pytest.mark.parametrize("name", IN_GDL)
def test_a_game_in_gdl_survives_pogddl(name: str, way: tuple[Format, ...]) -> None:
    assert_survives(name, *way)


@pytest.mark.parametrize("way", [("gdl",), ("gdl", "pogddl")], ids=" ".join)
@pytest.mark.parametrize("name", THROUGH_GDL)
def test_a_game_in_pogddl_survives_gdl(name: str, way: tuple[Format, ...]) -> None:
    assert_survives(name, *way)


@pytest.mark.parametrize("name", [*IN_GDL, *IN_POGDDL])
def test_a_game_is_the_same_as_a_tree(name: str) -> None:
    assert_survives(name, "efg")
    assert_survives(name, "efg", "efg")


@pytest.mark.parametrize("rules", ["pogddl", "gdl"])
@pytest.mark.parametrize("name", TREES)
def test_a_tree_survives_rules(name: str, rules: Format) -> None:
    assert_survives(name, "efg", rules, "efg")


@pytest.mark.parametrize("way", ["gdl", "infix", "pogddl"])
@pytest.mark.parametrize("name", ["kuhn_poker", "kuhn_poker_pogddl", "monty_hall"])
def test_a_text_that_is_written_anew_stays_the_same(name: str, way: Format) -> None:
    assert_survives(name, way, way)
    assert_survives(name, "efg", way, way)


@pytest.mark.parametrize("name", ["biased_rps", "coin_flip", "kuhn_poker", "kuhn_poker_pogddl"])
def test_a_game_survives_all_languages_one_after_the_other(name: str) -> None:
    assert_survives(name, "pogddl", "gdl", "efg", "pogddl", "infix", "efg", "gdl")
