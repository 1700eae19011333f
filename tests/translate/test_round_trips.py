"""There and back: every way through the two languages leaves the same game in extensive form."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest
from number_games import URN

from fogspiel.core.source import Source
from fogspiel.games.library import game_source
from fogspiel.games.loading import Game, load_source
from fogspiel.lang.pogddl.checks import read_and_check
from fogspiel.translate.to_gdl import GdlTranslation, to_gdl
from fogspiel.translate.to_pogddl import to_pogddl
from fogspiel.tree.arrays import GameTree
from fogspiel.tree.extensive import unfold
from fogspiel.tree.isomorphism import compare

MAX_NODES = 30_000
IN_GDL = [
    "biased_rps", "coin_flip", "exploding_bomb", "goofspiel_4", "hidden_goofspiel_4", "kuhn_poker",
    "leduc_poker", "monty_hall", "nim(1,2,3)", "prisoners_dilemma", "simple_poker",
]  # fmt: skip
IN_POGDDL = ["kuhn_poker_pogddl", "simple_poker_pogddl", "urn"]
"""Games whose trees are small enough to compare in a second or two."""


@cache
def loaded(name: str) -> Game:
    source = Source("urn.pogddl", URN) if name == "urn" else game_source(name)
    return load_source(source)


@cache
def tree(name: str) -> GameTree:
    return unfold(loaded(name).machine, max_nodes=MAX_NODES)


def in_pogddl(game: Game) -> Game:
    text = to_pogddl(game.program, game.ground, name="game").text
    return load_source(Source("game.pogddl", text))


def in_gdl(game: Game) -> tuple[Game, GdlTranslation]:
    description, _ = read_and_check(game.sources)
    translation = to_gdl(description, game.ground)
    return load_source(Source("game.gdl", translation.text)), translation


def assert_same(first: GameTree, game: Game, translation: GdlTranslation | None = None) -> None:
    """The tree of the game is the first one, goals being what they stand for."""
    second = unfold(game.machine, max_nodes=MAX_NODES)
    # Copies of a move of chance lead to the same, and count as one.
    by_copies = translation is not None
    payoff_map = None
    if translation is not None:
        scale = (Fraction(translation.scale), Fraction(translation.offset))
        payoff_map = [scale] * len(first.players)
    found = compare(first, second, payoff_map=payoff_map, merge_chance=by_copies)
    assert found, found.difference


@pytest.mark.parametrize("name", IN_GDL)
def test_a_game_in_gdl_is_the_same_in_pogddl(name: str) -> None:
    assert_same(tree(name), in_pogddl(loaded(name)))


@pytest.mark.parametrize("name", IN_POGDDL)
def test_a_game_in_pogddl_is_the_same_in_gdl(name: str) -> None:
    assert_same(tree(name), *in_gdl(loaded(name)))


@pytest.mark.parametrize("name", IN_GDL)
def test_a_game_in_gdl_survives_pogddl(name: str) -> None:
    assert_same(tree(name), *in_gdl(in_pogddl(loaded(name))))


@pytest.mark.parametrize("name", IN_POGDDL)
def test_a_game_in_pogddl_survives_gdl(name: str) -> None:
    between, translation = in_gdl(loaded(name))
    assert_same(tree(name), in_pogddl(between), translation)
