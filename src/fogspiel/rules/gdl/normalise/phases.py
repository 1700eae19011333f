"""What is asked before it can be known: moves before they are made, a state before the first.

Strict GDL forbids `legal`, `goal` and `terminal` to depend on `does`, and `init` on the state.
Where sheets do so all the same, nothing has been done yet and nothing is true yet: the relations
on the way get copies in which `does` (for `init` also `true`) never holds.
"""

from __future__ import annotations

from fogspiel.rules.clauses import Clause, Condition, Literal, Signature, unused_name
from fogspiel.rules.graphs import reaching

TRUE: Signature = ("true", 1)
DOES: Signature = ("does", 2)


def separate_phases(clauses: list[Clause], taken: set[str]) -> list[Clause]:
    """Clauses in which no phase depends on a later one."""
    positions: set[Signature] = {("legal", 2), ("goal", 2), ("terminal", 0)}
    clauses = _without(clauses, positions, {DOES}, "before_moves", taken)
    return _without(clauses, {("init", 1)}, {TRUE, DOES}, "before_play", taken)


def _without(
    clauses: list[Clause],
    targets: set[Signature],
    absent: set[Signature],
    suffix: str,
    taken: set[str],
) -> list[Clause]:
    dependents = reaching(clauses, absent)
    if not targets & dependents:
        return clauses
    copies = {
        signature: unused_name(f"{signature[0]}_{suffix}", taken, "_")
        for signature in sorted(dependents - targets - absent)
    }
    result: list[Clause] = []
    for clause in clauses:
        signature = clause.head.signature
        if signature not in dependents:
            result.append(clause)
            continue
        cut = _cut(clause, absent, copies)
        if signature in targets:
            result += [cut] if cut is not None else []
            continue
        result.append(clause)
        if cut is not None:
            head = Literal(copies[signature], cut.head.arguments)
            result.append(Clause(head, cut.body, clause.span))
    return result


def _cut(clause: Clause, absent: set[Signature], copies: dict[Signature, str]) -> Clause | None:
    """The clause where what is absent never holds; None if it then never applies."""
    body: list[Condition] = []
    for condition in clause.body:
        if not isinstance(condition, Literal):
            body.append(condition)
        elif condition.signature in absent:
            if not condition.negated:
                return None
        else:
            name = copies.get(condition.signature, condition.predicate)
            body.append(Literal(name, condition.arguments, condition.negated))
    return Clause(clause.head, tuple(body), clause.span)
