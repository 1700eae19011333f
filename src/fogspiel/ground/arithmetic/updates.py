"""What a register holds after a step.

A value is set, then scaled, then added to, all amounts read before the step. Changes by different
moves exclude each other, so one of them is chosen; those by one move meet.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from fogspiel.core.terms import GroundTerm
from fogspiel.ground.arithmetic.circuit import TRUE, Binary, BinaryCircuits, Bit, Circuit, constant
from fogspiel.ground.arithmetic.expressions import ChangeInstance, Expressions, Scaled
from fogspiel.rules.numbers import Expression

ADDING = frozenset({"increase", "decrease"})


class Updates:
    """Makes the circuits of changes."""

    def __init__(
        self, circuit: Circuit, arithmetic: BinaryCircuits, expressions: Expressions
    ) -> None:
        self.circuit = circuit
        self.arithmetic = arithmetic
        self.expressions = expressions

    def after(
        self, term: GroundTerm, scale: int, changes: Sequence[ChangeInstance]
    ) -> tuple[Binary, Bit]:
        """The new value in parts, and whether it is set to two values at once."""
        update = _Update(self, self.expressions.registers[term], scale)
        by_move: dict[tuple[GroundTerm, ...], list[ChangeInstance]] = defaultdict(list)
        for change in changes:
            by_move[change.move].append(change)
        for together in by_move.values():
            if len(together) > 1:
                update.meet(together)
        update.choose([together[0] for together in by_move.values() if len(together) == 1])
        return update.value(), self.circuit.any_of(update.conflicts)


class _Update:
    """The change of one register, under construction."""

    def __init__(self, updates: Updates, current: Scaled, scale: int) -> None:
        self.circuit = updates.circuit
        self.arithmetic = updates.arithmetic
        self.expressions = updates.expressions
        self.current = current
        self.scale = scale
        self.sets: list[tuple[Bit, Binary]] = []
        """Values that take the place of the old one, each where a bit holds."""
        self.sums: list[tuple[Bit, Binary]] = []
        """What is added to the old value."""
        self.conflicts: list[Bit] = []

    def value(self) -> Binary:
        """The value after the step."""
        own = self._parts(self.current)
        added = self.arithmetic.select(self.sums, constant(0))
        return self.arithmetic.select(self.sets, self.arithmetic.add(own, added))

    def choose(self, changes: Sequence[ChangeInstance]) -> None:
        """Changes that are alone in their moves; those that do the same are one."""
        for (operator, amount), atoms in _by_amount(changes).items():
            held = self._any(atoms)
            if operator in ADDING:
                self.sums.append((held, self._delta(operator, amount)))
            else:
                self.sets.append((held, self._target(operator, amount, self.current)))

    def meet(self, together: Sequence[ChangeInstance]) -> None:
        """Changes by one move, of which any may be made."""
        some = self._any(change.atom for change in together)
        added = self.arithmetic.sum(
            [
                self._if(change.atom, self._delta(change.operator, change.amount), constant(0))
                for change in together
                if change.operator in ADDING
            ]
        )
        rest = [change for change in together if change.operator not in ADDING]
        if not rest:
            self.sums.append((some, added))
            return
        base = self._assigned([change for change in rest if change.operator == "assign"])
        for change in rest:
            if change.operator != "assign":
                scaled = self._target(change.operator, change.amount, Scaled(base, self.scale))
                base = self._if(change.atom, scaled, base)
        self.sets.append((some, self.arithmetic.add(base, added)))

    def _assigned(self, changes: Sequence[ChangeInstance]) -> Binary:
        """The value that is set, or the old one. Two values that are set at once must be equal."""
        options = [
            (self._any(atoms), self._target(operator, amount, self.current))
            for (operator, amount), atoms in _by_amount(changes).items()
        ]
        chosen = self.arithmetic.select(options, self._parts(self.current))
        if len(options) > 1:
            # Where two are chosen, their bits are joined: that differs from one of them.
            self.conflicts += [
                self.circuit.both(held, -self.arithmetic.compare("=", chosen, number))
                for held, number in options
            ]
        return chosen

    def _target(self, operator: str, amount: Expression, base: Scaled) -> Binary:
        """The value that `assign`, `scale-up` or `scale-down` gives."""
        made = self.expressions.of(amount)
        if operator == "scale-up":
            product = self.arithmetic.multiply(base.number, made.number)
            made = Scaled(product, base.scale * made.scale)
        elif operator == "scale-down":
            made = self.expressions.divide(base, made)
        return self._parts(made)

    def _delta(self, operator: str, amount: Expression) -> Binary:
        added = self._parts(self.expressions.of(amount))
        return added if operator == "increase" else self.arithmetic.negate(added)

    def _if(self, atom: int, then: Binary, otherwise: Binary) -> Binary:
        return self.arithmetic.select([(held(atom), then)], otherwise)

    def _any(self, atoms: Iterable[int]) -> Bit:
        return self.circuit.any_of(held(atom) for atom in atoms)

    def _parts(self, value: Scaled) -> Binary:
        return self.expressions.in_parts(value, self.scale)


def held(atom: int) -> Bit:
    """Atom 0 holds always."""
    return TRUE if atom == 0 else atom


def _by_amount(
    changes: Iterable[ChangeInstance],
) -> dict[tuple[str, Expression], list[int]]:
    """The atoms under which each amount is set, added or taken."""
    found: dict[tuple[str, Expression], list[int]] = defaultdict(list)
    for change in changes:
        found[change.operator, change.amount].append(change.atom)
    return found
