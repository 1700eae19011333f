"""Unification of patterns (Robinson 1965), with the occurs check and a bound on its work.

Equations between terms can name terms of exponential size. Rules of games never do, so the work
is counted and given up early.
"""

from __future__ import annotations

from fogspiel.rules.clauses import Pattern, Var

MAX_STEPS = 20_000


class PatternTooLargeError(Exception):
    """The equations of one clause make terms of unreasonable size."""


class Bindings:
    """What variables stand for, as far as equations have said."""

    def __init__(self) -> None:
        self._values: dict[Var, Pattern] = {}
        self._steps = 0

    def unify(self, left: Pattern, right: Pattern) -> bool:
        """Bind variables so that both patterns become equal; False when nothing can do that."""
        work = [(left, right)]
        while work:
            self._count()
            first, second = work.pop()
            a, b = self._resolved(first), self._resolved(second)
            if isinstance(a, Var):
                if a != b and not self._bind(a, b):
                    return False
            elif isinstance(b, Var):
                if not self._bind(b, a):
                    return False
            elif isinstance(a, tuple) and isinstance(b, tuple):
                if len(a) != len(b) or a[0] != b[0]:
                    return False
                work.extend(zip(a[1:], b[1:], strict=True))
            elif a != b:
                return False
        return True

    def applied(self, pattern: Pattern) -> Pattern:
        """The pattern with every bound variable replaced, as deep as bindings reach."""
        self._count()
        pattern = self._resolved(pattern)
        if isinstance(pattern, tuple):
            return (pattern[0], *(self.applied(argument) for argument in pattern[1:]))
        return pattern

    def _bind(self, variable: Var, value: Pattern) -> bool:
        if self._occurs(variable, value):
            return False
        self._values[variable] = value
        return True

    def _resolved(self, pattern: Pattern) -> Pattern:
        """What a chain of bound variables ends in."""
        while isinstance(pattern, Var) and pattern in self._values:
            pattern = self._values[pattern]
        return pattern

    def _occurs(self, variable: Var, pattern: Pattern) -> bool:
        work = [pattern]
        while work:
            self._count()
            item = self._resolved(work.pop())
            if item == variable:
                return True
            if isinstance(item, tuple):
                work.extend(item[1:])
        return False

    def _count(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise PatternTooLargeError
