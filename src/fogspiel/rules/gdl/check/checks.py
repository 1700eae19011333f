"""All that can be said about a description before it is played.

An error means that the rules have no meaning; a warning, that they break the letter of GDL or say
something odd, and are played all the same; a note is a remark. All findings are reported at once.
A sheet that looks like GDL and follows other rules gets a single finding. Lint stands here as well:
names that nothing states, or nothing asks for, are allowed and probably not meant.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from itertools import islice

from fogspiel.core.findings import MAX_OF_ONE_CODE, Finding, FogspielError, Severity, errors_in
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Span
from fogspiel.rules.clauses import INIT, LEGAL, NEXT, Signature
from fogspiel.rules.gdl.check.soundness import (
    recursion_findings,
    safety_findings,
    stratification_findings,
)
from fogspiel.rules.gdl.check.structure import (
    argument_findings,
    arity_findings,
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
from fogspiel.rules.gdl.syntax import (
    KEYWORD_ARITIES,
    Atom,
    Compound,
    Description,
    Variable,
    all_terms,
)

NOTED_INSTANCES = 1e7
"""Recursive relations are estimated too large; below this, grounding mostly succeeds."""
NOTED_RULES = 5


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
    """Findings by place, and not too many of one kind."""
    ordered = sorted(findings, key=lambda f: (f.span is not None, f.span or (0, 0), f.code))
    counts: Counter[str] = Counter()
    kept: list[Finding] = []
    for finding in ordered:
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


MAX_CANDIDATES = 1_000
"""Names searched for a close one: enough for any sheet, and little work on a hostile one."""


def undefined_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Relations that are asked for and never stated, so never hold."""
    fluents = _arguments(sheet, INIT, NEXT)
    asked: set[Signature] = set()
    for use in sheet.uses:
        wanted = use.atom.signature
        if wanted in asked or use.atom.predicate in KEYWORD_ARITIES:
            continue
        asked.add(wanted)
        if fluents is not None and wanted in fluents:
            yield _forgotten_true(sheet, use.atom, is_stated=wanted in sheet.heads)
        elif wanted not in sheet.heads:
            yield _undefined(sheet, use.atom)


def _forgotten_true(sheet: CrossReference, atom: Atom, *, is_stated: bool) -> Finding:
    written = sheet.written(atom.span)
    if is_stated:
        return sheet.finding(
            "GDL052",
            atom.span,
            f"`{atom.predicate}` names a relation and a fluent as well",
            "give them two names, so that a forgotten `true` is noticed",
            Severity.NOTE,
        )
    return sheet.warning(
        "GDL052",
        atom.span,
        f"`{atom.predicate}` is a fluent; as a relation it is stated nowhere and never holds",
        f"ask for the fluent: (true {written})",
    )


def _undefined(sheet: CrossReference, atom: Atom) -> Finding:
    name, arity = atom.signature
    same_name = sorted(count for other, count in sheet.heads if other == name)
    if same_name:
        fix = f"`{name}` is stated with {same_name[0]} arguments; did you mean that?"
    else:
        known = [*sheet.heads, *KEYWORD_ARITIES.items()]
        candidates = sorted({other for other, count in known if count == arity})
        close = get_close_matches(name, candidates[:MAX_CANDIDATES], n=1)
        fix = f"did you mean `{close[0]}`?" if close else f"state when `{name}` holds"
    return sheet.warning(
        "GDL050",
        atom.span,
        f"nothing states `{name}` with {arity} argument{'s' * (arity != 1)}: it never holds",
        fix,
    )


def unused_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Relations that no rule but their own asks for."""
    used = {
        use.atom.signature for use in sheet.uses if use.atom.signature != use.rule.head.signature
    }
    for head, rules in sheet.heads.items():
        if head[0] not in KEYWORD_ARITIES and head not in used:
            yield sheet.finding(
                "GDL051",
                rules[0].head.span,
                f"nothing asks for `{head[0]}`",
                "remove its rules, or use it",
                Severity.NOTE,
            )


def impossible_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Fluents that no `init` or `next` brings about, and moves that are never legal."""
    fluents = _arguments(sheet, INIT, NEXT)
    moves = _arguments(sheet, LEGAL)
    reported: set[tuple[str, Signature]] = set()
    for use in sheet.uses:
        known = {"true": fluents, "does": moves}.get(use.atom.predicate)
        if known is None or len(use.atom.arguments) != KEYWORD_ARITIES[use.atom.predicate]:
            continue
        term = use.atom.arguments[-1]
        if isinstance(term, Variable):
            continue
        wanted = (term.functor, len(term.arguments))
        if wanted in known or (use.atom.predicate, wanted) in reported:
            continue
        reported.add((use.atom.predicate, wanted))
        yield _impossible(sheet, use.atom, term, known)


def _impossible(
    sheet: CrossReference, atom: Atom, term: Compound, known: set[Signature]
) -> Finding:
    candidates = sorted({name for name, _ in known})[:MAX_CANDIDATES]
    close = get_close_matches(term.functor, candidates, n=1)
    hint = f"did you mean `{close[0]}`?" if close else "remove the condition, or the fault in it"
    if atom.predicate == "true":
        message = f"the fluent `{term.functor}` is in no `init` or `next` of this form: never true"
        return sheet.warning("GDL057", term.span, message, hint)
    message = f"the move `{term.functor}` is in no `legal` of this form: never made"
    return sheet.warning("GDL058", term.span, message, hint)


def _arguments(sheet: CrossReference, *heads: Signature) -> set[Signature] | None:
    """Names and arities of the last arguments of some heads; None if one is a variable."""
    found: set[Signature] = set()
    for head in heads:
        for rule in sheet.heads.get(head, ()):
            term = rule.head.arguments[-1]
            if isinstance(term, Variable):
                return None
            found.add((term.functor, len(term.arguments)))
    return found


def case_findings(sheet: CrossReference) -> list[Finding]:
    """One warning for every pair of names that differ only by case."""
    first: dict[str, Span] = {}
    names: dict[str, list[str]] = defaultdict(list)
    for rule in sheet.rules:
        named = [(rule.head.predicate, rule.head.span)]
        named += [(t.functor, t.span) for t in all_terms(rule) if isinstance(t, Compound)]
        for name, span in named:
            if name not in first:
                first[name] = span
                names[name.lower()].append(name)
    return [
        sheet.warning(
            "GDL053",
            first[name],
            f"`{name}` and `{spellings[0]}` differ only by case and are two names",
            f"write {spellings[0]} everywhere if one name is meant",
        )
        for spellings in names.values()
        for name in spellings[1:]
    ]
