"""Loading of games: the whole pipeline from a name, a file or a text to a machine, in one call.

A problem in POGDDL alone finds its domain beside it, as collections of them have it. The games of a
tournament are read before it begins, and loaded in the processes that play (`load_rules`).

Length: one pipeline, whatever a game is given by.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from fogspiel.core.findings import (
    Finding,
    UsageError,
)
from fogspiel.core.limits import GroundLimits
from fogspiel.core.source import Source
from fogspiel.core.values import AS_THE_RULES_COUNT, GOALS, PAYOFFS, Unit
from fogspiel.games.cache import GameCache
from fogspiel.games.library import GameEntry, bundled_games, is_python_name, no_text, resolve
from fogspiel.games.making import EngineChoice, kept_game, made_game, sound_rules
from fogspiel.games.python_game import PythonGame
from fogspiel.machine.memo import MachineMemo
from fogspiel.machine.protocol import KeepsStates, Machine
from fogspiel.rules.pogddl.text_parts import domain_beside

if TYPE_CHECKING:
    from fogspiel.games.python_classes import OpenedClass
    from fogspiel.ground.program import GroundProgram
    from fogspiel.play.tournament.plan import GameRules
    from fogspiel.rules.clauses import Program
    from fogspiel.rules.languages import Rules
    from fogspiel.rules.pogddl.syntax import GameDescription


def with_domain(source: Source, path: Path) -> tuple[Source, ...]:
    """The text of a problem with that of its domain before it; any other text alone."""
    domain = domain_beside(source.text, path.parent)
    return (source,) if domain is None else (domain, source)


def read_rules(name: str, folder: Path) -> GameRules:
    """The rules that a plan means by a name; files are meant from its folder.

    Nothing is compiled: a tournament that goes on should begin at once.
    Raises `RulesError` for rules with errors, and what reading a file raises.
    """
    from fogspiel.play.tournament.plan import GameRules

    if name not in bundled_games() and is_python_name(name):
        from fogspiel.games.python_classes import python_game

        return python_rules(python_game(name, folder), name)
    path = folder / name
    place = str(path) if name not in bundled_games() and path.is_file() else name
    sources = with_domain(resolve(place), Path(place))
    program = sound_rules(sources)[0].program
    return GameRules(
        name=name,
        sources=sources,
        roles=tuple(role for role in program.roles if role != program.chance_role),
        hides=program.has_percepts,
    )


GameLanguage: TypeAlias = Literal["gdl", "pogddl", "efg", "python"]
"""The language of a game: GDL and GDL-II, POGDDL, Gambit's extensive form, or Python."""


@dataclass(frozen=True, kw_only=True)
class LoadedGame:
    """A game ready to be played, with the findings about its rules.

    Clauses and the ground program are made when they are first asked for: play needs neither.
    """

    name: str
    sources: tuple[Source, ...] = field(repr=False)
    """One text, or domain and problem of a game in POGDDL, or the code of a game in Python."""
    language: GameLanguage
    hides: bool
    """Whether the rules say what roles see. Otherwise every role sees the joint move."""
    findings: tuple[Finding, ...] = field(repr=False)
    """Warnings and notes of the checks: a game with errors is not loaded."""
    machine: Machine = field(repr=False)
    fallback: Finding | None
    """Why the reference reasoner plays though the compiled machine was wanted."""
    entry: GameEntry | None  #: The entry of a bundled game in the index
    read_seconds: float
    """Seconds of reading and checking the rules, when that was done."""
    cached: bool = False
    """Whether the compiled game was taken from the cache; then seconds are those of making it."""
    limits: GroundLimits | None = field(default=None, repr=False)  #: None for the usual ones
    python: PythonGame | None = field(default=None, repr=False, compare=False)
    """The game, if it is written in Python."""
    read: Rules | None = field(default=None, repr=False, compare=False)
    """The rules, where loading had to read them."""
    grounded: GroundProgram | None = field(default=None, repr=False, compare=False)
    """The ground program, where loading had to make it."""

    @property
    def roles(self) -> tuple[str, ...]:
        """All roles in the order of the rules, chance among them."""
        return self.machine.roles

    @property
    def chance(self) -> str | None:
        """The role of chance."""
        role = self.machine.chance_role
        return None if role is None else self.machine.roles[role]

    @property
    def players(self) -> tuple[str, ...]:
        """The roles that somebody plays: all but chance."""
        return tuple(role for role in self.machine.roles if role != self.chance)

    @property
    def program(self) -> Program:
        """The rules as clauses. Raises `UsageError` GAM004 for a game without rules as text."""
        return self._rules.program

    @property
    def description(self) -> GameDescription | None:
        """The game in POGDDL, of which the clauses were made; None for GDL."""
        return self._rules.description

    @cached_property
    def ground(self) -> GroundProgram | None:
        """The variable-free program; None where no compiled machine plays."""
        if self.machine.engine != "compiled":
            return None
        from fogspiel.ground.program import ground

        return self.grounded or ground(self.program, self.limits)

    def another_machine(self) -> Machine:
        """Another machine of the same rules, for a player in a thread of its own."""
        from fogspiel.machine.compiled.machine import CompiledMachine

        if isinstance(self.machine, CompiledMachine):
            machine = CompiledMachine(self.machine.game)
            _LOADED.keep(machine, partial(replace, self))
            return machine
        return load_sources(self.sources, engine="reference").machine

    @cached_property
    def _rules(self) -> Rules:
        self.refuse_without_text()
        return self.read or sound_rules(self.sources)[0]

    def refuse_without_text(self) -> None:
        """Raise `UsageError` GAM004 for a game without rules as text."""
        if self.python is not None or not self.sources:
            raise no_text(self.name)

    @property
    def unit(self) -> Unit | None:
        """The unit of its payoffs; None where goals are payoffs themselves."""
        if self.entry is not None and self.entry.unit is not None:
            return self.entry.unit
        scale = self.machine.goal_scale
        return Unit(AS_THE_RULES_COUNT, 0, scale) if scale != 1 else None

    @property
    def tree_unit(self) -> Unit:
        """The unit of payoffs as trees hold them: goals divided by the scale of the machine."""
        if self.unit is None:
            return GOALS if self.language == "gdl" else PAYOFFS
        scale = self.machine.goal_scale
        return Unit(self.unit.name, self.unit.offset / scale, self.unit.scale / scale)


_UNKNOWN = partial(
    LoadedGame,
    name="game",
    sources=(),
    language="gdl",
    hides=True,
    findings=(),
    fallback=None,
    entry=None,
    read_seconds=0.0,
)
_LOADED: MachineMemo[partial[LoadedGame]] = MachineMemo()
"""What else is known of the game of each machine."""


def load(
    name_or_path: str,
    *,
    engine: EngineChoice = "auto",
    limits: GroundLimits | None = None,
    anew: bool = False,
) -> LoadedGame:
    """Load a bundled game, a member of a family, a rule file, or a game in Python by its name.

    The file of a problem in POGDDL brings its domain from the same folder.
    `auto` compiles, and plays on the reference reasoner what passes the limits of grounding.
    anew: read, ground and compile, whether or not the cache has the game, and leave it as it is.
    Raises `RulesError` with all errors of the rules, `LimitError` only if `engine="compiled"`.
    """
    if is_python_name(name_or_path):
        from fogspiel.games.python_classes import python_game

        return load_python(python_game(name_or_path), engine=engine, name=name_or_path)
    return load_sources(
        with_domain(resolve(name_or_path), Path(name_or_path)),
        engine=engine,
        limits=limits,
        entry=bundled_games().get(name_or_path),
        anew=anew,
    )


def load_sources(
    sources: Sequence[Source],
    *,
    engine: EngineChoice = "auto",
    limits: GroundLimits | None = None,
    entry: GameEntry | None = None,
    anew: bool = False,
) -> LoadedGame:
    """Load rules from their text, or from the texts of a domain and a problem; see `load`."""
    cache = None if anew or engine == "reference" else GameCache.of(sources, limits)
    kept = None if cache is None else cache.get()
    found = None if kept is None else kept_game(kept)
    if found is None:
        # Only that a game could not be compiled is of use now.
        fallback = kept.fallback if kept is not None and engine == "auto" else None
        found = made_game(sources, engine, limits, fallback)
        if cache is not None and fallback is None:
            cache.put(found.facts)
    facts = found.facts
    made = partial(
        LoadedGame,
        name=entry.name if entry else sources[-1].name,
        sources=tuple(sources),
        language=facts.language,
        hides=facts.hides,
        findings=facts.findings,
        fallback=facts.fallback,
        entry=entry,
        read_seconds=facts.read_seconds,
        cached=found.rules is None,
        limits=limits,
    )
    _LOADED.keep(found.machine, made)
    return made(machine=found.machine, read=found.rules, grounded=found.grounded)


def load_python(
    game: PythonGame | type[PythonGame], *, engine: EngineChoice = "auto", name: str | None = None
) -> LoadedGame:
    """Load a game in Python, given by an object or its class.

    name: what it is called, by default the name of the class.
    Raises `UsageError` GAM005 to GAM007 for what is no game that can be made, `RulesError` for one
    that fails in its first steps, and `UsageError` GAM004 if `engine="compiled"`.
    """
    from fogspiel.games.python_classes import opened

    started = time.perf_counter()
    found = opened(game, compiled=engine == "compiled")
    seconds = time.perf_counter() - started
    made = _of_class(found, seconds, name=name)
    return _LOADED.keep(found.machine, made)(machine=found.machine)


def _of_class(
    found: OpenedClass, seconds: float = 0.0, *, name: str | None = None
) -> partial[LoadedGame]:
    return partial(
        LoadedGame,
        name=name or found.name,
        sources=found.sources,
        language="python",
        hides=found.has_percepts,
        findings=(),
        fallback=None,
        entry=None,
        read_seconds=seconds,
        python=found.game,
    )


def loaded_of(machine: Machine) -> LoadedGame:
    """The game that a machine was loaded for, as the players of a match need it.

    A machine from elsewhere makes a game without a name, whose payoffs are its goals.
    """
    made = _LOADED.get(machine)
    if made is None and isinstance(machine, KeepsStates):
        from fogspiel.games.python_classes import opened_of

        made = _LOADED.keep(machine, _of_class(opened_of(machine)))
    return (made or _UNKNOWN)(machine=machine)


def load_source(
    source: Source,
    *,
    engine: EngineChoice = "auto",
    limits: GroundLimits | None = None,
    entry: GameEntry | None = None,
) -> LoadedGame:
    """Load rules from one text."""
    return load_sources([source], engine=engine, limits=limits, entry=entry)


def python_rules(game: PythonGame, name: str) -> GameRules:
    """The rules of a game in Python as a tournament takes them."""
    from fogspiel.games.python_classes import class_rules, sources_of
    from fogspiel.play.tournament.plan import GameRules

    rules = class_rules(game)
    return GameRules(
        name=name,
        sources=sources_of(game),
        roles=rules.players,
        hides=rules.hides,
        python=game,
    )


def load_rules(rules: GameRules) -> Machine:
    """The machine of a tournament's game. Kernels are loaded, which takes a second or two.

    Raises `UsageError` GAM018 for a game in Python whose file was changed since.
    """
    if isinstance(rules.python, PythonGame):
        loaded = load_python(rules.python)
        if loaded.sources != rules.sources:
            raise UsageError.of(
                "GAM018",
                f"the code of the game {rules.name} was changed while the tournament was played",
                fix="begin a new tournament, or take the change back and resume this one",
            )
        return loaded.machine
    return load_sources(rules.sources, entry=bundled_games().get(rules.name)).machine
