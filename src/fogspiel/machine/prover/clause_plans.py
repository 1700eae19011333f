"""Plans: the order of a clause's conditions, for each clause and each shape of call.

The order is greedy and fixed before play: tests as soon as their variables are bound, then the
literal with the fewest expected answers. Estimates are counts of facts, of the initial state and
of small static relations; for other relations with rules they are constants.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fogspiel.core.findings import RulesError
from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm
from fogspiel.machine.prover.call_patterns import (
    BOUND,
    FREE,
    Goal,
    Modes,
    Shape,
    Signature,
    bound_arguments,
    goal_of,
    leaf_values,
    leaves,
    pattern_of,
)
from fogspiel.machine.prover.rulebase import (
    DOES,
    TRUE,
    Level,
    Rulebase,
    applied,
    too_large,
    variables_of,
)
from fogspiel.rules.clauses import (
    Bindings,
    Clause,
    Condition,
    Literal,
    Pattern,
    PatternTooLargeError,
    TermComparison,
    Var,
)
from fogspiel.rules.clauses import pattern_variables as variables

SAMPLE = 2_000  #: Number of facts examined for an estimate
UNSEEN_FLUENTS = 6  #: Estimated fluents of a functor that the initial state does not have
UNKNOWN_ANSWERS = 4.0  #: Estimated values of each free argument of a relation with rules
MANY_ANSWERS = 50.0  #: Largest estimate of the answers of a relation with rules
LARGE_STATIC = 100.0
"""Estimated values of a free argument of a large static relation, such as sums or comparisons."""
UNBOUND_PENALTY = 4.0
"""Cost factor of a relation with rules and no bound argument, which is computed as a whole."""

LOOKUP = 0.1
PROOF = 1.05
"""Cost of a lookup in a table of facts, and of a proof, in units of one answer of a loop."""
RECURSIVE_PENALTY = 1.0


@dataclass(frozen=True, slots=True)
class Call:
    """A condition on a relation."""

    signature: Signature
    goal: Goal
    negated: bool


@dataclass(frozen=True, slots=True)
class Differ:
    """Two terms that must differ; their variables are bound."""

    left: Pattern
    right: Pattern


Step: TypeAlias = Call | Differ


@dataclass(frozen=True, slots=True)
class ClausePlan:
    """A clause with its conditions ordered for one shape of call."""

    inputs: tuple[Pattern, ...]  #: Patterns that the given values must match, to bind variables
    steps: tuple[Step, ...]
    outputs: tuple[Pattern, ...]  #: Patterns of the answers


class ClausePlanner:
    """Orders the conditions of clauses."""

    def __init__(
        self, base: Rulebase, source: Source, work_out: Callable[[Signature], None]
    ) -> None:
        """work_out: function that tries to compute all facts of a static relation."""
        self._work_out = work_out
        self._base = base
        self._source = source
        self.modes = Modes(base.rules)
        self._given: dict[Signature, Sequence[tuple[GroundTerm, ...]]] = {}
        self._fanouts: dict[tuple[Signature, Shape], float] = {}

    def suppose_fluents(self, fluents: Iterable[GroundTerm]) -> None:
        """Use the fluents of the initial state for estimates of those of other states."""
        self._given[TRUE] = [(fluent,) for fluent in fluents]
        self._fanouts.clear()

    def plan(self, clause: Clause, shape: Shape) -> ClausePlan | None:
        """The plan of a clause for a shape of call; None if its head never fits."""
        try:
            return self._plan(clause, shape)
        except PatternTooLargeError as error:
            raise too_large(clause, self._source) from error

    def _plan(self, clause: Clause, shape: Shape) -> ClausePlan | None:
        modes = leaves(shape)
        # A name with a space cannot come from a rule text.
        places = [Var(f"place {index}") for index in range(len(modes))]
        bindings = Bindings()
        wanted = pattern_of(shape, places)
        if not all(map(bindings.unify, wanted, clause.head.arguments)):
            return None
        inputs, outputs = (
            tuple(
                bindings.applied(place)
                for place, mode in zip(places, modes, strict=True)
                if mode == kind
            )
            for kind in (BOUND, FREE)
        )
        body = [applied(condition, bindings) for condition in clause.body]
        steps = self._ordered(clause, body, inputs, outputs)
        return ClausePlan(inputs, steps, outputs)

    def _ordered(
        self,
        clause: Clause,
        body: list[Condition],
        inputs: tuple[Pattern, ...],
        outputs: tuple[Pattern, ...],
    ) -> tuple[Step, ...]:
        bound = {variable for pattern in inputs for variable in variables(pattern)}
        answer = {variable: None for pattern in outputs for variable in variables(pattern)}
        steps: list[Step] = []
        rest = list(body)
        while rest:
            costs = [self._cost(condition, bound, rest, clause) for condition in rest]
            chosen = min(range(len(rest)), key=costs.__getitem__)
            condition = rest.pop(chosen)
            if costs[chosen] == float("inf"):
                self._unsafe(clause, condition, bound)
            if isinstance(condition, TermComparison):
                steps.append(Differ(condition.left, condition.right))
                continue
            wanted = answer | variables_of(rest)
            goal = self._goal(condition, bound, wanted if not condition.negated else {}, clause)
            if condition.negated and goal.outputs:
                self._unsafe(clause, condition, bound)
            steps.append(Call(condition.signature, goal, condition.negated))
            if not condition.negated:
                bound |= variables_of([condition]).keys()
        missing = [variable for variable in answer if variable not in bound]
        if missing:
            self._unsafe(clause, None, bound, missing)
        return tuple(steps)

    def _cost(
        self, condition: Condition, bound: set[Var], rest: list[Condition], clause: Clause
    ) -> float:
        """Expected number of answers of a condition, to be minimised; infinity forbids it."""
        if isinstance(condition, TermComparison):
            return 0.0 if variables_of([condition]).keys() <= bound else float("inf")
        free = variables_of([condition]).keys() - bound
        if condition.negated:
            return self._negation_cost(condition, free, rest)
        if not self.modes.answerable(condition.signature, bound_arguments(condition, bound)):
            return float("inf")
        self._work_out(condition.signature)
        has_rules = self._base.is_proved(condition.signature)
        # A recursive call waits for every test: with function symbols the tests may be what
        # ends the recursion.
        last = RECURSIVE_PENALTY if self._is_recursive(clause, condition) else 0.0
        if not free:
            return last + (PROOF if has_rules else LOOKUP)
        shape = self._goal(condition, bound, variables_of([condition]), clause).shape
        if not has_rules:
            return max(0.2, self._fanout(condition.signature, shape))
        return last + self._guess(condition.signature, len(free), shape)

    def _guess(self, signature: Signature, free: int, shape: Shape) -> float:
        """Estimated answers of a call to a relation that has to be proved."""
        if self._base.level(signature) is Level.STATIC:
            return float(LARGE_STATIC**free)
        answers = min(UNKNOWN_ANSWERS**free, MANY_ANSWERS)
        return answers if BOUND in leaves(shape) else answers * UNBOUND_PENALTY

    def _goal(
        self, literal: Literal, bound: set[Var], wanted: Collection[Var], clause: Clause
    ) -> Goal:
        """The call of a literal of a clause.

        A recursive call that gives ever larger terms may not end where forward chaining does. It
        therefore builds no terms, unless the relation can only test given arguments.
        """
        plain = {index for index, a in enumerate(literal.arguments) if not isinstance(a, tuple)}
        build = not self._is_recursive(clause, literal) or not self.modes.answerable(
            literal.signature, bound_arguments(literal, bound) & plain
        )
        return goal_of(literal, bound, wanted, build=build)

    def _is_recursive(self, clause: Clause, literal: Literal) -> bool:
        component = self._base.components.get(clause.head.signature)
        return component is not None and component == self._base.components.get(literal.signature)

    def _negation_cost(
        self, condition: Literal, free: Iterable[Var], rest: list[Condition]
    ) -> float:
        others = variables_of(
            c for c in rest if c is not condition and isinstance(c, Literal) and not c.negated
        )
        if any(variable in others for variable in free):
            return float("inf")
        self._work_out(condition.signature)
        return PROOF if self._base.is_proved(condition.signature) else LOOKUP

    def _fanout(self, signature: Signature, shape: Shape) -> float:
        """Mean number of answers to a call of this shape, over the keys that occur."""
        fanout = self._fanouts.get((signature, shape))
        if fanout is None:
            facts = self._given.get(signature, self._base.known_facts(signature))[:SAMPLE]
            modes = leaves(shape)
            rows = [row for fact in facts if (row := leaf_values(shape, fact)) is not None]
            keys = {
                tuple(value for value, mode in zip(row, modes, strict=True) if mode == BOUND)
                for row in rows
            }
            if signature == DOES:
                fanout = 1.0
            elif rows:
                fanout = len(rows) / len(keys)
            elif signature == TRUE:
                fanout = UNSEEN_FLUENTS ** (1 - modes.count(BOUND) / (len(modes) + 1))
            else:
                fanout = 0.0
            self._fanouts[signature, shape] = fanout
        return fanout

    def _unsafe(
        self,
        clause: Clause,
        condition: Condition | None,
        bound: set[Var],
        missing: Iterable[Var] = (),
    ) -> None:
        names = list(missing)
        if condition is not None:
            names = [v for v in variables_of([condition]) if v not in bound]
        shown = ", ".join(dict.fromkeys(map(_shown, names)))
        where = "a condition" if condition is not None else "the head"
        raise RulesError.of(
            "GDL014",
            f"`{clause.head.predicate}`: nothing binds {shown} of {where}",
            fix=f"bind {shown} in a positive condition of this rule",
            source=self._source,
            span=clause.span,
        )


def _shown(variable: Var) -> str:
    """A variable as the rules write it, or a name for a place of a call."""
    return "an argument" if " " in variable.name else f"?{variable.name}"
