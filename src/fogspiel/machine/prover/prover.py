"""Goal-directed proofs with tabling: every call to a relation is answered once and cached.

Source: tabled evaluation in the manner of Tamaki & Sato (1986), OLD resolution with tabulation.
Departures: calls are evaluated by generated loops; a call to a recursive relation starts a local
fixpoint over the calls of its component, after which all of their tables are complete. Negation
is stratified, so it only ever meets complete tables.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from fogspiel.core.findings import LimitError, RulesError
from fogspiel.core.source import Source
from fogspiel.core.terms import MAX_TERM_DEPTH, GroundTerm, term_depth
from fogspiel.machine.prover.call_patterns import BOUND, FREE, Shape, Signature, leaf_values, leaves
from fogspiel.machine.prover.clause_plans import ClausePlanner
from fogspiel.machine.prover.codegen import AnswerSource, RelationWriter, Target, index_source
from fogspiel.machine.prover.fixpoint import Context, Fact, Fixpoint, Tables
from fogspiel.machine.prover.rulebase import DOES, TRUE, Level, Rulebase
from fogspiel.rules.clauses import Pattern

TICKS = 20_000  #: Number of inferences between two checks of the clock
TRIAL = 20_000  #: Most inferences for computing a static relation as a whole
MAX_ANSWERS = 2_000_000  #: Most answers to one call, or cached calls; some hundred bytes each

Evaluate: TypeAlias = Callable[[Tables, Tables, Any], Any]


class _TrialOverError(Exception):
    """A relation is too large to be computed as a whole."""


class Prover:
    """Answers calls to the relations of a rulebase."""

    def __init__(self, base: Rulebase, source: Source, seconds_per_query: float) -> None:
        self._base = base
        self._source = source
        self._planner = ClausePlanner(base, source, self._work_out)
        self._worked_out: set[Signature] = set()
        self._trying = False
        self._targets: dict[tuple[Signature, Shape], Target] = {}
        self.numbered: list[Target] = []
        self._slots: dict[Level, list[Target]] = {level: [] for level in Level}
        self._context = Context((), ())
        self._constants: dict[Pattern, str] = {}
        self._runners: dict[int, Callable[..., None]] = {}
        self._seconds = seconds_per_query
        self._end = 0.0
        self._budget = [TICKS]
        self._code: dict[str, Any] = {
            "K": self._budget,
            "ONCE": (None,),
            "tick": self._tick,
            "guard": self._guard,
        }

    def suppose_fluents(self, fluents: Iterable[GroundTerm]) -> None:
        """Use these fluents as typical ones for the order of conditions."""
        self._planner.suppose_fluents(fluents)

    def answers(self, context: Context, name: str, *known: GroundTerm) -> Iterable[GroundTerm]:
        """The values of the last argument of a relation, given those of all arguments before it."""
        shape = (BOUND,) * len(known) + (FREE,)
        result: Iterable[GroundTerm] = self._ask(context, (name, len(shape)), shape, known)
        return result

    def holds(self, context: Context, name: str) -> bool:
        """Whether a relation without arguments holds."""
        return bool(self._ask(context, (name, 0), (), ()))

    def _ask(self, context: Context, signature: Signature, shape: Shape, known: Fact) -> Any:
        self._end = time.monotonic() + self._seconds
        self._budget[0] = TICKS
        self._context = context
        self._grow()
        key = known[0] if len(known) == 1 else known
        try:
            target = self.target(signature, shape)
            if target.kind is AnswerSource.FACTS:
                return self._code[f"F{target.number}"].get(key, ())
            table = self.table(target, context.state, context.joint)
            found = table.get(key)
            if found is None:
                evaluate: Evaluate = self._code[f"E{target.number}"]
                found = evaluate(context.state, context.joint, key)
            return found
        except RecursionError as error:
            raise self._limit(
                "MCH006", f"`{signature[0]}` depends on too long a chain of relations"
            ) from error

    def table(self, target: Target, state: Tables, joint: Tables) -> dict[Any, Any]:
        """The table of a plan for relations with rules."""
        if target.level is Level.STATIC:
            table: dict[Any, Any] = self._code[f"T{target.number}"]
            return table
        tables = state if target.level is Level.STATE else joint
        found: dict[Any, Any] = tables[target.slot]
        return found

    def target(self, signature: Signature, shape: Shape) -> Target:
        """The plan for a shape of call, which is registered for generated code."""
        target = self._targets.get((signature, shape))
        if target is None:
            target = self._new_target(signature, shape)
            self._targets[signature, shape] = target
            self.numbered.append(target)
            self._slots[target.level].append(target)
            self._grow()
            self._install(target)
        return target

    def _new_target(self, signature: Signature, shape: Shape) -> Target:
        if signature in (TRUE, DOES):
            kind = AnswerSource.GIVEN
        else:
            kind = AnswerSource.RULES if self._base.is_proved(signature) else AnswerSource.FACTS
        level = self._base.level(signature)
        return Target(
            number=len(self.numbered),
            signature=signature,
            shape=shape,
            kind=kind,
            level=level,
            slot=len(self._slots[level]) + 1,
            component=self._base.components.get(signature) if kind is AnswerSource.RULES else None,
            has_answers=FREE in leaves(shape),
        )

    def _grow(self) -> None:
        """Add a table for every plan to the current context."""
        for level, tables in (
            (Level.STATE, self._context.state),
            (Level.JOINT, self._context.joint),
        ):
            targets = self._slots[level]
            for target in targets[len(tables) - 1 :]:
                tables.append(None if target.kind is AnswerSource.GIVEN else {})

    def _install(self, target: Target) -> None:
        """Define `F`, `T` and `E` of a plan, whose code is generated when it is first run."""
        number = target.number
        if target.kind is AnswerSource.GIVEN:
            self._compile(index_source(target), f"E{number}")
            return
        facts = self._base.facts.get(target.signature, [])
        if target.kind is AnswerSource.FACTS:
            facts = self._base.known_facts(target.signature)
        self._code[f"F{number}"] = _fact_index(target, facts)
        if target.kind is AnswerSource.RULES:
            if target.level is Level.STATIC:
                self._code[f"T{number}"] = {}

            def write_and_run(state: Tables, joint: Tables, key: Any) -> Any:
                self._code[f"E{number}"] = evaluate = self._evaluator(target)
                return evaluate(state, joint, key)

            self._code[f"E{number}"] = write_and_run

    def _evaluator(self, target: Target) -> Evaluate:
        if target.component is not None:
            return lambda state, joint, key: Fixpoint(self, state, joint).solve(target, key)
        self._write(target, f"E{target.number}")
        evaluate: Evaluate = self._code[f"E{target.number}"]
        return evaluate

    def runner(self, target: Target) -> Callable[..., None]:
        """The function that makes one pass over the rules of a recursive plan."""
        run = self._runners.get(target.number)
        if run is None:
            name = f"R{target.number}"
            self._write(target, name)
            run = self._runners[target.number] = self._code[name]
        return run

    def _write(self, target: Target, name: str) -> None:
        clauses = [
            plan
            for clause in self._base.rules[target.signature]
            if (plan := self._planner.plan(clause, target.shape)) is not None
        ]
        writer = RelationWriter(target, self.target, self._constant)
        source = writer.source(clauses, has_facts=target.signature in self._base.facts)
        self._compile(source, name)

    def _compile(self, source: str, name: str) -> None:
        exec(compile(source, f"<reference {name}>", "exec"), self._code)

    def _constant(self, pattern: Pattern) -> str:
        """Expression of a ground term in generated code."""
        if isinstance(pattern, str):
            return repr(pattern)
        name = self._constants.get(pattern)
        if name is None:
            name = self._constants[pattern] = f"c{len(self._constants)}"
            self._code[name] = pattern
        return name

    def _work_out(self, signature: Signature) -> None:
        """Compute all facts of a static relation, if that is little work.

        They can then be counted for the order of conditions, and looked up by any key. Relations
        that it depends on are computed first, so that no attempt leads to another.
        """
        if signature in self._worked_out or signature not in self._base.rules:
            return
        needed = self._base.below(signature)
        for relation in self._base.order:
            if relation in needed and relation not in self._worked_out:
                self._worked_out.add(relation)
                if self._base.level(relation) is Level.STATIC and relation[1] > 0:
                    self._try_to_work_out(relation)

    def _try_to_work_out(self, signature: Signature) -> None:
        if not self._planner.modes.answerable(signature, frozenset()):
            return
        left, trying = self._budget[0], self._trying
        self._budget[0], self._trying = TRIAL, True
        try:
            target = self.target(signature, (FREE,) * signature[1])
            found = self._code[f"E{target.number}"]([], [], ())
        except (_TrialOverError, RulesError):
            return  # a faulty relation is reported only when it is used
        finally:
            self._budget[0], self._trying = left, trying
        rows = [(answer,) for answer in found] if signature[1] == 1 else list(found)
        self._base.extensions[signature] = rows

    def _tick(self, number: int, answers: int = 0) -> None:
        """Check the clock and the size of the tables, every few thousand inferences.

        answers: number of answers that the plan has found for its current call.
        """
        if self._trying:
            raise _TrialOverError
        name = self.numbered[number].signature[0]
        if time.monotonic() > self._end:
            raise self._limit(
                "MCH006", f"the reasoner gave up on `{name}` after {self._seconds:g} s"
            )
        if answers > MAX_ANSWERS or self._remembered() > MAX_ANSWERS:
            raise self._limit(
                "MCH006", f"the reasoner gave up on `{name}` with {MAX_ANSWERS:,} answers"
            )
        self._budget[0] = TICKS

    def _remembered(self) -> int:
        """Number of cached calls in all tables of the current context."""
        tables = [*self._context.state[1:], *self._context.joint[1:]]
        return sum(len(table) for table in tables if table is not None) + sum(
            len(self._code[f"T{target.number}"])
            for target in self._slots[Level.STATIC]
            if target.kind is AnswerSource.RULES
        )

    def tick(self, number: int, answers: int) -> None:
        """Count one inference for a plan."""
        self._budget[0] -= 1
        if self._budget[0] < 0:
            self._tick(number, answers)

    def _guard(self, term: GroundTerm) -> GroundTerm:
        """The term itself. Raises an error if it is nested too deep."""
        if term_depth(term) > MAX_TERM_DEPTH:
            if self._trying:
                raise _TrialOverError
            raise self._limit("MCH007", f"the rules build terms more than {MAX_TERM_DEPTH} deep")
        return term

    def _limit(self, code: str, message: str) -> LimitError:
        fix = "bound what the rules count or nest, or give the reasoner more time"
        return LimitError.of(code, message, fix=fix, source=self._source)


def _fact_index(target: Target, facts: Iterable[Fact]) -> dict[Any, Any]:
    """Facts by the values at the bound places of a shape."""
    modes = leaves(target.shape)
    bound = [index for index, mode in enumerate(modes) if mode == BOUND]
    free = [index for index, mode in enumerate(modes) if mode == FREE]
    index: dict[Any, Any] = {}
    for fact in facts:
        row = leaf_values(target.shape, fact)
        if row is None:
            continue
        key = row[bound[0]] if len(bound) == 1 else tuple(row[i] for i in bound)
        if not free:
            index[key] = True
            continue
        answer = row[free[0]] if len(free) == 1 else tuple(row[i] for i in free)
        index.setdefault(key, {})[answer] = None
    return index
