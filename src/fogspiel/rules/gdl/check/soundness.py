"""Soundness: rules contradict nothing, end, and bind their variables.

Source: GDL specification (2008), definitions 5 (safe), 10 (stratified) and 16 (recursion
restriction).
No cycle may pass through a negation. A breach of the recursion restriction is a warning: it only
matters when terms really grow without end, and then grounding says so. Rules that deny their own
relation for other arguments are a warning too, when no chain of single rules leads back.

Every variable of a head, of a negation or of a `distinct` is bound by a positive atom. With `or`,
it must be bound in each alternative. The check walks formulas as they are written: a conjunction
binds what its parts bind together, a disjunction what all of its alternatives bind.
Departures: `not distinct` is an equation, and binds one side when the other is bound; a variable
that only negations hold is read as "there is none" in each, as every player in use does; an unbound
variable of a head ranges over the values of its sort where these can be listed. The last two are
warnings, and so is all of it in a rule that no match can depend on.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from fogspiel.core.findings import Finding
from fogspiel.core.source import Span
from fogspiel.rules.clauses import Literal, Signature, Var
from fogspiel.rules.gdl import syntax
from fogspiel.rules.gdl.cross_reference import CrossReference, Use
from fogspiel.rules.gdl.normalise.dnf import literal_of
from fogspiel.rules.gdl.normalise.relation_copies import may_match
from fogspiel.rules.gdl.syntax import Atom, Rule, Term, subformulas, variables_of
from fogspiel.rules.graphs import components

SHOWN = 4  #: Relations at both ends of a chain that are named
MAX_MATCHES = 1_000_000  #: Pairs of conditions and heads to look at: more are only in hostile texts


def stratification_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Negations inside cycles: the rules then contradict themselves or say nothing."""
    uses = [
        use
        for use in sheet.uses
        if use.negated and sheet.in_one_cycle(use.rule.head.signature, use.atom.signature)
    ]
    if not uses:
        return
    cycles = _RuleCycles(sheet, {use.atom.signature for use in uses})
    seen: set[tuple[Signature, Signature]] = set()
    for use in uses:
        pair = use.rule.head.signature, use.atom.signature
        if pair not in seen:
            is_real = cycles.holds(use)
            if is_real:
                seen.add(pair)
            yield _negative_cycle(sheet, use, is_real=is_real)


def _negative_cycle(sheet: CrossReference, use: Use, *, is_real: bool) -> Finding:
    head, asked = use.rule.head.signature, use.atom.signature
    if not is_real:
        return sheet.warning(
            "GDL032",
            use.atom.span,
            f"`{head[0]}` denies `{asked[0]}` on which it depends, though for other arguments",
            "give the two cases two relations; GDL wants negation stratified by name",
        )
    cycle = chain(dependency_path(sheet, asked, {head}) or [asked])
    state = sheet.error if head in sheet.relevant else sheet.warning
    return state(
        "GDL030",
        use.atom.span,
        f"`{head[0]}` depends on its own negation: {head[0]} → not {cycle}",
        "break the cycle: a relation may only be negated by rules that it does not depend on",
    )


class _RuleCycles:
    """Cycles between single rules: one leads to another when a condition can match its head."""

    def __init__(self, sheet: CrossReference, denied: set[Signature]) -> None:
        numbers = {sheet.component[s] for s in denied if s in sheet.component}
        self._rules: dict[Signature, list[tuple[int, Literal]]] = defaultdict(list)
        uses = [u for u in sheet.uses if sheet.component.get(u.rule.head.signature) in numbers]
        for signed, rules in sheet.heads.items():
            if sheet.component.get(signed) in numbers:
                self._rules[signed] = [(id(rule), literal_of(rule.head)) for rule in rules]
        graph: dict[int, list[int]] = {}
        work = sum(len(self._rules.get(use.atom.signature, ())) for use in uses)
        self._is_complete = work <= MAX_MATCHES
        if self._is_complete:
            for use in uses:
                graph.setdefault(id(use.rule), []).extend(self._matches(use.atom))
        self._component = components(graph)

    def holds(self, use: Use) -> bool:
        """Whether a negation lies on a cycle of rules. Assumed so where there are too many."""
        if not self._is_complete:
            return True
        own = self._component.get(id(use.rule))
        return any(self._component.get(rule) == own for rule in self._matches(use.atom))

    def _matches(self, atom: Atom) -> list[int]:
        literal = literal_of(atom)
        heads = self._rules.get(atom.signature, ())
        return [rule for rule, head in heads if may_match(literal, head)]


def recursion_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Recursive conditions with an argument that nothing outside the recursion bounds."""
    for rule in sheet.rules:
        head = rule.head.signature
        positive = [
            f for f, negated in subformulas(rule.body) if isinstance(f, Atom) and not negated
        ]
        recursive = [atom for atom in positive if sheet.in_one_cycle(head, atom.signature)]
        if recursive:
            outside = [atom for atom in positive if atom not in recursive]
            yield from _unbounded(sheet, rule, recursive, outside)


def _unbounded(
    sheet: CrossReference, rule: Rule, recursive: list[Atom], outside: list[Atom]
) -> Iterator[Finding]:
    allowed: set[Term] = set(rule.head.arguments)
    for atom in outside:
        allowed.update(atom.arguments)
    for atom in recursive:
        for argument in atom.arguments:
            if argument in allowed or next(variables_of(argument), None) is None:
                continue
            written = sheet.written(argument.span)
            yield sheet.warning(
                "GDL031",
                argument.span,
                f"nothing outside the recursion of `{rule.head.predicate}` bounds {written}",
                f"add a condition outside the recursion that has {written} as an argument",
            )


def chain(path: list[Signature]) -> str:
    """The names of a path, without the middle of a long one."""
    names = [name for name, _ in path]
    if len(names) > 2 * SHOWN:
        names = [*names[:SHOWN], "…", *names[-SHOWN:]]
    return " → ".join(names)


def dependency_path(
    sheet: CrossReference, start: Signature, goals: set[Signature]
) -> list[Signature] | None:
    """A shortest chain of relations from `start` to one of `goals`, both included."""
    came_from: dict[Signature, Signature | None] = {start: None}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        if node in goals:
            path: list[Signature] = []
            step: Signature | None = node
            while step is not None:
                path.append(step)
                step = came_from[step]
            return path[::-1]
        for successor in sorted(sheet.dependencies.get(node, ())):
            if successor not in came_from:
                came_from[successor] = node
                queue.append(successor)
    return None


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
                bound |= {variable.name for variable in _first_occurrences(formula)}
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
