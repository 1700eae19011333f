"""Boolean circuits as ground rules: every gate is an atom with one to three rules.

A literal is an atom or, negated, the negative of its number, as in the rules of the grounder.
Gates over constants are folded, and equal gates are made once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from fogspiel.ground.output import GroundRules

Bit: TypeAlias = int
"""A literal, or one of the two constants."""

TRUE: Bit = 1 << 30
FALSE: Bit = -TRUE
"""Larger than any atom: the negation of a constant is the other one."""


class Circuit:
    """Gates that are added to ground rules."""

    def __init__(self, rules: GroundRules) -> None:
        self._rules = rules
        self._atoms = rules.atoms
        self._heads: list[int] = []
        self._bodies: list[Sequence[Bit]] = []
        self._known: dict[tuple[str, tuple[Bit, ...]], Bit] = {}

    def new_atom(self) -> Bit:
        """An atom that has no rule yet."""
        self._atoms += 1
        return self._atoms

    def define(self, atom: Bit, value: Bit) -> None:
        """Let an atom hold where a literal does."""
        if value == TRUE:
            self._rule(atom, ())
        elif value != FALSE:
            self._rule(atom, (value,))

    def atom_of(self, value: Bit) -> Bit:
        """An atom that holds where a literal does; a positive literal is one."""
        if 0 < value < TRUE:
            return value
        return self._gate("alias", (value,), [(value,)] if value != FALSE else [])

    def both(self, *bits: Bit) -> Bit:
        """All hold."""
        return self.all_of(bits)

    def all_of(self, bits: Iterable[Bit]) -> Bit:
        """All hold; true of none."""
        inputs = tuple(sorted({bit for bit in bits if bit != TRUE}))
        if FALSE in inputs or any(-bit in inputs for bit in inputs):
            return FALSE
        if len(inputs) <= 1:
            return inputs[0] if inputs else TRUE
        return self._gate("and", inputs, [inputs])

    def any_of(self, bits: Iterable[Bit]) -> Bit:
        """Some holds; false of none."""
        inputs = tuple(sorted({bit for bit in bits if bit != FALSE}))
        if TRUE in inputs or any(-bit in inputs for bit in inputs):
            return TRUE
        if len(inputs) <= 1:
            return inputs[0] if inputs else FALSE
        return self._gate("or", inputs, [(bit,) for bit in inputs])

    def differ(self, left: Bit, right: Bit) -> Bit:
        """Exactly one holds."""
        for one, other in ((left, right), (right, left)):
            if one in {TRUE, FALSE}:
                return other if one == FALSE else -other
        if abs(left) == abs(right):
            return FALSE if left == right else TRUE
        sign = 1 if (left > 0) == (right > 0) else -1
        left, right = sorted((abs(left), abs(right)))
        return sign * self._gate("xor", (left, right), [(left, -right), (-left, right)])

    def rules(self) -> GroundRules:
        """The rules that were there before, and those of the gates."""
        lengths = [len(body) for body in self._bodies]
        literals = [bit for body in self._bodies for bit in body]
        ends = self._rules.offsets[-1] + np.cumsum(lengths, dtype=np.int64)
        return GroundRules(
            atoms=self._atoms,
            heads=np.concatenate([self._rules.heads, np.array(self._heads, np.int32)]),
            choices=np.concatenate([self._rules.choices, np.zeros(len(lengths), np.bool_)]),
            offsets=np.concatenate([self._rules.offsets, ends]),
            literals=np.concatenate([self._rules.literals, np.array(literals, np.int32)]),
        )

    def _gate(self, kind: str, inputs: tuple[Bit, ...], bodies: Sequence[Sequence[Bit]]) -> Bit:
        found = self._known.get((kind, inputs))
        if found is None:
            found = self._known[kind, inputs] = self.new_atom()
            for body in bodies:
                self._rule(found, [bit for bit in body if bit != TRUE])
        return found

    def _rule(self, head: Bit, body: Sequence[Bit]) -> None:
        self._heads.append(head)
        self._bodies.append(body)
