"""All that can be said about a description before it is played.

An error means that the rules have no meaning; a warning, that they break the letter of GDL or say
something odd, and are played all the same; a note is a remark. All findings are reported at once.
A sheet that looks like GDL and follows other rules gets a single finding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice

from fogspiel.core.findings import (
    MAX_OF_ONE_CODE,
    Finding,
    FogspielError,
    Severity,
    errors_in,
    is_cause,
)
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Span
from fogspiel.rules.clauses import INIT, NEXT
from fogspiel.rules.gdl.check.arities import arity_findings
from fogspiel.rules.gdl.check.names import (
    case_findings,
    impossible_findings,
    undefined_findings,
    unused_findings,
)
from fogspiel.rules.gdl.check.observations import observation_findings
from fogspiel.rules.gdl.check.soundness import (
    recursion_findings,
    safety_findings,
    stratification_findings,
)
from fogspiel.rules.gdl.check.structure import (
    argument_findings,
    dependency_findings,
    goal_findings,
    missing_findings,
    placement_findings,
    shape_findings,
    size_findings,
)
from fogspiel.rules.gdl.cross_reference import CrossReference
from fogspiel.rules.gdl.normalise.estimate import CEILING, estimate_instances
from fogspiel.rules.gdl.normalise.normalise import normalise
from fogspiel.rules.gdl.roles import turn_findings
from fogspiel.rules.gdl.syntax import Atom, Compound, Description

NOTED_INSTANCES = 1e7
"""Recursive relations are estimated too large; below this, grounding mostly succeeds."""
NOTED_RULES = 5
LACKS_ARGUMENTS = frozenset({"GDL024", "GDL025", "GDL050", "GDL057", "GDL058"})


def check(description: Description, limits: ReadLimits | None = None) -> list[Finding]:
    """Every finding about the rules, in the order of the text."""
    sheet = CrossReference(description, limits)
    # Under other rules nothing else that could be said would be right.
    if extensions := extension_findings(sheet):
        return extensions
    findings = [
        *missing_findings(sheet),
        *arity_findings(sheet),
        *shape_findings(sheet),
        *size_findings(sheet),
        *safety_findings(sheet),
        *stratification_findings(sheet),
        *recursion_findings(sheet),
        *placement_findings(sheet),
    ]
    # Keywords with a wrong number of arguments would make these checks guess.
    if not any(f.code == "GDL024" for f in errors_in(findings)):
        findings += [
            *dependency_findings(sheet),
            *argument_findings(sheet),
            *goal_findings(sheet),
            *islice(undefined_findings(sheet), MAX_OF_ONE_CODE),
            *unused_findings(sheet),
            *islice(impossible_findings(sheet), MAX_OF_ONE_CODE),
            *case_findings(sheet),
            *observation_findings(sheet),
            *turn_findings(sheet),
        ]
    if not errors_in(findings):
        findings += _size_findings(sheet, limits)
    return in_order(findings)


def _size_findings(sheet: CrossReference, limits: ReadLimits | None) -> list[Finding]:
    """The rules that grounding may not get through, by estimate."""
    try:
        program = normalise(sheet.description, limits)
    except FogspielError as error:
        return list(error.findings)
    if not program.roles:
        message = "no role follows from the facts: its rules ask for more than facts"
        return [sheet.error("GDL020", None, message, "write one fact for each role: (role white)")]
    largest: dict[Span, float] = {}
    for clause, size in zip(program.clauses, estimate_instances(program), strict=True):
        if clause.span is not None and size > NOTED_INSTANCES:
            largest[clause.span] = max(size, largest.get(clause.span, 0.0))
    ranked = sorted(largest, key=lambda span: (-largest[span], span))
    return [
        sheet.finding(
            "GDL055",
            span,
            *_size_texts(largest[span]),
            Severity.NOTE,
        )
        for span in ranked[:NOTED_RULES]
    ]


def _size_texts(size: float) -> tuple[str, str]:
    """Message and fix for a rule of so many instances."""
    if size >= CEILING:
        return "terms seem to grow without end through this rule", "bound what the rule nests"
    return (
        f"this rule stands for about {size:.1g} ground rules, by estimate",
        "split it: give a group of conditions that share few variables a relation of its own",
    )


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by place, causes before what may follow from them, and not too many of one kind."""
    found = list(findings)
    ordered = sorted(
        found, key=lambda f: (not is_cause(f), f.span is not None, f.span or (0, 0), f.code)
    )
    # `(deal)` lacks its arguments; that it is read as `deal` need not be said besides.
    others = {finding.span for finding in found if finding.code in LACKS_ARGUMENTS}
    counts: Counter[str] = Counter()
    kept: list[Finding] = []
    for finding in ordered:
        if finding.code == "GDL019" and finding.span in others:
            continue
        counts[finding.code] += 1
        if counts[finding.code] <= MAX_OF_ONE_CODE:
            kept.append(finding)
    return kept


def extension_findings(sheet: CrossReference) -> list[Finding]:
    """One finding for a sheet with stochastic outcomes, none for any other."""
    for rule in sheet.rules:
        if _is_outcome(rule.head) and not _is_certain(rule.head):
            return [
                sheet.error(
                    "GDL060",
                    rule.head.span,
                    "not GDL-II: this is an unknown extension, with outcomes of moves drawn from "
                    "sets of weights",
                    "let a role named `random` choose the outcome by its own legal moves",
                )
            ]
    return _bare_fluents(sheet)


def _bare_fluents(sheet: CrossReference) -> list[Finding]:
    """Sheets that never say `true` and ask for fluents by their names alone."""
    if any(use.atom.predicate == "true" for use in sheet.uses):
        return []
    fluents = {
        (term.functor, len(term.arguments))
        for head in (INIT, NEXT)
        for rule in sheet.heads.get(head, ())
        if isinstance(term := rule.head.arguments[0], Compound)
    }
    for use in sheet.uses:
        if use.atom.signature in fluents and use.atom.signature not in sheet.heads:
            return [
                sheet.error(
                    "GDL060",
                    use.atom.span,
                    f"not GDL-II: the fluent `{use.atom.predicate}` is asked for without `true`, "
                    "and so is every other",
                    "write (true …) around each fluent in a body",
                )
            ]
    return []


def _is_certain(atom: Atom) -> bool:
    """`(outcome ?r ?m (set (does ?r ?m)) (set 1))` says nothing: moves do what they say."""
    role, move, effects, weights = atom.arguments
    return effects == Compound("set", (Compound("does", (role, move)),)) and weights == Compound(
        "set", (Compound("1"),)
    )


def _is_outcome(atom: Atom) -> bool:
    """`(outcome role move (set …) (set …))`: effects of a move, and their probabilities."""
    return (
        atom.predicate == "outcome"
        and len(atom.arguments) == 4
        and any(isinstance(term, Compound) and term.functor == "set" for term in atom.arguments[2:])
    )
