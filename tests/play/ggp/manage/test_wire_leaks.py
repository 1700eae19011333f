"""No player learns anything on the wire but its own moves and percepts."""

from __future__ import annotations

from functools import cache

import pytest
from http_players import HIDING_GAME

from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm, RoleId
from fogspiel.games.library import resolve
from fogspiel.games.load import load_source
from fogspiel.games.making import EngineChoice
from fogspiel.machine.protocol import MeetsPercepts
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.ggp.manage.leaks import Leaks, wire_leaks
from fogspiel.play.ggp.manage.seats import ManagedGame, MessageEncoder, SeatAssignment
from fogspiel.play.ggp.messages import ProtocolDialect
from fogspiel.play.ggp.term_text import Scrambling
from fogspiel.play.referee import Step

GAMES = ["kuhn_poker", "monty_hall", "hidden_goofspiel_4", "latent_tic_tac_toe"]
"""Bundled games with something hidden; the study of the wire has all of them."""


@cache
def managed(name: str, engine: EngineChoice = "auto") -> ManagedGame:
    source = Source(name, HIDING_GAME) if name == "test" else resolve(name)
    game = load_source(source, engine=engine)
    hides = game.hides
    return ManagedGame(name=name, rules=source.text, machine=game.machine, hides=hides)


def leaks(name: str, dialect: ProtocolDialect, matches: int, *, scramble: bool = False) -> Leaks:
    return wire_leaks(managed(name), dialect, matches=matches, seed=7, scramble=scramble)


@pytest.mark.parametrize("dialect", [ProtocolDialect.GDL2, ProtocolDialect.GDL2_OLD])
@pytest.mark.parametrize("name", GAMES)
def test_what_is_sent_depends_on_own_moves_and_percepts_alone(
    name: str, dialect: ProtocolDialect
) -> None:
    found = leaks(name, dialect, 60, scramble=dialect is ProtocolDialect.GDL2)
    assert found.leaks == 0, found.example
    assert found.matches == 60
    assert found.compared >= 20


def test_a_dialect_that_tells_too_much_is_found_out() -> None:
    found = leaks("kuhn_poker", ProtocolDialect.GDL1, 60)
    assert found.leaks > 0
    assert "PLAY" in found.example or "STOP" in found.example


@pytest.mark.parametrize("first", [("got", "b"), ("mine", "a")])
def test_the_order_in_which_percepts_were_met_is_not_told(first: GroundTerm) -> None:
    """The reasoner numbers percepts as it meets them, in whatever match."""
    source = Source("test", HIDING_GAME)
    machine, white = load_source(source, engine="reference").machine, RoleId(0)
    assert isinstance(machine, MeetsPercepts)
    game = ManagedGame(name="test", rules=source.text, machine=machine, hides=True)
    met = [first, ("got", "b"), ("mine", "a")]
    percepts = tuple(sorted({machine.percept_id(white, percept) for percept in met}))
    took = machine.move_id(white, ("take", "a"))
    step = Step(number=1, joint=(took,), percepts=(percepts,), faults={}, seconds={white: 0.0})
    sitting = SeatAssignment(
        game=game,
        role=white,
        match="m",
        scrambling=Scrambling(None, source.text),
        clocks=MatchClocks(start_seconds=30, turn_seconds=10),
        seed=0,
    )
    told = MessageEncoder(sitting, ProtocolDialect.GDL2).play(step)
    assert told == "(PLAY m 1 (take a) ((got b) (mine a)))"


def test_the_reasoner_leaks_as_little_as_the_compiled_machine() -> None:
    found = wire_leaks(managed("test", "reference"), ProtocolDialect.GDL2, matches=40, seed=1)
    assert found.leaks == 0, found.example
    assert found.compared > 50


def test_a_game_that_hides_nothing_is_told_to_all() -> None:
    found = leaks("tic_tac_toe", ProtocolDialect.GDL1, 20)
    assert found.leaks == 0, found.example
    assert found.messages > 200
    # Who sees all moves cannot have seen the same in two courses.
    assert found.compared == 0


def test_long_games_can_be_cut() -> None:
    found = wire_leaks(managed("tic_tac_toe"), ProtocolDialect.GDL1, matches=2, seed=0, max_steps=3)
    assert found.messages == 2 * 2 * (1 + 3 + 1)
