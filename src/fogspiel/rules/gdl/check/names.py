"""Names: relations, fluents and moves that are misspelt, never stated, or never asked for.

Lint stands here as well: names that nothing asks for are allowed, and probably not meant.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from difflib import get_close_matches

from fogspiel.core.findings import Finding, Severity
from fogspiel.core.source import Span
from fogspiel.rules.clauses import GOAL, INIT, LEGAL, NEXT, ROLE, TERMINAL, Signature
from fogspiel.rules.gdl.check.arities import counted
from fogspiel.rules.gdl.cross_reference import CrossReference
from fogspiel.rules.gdl.syntax import KEYWORD_ARITIES, Atom, Compound, Variable, all_terms

MAX_CANDIDATES = 1_000
"""Names searched for a close one: enough for any sheet, and little work on a hostile one."""
REQUIRED = (ROLE, LEGAL, TERMINAL, GOAL)
"""Keywords about whose lack there is a finding of its own."""


def undefined_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Relations that are asked for and never stated, so never hold."""
    fluents = _arguments(sheet, INIT, NEXT)
    names = {name for name, _ in sheet.heads} | sheet.lost
    asked: set[Signature] = set()
    for use in sheet.uses:
        wanted = use.atom.signature
        if wanted in asked or use.atom.predicate in KEYWORD_ARITIES:
            continue
        asked.add(wanted)
        if fluents is not None and wanted in fluents:
            yield _forgotten_true(sheet, use.atom, is_stated=wanted in sheet.heads)
        elif wanted[0] not in names:  # With other numbers of arguments, GDL025 says so.
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
    known = [*sheet.heads, *KEYWORD_ARITIES.items(), ("not", 1), ("or", arity), ("and", arity)]
    candidates = sorted({other for other, count in known if count == arity})
    close = get_close_matches(name, candidates[:MAX_CANDIDATES], n=1)
    return sheet.warning(
        "GDL050",
        atom.span,
        f"nothing states `{name}` with {counted(arity)}: it never holds",
        f"did you mean `{close[0]}`?" if close else f"state when `{name}` holds",
    )


def unused_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Relations that no rule but their own asks for: misspelt keywords, or just of no use."""
    for head, rules in sheet.heads.items():
        if head not in sheet.unused:
            continue
        name, span = head[0], rules[0].head.span
        if meant := sheet.misspelt.get(head):
            if meant in sheet.heads or meant not in REQUIRED:
                message = f"nothing asks for `{name}`, which looks like the keyword `{meant[0]}`"
                yield sheet.warning("GDL061", span, message, f"did you mean `{meant[0]}`?")
        elif name in sheet.roles:
            yield sheet.warning(
                "GDL062",
                span,
                f"nothing asks for the relation `{name}`, which has the name of a role",
                f"did you mean to state `sees`, `legal` or `goal` of {name}?",
            )
        else:
            message = f"nothing asks for `{name}`"
            fix = "remove its rules, or use it"
            yield sheet.finding("GDL051", span, message, fix, Severity.NOTE)


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
        if term.functor in sheet.lost:
            continue
        reported.add((use.atom.predicate, wanted))
        if finding := _impossible(sheet, use.atom, term, known):
            yield finding


def _impossible(
    sheet: CrossReference, atom: Atom, term: Compound, known: set[Signature]
) -> Finding | None:
    name, arity = term.functor, len(term.arguments)
    is_fluent = atom.predicate == "true"
    code, what, where, never = (
        ("GDL057", "fluent", "`init` or `next`", "it never holds")
        if is_fluent
        else ("GDL058", "move", "`legal`", "nobody ever makes it")
    )
    counts = sorted(count for other, count in known if other == name)
    if counts and arity and any(counts):
        return None  # GDL026 is about the two numbers of arguments.
    if counts:
        message = (
            f"the {what} `{name}` has {counted(counts[0])} in {where} and {arity} here: {never}"
        )
        return sheet.warning(code, term.span, message, f"give it {counted(counts[0])} here too")
    candidates = sorted({name for name, _ in known})[:MAX_CANDIDATES]
    close = get_close_matches(name, candidates, n=1)
    hint = f"did you mean `{close[0]}`?" if close else "remove the condition, or the fault in it"
    return sheet.warning(code, term.span, f"no {where} states the {what} `{name}`: {never}", hint)


def _arguments(sheet: CrossReference, *heads: Signature) -> set[Signature] | None:
    """Names and arities of the last arguments of some heads; None if one is a variable."""
    found: set[Signature] = set()
    for head in heads:
        for rule in sheet.stated_as(head):
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
