"""Propositions that grow: gates over atoms, folded where values are known.

Atom 1 is true, a literal is an atom or its negative. What follows at once from a requirement is
kept, so that later gates become smaller. Requirements that contradict each other at once raise
`ImpossibleError`; all others are for a solver to find.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

TRUE = 1
FALSE = -1


class ImpossibleError(Exception):
    """What is required cannot be."""


@dataclass(frozen=True, slots=True)
class Definition:
    """An atom that holds just where all literals of a body do."""

    atom: int
    body: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ExactlyOne:
    """Atoms of which just one holds."""

    atoms: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ban:
    """Literals that do not all hold."""

    body: tuple[int, ...]


Rule: TypeAlias = Definition | ExactlyOne | Ban


class Logic:
    """The rules so far, and what is known of their atoms."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self.atoms = 1
        self.known: dict[int, int] = {TRUE: TRUE}
        """Atoms whose value is known: TRUE or FALSE."""
        self._bodies: dict[int, tuple[int, ...]] = {}
        self._gates: dict[tuple[int, ...], int] = {}
        self._groups: dict[int, tuple[int, ...]] = {}
        self._conditions: dict[int, int] = {}
        self._open: list[int] = []
        """Gates known to be false of which no input is known to be the reason."""

    def value(self, literal: int) -> int:
        """TRUE or FALSE where that is known, otherwise the literal itself."""
        if literal > 0:
            return self.known.get(literal, literal)
        known = self.known.get(-literal)
        return literal if known is None else -known

    def conjunction(self, literals: Iterable[int]) -> int:
        """A literal that holds just where all the given ones do."""
        found: set[int] = set()
        for literal in literals:
            value = self.value(literal)
            if value == FALSE or -value in found:
                return FALSE
            if value != TRUE:
                found.add(value)
        if len(found) < 2:
            return found.pop() if found else TRUE
        body = tuple(sorted(found))
        atom = self._gates.get(body)
        if atom is None:
            atom = self._gates[body] = self._new_atom()
            self._bodies[atom] = body
            self.rules.append(Definition(atom, body))
        return self.value(atom)

    def choice(self, conditions: Sequence[int]) -> list[int]:
        """A literal for each alternative: just one holds, and its condition with it."""
        values = [self.value(condition) for condition in conditions]
        places = [place for place, value in enumerate(values) if value != FALSE]
        chosen = [FALSE] * len(values)
        if not places:
            raise ImpossibleError
        if len(places) == 1:
            self.require(values[places[0]])
            chosen[places[0]] = TRUE
            return chosen
        atoms = tuple(self._new_atom() for _ in places)
        self.rules.append(ExactlyOne(atoms))
        for place, atom in zip(places, atoms, strict=True):
            chosen[place] = atom
            self._groups[atom] = atoms
            if values[place] != TRUE:
                self._conditions[atom] = values[place]
                self.rules.append(Ban((atom, -values[place])))
        return chosen

    def either(self, literals: Iterable[int]) -> int:
        """A literal that holds just where one of the given ones does."""
        return -self.conjunction(-literal for literal in literals)

    def differ(self, one: int, other: int) -> int:
        """A literal that holds just where one of two does, but not the other."""
        return self.either([self.conjunction([one, -other]), self.conjunction([-one, other])])

    def fork(self) -> Logic:
        """A copy that goes on from here, with rules of its own."""
        other = Logic()
        other.atoms = self.atoms
        other.known = dict(self.known)
        other._bodies = dict(self._bodies)
        other._gates = dict(self._gates)
        other._groups = dict(self._groups)
        other._conditions = dict(self._conditions)
        other._open = list(self._open)
        return other

    def require(self, *literals: int) -> None:
        """Say that some literals hold. Together is quicker than one after the other."""
        values = [self.value(literal) for literal in literals]
        self.rules.extend(Ban((-value,)) for value in values if value != TRUE)
        self._follow([value for value in values if value != TRUE])

    def _new_atom(self) -> int:
        self.atoms += 1
        return self.atoms

    def _follow(self, holding: list[int]) -> None:
        """Note what holds, and what follows from it inside gates and choices."""
        while holding:
            while holding:
                value = self.value(holding.pop())
                if value == FALSE:
                    raise ImpossibleError
                if value != TRUE:
                    self.known[abs(value)] = TRUE if value > 0 else FALSE
                    self._reasons(value, holding)
            self._open = [gate for gate in self._open if not self._blame(gate, holding)]

    def _reasons(self, literal: int, holding: list[int]) -> None:
        """Add what must hold if a literal does."""
        atom = abs(literal)
        if atom in self._bodies:
            if literal > 0:
                holding.extend(self._bodies[atom])
            else:
                self._open.append(atom)
        elif atom in self._groups:
            others = [other for other in self._groups[atom] if other != atom]
            if literal > 0:
                holding.extend(-other for other in others)
                holding.append(self._conditions.get(atom, TRUE))
            else:
                left = [other for other in others if self.value(other) != FALSE]
                if len(left) < 2:
                    holding.append(left[0] if left else FALSE)

    def _blame(self, gate: int, holding: list[int]) -> bool:
        """Whether it is settled which input makes a gate false; the only one left must."""
        left = []
        for literal in self._bodies[gate]:
            value = self._looked_at(literal)
            if value == FALSE:
                return True
            if value != TRUE:
                left.append(value)
        if len(left) > 1:
            return False
        holding.append(-left[0] if left else FALSE)
        return True

    def _looked_at(self, literal: int) -> int:
        """The value of a literal, and of the gate it stands for if its inputs settle it now."""
        body = self._bodies.get(abs(literal))
        if body is not None and abs(literal) not in self.known:
            values = [self.value(part) for part in body]
            if FALSE in values:
                self.known[abs(literal)] = FALSE
            elif all(value == TRUE for value in values):
                self.known[abs(literal)] = TRUE
        return self.value(literal)
