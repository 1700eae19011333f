"""Sheets that look like GDL and follow other rules. They get one clear word, not a hundred."""

from __future__ import annotations

from fogspiel.core.findings import Finding
from fogspiel.rules.gdl.cross_reference import CrossReference, signature
from fogspiel.rules.gdl.syntax import Atom, Compound


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
        for head in (("init", 1), ("next", 1))
        for rule in sheet.heads.get(head, ())
        if isinstance(term := rule.head.arguments[0], Compound)
    }
    for use in sheet.uses:
        if signature(use.atom) in fluents and signature(use.atom) not in sheet.heads:
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
