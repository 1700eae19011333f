"""What the reasoner knows of the rules before it proves anything.

Facts apart from rules; which relations depend on the state or on the moves; which are recursive;
and that no relation depends on its own negation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from sys import intern
from typing import TypeAlias

from fogspiel.core.findings import Finding, LimitError, RulesError
from fogspiel.core.terms import GroundTerm
from fogspiel.lang.clauses import (
    Clause,
    Comparison,
    Condition,
    Literal,
    Pattern,
    Program,
    Var,
    as_ground,
    is_ground,
    pattern_variables,
)
from fogspiel.machine.reference.unify import without_equalities

Signature: TypeAlias = tuple[str, int]
"""Name and arity of a relation."""

TRUE: Signature = ("true", 1)
DOES: Signature = ("does", 2)

MAX_PATTERN_DEPTH = 64
"""Nesting of a term in the rules; deeper than any sheet known to us, and safe for Python."""
MAX_OPEN_LITERALS = 14
"""Positive literals with variables in one clause; each may become a loop, and Python nests 20."""


class Level(IntEnum):
    """What a relation depends on, and so how long its answers stay true."""

    STATIC = 0
    STATE = 1
    JOINT = 2


@dataclass(slots=True)
class Rulebase:
    """The clauses of a program, sorted by relation."""

    facts: dict[Signature, list[tuple[GroundTerm, ...]]] = field(default_factory=dict)
    rules: dict[Signature, list[Clause]] = field(default_factory=dict)
    levels: dict[Signature, Level] = field(default_factory=dict)
    """Relations that are absent are static."""
    components: dict[Signature, int] = field(default_factory=dict)
    """A number for each set of relations that depend on each other; recursive ones only."""
    demands: dict[Signature, frozenset[int]] = field(default_factory=dict)
    """Arguments that a caller must give, since some rule for the relation never binds them."""

    def level(self, signature: Signature) -> Level:
        """What the relation depends on."""
        return self.levels.get(signature, Level.STATIC)

    def same_component(self, one: Signature, other: Signature) -> bool:
        """Whether two relations are recursive through each other."""
        component = self.components.get(one)
        return component is not None and component == self.components.get(other)


def build_rulebase(program: Program) -> Rulebase:
    """Sort and analyse the clauses of a program. Raises on negation through recursion."""
    base = Rulebase()
    seen_facts: dict[Signature, dict[tuple[GroundTerm, ...], None]] = defaultdict(dict)
    for clause in program.clauses:
        _check_depth(clause, program)
        reduced = without_equalities(clause)
        if reduced is None or reduced.head.signature in (TRUE, DOES):
            continue
        signature = reduced.head.signature
        if not reduced.body and all(map(is_ground, reduced.head.arguments)):
            seen_facts[signature][tuple(_interned(a) for a in reduced.head.arguments)] = None
            continue
        for part in _short_clauses(reduced, f"{signature[0]} part {len(base.rules)}"):
            base.rules.setdefault(part.head.signature, []).append(part)
    base.facts = {signature: list(facts) for signature, facts in seen_facts.items()}
    base.components = _recursive_components(base.rules)
    _check_stratified(base, program)
    base.levels = _levels(base.rules)
    base.demands = _demands(base.rules)
    return base


def _interned(pattern: Pattern) -> GroundTerm:
    """The term with one copy of each name, so that comparing names is comparing addresses."""
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
                raise LimitError(
                    Finding(
                        code="MCH007",
                        message=f"a term is nested more than {MAX_PATTERN_DEPTH} deep",
                        fix="write it flatter, e.g. as facts that name its parts",
                        source=program.source,
                        span=clause.span,
                    )
                )
            patterns.extend((part, depth + 1) for part in pattern[1:])


def _patterns(condition: Condition) -> tuple[Pattern, ...]:
    if isinstance(condition, Comparison):
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
    # Comparisons and negations go with the last part, where all of their variables are bound.
    first = [body[index] for index in open_at[:MAX_OPEN_LITERALS]]
    rest = [c for index, c in enumerate(body) if index not in open_at[:MAX_OPEN_LITERALS]]
    wanted = variables_of([clause.head, *rest])
    shared = tuple(variable for variable in variables_of(first) if variable in wanted)
    link = Literal(name, shared)
    return [
        Clause(link, tuple(first), clause.span),
        *_short_clauses(Clause(clause.head, (link, *rest), clause.span), name + "+"),
    ]


def _edges(clauses: Sequence[Clause]) -> dict[Signature, None]:
    return {
        condition.signature: None
        for clause in clauses
        for condition in clause.body
        if isinstance(condition, Literal)
    }


def _recursive_components(rules: dict[Signature, list[Clause]]) -> dict[Signature, int]:
    """Tarjan's strongly connected components (1972), with a stack of our own."""
    edges = {signature: [s for s in _edges(cs) if s in rules] for signature, cs in rules.items()}
    order: dict[Signature, int] = {}
    low: dict[Signature, int] = {}
    open_nodes: dict[Signature, None] = {}
    components: dict[Signature, int] = {}
    for root in rules:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        open_nodes[root] = None
        path = [(root, iter(edges[root]))]
        while path:
            node, successors = path[-1]
            for successor in successors:
                if successor not in order:
                    order[successor] = low[successor] = len(order)
                    open_nodes[successor] = None
                    path.append((successor, iter(edges[successor])))
                    break
                if successor in open_nodes:
                    low[node] = min(low[node], order[successor])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    members = _popped(open_nodes, node)
                    if len(members) > 1 or node in edges[node]:
                        components.update(dict.fromkeys(members, order[node]))
    return components


def _popped(open_nodes: dict[Signature, None], last: Signature) -> list[Signature]:
    members = []
    while True:
        member, _ = open_nodes.popitem()
        members.append(member)
        if member == last:
            return members


def _check_stratified(base: Rulebase, program: Program) -> None:
    findings = [
        Finding(
            code="MCH004",
            message=f"`{signature[0]}` depends on its own negation through `{c.predicate}`",
            fix="break the cycle: a relation may be negated only once it is fully defined",
            source=program.source,
            span=clause.span,
        )
        for signature, clauses in base.rules.items()
        for clause in clauses
        for c in clause.body
        if isinstance(c, Literal) and c.negated and base.same_component(signature, c.signature)
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


def _demands(rules: dict[Signature, list[Clause]]) -> dict[Signature, frozenset[int]]:
    """Which arguments of each relation must be bound by its caller (least fixpoint)."""
    demands: dict[Signature, frozenset[int]] = {}
    changed = True
    while changed:
        changed = False
        for signature, clauses in rules.items():
            known = demands.get(signature, frozenset[int]())
            wanted = known.union(*(_demanded(clause, demands) for clause in clauses))
            if wanted != known:
                demands[signature] = wanted
                changed = True
    return demands


def _demanded(clause: Clause, demands: dict[Signature, frozenset[int]]) -> set[int]:
    """Arguments of the head with a variable that the body does not bind by itself."""
    bound: set[Var] = set()
    for condition in clause.body:
        if isinstance(condition, Literal) and not condition.negated:
            asked = demands.get(condition.signature, frozenset[int]())
            for index, argument in enumerate(condition.arguments):
                if index not in asked:
                    bound.update(pattern_variables(argument))
    return {
        index
        for index, argument in enumerate(clause.head.arguments)
        if any(variable not in bound for variable in pattern_variables(argument))
    }
