"""What tests of the games in POGDDL share: their machines, and plays by hand."""

from __future__ import annotations

from functools import cache

from histories import Explorer
from scripted import Game

from fogspiel.core.findings import Severity
from fogspiel.games.library import game_source
from fogspiel.machine.interpreter.machine import InterpretedMachine
from fogspiel.rules.pogddl.check.checks import read_and_check


@cache
def planned(name: str) -> Explorer:
    """A bundled game, or a member of a family, played as it is written."""
    description, findings = read_and_check([game_source(name)])
    assert [str(f) for f in findings if f.severity is not Severity.NOTE] == []
    return Explorer(InterpretedMachine(description))


def begin(name: str, *moves: str) -> Game:
    """A game after some moves, each made by the role that is on turn."""
    game = planned(name)
    return play(Game(game, game.machine.initial(), {}), *moves)


def play(game: Game, *moves: str) -> Game:
    """Make moves one by one, each by the role that is on turn; the others wait."""
    for move in moves:
        game.play(**{on_turn(game): move})
    return game


def on_turn(game: Game) -> str:
    """The role that has another move than to wait."""
    (role,) = (name for name in game.explorer.roles if game.moves(name) != ["noop"])
    return role


def numbers(game: Game) -> dict[str, str]:
    """The numbers of a state: `{"score first": "3"}`."""
    terms = game.explorer.machine.fluent_terms(game.state)
    found = {}
    for term in terms:
        if term[0] == "=":
            of = term[1]
            found[of if isinstance(of, str) else " ".join(map(str, of))] = str(term[2])
    return found
