"""The variable-free program of a game, and how rules become one."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from fogspiel.core.findings import Finding, LimitError
from fogspiel.core.limits import GroundLimits
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.ground.encode import SHOWN, encode
from fogspiel.ground.gringo import GrounderStoppedError, run_grounder
from fogspiel.ground.output import GroundRules, parse_output
from fogspiel.ground.split import split_rules
from fogspiel.lang.clauses import Program
from fogspiel.lang.gdl.estimate import CEILING, estimate_instances

ALWAYS = 0
"""The atom number of what holds in every state."""

HOPELESS_SECONDS = 2.0
"""For rules that seem to build terms without end: an estimate may err, so they get a chance."""

REASONS = {
    "GRD001": ("takes too long", "lower the number of joined conditions"),
    "GRD002": ("needs too much memory", "lower the number of joined conditions"),
    "GRD003": ("has too many atoms", "use fewer arguments in the relations it derives"),
    "GRD004": ("has too many rules", "split the rule so that fewer variables meet in one body"),
    "GRD005": ("failed", "run `fogspiel check`; if it finds nothing, please report the rules"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundProgram:
    """Every relation that matters to play, as atom numbers of `rules`. Sorted, so it repeats."""

    rules: GroundRules
    roles: tuple[str, ...]
    chance_role: str | None
    has_percepts: bool
    initial: frozenset[GroundTerm]
    fluents: dict[GroundTerm, int]
    """What may be true: term -> atom of `true`."""
    moves: dict[tuple[str, GroundTerm], int]
    """What may be done: (role, move) -> atom of `does`."""
    next: dict[GroundTerm, int]
    legal: dict[tuple[str, GroundTerm], int]
    goals: dict[tuple[str, GroundTerm], int]
    sees: dict[tuple[str, GroundTerm], int]
    terminal: int | None
    """Atom of `terminal`; None where it never holds."""
    seconds: float = field(compare=False)


def ground(program: Program, limits: GroundLimits | None = None) -> GroundProgram:
    """Ground a program. Raises `LimitError` naming the rule that explodes."""
    limits = limits or GroundLimits()
    started = time.perf_counter()
    estimates = estimate_instances(program)
    encoding = encode(split_rules(program, estimates))
    if max(estimates, default=0.0) >= CEILING:
        seconds = min(limits.processor_seconds, HOPELESS_SECONDS)
        limits = replace(limits, processor_seconds=seconds)
    try:
        rules, shown = parse_output(run_grounder(encoding.text, limits, SHOWN))
    except GrounderStoppedError as stop:
        raise LimitError(_explosion(program, stop)) from None
    unary: dict[str, dict[GroundTerm, int]] = {n: {} for n in ("role", "init", "true", "next")}
    binary: dict[str, dict[tuple[str, GroundTerm], int]] = {
        n: {} for n in ("does", "legal", "goal", "sees")
    }
    terminal = None
    for symbol, atom in shown.items():
        relation, arguments = encoding.decode(symbol)
        if relation in unary:
            unary[relation][arguments[0]] = atom
        elif relation in binary:
            # A role is a name; an atom about any other term can never matter.
            if isinstance(arguments[0], str):
                binary[relation][arguments[0], arguments[1]] = atom
        else:
            terminal = atom
    return GroundProgram(
        rules=rules,
        roles=program.roles,
        chance_role=program.chance_role,
        has_percepts=program.has_percepts,
        initial=frozenset(unary["init"]),
        fluents=_by_term(unary["true"]),
        moves=_by_role_and_term(binary["does"]),
        next=_by_term(unary["next"]),
        legal=_by_role_and_term(binary["legal"]),
        goals=_by_role_and_term(binary["goal"]),
        sees=_by_role_and_term(binary["sees"]),
        terminal=terminal,
        seconds=time.perf_counter() - started,
    )


def _by_term(atoms: dict[GroundTerm, int]) -> dict[GroundTerm, int]:
    return dict(sorted(atoms.items(), key=lambda item: format_term(item[0])))


def _by_role_and_term(
    atoms: dict[tuple[str, GroundTerm], int],
) -> dict[tuple[str, GroundTerm], int]:
    return dict(sorted(atoms.items(), key=lambda item: (item[0][0], format_term(item[0][1]))))


def _explosion(program: Program, stop: GrounderStoppedError) -> Finding:
    """The finding for a program that passed a limit: which rule, and by how much."""
    what, fix = REASONS[stop.code]
    message = f"grounding {what}: {stop.reached}"
    span = None
    if stop.code != "GRD005" and program.clauses:
        estimates = estimate_instances(program)
        worst = max(range(len(estimates)), key=estimates.__getitem__)
        span = program.clauses[worst].span
        message += f"; this rule alone stands for about {estimates[worst]:.2g} ground rules"
    return Finding(code=stop.code, message=message, fix=fix, source=program.source, span=span)
