"""Names that differ only by case.

Keywords are read in any case and all other names exactly as written. One exception follows what
the public sheets need: a relation that is asked for in one spelling and stated only in another
(`timeOut` and `timeout`) can only have been meant as one, and is read so, with a warning. Three of
about 600 public sheets need this; none uses two spellings for two different relations.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from fogspiel.core.findings import Finding
from fogspiel.core.source import Span
from fogspiel.rules.gdl.cross_reference import CrossReference, all_terms, signature
from fogspiel.rules.gdl.syntax import And, Atom, Compound, Description, Formula, Not, Or


def fold_stray_case(description: Description) -> tuple[Description, list[Finding]]:
    """Read relations that nothing states as the ones that differ from them only by case."""
    sheet = CrossReference(description)
    spellings: dict[tuple[str, int], set[str]] = defaultdict(set)
    for name, arity in sheet.heads:
        spellings[name.lower(), arity].add(name)
    renamed: dict[tuple[str, int], str] = {}
    findings: list[Finding] = []
    for use in sheet.uses:
        name, arity = used = signature(use.atom)
        candidates = spellings.get((name.lower(), arity), set())
        if used in sheet.heads or used in renamed or len(candidates) != 1:
            continue
        (renamed[used],) = candidates
        findings.append(
            sheet.warning(
                "GDL054",
                use.atom.span,
                f"`{name}` is stated nowhere, `{renamed[used]}` is: read as the same relation",
                f"write {renamed[used]}",
            )
        )
    if not renamed:
        return description, []
    rules = tuple(
        replace(rule, body=tuple(_renamed(formula, renamed) for formula in rule.body))
        for rule in description.rules
    )
    return replace(description, rules=rules), findings


def _renamed(formula: Formula, names: dict[tuple[str, int], str]) -> Formula:
    match formula:
        case Atom(predicate):
            return replace(formula, predicate=names.get(signature(formula), predicate))
        case Not(inner):
            return replace(formula, formula=_renamed(inner, names))
        case And(formulas) | Or(formulas):
            return replace(formula, formulas=tuple(_renamed(part, names) for part in formulas))
        case _:
            return formula


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
