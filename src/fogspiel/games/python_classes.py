"""Games in Python, from a name, a class or an object to the machine that plays them.

A name is that of the class, with settings for its constructor as players have them:
`FILE.py:Class[,key=value…]` or `package.module:Class[,key=value…]`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from fogspiel.core.code_faults import fault_of
from fogspiel.core.findings import Finding, PlayError, RulesError, UsageError
from fogspiel.core.source import Source
from fogspiel.core.user_code import load_object
from fogspiel.games.python_game import PythonGame
from fogspiel.machine.python.class_rules import ClassRules, place_of
from fogspiel.machine.python.machine import PythonMachine
from fogspiel.machine.python.purity import OPTIONAL, play_faults
from fogspiel.players.names import PlayerName, player_name
from fogspiel.players.own import Setting, setting_of
from fogspiel.rules.sexpr import PLAIN_NAME

if TYPE_CHECKING:
    from fogspiel.machine.audit.claims import Audit

PLAYOUTS = 100  #: Playouts of a check, unless another number is asked for
ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
"""The part of the text of an object that is another one in each process."""

_MACHINES: WeakValueDictionary[tuple[type, tuple[Source, ...]], PythonMachine] = (
    WeakValueDictionary()
)
"""Machines in use: a game that is loaded twice has the same states, with the same numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedClass:
    """A game in Python that can be played."""

    game: PythonGame
    sources: tuple[Source, ...]  #: Its code and its settings: what tells it from other games
    machine: PythonMachine

    @property
    def name(self) -> str:
        """The name of the class."""
        return type(self.game).__name__

    @property
    def source(self) -> Source:
        """The file of the class, to which findings belong."""
        return place_of(type(self.game), "initial")[0] or self.sources[0]

    @property
    def has_percepts(self) -> bool:
        """Whether the class says what players see."""
        return self.machine.rules.hides


def opened(game: PythonGame | type[PythonGame], *, compiled: bool = False) -> OpenedClass:
    """A game with its machine, given by an object or its class.

    compiled: whether a compiled machine is asked for, which is refused by GAM004.
    Raises `UsageError` as `python_game`, and `RulesError` for what fails in its first steps.
    """
    own = game_of_class(game, {}) if isinstance(game, type) else checked_game(game)
    if compiled:
        raise UsageError.of(
            "GAM004",
            f"the game {type(own).__name__} is written in Python and cannot be compiled",
            fix="leave the engine out, or write the game in GDL or POGDDL",
        )
    sources = sources_of(own)
    try:
        return OpenedClass(game=own, sources=sources, machine=machine_of(own, sources))
    except PlayError as error:
        raise RulesError(error.findings) from error


def opened_of(machine: object) -> OpenedClass:
    """The game of a machine that is one of a class."""
    assert isinstance(machine, PythonMachine)
    game = machine.rules.game
    assert isinstance(game, PythonGame)
    return OpenedClass(game=game, sources=sources_of(game), machine=machine)


def faults_of(
    game: PythonGame | type[PythonGame], *, playouts: int = PLAYOUTS, seed: int = 0
) -> list[Finding]:
    """The faults of a game that show when it is asked everything twice in random playouts.

    Raises `UsageError` GAM005 to GAM007 for what is no game that can be made.
    """
    own = game_of_class(game, {}) if isinstance(game, type) else checked_game(game)
    return play_faults(class_rules(own), playouts=playouts, seed=seed)


def audit_of(game: PythonGame, playouts: int, *, seed: int) -> Audit:
    """An audit of random playouts, as games with rules get it."""
    from fogspiel.machine.audit.audit import audit_play

    found = opened(game)
    return audit_play(found.machine, found, playouts=playouts, seed=seed, has_goals=False)


def python_name(word: str) -> PlayerName | None:
    """The parts of the name of a game in Python; None for any other word."""
    parts = player_name(word)
    return None if parts.code is None else parts


def python_game(word: str, folder: Path | None = None) -> PythonGame:
    """The game of a name such as `coin.py:CoinToss,sides=3`.

    folder: the folder from which a file is meant, by default the current one.
    Raises `UsageError` OWN001 to OWN003 for what is not there or cannot be run, GAM005 for what is
    no game, GAM006 for an unfinished class, and GAM007 for settings that it does not take.
    """
    parts = python_name(word)
    assert parts is not None, "the caller knows that this is the name of a class"
    found = load_object(str(parts.code), what="game", folder=folder)
    arguments = parts.arguments
    settings = {key: setting_of(value) for key, value in arguments.settings().items()}
    if rest := arguments.next_word():
        raise _unusable(word, f"{rest!r} is no setting", "write settings as key=value")
    if isinstance(found, type):
        return game_of_class(found, settings)
    if settings:
        raise _unusable(word, "it takes no settings", "name its class instead of an object")
    return checked_game(found)


def game_of_class(found: type, settings: Mapping[str, Setting]) -> PythonGame:
    """An object of a game class. Raises `UsageError` as `python_game`."""
    name = found.__name__
    if not issubclass(found, PythonGame):
        raise _no_game(f"{name} is a class that is no game")
    missing = sorted(getattr(found, "__abstractmethods__", ()))
    if missing:
        source, span = place_of(found, "__init__")
        raise UsageError.of(
            "GAM006",
            f"the game {name} lacks {_listed(missing)}",
            fix=f"write `def {missing[0]}{_signature(missing[0])}`",
            source=source,
            span=span,
        )
    try:
        inspect.signature(found).bind(**settings)
    except TypeError as error:
        takes = ", ".join(inspect.signature(found).parameters) or "none"
        given = ", ".join(f"{key}={value}" for key, value in settings.items()) or "none"
        raise _unusable(
            name, f"settings {given} do not fit: {error}", f"it takes these settings: {takes}"
        ) from None
    try:
        return checked_game(found(**settings))
    except (Exception, SystemExit) as error:
        if isinstance(error, UsageError):
            raise
        fault = fault_of(error)
        raise UsageError.of(
            "GAM007",
            f"the game {name} cannot be made: {fault.text}",
            fix="correct its constructor, or give other settings",
            source=fault.source,
            span=fault.span,
        ) from error


def checked_game(found: object) -> PythonGame:
    """A game whose names and numbers make sense. Raises `UsageError` GAM005 and GAM006."""
    if not isinstance(found, PythonGame):
        raise _no_game(f"an object of type {type(found).__name__} is no game")
    roles = found.roles
    if isinstance(roles, str) or not all(map(_is_name, roles)) or len(set(roles)) < len(roles):
        _refuse(
            found, f"its roles are {roles!r}", 'write different names: roles = ("first", "second")'
        )
    if not set(roles) - {found.chance_role}:
        _refuse(found, "it has no players", 'name them: roles = ("first", "second")')
    for word in ("chance_role", "noop"):
        if not _is_name(getattr(found, word)):
            _refuse(found, f"{word} is {getattr(found, word)!r}", "write a word without spaces")
    for number in ("denominator", "max_states"):
        value = getattr(found, number)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            _refuse(found, f"{number} is {value!r}", "write a whole number of at least 1")
    if not isinstance(found.max_seconds, int | float) or not found.max_seconds > 0:
        _refuse(found, f"max_seconds is {found.max_seconds!r}", "write a number above 0")
    return found


def machine_of(game: PythonGame, sources: tuple[Source, ...]) -> PythonMachine:
    """The machine of a game; the same one for equal games, as long as it is in use and has room.

    Raises `PlayError` and `LimitError` for a class that fails in its first steps.
    """
    key = type(game), sources
    machine = _MACHINES.get(key)
    if machine is None or machine.is_crowded:
        machine = _MACHINES[key] = PythonMachine(class_rules(game))
    return machine


def class_rules(game: PythonGame) -> ClassRules:
    """The methods of a game, to be asked under guard."""
    own = {name: getattr(type(game), name) is not getattr(PythonGame, name) for name in OPTIONAL}
    return ClassRules(game, asks=own)


def sources_of(game: PythonGame) -> tuple[Source, ...]:
    """What tells a game from others: the files of its class and of its bases, and its settings.

    Other files that these import are not among them.
    """
    texts: dict[str, Source] = {}
    for base in type(game).__mro__[: type(game).__mro__.index(PythonGame)]:
        source = _source_of(base)
        texts.setdefault(source.name, source)
    settings = sorted((key, ADDRESS.sub("", repr(value))) for key, value in vars(game).items())
    told = "".join(f"{key} = {value}\n" for key, value in settings)
    name = type(game).__qualname__
    return *texts.values(), Source(name, f"game {name}\n{told}")


def _source_of(base: type) -> Source:
    """The file of a class; where there is none, such as at a prompt, its code."""
    try:
        path = Path(inspect.getfile(base))
        return Source(path.name, path.read_text("utf-8"))
    except (OSError, TypeError, UnicodeDecodeError):
        pass
    codes = ((name, getattr(own, "__code__", None)) for name, own in sorted(vars(base).items()))
    told = (f"{name} {code.co_code.hex()} {code.co_consts!r}" for name, code in codes if code)
    return Source(base.__qualname__, ADDRESS.sub("", "\n".join(told)))


def _is_name(text: object) -> bool:
    return isinstance(text, str) and PLAIN_NAME.fullmatch(text) is not None


def _refuse(game: PythonGame, what: str, fix: str) -> None:
    raise UsageError.of("GAM006", f"the game {type(game).__name__} makes no sense: {what}", fix=fix)


def _no_game(what: str) -> UsageError:
    return UsageError.of(
        "GAM005", what, fix="derive the class from fogspiel.PythonGame, or name another one"
    )


def _unusable(name: str, what: str, fix: str) -> UsageError:
    return UsageError.of("GAM007", f"the game {name} cannot be made: {what}", fix=fix)


def _listed(methods: list[str]) -> str:
    names = [f"`{name}`" for name in methods]
    kind = "the methods" if len(names) > 1 else "the method"
    return f"{kind} {', '.join(names)}"


def _signature(method: str) -> str:
    function: Callable[..., Any] = getattr(PythonGame, method)
    return f"({', '.join(inspect.signature(function).parameters)})"
