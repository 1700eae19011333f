"""Copies of relations, for rules that depend on too much.

Phases: strict GDL forbids `legal`, `goal` and `terminal` to depend on `does`, and `init` on the
state. Where sheets do so all the same, nothing has been done yet and nothing is true yet: the
relations on the way get copies in which `does` (for `init` also `true`) never holds.

Negative cycles: `goal(r, 50) :- not goal(r, 100)`. By their names such rules are not stratified; by
their arguments they are, and many public sheets rely on it. Wherever a condition asks for a
relation of its own cycle, it is given a copy made of just the rules whose heads can match. If no
cycle through a negation remains, the copies are stratified by name, and nobody below has to look
at arguments.
"""

from __future__ import annotations

from collections import defaultdict

from fogspiel.rules.clauses import (
    DOES,
    GOAL,
    INIT,
    LEGAL,
    TERMINAL,
    TRUE,
    Clause,
    Condition,
    Literal,
    Signature,
    Var,
    map_variables,
    unused_name,
)
from fogspiel.rules.graphs import components, dependencies, reaching

MAX_COPIES = 20_000


def separate_phases(clauses: list[Clause], taken: set[str]) -> list[Clause]:
    """Clauses in which no phase depends on a later one."""
    positions: set[Signature] = {LEGAL, GOAL, TERMINAL}
    clauses = _without(clauses, positions, {DOES}, "before_moves", taken)
    return _without(clauses, {INIT}, {TRUE, DOES}, "before_play", taken)


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


def split_negative_cycles(clauses: list[Clause], taken: set[str]) -> list[Clause]:
    """The clauses, with copies where a relation denies itself."""
    component = components(dependencies(clauses))
    faulty = {
        component[clause.head.signature]
        for clause in clauses
        for literal in clause.literals
        if literal.negated and component[clause.head.signature] == component[literal.signature]
    }
    if not faulty:
        return clauses
    inside = {signature for signature, number in component.items() if number in faulty}
    return _Splitter(clauses, inside, component, taken).result()


class _Splitter:
    def __init__(
        self,
        clauses: list[Clause],
        inside: set[Signature],
        component: dict[Signature, int],
        taken: set[str],
    ) -> None:
        self._clauses = clauses
        self._inside = inside
        self._component = component
        self._taken = taken
        self._rules: dict[Signature, list[Clause]] = defaultdict(list)
        for clause in clauses:
            if clause.head.signature in inside:
                self._rules[clause.head.signature].append(clause)
        self._names: dict[Literal, str] = {}
        self._waiting: list[Literal] = []

    def result(self) -> list[Clause]:
        done = [
            self._redirected(clause) if clause.head.signature in self._inside else clause
            for clause in self._clauses
        ]
        while self._waiting and len(done) < MAX_COPIES:
            wanted = self._waiting.pop()
            for clause in self._rules[wanted.signature]:
                if may_match(wanted, clause.head):
                    head = Literal(self._names[wanted], clause.head.arguments)
                    done.append(Clause(head, self._redirected(clause).body, clause.span))
        return done

    def _redirected(self, clause: Clause) -> Clause:
        number = self._component[clause.head.signature]
        body: list[Condition] = []
        for condition in clause.body:
            if (
                isinstance(condition, Literal)
                and condition.signature in self._inside
                and self._component[condition.signature] == number
            ):
                name = self._copy(condition)
                body.append(Literal(name, condition.arguments, condition.negated))
            else:
                body.append(condition)
        return Clause(clause.head, tuple(body), clause.span)

    def _copy(self, condition: Literal) -> str:
        # Literals that differ in nothing but their variables share a copy.
        alike = [map_variables(argument, lambda _: Var("V")) for argument in condition.arguments]
        key = Literal(condition.predicate, tuple(alike))
        if key not in self._names:
            wish = f"{condition.predicate}_part_{len(self._names) + 1}"
            self._names[key] = unused_name(wish, self._taken, "_")
            self._waiting.append(key)
        return self._names[key]


def may_match(first: Literal, second: Literal) -> bool:
    """Whether two literals of one relation could be the same fact. Variables match anything."""
    work = list(zip(first.arguments, second.arguments, strict=True))
    while work:
        a, b = work.pop()
        if isinstance(a, Var) or isinstance(b, Var):
            continue
        if isinstance(a, tuple) and isinstance(b, tuple):
            if a[0] != b[0] or len(a) != len(b):
                return False
            work.extend(zip(a[1:], b[1:], strict=True))
        elif a != b:
            return False
    return True
