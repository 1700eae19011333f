"""A description seen from above: who states and who uses which relation, and what depends on what.

Built once and shared by all checks. Relations are told apart by name and arity.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from fogspiel.core.findings import Finding, Severity
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Span
from fogspiel.rules.clauses import Clause, Signature
from fogspiel.rules.gdl.normalise.dnf import clauses_of_rule, too_large_findings
from fogspiel.rules.gdl.normalise.sorts import ArgumentSorts
from fogspiel.rules.gdl.syntax import (
    And,
    Atom,
    Compound,
    Description,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Term,
)
from fogspiel.rules.graphs import components, reachable

PLAYED: frozenset[Signature] = frozenset({
    ("role", 1), ("init", 1), ("next", 1), ("legal", 2), ("goal", 2), ("terminal", 0), ("sees", 2),
})  # fmt: skip
"""What a match asks for."""


@dataclass(frozen=True, slots=True)
class Use:
    """An atom in the body of a rule, and whether it stands under a negation."""

    atom: Atom
    negated: bool
    rule: Rule


class CrossReference:
    """The rules of a description with the indexes that checks ask for."""

    def __init__(self, description: Description, limits: ReadLimits | None = None) -> None:
        self.description = description
        self.limits = limits or ReadLimits()
        self.rules = description.rules
        self.heads: dict[Signature, list[Rule]] = defaultdict(list)
        self.uses: list[Use] = []
        for rule in description.rules:
            self.heads[signature(rule.head)].append(rule)
            self.uses.extend(Use(atom, negated, rule) for atom, negated in body_atoms(rule.body))

    @cached_property
    def dependencies(self) -> dict[Signature, set[Signature]]:
        """From each relation to those that its rules ask for."""
        graph: dict[Signature, set[Signature]] = {head: set() for head in self.heads}
        for use in self.uses:
            graph[signature(use.rule.head)].add(signature(use.atom))
        return graph

    @cached_property
    def component(self) -> dict[Signature, int]:
        """The strongly connected component of each relation, numbered from the bottom up."""
        return components(self.dependencies)

    @cached_property
    def relevant(self) -> set[Signature]:
        """The relations that a match can depend on."""
        return reachable(PLAYED, self.dependencies)

    @cached_property
    def clauses(self) -> list[Clause]:
        """The clauses of all rules of reasonable size."""
        return [
            clause
            for rule in self.rules
            if not too_large_findings(rule, self.description, self.limits)
            for clause in clauses_of_rule(rule)
        ]

    @cached_property
    def sorts(self) -> ArgumentSorts:
        """The sorts of argument places."""
        return ArgumentSorts(self.clauses)

    @cached_property
    def roles(self) -> list[str]:
        """Names given by role facts, in order."""
        facts = (
            rule.head.arguments[0] for rule in self.heads.get(("role", 1), ()) if not rule.body
        )
        return list(
            dict.fromkeys(t.functor for t in facts if isinstance(t, Compound) and not t.arguments)
        )

    def in_one_cycle(self, first: Signature, second: Signature) -> bool:
        """Whether two relations depend on each other."""
        if first == second:
            return True
        return first in self.component and self.component.get(second) == self.component[first]

    def finding(
        self, code: str, span: Span | None, message: str, fix: str, severity: Severity
    ) -> Finding:
        """A finding in this sheet."""
        return Finding(
            code, message, fix=fix, severity=severity, source=self.description.source, span=span
        )

    def error(self, code: str, span: Span | None, message: str, fix: str) -> Finding:
        """A finding without which the rules have no meaning."""
        return self.finding(code, span, message, fix, Severity.ERROR)

    def warning(self, code: str, span: Span | None, message: str, fix: str) -> Finding:
        """A finding that leaves the sheet playable."""
        return self.finding(code, span, message, fix, Severity.WARNING)

    def written(self, span: Span, width: int = 60) -> str:
        """The text of a span on one line, cut to a width."""
        text = " ".join(self.description.source.text[span.start : span.end].split())
        return text if len(text) <= width else text[: width - 1] + "…"


def signature(atom: Atom) -> Signature:
    """Name and arity of an atom's relation."""
    return atom.predicate, len(atom.arguments)


def body_atoms(body: Iterable[Formula]) -> Iterator[tuple[Atom, bool]]:
    """Every atom of a body, left to right, and whether it is negated."""
    work: list[tuple[Formula, bool]] = [(formula, False) for formula in reversed(tuple(body))]
    while work:
        formula, negated = work.pop()
        match formula:
            case Atom():
                yield formula, negated
            case Not(inner):
                work.append((inner, not negated))
            case And(formulas) | Or(formulas):
                work.extend((part, negated) for part in reversed(formulas))
            case Distinct():
                pass


def subterms(terms: Iterable[Term]) -> Iterator[Term]:
    """The terms and everything inside them, left to right."""
    work = list(reversed(tuple(terms)))
    while work:
        term = work.pop()
        yield term
        if isinstance(term, Compound):
            work.extend(reversed(term.arguments))


def all_terms(rule: Rule) -> Iterator[Term]:
    """Every term of a rule, at any depth."""
    yield from subterms(rule.head.arguments)
    work: list[Formula] = list(reversed(rule.body))
    while work:
        formula = work.pop()
        match formula:
            case Atom():
                yield from subterms(formula.arguments)
            case Distinct(left, right):
                yield from subterms((left, right))
            case Not(inner):
                work.append(inner)
            case And(formulas) | Or(formulas):
                work.extend(reversed(formulas))
