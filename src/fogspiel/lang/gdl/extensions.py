"""Sheets that look like GDL and follow other rules. They get one clear word, not a hundred."""

from __future__ import annotations

from fogspiel.core.findings import Finding
from fogspiel.lang.gdl.sheet import Sheet
from fogspiel.lang.gdl.syntax import Atom, Compound


def extension_findings(sheet: Sheet) -> list[Finding]:
    """One finding for a sheet with stochastic outcomes, none for any other."""
    for rule in sheet.rules:
        if _is_outcome(rule.head):
            return [
                sheet.error(
                    "GDL060",
                    rule.head.span,
                    "not GDL-II: this is an unknown extension, with outcomes of moves drawn from "
                    "sets of weights",
                    "let a role named `random` choose the outcome by its own legal moves",
                )
            ]
    return []


def _is_outcome(atom: Atom) -> bool:
    """`(outcome role move (set …) (set …))`: effects of a move, and their probabilities."""
    return (
        atom.predicate == "outcome"
        and len(atom.arguments) == 4
        and any(isinstance(term, Compound) and term.functor == "set" for term in atom.arguments[2:])
    )
