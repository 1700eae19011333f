"""Gains of POGDDL as goals of GDL: sums, moved and scaled to whole numbers from 0 on.

Gains that exclude each other need no sum. Two relations are supposed to hold together; if what
their rules then ask for contradicts itself, or makes something hold that one of them forbids, they
exclude each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import lcm

from fogspiel.rules.clauses import (
    Bindings,
    Clause,
    Condition,
    Literal,
    Pattern,
    Signature,
    Var,
    is_ground,
)
from fogspiel.rules.numbers import RoleGain
from fogspiel.rules.translate.to_gdl.calculations import Calculations, Variables, substituted
from fogspiel.rules.translate.to_gdl.numerals import Quantity, numeral

NOTHING = Quantity("0", frozenset({Fraction(0)}))
ROLE, TOTAL, BEFORE = Var("r"), Var("total"), Var("before")


@dataclass(slots=True)
class GoalWriter:
    """Writes goals, and says what they stand for: payoff = (goal - offset) / scale."""

    calculations: Calculations
    roles: Sequence[str]
    exclusion: Exclusion
    only_one: bool = False  #: Whether it is known that a role never gets two gains at once
    offset: int = 0
    scale: int = 1
    _clauses: list[Clause] = field(default_factory=list)

    def clauses(self) -> Iterator[Clause]:
        """The goal of every role: one rule for all, or one for each where gains name roles."""
        gains = self.calculations.numbers.gains
        is_for_all = all(isinstance(gain.role, Var) for gain in gains)
        totals: list[tuple[Literal, frozenset[Fraction]]] = []
        for role in [ROLE] if is_for_all else self.roles:
            own = [gain for gain in gains if isinstance(gain.role, Var) or gain.role == role]
            totals.append(self._total(role, own))
        values = {value for _, reached in totals for value in reached}
        self.scale = lcm(*(value.denominator for value in values))
        self.offset = max(0, -int(min(values) * self.scale))
        yield from self._clauses
        yield from self._goals([literal for literal, _ in totals], sorted(values))

    def _total(
        self, role: Pattern, gains: Sequence[RoleGain]
    ) -> tuple[Literal, frozenset[Fraction]]:
        """A relation of a role and the sum of its gains, each added to the sum of those before."""
        if gains and self._exclude_each_other(role, gains):
            return self._only_one(role, gains)
        relation = ""
        reached = NOTHING.values
        for number, gain in enumerate(gains):
            relation, before = self.calculations.fresh("payoff"), relation
            earlier = Quantity(BEFORE, reached) if number else NOTHING
            known: list[Condition] = [Literal("role", (role,))]
            if number:
                known = [Literal(before, (role, BEFORE))]
            holds = _holds(gain, role)
            fails = Literal(holds.predicate, holds.arguments, negated=True)
            body = [*known, holds]
            got = self._added(gain, role, earlier, body)
            self._clauses.append(Clause(Literal(relation, (role, got.term)), tuple(body)))
            self._clauses.append(Clause(Literal(relation, (role, earlier.term)), (*known, fails)))
            reached = got.values | earlier.values
        if not gains:
            relation = self.calculations.fresh("payoff")
            fact = Literal(relation, (role, NOTHING.term))
            self._clauses.append(Clause(fact, (Literal("role", (role,)),)))
        return Literal(relation, (role, TOTAL)), reached

    def _exclude_each_other(self, role: Pattern, gains: Sequence[RoleGain]) -> bool:
        """Whether no two gains ever hold for one role, so that nothing has to be added up."""
        return self.only_one or all(
            self.exclusion.excludes(_holds(first, name), _holds(second, name))
            for name in (self.roles if isinstance(role, Var) else [role])
            for first, second in combinations(gains, 2)
        )

    def _only_one(
        self, role: Pattern, gains: Sequence[RoleGain]
    ) -> tuple[Literal, frozenset[Fraction]]:
        """The payoff where at most one gain holds: its amount, or nothing."""
        relation = self.calculations.fresh("payoff")
        reached = NOTHING.values
        none: list[Condition] = [Literal("role", (role,))]
        for gain in gains:
            holds = _holds(gain, role)
            none.append(Literal(holds.predicate, holds.arguments, negated=True))
            body: list[Condition] = [Literal("role", (role,)), holds]
            amount = self._added(gain, role, NOTHING, body)
            self._clauses.append(Clause(Literal(relation, (role, amount.term)), tuple(body)))
            reached |= amount.values
        self._clauses.append(Clause(Literal(relation, (role, NOTHING.term)), tuple(none)))
        return Literal(relation, (role, TOTAL)), reached

    def _added(
        self, gain: RoleGain, role: Pattern, earlier: Quantity, body: list[Condition]
    ) -> Quantity:
        """The sum with a gain; the conditions that find it are appended to the body."""
        bindings = Bindings()
        for variable in gain.arguments:
            bindings.unify(variable, role)
        variables = Variables([ROLE, BEFORE])
        amount = self.calculations.quantity(substituted(gain.amount, bindings), body, variables)
        if earlier is NOTHING:
            return amount
        literal, total = self.calculations.arithmetic.calculate("+", earlier, amount, TOTAL)
        body.append(literal)
        return total

    def _goals(self, totals: Sequence[Literal], values: Sequence[Fraction]) -> Iterator[Clause]:
        """Goals are the payoffs themselves if these are whole numbers from 0 on."""
        goal = TOTAL
        table: tuple[Literal, ...] = ()
        if self.offset or self.scale != 1:
            goal = Var("goal")
            relation = self.calculations.fresh("goal-of-payoff")
            table = (Literal(relation, (TOTAL, goal)),)
            for value in values:
                written = str(int(value * self.scale) + self.offset)
                yield Clause(Literal(relation, (numeral(value), written)))
        for total in totals:
            head = Literal("goal", (total.arguments[0], goal))
            yield Clause(head, (total, *table))


def _holds(gain: RoleGain, role: Pattern) -> Literal:
    """The literal that a role gets a gain: over roles, or over nothing if rules name the role."""
    return Literal(gain.relation, tuple(role for _ in gain.arguments))


class Exclusion:
    """Looks at the rules of one program."""

    def __init__(self, clauses: Iterable[Clause]) -> None:
        self._rules: dict[Signature, list[Clause]] = defaultdict(list)
        for clause in clauses:
            self._rules[clause.head.signature].append(clause)

    def excludes(self, first: Literal, second: Literal) -> bool:
        """Whether two ground atoms never hold together; False where that is not seen."""
        asked = [*self._asked(first), *self._asked(second)]
        holding = [literal for literal in asked if not literal.negated]
        forbidden = [Literal(c.predicate, c.arguments) for c in asked if c.negated]
        return any(atom in holding or self._follows(atom, holding) for atom in forbidden)

    def _asked(self, atom: Literal) -> Iterator[Literal]:
        """The ground conditions of an atom that has a single rule."""
        rules = self._rules[atom.signature]
        if len(rules) != 1:
            return
        bindings = Bindings()
        if all(map(bindings.unify, rules[0].head.arguments, atom.arguments)):
            for condition in rules[0].literals:
                literal = condition.map(bindings.applied)
                if all(map(is_ground, literal.arguments)):
                    yield literal

    def _follows(self, atom: Literal, holding: list[Literal]) -> bool:
        """Whether one rule derives the atom from what holds and from facts."""
        for rule in self._rules[atom.signature]:
            bindings = Bindings()
            if all(map(bindings.unify, rule.head.arguments, atom.arguments)):
                body = [condition.map(bindings.applied) for condition in rule.positive]
                if len(body) == len(rule.body) and self._holds(body, holding):
                    return True
        return False

    def _holds(self, body: list[Literal], holding: list[Literal]) -> bool:
        """Whether all conditions hold for some values of their variables."""
        if not body:
            return True
        first, *rest = body
        facts = (rule.head for rule in self._rules[first.signature] if not rule.body)
        for known in (*holding, *facts):
            bindings = Bindings()
            if known.signature == first.signature and all(
                map(bindings.unify, first.arguments, known.arguments)
            ):
                following = [condition.map(bindings.applied) for condition in rest]
                if self._holds(following, holding):
                    return True
        return False
