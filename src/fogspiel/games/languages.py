"""The languages of rules: which one a text is in, and how its rules are read and checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from fogspiel.core.findings import Finding, Severity
from fogspiel.core.source import Source
from fogspiel.lang.clauses import Program
from fogspiel.lang.pogddl.syntax import GameDescription
from fogspiel.machine.protocol import Machine

Language: TypeAlias = Literal["gdl", "pogddl", "efg"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Rules without errors: their clauses, and the machine that plays them as they are written."""

    language: Language
    program: Program = field(repr=False)
    make_reference: Callable[[], Machine] = field(repr=False)
    """May raise `LimitError`."""
    description: GameDescription | None = field(default=None, repr=False)
    """The game in POGDDL, of which the clauses were made; None for GDL."""


def language_of(text: str) -> Language:
    """The language of a text, by a look at its content."""
    from fogspiel.lang.efg.read import is_efg
    from fogspiel.lang.pogddl.read import is_pogddl

    if is_efg(text):
        return "efg"
    return "pogddl" if is_pogddl(text) else "gdl"


def examine(sources: Sequence[Source]) -> tuple[list[Finding], Rules | None]:
    """All findings about rules, in the order of the text, and the rules if they have no errors.

    sources: one text, or the domain and the problem of a game in POGDDL.
    Raises `RulesError` and `LimitError` for what cannot be read at all.
    """
    language = language_of(sources[0].text)
    if language == "efg":
        return _examine_efg(sources[0])
    return _examine_pogddl(sources) if language == "pogddl" else _examine_gdl(sources[0])


def _examine_gdl(source: Source) -> tuple[list[Finding], Rules | None]:
    from fogspiel.lang.gdl.checks import check, in_order, is_playable
    from fogspiel.lang.gdl.normal import normalise
    from fogspiel.lang.gdl.read import read_description

    description, findings = read_description(source)
    findings = in_order([*findings, *check(description)])
    if not is_playable(findings):
        return findings, None
    program = normalise(description)

    def make_reference() -> Machine:
        # Most games never need it: a tenth of a second of start-up less.
        from fogspiel.machine.reference.machine import ReferenceMachine

        return ReferenceMachine(program)

    return findings, Rules(language="gdl", program=program, make_reference=make_reference)


def _examine_pogddl(sources: Sequence[Source]) -> tuple[list[Finding], Rules | None]:
    from fogspiel.lang.pogddl.checks import read_and_check

    description, findings = read_and_check(sources)
    if has_errors(findings) or description.domain is None or description.problem is None:
        return findings, None
    return findings, _rules_of_description("pogddl", description)


def _examine_efg(source: Source) -> tuple[list[Finding], Rules | None]:
    from fogspiel.lang.efg.as_pogddl import as_pogddl
    from fogspiel.lang.efg.checks import read_and_check

    game, findings = read_and_check(source)
    if has_errors(findings) or game is None:
        return findings, None
    return findings, _rules_of_description("efg", as_pogddl(game))


def _rules_of_description(language: Language, description: GameDescription) -> Rules:
    from fogspiel.lang.pogddl.lower import lower

    def make_reference() -> Machine:
        from fogspiel.machine.interpreted.machine import InterpretedMachine

        return InterpretedMachine(description)

    return Rules(
        language=language,
        program=lower(description),
        description=description,
        make_reference=make_reference,
    )


def has_errors(findings: Sequence[Finding]) -> bool:
    """Whether a finding means that there is nothing to play."""
    return any(finding.severity is Severity.ERROR for finding in findings)
