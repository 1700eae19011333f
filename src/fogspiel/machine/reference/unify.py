"""Unification of patterns: what must hold of the variables for two terms to be the same.

It happens once, while a clause is planned. At run time terms are ground and only matched.
"""

from __future__ import annotations

from collections.abc import Iterable

from fogspiel.lang.clauses import Clause, Comparison, Condition, Literal, Pattern, Var

Substitution = dict[Var, Pattern]


def unify(pairs: Iterable[tuple[Pattern, Pattern]], substitution: Substitution) -> bool:
    """Extend the substitution so that each pair becomes equal; False where none can."""
    work = list(pairs)
    while work:
        left, right = work.pop()
        left, right = _resolve(left, substitution), _resolve(right, substitution)
        if left == right:
            continue
        if isinstance(left, Var):
            if _occurs(left, right, substitution):
                return False
            substitution[left] = right
        elif isinstance(right, Var):
            work.append((right, left))
        elif isinstance(left, tuple) and isinstance(right, tuple):
            if len(left) != len(right) or left[0] != right[0]:
                return False
            work.extend(zip(left[1:], right[1:], strict=True))
        else:
            return False
    return True


def apply(pattern: Pattern, substitution: Substitution) -> Pattern:
    """The pattern with every variable replaced as the substitution says."""
    pattern = _resolve(pattern, substitution)
    if isinstance(pattern, tuple):
        return (pattern[0], *(apply(part, substitution) for part in pattern[1:]))
    return pattern


def apply_to_condition(condition: Condition, substitution: Substitution) -> Condition:
    """A condition with its variables replaced."""
    if isinstance(condition, Comparison):
        return Comparison(
            apply(condition.left, substitution),
            apply(condition.right, substitution),
            condition.equal,
        )
    arguments = tuple(apply(argument, substitution) for argument in condition.arguments)
    return Literal(condition.predicate, arguments, condition.negated)


def without_equalities(clause: Clause) -> Clause | None:
    """The clause with its equalities worked into it; None where they cannot all hold."""
    equalities = [c for c in clause.body if isinstance(c, Comparison) and c.equal]
    if not equalities:
        return clause
    substitution: Substitution = {}
    if not unify([(c.left, c.right) for c in equalities], substitution):
        return None
    head = apply_to_condition(clause.head, substitution)
    assert isinstance(head, Literal)
    body = tuple(
        apply_to_condition(c, substitution)
        for c in clause.body
        if not (isinstance(c, Comparison) and c.equal)
    )
    return Clause(head, body, clause.span)


def _resolve(pattern: Pattern, substitution: Substitution) -> Pattern:
    while isinstance(pattern, Var) and pattern in substitution:
        pattern = substitution[pattern]
    return pattern


def _occurs(variable: Var, pattern: Pattern, substitution: Substitution) -> bool:
    """Whether binding the variable to the pattern would make an infinite term."""
    work = [pattern]
    while work:
        item = _resolve(work.pop(), substitution)
        if item == variable:
            return True
        if isinstance(item, tuple):
            work.extend(item[1:])
    return False
