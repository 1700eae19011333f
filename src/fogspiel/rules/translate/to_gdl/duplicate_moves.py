"""Weighted chance as uniform chance: a move of weight 3 becomes three moves that do the same.

In GDL-II chance chooses uniformly. A move that is ever weighed gets one more argument, the number
of its copy, wherever it occurs; weights are brought to whole numbers by their common denominator.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm

from fogspiel.core.findings import LimitError
from fogspiel.rules.clauses import (
    Bindings,
    Clause,
    Condition,
    Literal,
    Pattern,
    Program,
    Var,
    pattern_variables,
)
from fogspiel.rules.numbers import MoveWeight
from fogspiel.rules.translate.to_gdl.calculations import Calculations, Variables
from fogspiel.rules.translate.to_gdl.numerals import numeral

COPY = Var("copy")
FIRST = "1"
MAX_COPIES = 1_000
MOVES = frozenset({("does", 2), ("legal", 2)})


@dataclass(slots=True)
class DuplicateMoves:
    """Writes the legal moves of a game in which chance weighs its moves."""

    calculations: Calculations
    program: Program

    def rewritten(self, clauses: Iterable[Clause]) -> Iterator[Clause]:
        """The clauses with copies of weighed moves."""
        weights = self.calculations.numbers.weights
        weighed = {_functor(weight.move) for weight in weights}
        options = {weight.relation for weight in weights}
        every = list(clauses)
        applicable = self._applicable(every)
        moves = [c.head for c in every if c.head.predicate == applicable]
        for clause in every:
            if clause.head.predicate == "legal" and _asks_for(clause, options):
                continue  # written anew, with as many copies as the weight says
            for expanded in _expanded(clause, moves):
                yield _copied(expanded, weighed)
        yield from self._legal()

    def _applicable(self, clauses: Iterable[Clause]) -> str | None:
        """The relation of moves that are possible, weighed or not."""
        weighing = self.calculations.numbers.weighing
        for clause in clauses:
            if clause.head.predicate == "legal" and _asks_for(clause, {weighing}):
                first = clause.body[0]
                assert isinstance(first, Literal)
                return first.predicate
        return None

    def _legal(self) -> Iterator[Clause]:
        """Every option is legal as often as it weighs, in copies that no other option uses."""
        chance = self.program.chance_role
        assert chance is not None
        quantities = []
        for weight in self.calculations.numbers.weights:
            body: list[Condition] = [Literal(weight.relation, weight.arguments)]
            amount = self.calculations.quantity(weight.amount, body, Variables(weight.arguments))
            quantities.append((weight, body, amount))
        unit = _unit({value for _, _, amount in quantities for value in amount.values})
        used = 0
        for weight, body, amount in quantities:
            copies = Literal(self.calculations.fresh("copies"), (amount.term, COPY))
            move = _with_copy(weight.move, _copy_of(weight))
            yield Clause(Literal("legal", (chance, move)), (*body, copies))
            counts = {value: int(value / unit) for value in sorted(amount.values) if value > 0}
            for value, count in counts.items():
                for number in range(used + 1, used + count + 1):
                    yield Clause(Literal(copies.predicate, (numeral(value), str(number))))
            used += max(counts.values(), default=0)
            if used > MAX_COPIES:
                raise LimitError.of(
                    "TRN005",
                    f"the weights of chance need more than {MAX_COPIES:,} copies of its moves",
                    fix="write weights as multiples of one number, such as 1/6",
                    source=self.program.source,
                )


def _copy_of(weight: MoveWeight) -> Pattern:
    """What tells a copy from others: its number, and all that its weight depends on besides.

    Two weights for one move add up, so their copies must differ.
    """
    named = set(pattern_variables(weight.move))
    others = [variable for variable in weight.arguments if variable not in named]
    return ("copy", COPY, *others) if others else COPY


def _unit(values: set[Fraction]) -> Fraction:
    """The largest number of which all weights are multiples."""
    denominator = lcm(*(value.denominator for value in values))
    return Fraction(gcd(*(int(value * denominator) for value in values)), denominator)


def _asks_for(clause: Clause, relations: Collection[str | None]) -> bool:
    return any(literal.predicate in relations for literal in clause.literals)


def _expanded(clause: Clause, moves: Sequence[Literal]) -> Iterator[Clause]:
    """The clause, or where it makes legal what is possible, one for each kind of move."""
    possible = clause.body[0] if clause.body else None
    is_general = (
        clause.head.predicate == "legal"
        and isinstance(possible, Literal)
        and any(possible.signature == move.signature for move in moves)
        and isinstance(possible.arguments[1], Var)
    )
    if not is_general:
        yield clause
        return
    assert isinstance(possible, Literal)
    for move in dict.fromkeys(moves):
        bindings = Bindings()
        # The variables of the clause are set apart from those of the move.
        apart = Bindings()
        for argument in possible.arguments:
            if isinstance(argument, Var):
                apart.unify(argument, Var(f"possible {argument.name}"))
        first = possible.map(apart.applied)
        if all(map(bindings.unify, first.arguments, move.arguments)):
            head = clause.head.map(apart.applied).map(bindings.applied)
            body = (c.map(apart.applied).map(bindings.applied) for c in clause.body)
            yield Clause(head, tuple(body), clause.span)


def _copied(clause: Clause, weighed: set[str]) -> Clause:
    """The clause in which weighed moves have copies: any in the body, the first in the head."""

    def copied(condition: Condition, copy: Pattern) -> Condition:
        if not isinstance(condition, Literal) or condition.signature not in MOVES:
            return condition
        role, move = condition.arguments
        if isinstance(move, Var) or _functor(move) not in weighed:
            return condition
        return replace(condition, arguments=(role, _with_copy(move, copy)))

    head = copied(clause.head, FIRST)
    assert isinstance(head, Literal)
    return Clause(head, tuple(copied(c, COPY) for c in clause.body), clause.span)


def _functor(move: Pattern) -> str:
    name = move[0] if isinstance(move, tuple) else move
    assert isinstance(name, str)
    return name


def _with_copy(move: Pattern, copy: Pattern) -> Pattern:
    parts = move if isinstance(move, tuple) else (move,)
    return (*parts, copy)
