"""Safety: every variable of a head, of a negation or of a `distinct` is bound by a positive atom.

With `or`, it must be bound in each alternative. The check walks formulas as they are written: a
conjunction binds what its parts bind together, a disjunction what all of its alternatives bind.
Source: GDL specification (2008), definition 5. Departures: `not distinct` is an equation, and binds
one side when the other is bound; a variable that only negations hold is read as "there is none" in
each, as every player in use does; an unbound variable of a head ranges over the values of its sort
where these can be listed. The last two are warnings, and so is all of it in a rule that no match
can depend on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from fogspiel.core.findings import Finding
from fogspiel.core.source import Span
from fogspiel.rules.clauses import Var
from fogspiel.rules.gdl import syntax
from fogspiel.rules.gdl.cross_reference import CrossReference
from fogspiel.rules.gdl.normalise.dnf import literal_of
from fogspiel.rules.gdl.syntax import variables_of

Signed: TypeAlias = tuple[syntax.Formula, bool]  #: A formula and whether it is negated


def safety_findings(sheet: CrossReference) -> Iterator[Finding]:
    """The unbound variables of all rules."""
    for rule in sheet.rules:
        yield from _RuleSafety(sheet, rule).findings()


class _RuleSafety:
    def __init__(self, sheet: CrossReference, rule: syntax.Rule) -> None:
        self._sheet = sheet
        self._rule = rule
        self._head = {variable.name for variable in variables_of(*rule.head.arguments)}
        self._matters = rule.head.signature in sheet.relevant
        self._unbound_in_head: set[str] = set()

    def findings(self) -> Iterator[Finding]:
        if not self._rule.body and not self._head:
            return
        parts = [(formula, False) for formula in self._rule.body]
        bound = _bindings(_flat(parts), frozenset())
        for variable in _first_occurrences(self._rule.head):
            if variable.name not in bound:
                self._unbound_in_head.add(variable.name)
                yield self._head_finding(variable)
        yield from self._conjunction(parts, frozenset())

    def _conjunction(self, parts: Iterable[Signed], outer: frozenset[str]) -> Iterator[Finding]:
        """What is unbound in a conjunction, given what is bound around it."""
        flat = _flat(parts)
        bound = _bindings(flat, outer)
        for formula, negated in flat:
            if isinstance(formula, syntax.Atom | syntax.Distinct):
                if negated or isinstance(formula, syntax.Distinct):
                    yield from self._leaf(formula, bound)
            else:
                for alternative in _alternatives(formula):
                    yield from self._conjunction([(alternative, negated)], bound)

    def _leaf(
        self, leaf: syntax.Atom | syntax.Distinct, bound: frozenset[str]
    ) -> Iterator[Finding]:
        for variable in _first_occurrences(leaf):
            name = variable.name
            if name in bound or name in self._unbound_in_head:
                continue
            written = self._sheet.written(variable.span)
            if isinstance(leaf, syntax.Distinct):
                yield self._state(
                    "GDL016",
                    variable.span,
                    f"the variable {written} of this `distinct` occurs in no positive condition",
                    f"bind {written} by a positive condition of the same alternative",
                )
            else:
                yield self._sheet.warning(
                    "GDL017",
                    variable.span,
                    f"the variable {written} is bound by no positive condition: this `not` is read "
                    f"as “there is no {written} such that …”",
                    "give what is negated a relation of its own without this variable",
                )

    def _head_finding(self, variable: syntax.Variable) -> Finding:
        written = self._sheet.written(variable.span)
        literal = literal_of(self._rule.head)
        where = "" if self._rule.body else ": a fact has none"
        message = f"the variable {written} of the head occurs in no positive condition{where}"
        fix = f"bind {written} by a positive condition, or write a name in its place"
        if not self._matters:
            reading = "the rule is left out, since nothing depends on it"
        elif self._sheet.sorts.is_role(literal, Var(variable.name)):
            reading = "it is read as any role"
        elif values := self._sheet.sorts.values(literal, Var(variable.name)):
            reading = f"it is read as any of the {len(values)} values written at such places"
        else:
            return self._sheet.error("GDL014", variable.span, message, fix)
        return self._sheet.warning("GDL014", variable.span, f"{message}; {reading}", fix)

    def _state(self, code: str, span: Span, message: str, fix: str) -> Finding:
        if self._matters:
            return self._sheet.error(code, span, message, fix)
        return self._sheet.warning(code, span, message, fix)


def _flat(parts: Iterable[Signed]) -> list[Signed]:
    """The parts of a conjunction with nested conjunctions opened: leaves and disjunctions."""
    flat: list[Signed] = []
    work = list(parts)[::-1]
    while work:
        formula, negated = work.pop()
        if isinstance(formula, syntax.Not):
            work.append((formula.formula, not negated))
        elif isinstance(formula, syntax.And if not negated else syntax.Or):
            work.extend((part, negated) for part in reversed(formula.formulas))
        else:
            flat.append((formula, negated))
    return flat


def _alternatives(formula: syntax.Formula) -> tuple[syntax.Formula, ...]:
    assert isinstance(formula, syntax.And | syntax.Or)
    return formula.formulas


def _bindings(flat: list[Signed], outer: frozenset[str]) -> frozenset[str]:
    """The variables that are bound wherever the conjunction holds."""
    bound = set(outer)
    equations: list[syntax.Distinct] = []
    disjunctions: list[Signed] = []
    for formula, negated in flat:
        if isinstance(formula, syntax.Atom):
            if not negated:
                bound |= _names(formula)
        elif isinstance(formula, syntax.Distinct):
            if negated:
                equations.append(formula)
        else:
            disjunctions.append((formula, negated))
    _solve(equations, bound)
    for formula, negated in disjunctions:
        sets = [_bindings(_flat([(a, negated)]), frozenset(bound)) for a in _alternatives(formula)]
        if sets:
            bound |= frozenset.intersection(*sets)
    _solve(equations, bound)
    return frozenset(bound)


def _solve(equations: list[syntax.Distinct], bound: set[str]) -> None:
    """Let equations bind one side from the other until nothing changes."""
    changed = True
    while changed:
        changed = False
        for equation in equations:
            left = {v.name for v in variables_of(equation.left)}
            right = {v.name for v in variables_of(equation.right)}
            if (left <= bound) != (right <= bound):
                bound |= left | right
                changed = True


def _first_occurrences(item: syntax.Atom | syntax.Distinct) -> list[syntax.Variable]:
    first: dict[str, syntax.Variable] = {}
    for variable in variables_of(*item.terms):
        first.setdefault(variable.name, variable)
    return list(first.values())


def _names(atom: syntax.Atom) -> set[str]:
    return {variable.name for variable in _first_occurrences(atom)}
