"""Derived predicates must not depend on their own negation: then they would mean nothing.

Source: Edelkamp & Hoffmann (2004), PDDL 2.2, on the semantics of derived predicates.
Departure: recursion under `not` is refused only where it is a circle, as in stratified programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fogspiel.core.findings import FindingCollector
from fogspiel.rules.graphs import components
from fogspiel.rules.pogddl.syntax import (
    And,
    Atom,
    Condition,
    Derived,
    Imply,
    Not,
    Or,
    Quantified,
)


def check_derivation(rules: Sequence[Derived], notes: FindingCollector) -> None:
    """Negations that close a circle of derived predicates, one finding for each."""
    names = {rule.head.name.text for rule in rules}
    graph: dict[str, set[str]] = {name: set() for name in names}
    negations: list[tuple[str, Atom]] = []
    for rule in rules:
        head = rule.head.name.text
        for atom, is_negated in _atoms(rule.condition):
            if atom.name.text in names:
                graph[head].add(atom.name.text)
                if is_negated:
                    negations.append((head, atom))
    circle = components({name: sorted(graph[name]) for name in sorted(graph)})
    for head, atom in negations:
        if circle[head] == circle[atom.name.text]:
            fix = "derive what is negated without asking for this predicate"
            message = f"`{head}` depends on the negation of itself"
            notes.error("POG033", atom.span, message, fix)


def _atoms(condition: Condition) -> Iterator[tuple[Atom, bool]]:
    """The atoms of a condition, each with whether it stands under an odd number of negations."""
    work: list[tuple[Condition, bool]] = [(condition, False)]
    while work:
        item, is_negated = work.pop()
        match item:
            case Atom():
                yield item, is_negated
            case And(inner) | Or(inner):
                work += [(part, is_negated) for part in reversed(inner)]
            case Not(inner):
                work.append((inner, not is_negated))
            case Imply(premise, conclusion):
                work += [(conclusion, is_negated), (premise, not is_negated)]
            case Quantified(_, _, inner):
                work.append((inner, is_negated))
            case _:
                pass  # comparisons ask for no predicate
