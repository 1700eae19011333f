"""Making of games: rules are read, checked, grounded and compiled, or taken from the cache.

What cannot be compiled is played by the reference reasoner, on the rules as they are written.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from fogspiel.core.findings import Finding, LimitError, RulesError, errors_in
from fogspiel.core.limits import GroundLimits
from fogspiel.core.source import Source
from fogspiel.games.cache import KeptGame
from fogspiel.machine.protocol import Machine

if TYPE_CHECKING:
    from fogspiel.ground.program import GroundProgram
    from fogspiel.machine.compiled.machine import CompiledMachine
    from fogspiel.rules.languages import Rules

EngineChoice: TypeAlias = Literal["auto", "compiled", "reference"]
"""An engine: the compiled one, the reference reasoner, or the first of them that can play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGame:
    """A machine, what is known of its game, and what it was made of unless it was kept."""

    facts: KeptGame
    machine: Machine
    rules: Rules | None = None
    grounded: GroundProgram | None = None


def kept_game(kept: KeptGame) -> FoundGame | None:
    """The game that was kept; None if it was not compiled, or what is left of it is of no use."""
    if kept.compiled is None:
        return None
    from fogspiel.machine.compiled.compile.compiled_game import CompiledGame
    from fogspiel.machine.compiled.machine import CompiledMachine

    try:
        machine = CompiledMachine(CompiledGame.from_record(kept.compiled))
    except (LookupError, TypeError, ValueError):
        return None
    return FoundGame(facts=kept, machine=machine)


def made_game(
    sources: Sequence[Source],
    engine: EngineChoice,
    limits: GroundLimits | None,
    fallback: Finding | None,
) -> FoundGame:
    """Read and check rules, ground them, and compile them or let the reference reasoner play.

    fallback: the reason why that is known to play.
    """
    started = time.perf_counter()
    rules, findings = sound_rules(sources)
    facts = KeptGame(
        language=rules.language,
        hides=rules.program.has_percepts,
        findings=tuple(findings),
        read_seconds=time.perf_counter() - started,
        fallback=fallback,
    )
    if engine != "reference" and fallback is None:
        try:
            grounded, machine = _compiled(rules, limits)
        except (LimitError, RulesError) as error:
            # Derived predicates of POGDDL may recur under `forall`, which clauses cannot say.
            unsuited = isinstance(error, LimitError) or rules.description is not None
            if engine == "compiled" or not unsuited:
                raise
            facts = replace(facts, fallback=error.findings[0])
        else:
            facts = replace(facts, compiled=machine.game.record())
            return FoundGame(facts=facts, machine=machine, rules=rules, grounded=grounded)
    return FoundGame(facts=facts, machine=_reference(rules, facts.fallback), rules=rules)


def _compiled(rules: Rules, limits: GroundLimits | None) -> tuple[GroundProgram, CompiledMachine]:
    from fogspiel.ground.program import ground
    from fogspiel.machine.compiled.machine import CompiledMachine

    grounded = ground(rules.program, limits)
    return grounded, CompiledMachine(grounded)


def _reference(rules: Rules, fallback: Finding | None) -> Machine:
    """The reasoner; if it gives up too, the error says why it had to try."""
    try:
        return reference_machine(rules)
    except LimitError as error:
        raise LimitError([*([fallback] if fallback else []), *error.findings]) from None


def reference_machine(rules: Rules) -> Machine:
    """The machine that plays rules as they are written. May raise `LimitError`."""
    # Most games need neither: a tenth of a second of start-up less.
    if rules.description is not None:
        from fogspiel.machine.interpreter.machine import InterpretedMachine

        return InterpretedMachine(rules.description)
    from fogspiel.machine.prover.machine import ReferenceMachine

    return ReferenceMachine(rules.program)


def sound_rules(sources: Sequence[Source]) -> tuple[Rules, list[Finding]]:
    """The rules of some texts, with warnings and notes. Raises `RulesError` with all errors."""
    from fogspiel.rules.languages import examine

    findings, rules = examine(sources)
    if rules is None:
        raise RulesError(errors_in(findings) or findings)
    return rules, findings
