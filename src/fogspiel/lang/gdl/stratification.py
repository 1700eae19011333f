"""Cycles: none may pass through a negation, and recursion should not build ever larger terms.

Source: GDL specification (2008), definitions 10 (stratified) and 16 (recursion restriction).
Departures: a breach of the recursion restriction is a warning. It only matters when terms really
grow without end, and then grounding says so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from fogspiel.core.findings import Finding
from fogspiel.lang.gdl.sheet import Sheet, Signature, Use, body_atoms, signature
from fogspiel.lang.gdl.syntax import Atom, Rule, Term, variables_of


def stratification_findings(sheet: Sheet) -> Iterator[Finding]:
    """Negations inside cycles: the rules then contradict themselves or say nothing."""
    seen: set[tuple[Signature, Signature]] = set()
    for use in sheet.uses:
        head, asked = signature(use.rule.head), signature(use.atom)
        if not use.negated or (head, asked) in seen or not sheet.in_one_cycle(head, asked):
            continue
        seen.add((head, asked))
        yield _negative_cycle(sheet, use)


def _negative_cycle(sheet: Sheet, use: Use) -> Finding:
    head, asked = signature(use.rule.head), signature(use.atom)
    path = dependency_path(sheet, asked, {head}) or [asked]
    cycle = " → ".join(name for name, _ in path)
    return sheet.error(
        "GDL030",
        use.atom.span,
        f"`{head[0]}` depends on its own negation: {head[0]} → not {cycle}",
        "break the cycle: a relation may only be negated by rules that it does not depend on",
    )


def recursion_findings(sheet: Sheet) -> Iterator[Finding]:
    """Recursive conditions with an argument that nothing outside the recursion bounds."""
    for rule in sheet.rules:
        head = signature(rule.head)
        positive = [atom for atom, negated in body_atoms(rule.body) if not negated]
        recursive = [atom for atom in positive if sheet.in_one_cycle(head, signature(atom))]
        if recursive:
            outside = [atom for atom in positive if atom not in recursive]
            yield from _unbounded(sheet, rule, recursive, outside)


def _unbounded(
    sheet: Sheet, rule: Rule, recursive: list[Atom], outside: list[Atom]
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


def dependency_path(
    sheet: Sheet, start: Signature, goals: set[Signature]
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
