"""Loading of games: by name, from a file, or from their rules as text."""

from __future__ import annotations

from pathlib import Path

from fogspiel.api.game import Game
from fogspiel.api.rules.rules import Rules, RulesText
from fogspiel.core.limits import GroundLimits, refuse_seconds
from fogspiel.games.library import is_python_name
from fogspiel.games.load import load as load_game
from fogspiel.games.load import load_python
from fogspiel.games.making import EngineChoice
from fogspiel.games.python_game import PythonGame

ENGINES = ("auto", "compiled", "reference")


def load(
    game: str | Path | PythonGame | type[PythonGame],
    *,
    domain: str | Path | None = None,
    engine: EngineChoice = "auto",
    ground_seconds: float | None = None,
) -> Game:
    """Load a game by its name, from a file, or from a Python class.

    What was compiled is kept on disk: to load the same rules again takes a tenth of a second.

    game: a bundled name (`fogspiel games` lists them), a member of a family such as `hex(5)`, the
    path of a file in GDL, POGDDL or EFG, a game in Python by its name (`coin.py:CoinToss`), or such
    a game itself, as a class or an object.
    domain: the file with the domain of a POGDDL problem; without it, it is looked for beside the
    problem.
    engine: `auto` compiles, and falls back to the reference reasoner for rules that are too large.
    ground_seconds: time for grounding the rules.
    Returns: the game, of which `begin`, `solve` and `match` lead to everything else.
    Raises `RulesError` with all errors of the rules, `UsageError` GAM001 for an unknown name.

    >>> fs.load("kuhn_poker")
    Game('kuhn_poker', players=('first', 'second'), chance='random')
    >>> fs.load("nim(1,2)").players
    ('first', 'second')
    """
    refuse_engine(engine)
    if not isinstance(game, str | Path):
        return Game(load_python(game, engine=engine))
    if is_python_name(str(game)):
        return Game(load_game(str(game), engine=engine))
    rules = Rules.open(game, domain=domain)
    return rules.load(engine=engine, ground_seconds=ground_seconds)


def read(
    rules: RulesText,
    *,
    name: str = "rules",
    domain: str | Path | None = None,
    engine: EngineChoice = "auto",
    ground_seconds: float | None = None,
) -> Game:
    """Load a game from its rules, in GDL, POGDDL or EFG.

    rules: the text, its bytes, or an open binary file that holds them.
    name: what the game is called, also in findings.
    domain, engine, ground_seconds: as in `load`.
    Returns: the game, ready to be played.
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
    given = Rules.read(rules, name=name, domain=domain)
    return given.load(engine=engine, ground_seconds=ground_seconds)


def refuse_engine(engine: str) -> None:
    """Raise `ValueError` for an unknown engine."""
    if engine not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(ENGINES)}; got {engine!r}")


def limits_of(ground_seconds: float | None) -> GroundLimits | None:
    """Limits of grounding with another time; None for the usual ones."""
    if ground_seconds is None:
        return None
    refuse_seconds("ground_seconds", ground_seconds)
    return GroundLimits(seconds=ground_seconds)
