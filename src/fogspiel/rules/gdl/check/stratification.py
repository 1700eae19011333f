"""Cycles: none may pass through a negation, and recursion should not build ever larger terms.

Source: GDL specification (2008), definitions 10 (stratified) and 16 (recursion restriction).
Departures: a breach of the recursion restriction is a warning. It only matters when terms really
grow without end, and then grounding says so. Rules that deny their own relation for other arguments
are a warning too, when no chain of single rules leads back.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator

from fogspiel.core.findings import Finding
from fogspiel.rules.clauses import Literal, Signature
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
