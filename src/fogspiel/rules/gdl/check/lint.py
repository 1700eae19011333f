"""Lint: what is allowed and probably not meant. Names that nothing states, or nothing asks for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from difflib import get_close_matches

from fogspiel.core.findings import Finding, Severity
from fogspiel.core.source import Span
from fogspiel.rules.clauses import INIT, LEGAL, NEXT, Signature
from fogspiel.rules.gdl.cross_reference import CrossReference
from fogspiel.rules.gdl.syntax import KEYWORD_ARITIES, Atom, Compound, Variable, all_terms

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
