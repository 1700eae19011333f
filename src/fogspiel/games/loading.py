"""From a name, a file or a text to a game that plays: the whole pipeline in one call."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from fogspiel.core.findings import Finding, LimitError, RulesError, Severity, UsageError
from fogspiel.core.limits import GroundLimits
from fogspiel.core.source import Source
from fogspiel.games.library import GameEntry, bundled_games, resolve
from fogspiel.ground.program import GroundProgram, ground
from fogspiel.lang.clauses import Program
from fogspiel.lang.gdl.checks import check, in_order, is_playable
from fogspiel.lang.gdl.normal import normalise
from fogspiel.lang.gdl.read import read_description
from fogspiel.lang.pogddl.read import is_pogddl, unplayable
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.protocol import Machine

EngineChoice: TypeAlias = Literal["auto", "compiled", "reference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A game ready to be played, with what was found on the way."""

    name: str
    source: Source = field(repr=False)
    program: Program = field(repr=False)
    findings: tuple[Finding, ...] = field(repr=False)
    """Warnings and notes of the checks: a game with errors is not loaded."""
    machine: Machine = field(repr=False)
    ground: GroundProgram | None = field(repr=False)
    """The variable-free program; None where the reference reasoner plays."""
    fallback: Finding | None
    """Why the reference reasoner plays though the compiled machine was wanted."""
    entry: GameEntry | None
    """What the index knows of a bundled game."""
    read_seconds: float


def load(
    name_or_path: str, *, engine: EngineChoice = "auto", limits: GroundLimits | None = None
) -> Game:
    """Load a bundled game, a member of a family, or a rule file.

    `auto` compiles, and plays on the reference reasoner what passes the limits of grounding.
    Raises `RulesError` with all errors of the rules, `LimitError` only if `engine="compiled"`.
    """
    return load_source(
        resolve(name_or_path),
        engine=engine,
        limits=limits,
        entry=bundled_games().get(name_or_path),
    )


def load_source(
    source: Source,
    *,
    engine: EngineChoice = "auto",
    limits: GroundLimits | None = None,
    entry: GameEntry | None = None,
) -> Game:
    """Load rules from a text. Raises `UsageError` for a language that cannot be played yet."""
    if is_pogddl(source.text):
        raise UsageError(unplayable(source))
    started = time.perf_counter()
    description, findings = read_description(source)
    findings = in_order([*findings, *check(description)])
    if not is_playable(findings):
        raise RulesError(f for f in findings if f.severity is Severity.ERROR)
    program = normalise(description)
    read_seconds = time.perf_counter() - started
    machine: Machine | None = None
    grounded = fallback = None
    if engine != "reference":
        try:
            grounded = ground(program, limits)
            machine = CompiledMachine(grounded)
        except LimitError as error:
            if engine == "compiled":
                raise
            fallback = error.findings[0]
            grounded = None
    return Game(
        name=entry.name if entry else source.name,
        source=source,
        program=program,
        findings=tuple(findings),
        machine=machine or _reference(program, fallback),
        ground=grounded,
        fallback=fallback,
        entry=entry,
        read_seconds=read_seconds,
    )


def _reference(program: Program, fallback: Finding | None) -> Machine:
    """The reasoner; if it gives up too, the error says why it had to try."""
    # Most games never need it: a tenth of a second of start-up less.
    from fogspiel.machine.reference.machine import ReferenceMachine

    try:
        return ReferenceMachine(program)
    except LimitError as error:
        raise LimitError([*([fallback] if fallback else []), *error.findings]) from None
