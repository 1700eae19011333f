"""Analysis of the rules before any proof.

It separates facts from rules, finds the relations that depend on the state or on moves and those
that are recursive, and checks that no relation depends on its own negation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from sys import intern

from fogspiel.core.findings import Finding, LimitError, RulesError
from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm
from fogspiel.machine.prover.call_patterns import Signature
from fogspiel.rules.clauses import (
    Bindings,
    Clause,
    Condition,
    Literal,
    Pattern,
    PatternTooLargeError,
    Program,
    TermComparison,
    Var,
    as_ground,
    is_ground,
    pattern_variables,
)
from fogspiel.rules.graphs import components

TRUE: Signature = ("true", 1)
DOES: Signature = ("does", 2)

MAX_PATTERN_DEPTH = 64
"""Largest depth of a term in the rules, more than in any rules known to us, and safe for Python."""
MAX_OPEN_LITERALS = 14
"""Most positive literals with variables in a clause: each may be a loop, and Python nests 20."""


class Level(IntEnum):
    """Dependency of a relation, which decides how long its answers remain valid."""

    STATIC = 0
    STATE = 1
    JOINT = 2


@dataclass(slots=True)
class Rulebase:
    """The clauses of a program, sorted by relation."""

    facts: dict[Signature, list[tuple[GroundTerm, ...]]] = field(default_factory=dict)
    rules: dict[Signature, list[Clause]] = field(default_factory=dict)
    extensions: dict[Signature, list[tuple[GroundTerm, ...]]] = field(default_factory=dict)
    """All facts of static relations with rules that have been computed."""
    levels: dict[Signature, Level] = field(default_factory=dict)
    """Levels of relations; those that are absent are static."""
    components: dict[Signature, int] = field(default_factory=dict)
    """Number of each recursive relation's component: relations that depend on each other."""
    order: list[Signature] = field(default_factory=list)
    """Relations with rules, each after those that it depends on."""

    def is_proved(self, signature: Signature) -> bool:
        """Whether a call to the relation needs its rules instead of a lookup."""
        return signature in self.rules and signature not in self.extensions

    def known_facts(self, signature: Signature) -> list[tuple[GroundTerm, ...]]:
        """Known facts of a relation that hold in every state."""
        known = self.extensions if signature in self.extensions else self.facts
        return known.get(signature, [])

    def below(self, signature: Signature) -> set[Signature]:
        """The relations that a relation depends on, and itself."""
        found, work = {signature}, [signature]
        while work:
            for used in _edges(self.rules.get(work.pop(), ())):
                if used not in found:
                    found.add(used)
                    work.append(used)
        return found

    def level(self, signature: Signature) -> Level:
        """The level of a relation."""
        return self.levels.get(signature, Level.STATIC)


def build_rulebase(program: Program) -> Rulebase:
    """Sort and analyse the clauses of a program. Raises on negation through recursion."""
    base = Rulebase()
    seen_facts: dict[Signature, dict[tuple[GroundTerm, ...], None]] = defaultdict(dict)
    for clause in program.clauses:
        _check_depth(clause, program)
        try:
            reduced = _without_equalities(clause)
        except PatternTooLargeError as error:
            raise too_large(clause, program.source) from error
        if reduced is None or reduced.head.signature in (TRUE, DOES):
            continue
        signature = reduced.head.signature
        if not reduced.body and all(map(is_ground, reduced.head.arguments)):
            seen_facts[signature][tuple(_interned(a) for a in reduced.head.arguments)] = None
            continue
        for part in _short_clauses(reduced, f"{signature[0]} part {len(base.rules)}"):
            base.rules.setdefault(part.head.signature, []).append(part)
    base.facts = {signature: list(facts) for signature, facts in seen_facts.items()}
    _sort_relations(base)
    _check_stratified(base, program)
    base.levels = _levels(base.rules)
    return base


def _without_equalities(clause: Clause) -> Clause | None:
    """The clause with its equalities substituted; None if they cannot all hold."""
    equalities = [c for c in clause.body if isinstance(c, TermComparison) and c.equal]
    if not equalities:
        return clause
    bindings = Bindings()
    if not all(bindings.unify(c.left, c.right) for c in equalities):
        return None
    rest = [c for c in clause.body if not (isinstance(c, TermComparison) and c.equal)]
    return Clause(
        applied_literal(clause.head, bindings),
        tuple(applied(condition, bindings) for condition in rest),
        clause.span,
    )


def applied(condition: Condition, bindings: Bindings) -> Condition:
    """A condition with its bound variables replaced."""
    if not variables_of([condition]):
        return condition
    if isinstance(condition, Literal):
        return applied_literal(condition, bindings)
    left, right = bindings.applied(condition.left), bindings.applied(condition.right)
    return TermComparison(left, right, condition.equal)


def applied_literal(literal: Literal, bindings: Bindings) -> Literal:
    """A literal with its bound variables replaced."""
    return Literal(
        literal.predicate, tuple(map(bindings.applied, literal.arguments)), literal.negated
    )


def _interned(pattern: Pattern) -> GroundTerm:
    """The term with a single copy of each name, so that names are compared by address."""
    term = as_ground(pattern)
    if isinstance(term, str):
        return intern(term)
    return tuple(_interned(part) for part in term)


def _check_depth(clause: Clause, program: Program) -> None:
    patterns: list[tuple[Pattern, int]] = []
    for condition in (clause.head, *clause.body):
        patterns += [(pattern, 1) for pattern in _patterns(condition)]
    while patterns:
        pattern, depth = patterns.pop()
        if isinstance(pattern, tuple):
            if depth > MAX_PATTERN_DEPTH:
                raise too_large(clause, program.source)
            patterns.extend((part, depth + 1) for part in pattern[1:])


def too_large(clause: Clause, source: Source) -> LimitError:
    """Error for a rule whose terms are nested too deep or grow too large."""
    return LimitError.of(
        "MCH007",
        f"`{clause.head.predicate}`: the terms of this rule are too large",
        fix="write them flatter, e.g. with facts that name their parts",
        source=source,
        span=clause.span,
    )


def _patterns(condition: Condition) -> tuple[Pattern, ...]:
    if isinstance(condition, TermComparison):
        return condition.left, condition.right
    return condition.arguments


def variables_of(conditions: Iterable[Condition]) -> dict[Var, None]:
    """The variables of some conditions, each once, in the order they occur."""
    return {
        variable: None
        for condition in conditions
        for pattern in _patterns(condition)
        for variable in pattern_variables(pattern)
    }


def _short_clauses(clause: Clause, name: str) -> list[Clause]:
    """The clause, or a chain of clauses of which each has few literals with variables."""
    body = clause.body
    open_at = [
        index
        for index, condition in enumerate(body)
        if isinstance(condition, Literal) and not condition.negated and variables_of([condition])
    ]
    if len(open_at) <= MAX_OPEN_LITERALS:
        return [clause]
    generators = [body[index] for index in open_at[:MAX_OPEN_LITERALS]]
    bound = variables_of(generators).keys()
    # Conditions that can be tested early are, since that keeps the first part small.
    first = [c for c in body if c in generators or _is_test(c, bound)]
    rest = [c for c in body if c not in first]
    wanted = variables_of([clause.head, *rest])
    shared = tuple(variable for variable in variables_of(first) if variable in wanted)
    link = Literal(name, shared)
    return [
        Clause(link, tuple(first), clause.span),
        *_short_clauses(Clause(clause.head, (link, *rest), clause.span), name + "+"),
    ]


def _is_test(condition: Condition, bound: Collection[Var]) -> bool:
    """Whether a condition binds no variable when these variables are bound."""
    return all(variable in bound for variable in variables_of([condition]))


def _edges(clauses: Sequence[Clause]) -> dict[Signature, None]:
    return {
        condition.signature: None
        for clause in clauses
        for condition in clause.body
        if isinstance(condition, Literal)
    }


def _sort_relations(base: Rulebase) -> None:
    """Find the order of the relations, and the recursive ones."""
    edges = {
        signature: [used for used in _edges(clauses) if used in base.rules]
        for signature, clauses in base.rules.items()
    }
    numbers = components(edges)
    base.order = sorted(edges, key=numbers.__getitem__)
    sizes = Counter(numbers.values())
    base.components = {
        signature: number
        for signature, number in numbers.items()
        if sizes[number] > 1 or signature in edges[signature]
    }


def _check_stratified(base: Rulebase, program: Program) -> None:
    findings = [
        Finding(
            "MCH004",
            f"`{signature[0]}` depends on its own negation through `{c.predicate}`",
            fix="break the cycle: a relation may be negated only once it is fully defined",
            source=program.source,
            span=clause.span,
        )
        for signature, component in base.components.items()
        for clause in base.rules[signature]
        for c in clause.body
        if isinstance(c, Literal) and c.negated and base.components.get(c.signature) == component
    ]
    if findings:
        raise RulesError(findings)


def _levels(rules: dict[Signature, list[Clause]]) -> dict[Signature, Level]:
    """The highest level that each relation depends on, by following dependencies backwards."""
    users: dict[Signature, list[Signature]] = defaultdict(list)
    for signature, clauses in rules.items():
        for used in _edges(clauses):
            users[used].append(signature)
    levels = {TRUE: Level.STATE, DOES: Level.JOINT}
    work = [TRUE, DOES]
    while work:
        used = work.pop()
        for user in users[used]:
            if levels.get(user, Level.STATIC) < levels[used]:
                levels[user] = levels[used]
                work.append(user)
    return levels
