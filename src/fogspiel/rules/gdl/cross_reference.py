"""Cross-reference of a description: where each relation is stated and used, and what depends on it.

Built once and shared by all checks. Relations are told apart by name and arity.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from fogspiel.core.findings import Finding, Severity
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Span
from fogspiel.rules.clauses import INIT, NEXT, PLAYED, ROLE, TRUE, Clause, Signature
from fogspiel.rules.gdl.normalise.dnf import clauses_of_rule, too_large_findings
from fogspiel.rules.gdl.normalise.unbound import ArgumentSorts
from fogspiel.rules.gdl.syntax import (
    KEYWORD_ARITIES,
    Atom,
    Compound,
    Description,
    Rule,
    Variable,
    subformulas,
)
from fogspiel.rules.graphs import components, reachable

OF_FLUENTS = ("init", "next", "base")
FLUENT_SIGNATURES = {INIT, NEXT, TRUE, ("base", 1)}
STATED = ("role", *OF_FLUENTS, "legal", "goal", "sees", "input", "percept", "terminal")
"""The keywords that rules state."""
CLOSE = 0.7
"""Least likeness of a name and a keyword: one of four letters may be wrong, or two swapped."""
MAX_LETTERS = 20
MAX_SEARCHES = 1_000  #: Names compared with keywords: more are only in hostile texts


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
        self.lost = description.lost
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

    @cached_property
    def unused(self) -> set[Signature]:
        """The relations other than keywords that nothing but their own rules asks for."""
        used = {
            use.atom.signature for use in self.uses if use.atom.signature != use.rule.head.signature
        }
        known = {*KEYWORD_ARITIES, *self.lost}
        return {head for head in self.heads if head[0] not in known} - used

    @cached_property
    def misspelt(self) -> dict[Signature, Signature]:
        """Relations that nothing asks for and that look like a keyword, each with that keyword."""
        return {
            head: (close[0], head[1])
            for head in sorted(self.unused)[:MAX_SEARCHES]
            if (close := _close_keywords(head)) and self._fits(head, close[0])
        }

    def stated_as(self, keyword: Signature) -> list[Rule]:
        """The rules of a keyword, with those in which it is probably misspelt."""
        rules = list(self.heads.get(keyword, ()))
        for head, meant in self.misspelt.items():
            if meant == keyword:
                rules += self.heads[head]
        return rules

    def _fits(self, head: Signature, keyword: str) -> bool:
        """Whether the arguments of a relation are such as a keyword takes.

        A relation that nothing asks for may also be a list of numbers (`int` in public sheets).
        """
        first, body = self.heads[head][0].head, self.heads[head][0].body
        if keyword in OF_FLUENTS:
            fluent = first.arguments[0]
            is_known = isinstance(fluent, Variable) or fluent.functor in self._fluent_names
            return is_known or (keyword == "next" and bool(body))
        if keyword == "role":
            return isinstance(first.arguments[0], Compound) and not body
        if keyword != "terminal":
            role = first.arguments[0]
            return isinstance(role, Variable) or role.functor in self.roles
        return True

    @cached_property
    def _fluent_names(self) -> set[str]:
        """Names of what keywords of fluents are applied to."""
        atoms = [rule.head for rule in self.rules] + [use.atom for use in self.uses]
        terms = (atom.arguments[0] for atom in atoms if atom.signature in FLUENT_SIGNATURES)
        return {term.functor for term in terms if isinstance(term, Compound)}

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


def _close_keywords(head: Signature) -> list[str]:
    """The keyword, if there is one, that a name with as many arguments may have been meant for."""
    name, arity = head
    if len(name) > MAX_LETTERS:
        return []
    known = [keyword for keyword in STATED if KEYWORD_ARITIES[keyword] == arity]
    return get_close_matches(name.lower(), known, n=1, cutoff=CLOSE)
