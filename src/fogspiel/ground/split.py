"""Splitting rules before they are grounded, so that fewer variables meet in one body.

A rule has an instance for every way to bind all its variables together. Where some variables meet
only in part of the body, that part becomes a relation of its own, over the variables it shares
with the rest; the instances then add up instead of multiplying:

    next(cell(X,Y,P)) :- true(cell(X,Y,P)), does(R,move(A,B,C,D)), X != C.
    ->  moved_to(C)         :- does(R,move(A,B,C,D)).
        next(cell(X,Y,P))   :- true(cell(X,Y,P)), moved_to(C), X != C.

Source: Bichler, Morak & Woltran (2016), "lpopt: a rule optimization tool for answer set
programming". Departure: variables are eliminated greedily one bucket at a time, smallest interface
first, instead of by a tree decomposition; equal parts of different rules share one relation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from fogspiel.rules.clauses import (
    Clause,
    Condition,
    Literal,
    Program,
    Var,
    map_variables,
    variables_of,
)
from fogspiel.rules.gdl.normalise.estimate import estimate_instances

LARGE = 20_000
"""Rules of fewer instances than this are left alone: their gates come out better whole."""
WORTHWHILE = 0.5  #: A split must leave less than this share of the instances


def split_rules(program: Program, before: Sequence[float]) -> Program:
    """The same relations by smaller rules, where an estimate says that it pays.

    before: the estimated instances of each clause as it stands.
    New relations have names that no sheet can write.
    """
    splitter = _Splitter()
    pieces = {
        i: splitter.split(program.clauses[i])
        for i, instances in enumerate(before)
        if instances > LARGE
    }
    pieces = {i: parts for i, parts in pieces.items() if len(parts) > 1}
    trial = _with_pieces(program, pieces)
    cost = dict(zip(trial.clauses, estimate_instances(trial), strict=True))
    return _with_pieces(
        program,
        {
            i: parts
            for i, parts in pieces.items()
            if sum(cost[part] for part in parts) < WORTHWHILE * before[i]
        },
    )


def _with_pieces(program: Program, pieces: dict[int, list[Clause]]) -> Program:
    """The program with some clauses replaced by their pieces; what rules share stands once."""
    kept = (clause for i, clause in enumerate(program.clauses) if i not in pieces)
    added = dict.fromkeys(part for parts in pieces.values() for part in parts)
    return replace(program, clauses=(*kept, *added))


@dataclass(frozen=True, slots=True)
class _Part:
    """Conditions that can be taken out of a body, and the variables they share with the rest."""

    conditions: tuple[Condition, ...]
    interface: tuple[Var, ...]
    variables: int


@dataclass(slots=True)
class _Splitter:
    _relations: dict[tuple[Condition, ...], Clause] = field(default_factory=dict)
    """The clauses of relations made so far, by their bodies with variables numbered."""

    def split(self, clause: Clause) -> list[Clause]:
        """What is left of a clause after every useful part is taken out, after those parts."""
        pieces = []
        body = clause.body
        head_variables = variables_of(clause.head)
        while (part := _best_part(body, head_variables)) is not None:
            relation = self._relation(part, body, clause)
            pieces.append(relation)
            taken = Literal(relation.head.predicate, part.interface)
            body = (taken, *(c for c in body if c not in part.conditions))
        return [*pieces, replace(clause, body=body)]

    def _relation(self, part: _Part, body: tuple[Condition, ...], clause: Clause) -> Clause:
        """The relation that stands for a part, made if no other rule needed it before."""
        numbers = {variable: Var(f"i{i}") for i, variable in enumerate(part.interface)}
        head_arguments = tuple(numbers.values())
        canonical = tuple(_renamed(c, numbers) for c in _with_binders(part, body))
        if canonical not in self._relations:
            head = Literal(f" part {len(self._relations)}", head_arguments)
            self._relations[canonical] = Clause(head, canonical, clause.span)
        return self._relations[canonical]


def _best_part(body: tuple[Condition, ...], head: set[Var]) -> _Part | None:
    """The part with the smallest interface whose removal leaves a smaller rule on both sides."""
    if len(body) < 2:
        return None
    found_in = [variables_of(condition) for condition in body]
    every = set[Var]().union(*found_in)
    best: _Part | None = None
    for variable in sorted(every - head, key=lambda v: v.name):
        inside = [i for i, found in enumerate(found_in) if variable in found]
        outside = [i for i in range(len(body)) if i not in inside]
        reach = set[Var]().union(*(found_in[i] for i in inside))
        rest = head.union(*(found_in[i] for i in outside))
        if rest <= reach:
            continue  # the part would have as many instances as the whole
        interface = sorted(reach & rest, key=lambda v: v.name)
        part = _Part(tuple(body[i] for i in inside), tuple(interface), len(reach))
        if not _can_be_bound(part, body):
            continue
        if best is None or (len(part.interface), part.variables) < (
            len(best.interface),
            best.variables,
        ):
            best = part
    return best


def _can_be_bound(part: _Part, body: tuple[Condition, ...]) -> bool:
    needed = set[Var]().union(*map(variables_of, part.conditions))
    return needed <= _positively_bound(_with_binders(part, body))


def _with_binders(part: _Part, body: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """The part, with copies of conditions that bind variables it only tests.

    A copy does no harm: the rest of the rule asks for it as well.
    """
    conditions = list(part.conditions)
    needed = set[Var]().union(*map(variables_of, conditions))
    missing = needed - _positively_bound(conditions)
    for variable in sorted(missing, key=lambda v: v.name):
        if variable in _positively_bound(conditions):
            continue
        binders = [literal for literal in _positive(body) if variable in variables_of(literal)]
        if binders:
            conditions.append(min(binders, key=lambda c: len(variables_of(c) - needed)))
    return tuple(conditions)


def _positively_bound(conditions: Iterable[Condition]) -> set[Var]:
    return {variable for literal in _positive(conditions) for variable in variables_of(literal)}


def _positive(conditions: Iterable[Condition]) -> list[Literal]:
    return [c for c in conditions if isinstance(c, Literal) and not c.negated]


def _renamed(condition: Condition, names: dict[Var, Var]) -> Condition:
    """The condition with its variables numbered, new ones in the order they appear."""

    def number(variable: Var) -> Var:
        return names.setdefault(variable, Var(f"v{len(names)}"))

    return condition.map(lambda pattern: map_variables(pattern, number))
