"""A second way to the same answers: every clause over every fact, until nothing new follows.

It shares no code with the reasoner under test and is as slow as it is short.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from fogspiel.core.terms import GroundTerm
from fogspiel.rules.clauses import Clause, Condition, Literal, Pattern, Program, TermComparison, Var

Signature: TypeAlias = tuple[str, int]
Facts: TypeAlias = dict[Signature, set[tuple[GroundTerm, ...]]]
Environment: TypeAlias = dict[Var, GroundTerm]


def naive_model(
    program: Program, fluents: Iterable[GroundTerm], joint: Iterable[GroundTerm]
) -> Facts:
    """All that holds in a state, with a move for each role (none: pass no moves)."""
    facts: Facts = defaultdict(set)
    facts["true", 1] = {(fluent,) for fluent in fluents}
    facts["does", 2] = set(zip(program.roles, joint, strict=False))
    strata = _strata(program.clauses)
    for stratum in range(max(strata.values(), default=0) + 1):
        layer = [c for c in program.clauses if strata[c.head.signature] == stratum]
        while sum(_add(clause, facts) for clause in layer) > 0:
            pass
    return facts


def _strata(clauses: Sequence[Clause]) -> dict[Signature, int]:
    strata: dict[Signature, int] = defaultdict(int)
    for _ in range(len(clauses) + 1):
        for clause in clauses:
            for condition in clause.body:
                if isinstance(condition, Literal):
                    below = strata[condition.signature] + condition.negated
                    strata[clause.head.signature] = max(strata[clause.head.signature], below)
    return strata


def _add(clause: Clause, facts: Facts) -> bool:
    known = facts[clause.head.signature]
    before = len(known)
    # Positive literals first: they bind what the others look at.
    body = sorted(clause.body, key=lambda c: not isinstance(c, Literal) or c.negated)
    found = [
        tuple(_value(argument, environment) for argument in clause.head.arguments)
        for environment in _solutions(body, facts, {})
    ]
    known.update(found)
    return len(known) > before


def _solutions(
    body: Sequence[Condition], facts: Facts, environment: Environment
) -> Iterator[Environment]:
    if not body:
        yield environment
        return
    first, rest = body[0], body[1:]
    if isinstance(first, TermComparison):
        same = _value(first.left, environment) == _value(first.right, environment)
        if same == first.equal:
            yield from _solutions(rest, facts, environment)
    elif first.negated:
        if tuple(_value(a, environment) for a in first.arguments) not in facts[first.signature]:
            yield from _solutions(rest, facts, environment)
    else:
        for fact in list(facts[first.signature]):
            extended = dict(environment)
            if all(map(_match, first.arguments, fact, [extended] * len(fact))):
                yield from _solutions(rest, facts, extended)


def _match(pattern: Pattern, value: GroundTerm, environment: Environment) -> bool:
    if isinstance(pattern, Var):
        return environment.setdefault(pattern, value) == value
    if isinstance(pattern, str) or isinstance(value, str) or len(pattern) != len(value):
        return pattern == value
    return all(_match(p, v, environment) for p, v in zip(pattern, value, strict=True))


def _value(pattern: Pattern, environment: Mapping[Var, GroundTerm]) -> GroundTerm:
    if isinstance(pattern, Var):
        return environment[pattern]
    if isinstance(pattern, str):
        return pattern
    return tuple(_value(part, environment) for part in pattern)
