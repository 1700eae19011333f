"""Cross-reference of a description: where each relation is stated and used, and what depends on it.

Built once and shared by all checks. Relations are told apart by name and arity.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from fogspiel.core.findings import Finding, Severity
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Span
from fogspiel.rules.clauses import PLAYED, ROLE, Clause, Signature
from fogspiel.rules.gdl.normalise.dnf import clauses_of_rule, too_large_findings
from fogspiel.rules.gdl.normalise.unbound import ArgumentSorts
from fogspiel.rules.gdl.syntax import (
    Atom,
    Compound,
    Description,
    Rule,
    subformulas,
)
from fogspiel.rules.graphs import components, reachable


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
            self.heads[rule.head.signature].append(rule)
            self.uses += [
                Use(formula, negated, rule)
                for formula, negated in subformulas(rule.body)
                if isinstance(formula, Atom)
            ]

    @cached_property
    def dependencies(self) -> dict[Signature, set[Signature]]:
        """The relations that the rules of each relation ask for."""
        graph: dict[Signature, set[Signature]] = {head: set() for head in self.heads}
        for use in self.uses:
            graph[use.rule.head.signature].add(use.atom.signature)
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
        facts = (rule.head.arguments[0] for rule in self.heads.get(ROLE, ()) if not rule.body)
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
