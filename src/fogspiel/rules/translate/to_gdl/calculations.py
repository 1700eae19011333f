"""What a game calculates, as clauses: values are fluents, expressions join relations of numbers.

(increase (score ?p) 2)  ->  (<= (next (score ?p ?new))
                                 (change-score ?p) (true (score ?p ?v)) (plus ?v 2 ?new))
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

from fogspiel.core.findings import LimitError
from fogspiel.rules.clauses import (
    Bindings,
    Clause,
    Condition,
    Literal,
    Pattern,
    TermComparison,
    Var,
    unused_name,
)
from fogspiel.rules.numbers import (
    Expression,
    Numbers,
    Operation,
    Test,
    Value,
    ValueChange,
    expression_variables,
    map_values,
)
from fogspiel.rules.translate.to_gdl.numerals import NumeralRelations, Quantity, numeral

OPERATORS = {"increase": "+", "decrease": "-", "scale-up": "*", "scale-down": "/"}
MAX_ADDENDS = 64  #: Changes of one value that one step may add up


@dataclass(slots=True)
class Calculations:
    """Writes the clauses of numbers."""

    numbers: Numbers
    arithmetic: NumeralRelations
    fresh: Callable[[str], str]
    values: Mapping[str, Mapping[tuple[str, ...], Fraction]]
    """The values of every function at the start."""
    reachable: Mapping[str, frozenset[Fraction]]  #: The values that each function may ever have
    relations: Mapping[str, str]  #: What functions that never change are called as relations
    objects: Callable[[ValueChange, Var], Sequence[str]]
    """What a variable of a change may stand for."""

    def start(self) -> Iterator[Clause]:
        """The values at the start, and those that never change."""
        for function, rows in self.values.items():
            for arguments, value in rows.items():
                if function in self.numbers.changing:
                    fluent = (function, *arguments, numeral(value))
                    yield Clause(Literal("init", (fluent,)))
                else:
                    relation = self.relations[function]
                    yield Clause(Literal(relation, (*arguments, numeral(value))))

    def tests(self) -> Iterator[Clause]:
        """Comparisons."""
        for test in self.numbers.tests:
            yield self._test(test)

    def _test(self, test: Test) -> Clause:
        body: list[Condition] = []
        variables = Variables(test.arguments)
        left = self.quantity(test.left, body, variables)
        right = self.quantity(test.right, body, variables)
        head = Literal(test.relation, test.arguments)
        match test.operator:
            case "<" | ">=":
                body.append(self.arithmetic.less(left, right, negated=test.operator == ">="))
            case ">" | "<=":
                body.append(self.arithmetic.less(right, left, negated=test.operator == "<="))
            case _:
                body.append(TermComparison(left.term, right.term, equal=True))
        return Clause(head, tuple(body))

    def changes(self) -> Iterator[Clause]:
        """What a step makes of every value that it changes, and that it keeps the others."""
        together: dict[tuple[str, str], list[_Addend]] = defaultdict(list)
        for change in self.numbers.changes:
            together[change.value.function, change.action] += self._addends(change)
        changed: dict[str, str] = {}
        for (function, _), addends in together.items():
            changed.setdefault(function, self.fresh(f"changes-{function}"))
            for addend in addends:
                yield Clause(Literal(changed[function], addend.target), (addend.made,))
            if not _meet(addends):
                for addend in addends:
                    yield self._changed(addend, "true", "next")
            else:
                yield from self._one_after_another(function, addends)
        for function in sorted(self.numbers.changing):
            yield self._kept(function, changed.get(function))

    def _addends(self, change: ValueChange) -> list[_Addend]:
        """Changes that are made at most once for a value: others are split by their variables."""
        moved = {*change.arguments[: change.move], *expression_variables(change.value)}
        extra = [v for v in change.arguments if v not in moved]
        if change.operator == "assign":
            extra = []
        split: list[_Addend] = []
        for names in product(*(self.objects(change, variable) for variable in extra)):
            bindings = Bindings()
            for variable, name in zip(extra, names, strict=True):
                bindings.unify(variable, name)
            split.append(_Addend(change, bindings))
            if len(split) > MAX_ADDENDS:
                raise LimitError.of(
                    "TRN004",
                    f"one step may add up more than {MAX_ADDENDS} changes of one value",
                    fix="name the object that the change is for, instead of asking for it by "
                    "`forall`",
                    source=self.arithmetic.source,
                    span=change.span,
                )
        return split

    def _changed(self, addend: _Addend, before: str, after: str) -> Clause:
        """The value after a change, from the value before it."""
        body: list[Condition] = [addend.made]
        variables = Variables(addend.change.arguments)
        function = addend.change.value.function
        amount = self.quantity(addend.amount, body, variables)
        if addend.change.operator == "assign":
            return Clause(_value(after, function, addend.target, amount.term), tuple(body))
        old, new = variables.fresh("old"), variables.fresh("new")
        body.append(_value(before, function, addend.target, old))
        start = Quantity(old, self.reachable[function])
        operator = OPERATORS[addend.change.operator]
        within = self.reachable[function] if after == "next" else None
        body.append(self.arithmetic.calculate(operator, start, amount, new, within)[0])
        return Clause(_value(after, function, addend.target, new), tuple(body))

    def _one_after_another(self, function: str, addends: Sequence[_Addend]) -> Iterator[Clause]:
        """Several changes of one value in one step: each starts from what the last one left."""
        before, some = "true", self.fresh(f"changed-{function}")
        arguments, value = self._places(function), Var("value")
        for addend in sorted(addends, key=lambda addend: addend.change.operator != "assign"):
            after, made = self.fresh(f"{function}-after"), self.fresh(f"changed-{function}")
            yield Clause(Literal(made, addend.target), (addend.made,))
            yield Clause(Literal(some, addend.target), (addend.made,))
            yield self._changed(addend, before, after)
            unchanged = Literal(made, arguments, negated=True)
            kept = (_value(before, function, arguments, value), unchanged)
            yield Clause(_value(after, function, arguments, value), kept)
            before = after
        last = (_value(before, function, arguments, value), Literal(some, arguments))
        yield Clause(_value("next", function, arguments, value), last)

    def _places(self, function: str) -> tuple[Pattern, ...]:
        width = len(next(iter(self.values[function])))
        return tuple(Var(f"x{i + 1}") for i in range(width))

    def _kept(self, function: str, changed: str | None) -> Clause:
        arguments, value = self._places(function), Var("value")
        body: list[Condition] = [_value("true", function, arguments, value)]
        if changed is not None:
            body.append(Literal(changed, arguments, negated=True))
        return Clause(_value("next", function, arguments, value), tuple(body))

    def quantity(
        self, expression: Expression, body: list[Condition], variables: Variables
    ) -> Quantity:
        """The value of an expression; the conditions that find it are appended to a body."""
        match expression:
            case Fraction():
                return Quantity(numeral(expression), frozenset({expression}))
            case Value(function, arguments):
                result = variables.fresh("v")
                if function in self.numbers.changing:
                    body.append(_value("true", function, arguments, result))
                else:
                    body.append(Literal(self.relations[function], (*arguments, result)))
                return Quantity(result, self.reachable[function])
            case Operation(operator, left, right):
                first = self.quantity(left, body, variables)
                second = self.quantity(right, body, variables)
                literal, result_quantity = self.arithmetic.calculate(
                    operator, first, second, variables.fresh("v")
                )
                body.append(literal)
                return result_quantity


@dataclass(frozen=True, slots=True)
class _Addend:
    """A change, for some values of its variables."""

    change: ValueChange
    bindings: Bindings

    @property
    def made(self) -> Literal:
        """The literal that holds where the change takes place."""
        arguments = tuple(map(self.bindings.applied, self.change.arguments))
        return Literal(self.change.relation, arguments)

    @property
    def target(self) -> tuple[Pattern, ...]:
        """The arguments of the value that it changes."""
        return tuple(map(self.bindings.applied, self.change.value.arguments))

    @property
    def amount(self) -> Expression:
        """The amount of the change."""
        return substituted(self.change.amount, self.bindings)


class Variables:
    """Names of variables that a clause does not have yet."""

    def __init__(self, taken: Sequence[Var]) -> None:
        self._taken = {variable.name for variable in taken}

    def fresh(self, wish: str) -> Var:
        """The wish, or with a number behind it."""
        return Var(unused_name(wish, self._taken, ""))


def _meet(addends: Sequence[_Addend]) -> bool:
    """Whether two changes may have to be added up, because both may be of one value."""
    return any(
        {first.change.operator, second.change.operator} != {"assign"}
        and all(map(_may_be_same, first.target, second.target))
        for first, second in combinations(addends, 2)
    )


def _may_be_same(left: Pattern, right: Pattern) -> bool:
    return left == right or isinstance(left, Var) or isinstance(right, Var)


def _value(relation: str, function: str, arguments: Sequence[Pattern], value: Pattern) -> Literal:
    """The literal that a function has a value: as a fluent now or next, or in between."""
    if relation in {"true", "next", "init"}:
        return Literal(relation, ((function, *arguments, value),))
    return Literal(relation, (*arguments, value))


def substituted(expression: Expression, bindings: Bindings) -> Expression:
    """The expression with its variables replaced."""
    return map_values(
        expression, lambda v: Value(v.function, tuple(map(bindings.applied, v.arguments)))
    )
