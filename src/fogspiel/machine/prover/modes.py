"""Which arguments a caller must give so that a relation has finitely many, ground answers.

Sound rules bind every variable of their heads, and any call will do. Sheets in the wild hold
rules such as `(<= (member ?x (cons ?x ?rest)))`, which only test what they are given.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from fogspiel.rules.clauses import Clause, Literal, Var, pattern_variables

Signature: TypeAlias = tuple[str, int]
_Mode: TypeAlias = tuple[Signature, frozenset[int]]


class Modes:
    """Answers whether a relation can be called with some of its arguments bound."""

    def __init__(self, rules: Mapping[Signature, Sequence[Clause]]) -> None:
        self._rules = rules
        self._partial = _partial_relations(rules)
        self._answerable: dict[_Mode, bool] = {}

    def answerable(self, signature: Signature, bound: frozenset[int]) -> bool:
        """Whether a call that gives these arguments has only ground answers."""
        if signature not in self._partial:
            return True
        mode = signature, bound
        if mode not in self._answerable:
            self._analyse(mode)
        return self._answerable[mode]

    def _analyse(self, mode: _Mode) -> None:
        """Suppose that all calls met from here can be answered; drop them until it holds."""
        fresh = [mode]
        self._answerable[mode] = True
        changed = True
        while changed:
            changed = False
            for met in fresh:  # grows while new calls are met
                signature, bound = met
                if self._answerable[met] and not all(
                    self._clause_binds(clause, bound, fresh) for clause in self._rules[signature]
                ):
                    self._answerable[met] = False
                    changed = True

    def _clause_binds(self, clause: Clause, given: frozenset[int], fresh: list[_Mode]) -> bool:
        head = clause.head.arguments
        bound = {v for index in given for v in pattern_variables(head[index])}
        waiting = [c for c in clause.body if isinstance(c, Literal) and not c.negated]
        while True:
            ready = [c for c in waiting if self._ready(c, bound, fresh)]
            if not ready:
                break
            waiting = [c for c in waiting if c not in ready]
            for literal in ready:
                for argument in literal.arguments:
                    bound.update(pattern_variables(argument))
        return not waiting and all(v in bound for a in head for v in pattern_variables(a))

    def _ready(self, literal: Literal, bound: set[Var], fresh: list[_Mode]) -> bool:
        if literal.signature not in self._partial:
            return True
        mode = literal.signature, bound_arguments(literal, bound)
        if mode not in self._answerable:
            self._answerable[mode] = True
            fresh.append(mode)
        return self._answerable[mode]


def bound_arguments(literal: Literal, bound: Collection[Var]) -> frozenset[int]:
    """The arguments of a literal whose variables are all bound."""
    return frozenset(
        index
        for index, argument in enumerate(literal.arguments)
        if all(variable in bound for variable in pattern_variables(argument))
    )


def _partial_relations(rules: Mapping[Signature, Sequence[Clause]]) -> set[Signature]:
    """Relations with a clause that leaves a variable unbound, and those that rest on them."""
    partial: set[Signature] = set()
    changed = True
    while changed:
        changed = False
        for signature, clauses in rules.items():
            if signature not in partial and any(_leaves_open(c, partial) for c in clauses):
                partial.add(signature)
                changed = True
    return partial


def _leaves_open(clause: Clause, partial: set[Signature]) -> bool:
    positive = [c for c in clause.body if isinstance(c, Literal) and not c.negated]
    if any(literal.signature in partial for literal in positive):
        return True
    bound = {v for c in positive for argument in c.arguments for v in pattern_variables(argument)}
    return any(v not in bound for a in clause.head.arguments for v in pattern_variables(a))
