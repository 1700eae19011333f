"""A loaded game: who plays it, and its clauses and ground program, made when they are asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fogspiel.core.findings import UsageError
from fogspiel.games.load import LoadedGame, load


def without_readings(game: LoadedGame) -> LoadedGame:
    """The game as if loading had needed neither clauses nor a ground program."""
    return replace(game, read=None, grounded=None)


def test_chance_is_a_role_and_no_player() -> None:
    game = load("kuhn_poker")
    assert set(game.roles) == {"random", "first", "second"}
    assert (game.players, game.chance) == (("first", "second"), "random")
    assert game.hides


def test_a_game_without_sees_hides_nothing_and_has_no_chance() -> None:
    game = load("tic_tac_toe")
    assert (game.players, game.chance, game.hides) == (game.roles, None, False)


def test_players_are_the_same_on_every_machine() -> None:
    assert load("kuhn_poker").players == load("kuhn_poker", engine="reference").players


@pytest.mark.parametrize("name", ["tic_tac_toe", "kuhn_poker", "kuhn_poker_pogddl"])
def test_clauses_and_ground_program_are_the_same_when_made_later(name: str) -> None:
    game = load(name)
    later = without_readings(game)
    assert later.program == game.program
    assert later.description == game.description
    assert game.ground is not None
    assert later.ground is not None
    assert later.ground.fluents == game.ground.fluents
    assert np.array_equal(later.ground.rules.literals, game.ground.rules.literals)


def test_the_reference_reasoner_plays_without_a_ground_program() -> None:
    assert without_readings(load("tic_tac_toe", engine="reference")).ground is None


def test_a_game_without_rules_as_text_says_so() -> None:
    game = replace(without_readings(load("tic_tac_toe")), sources=())
    for ask in ("program", "description", "ground"):
        with pytest.raises(UsageError) as caught:
            getattr(game, ask)
        assert caught.value.findings[0].code == "GAM004"
    assert game.players == game.roles
