"""Loading of games: by name, from a file, or from their rules as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fogspiel.api.game import Game
from fogspiel.core.limits import GroundLimits
from fogspiel.core.source import Source
from fogspiel.games.library import bundled_games
from fogspiel.games.load import EngineChoice, load_sources
from fogspiel.games.load import load as load_game

ENGINES = ("auto", "compiled", "reference")


def load(
    game: str | Path,
    *,
    engine: EngineChoice = "auto",
    ground_seconds: float | None = None,
) -> Game:
    """Load a game by its name or from a file.

    game: a bundled name (`fogspiel games` lists them), a member of a family such as `hex(5)`, or
    the path of a file in GDL, POGDDL or EFG.
    engine: `auto` compiles, and falls back to the reference reasoner for rules that are too large.
    ground_seconds: time for grounding the rules.
    Raises `RulesError` with all errors of the rules, `UsageError` GAM001 for an unknown name.

    >>> fs.load("kuhn_poker")
    Game('kuhn_poker', players=('first', 'second'), chance='random')
    >>> fs.load("nim(1,2)").players
    ('first', 'second')
    """
    refuse_engine(engine)
    return Game(load_game(str(game), engine=engine, limits=limits_of(ground_seconds)))


def read(
    rules: str,
    *,
    name: str = "rules",
    engine: EngineChoice = "auto",
    ground_seconds: float | None = None,
) -> Game:
    """Load a game from its rules as text, in GDL, POGDDL or EFG.

    rules: the whole text, as a file holds it.
    name: what the game is called, also in findings.
    engine, ground_seconds: as in `load`.
    Raises `RulesError` with all errors of the rules.

    >>> game = fs.read('''
    ... (role robot)
    ... (init (at home))
    ... (<= (legal robot (go left)) (true (at home)))
    ... (<= (legal robot (go right)) (true (at home)))
    ... (<= (next (at ?where)) (does robot (go ?where)))
    ... (<= terminal (not (true (at home))))
    ... (<= (goal robot 100) (true (at left)))
    ... (<= (goal robot 0) (true (at right)))
    ... ''')
    >>> game.begin().play("(go left)").payoffs
    {'robot': 100.0}
    """
    refuse_engine(engine)
    if not isinstance(rules, str):
        raise TypeError(f"rules are a text; got {type(rules).__name__}")
    return Game(
        load_sources([Source(name, rules)], engine=engine, limits=limits_of(ground_seconds))
    )


def refuse_engine(engine: str) -> None:
    """Raise `ValueError` for an unknown engine."""
    if engine not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(ENGINES)}; got {engine!r}")


def limits_of(ground_seconds: float | None) -> GroundLimits | None:
    """Limits of grounding with another time; None for the usual ones."""
    if ground_seconds is None:
        return None
    if not ground_seconds > 0.0:
        raise ValueError(f"ground_seconds must be more than 0; got {ground_seconds}")
    return GroundLimits(seconds=ground_seconds)


def load_again(sources: Sequence[Source], name: str, engine: EngineChoice) -> Game:
    """The same game in another process, or after it was stored."""
    return Game(load_sources(sources, engine=engine, entry=bundled_games().get(name)))
