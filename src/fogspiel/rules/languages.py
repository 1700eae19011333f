"""The languages of rules: which one a text is in, and how its rules are read and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from fogspiel.core.findings import Finding, RulesError, errors_in, in_order
from fogspiel.core.source import Source

if TYPE_CHECKING:
    from fogspiel.rules.clauses import Program
    from fogspiel.rules.pogddl.syntax import GameDescription

Language: TypeAlias = Literal["gdl", "pogddl", "efg"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Rules without errors, as clauses and, where they came as POGDDL, as its description."""

    language: Language
    program: Program = field(repr=False)
    description: GameDescription | None = field(default=None, repr=False)
    """The game in POGDDL, of which the clauses were made; None for GDL."""


def language_of(text: str) -> Language:
    """The language of a text, by a look at its content."""
    from fogspiel.rules.efg.read import is_efg
    from fogspiel.rules.pogddl.text_parts import is_pogddl

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
    from fogspiel.rules.gdl.check.checks import check, in_order
    from fogspiel.rules.gdl.normalise.normalise import normalise
    from fogspiel.rules.gdl.read import read_description

    description, findings = read_description(source)
    findings = in_order([*findings, *check(description)])
    if errors_in(findings):
        return findings, None
    return findings, Rules(language="gdl", program=normalise(description))


def _examine_pogddl(sources: Sequence[Source]) -> tuple[list[Finding], Rules | None]:
    from fogspiel.rules.pogddl.check.checks import read_and_check

    description, findings = read_and_check(sources)
    if errors_in(findings) or description.domain is None or description.problem is None:
        return findings, None
    return findings, _rules_of_description("pogddl", description)


def _examine_efg(source: Source) -> tuple[list[Finding], Rules | None]:
    from fogspiel.rules.efg.as_pogddl import as_pogddl
    from fogspiel.rules.efg.checks import read_and_check

    game, findings = read_and_check(source)
    if errors_in(findings) or game is None:
        return findings, None
    try:
        description = as_pogddl(game, with_own_names=True)
    except RulesError as error:
        # What is only a warning about a tree may be an error about rules.
        said = {(finding.code, finding.span) for finding in error.findings}
        others = [finding for finding in findings if (finding.code, finding.span) not in said]
        return in_order([*others, *error.findings], [source]), None
    return findings, _rules_of_description("efg", description)


def _rules_of_description(language: Language, description: GameDescription) -> Rules:
    from fogspiel.rules.pogddl.lower.lower import lower

    return Rules(language=language, program=lower(description), description=description)
