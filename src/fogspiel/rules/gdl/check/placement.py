"""Where keywords may stand, what they may depend on, and what their arguments must be.

Source: GDL specification (2008), definition 17; GDL-II (2010) for `sees`.
Departures: what does not disturb play is a warning. `init` in a body, say, is a plain relation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fogspiel.core.findings import Finding
from fogspiel.rules.clauses import Signature
from fogspiel.rules.gdl.check.stratification import chain, dependency_path
from fogspiel.rules.gdl.cross_reference import CrossReference, signature
from fogspiel.rules.gdl.syntax import Atom, Compound, Rule, Variable

TRUE: Signature = ("true", 1)
DOES: Signature = ("does", 2)
STATE: set[Signature] = {
    TRUE, DOES, ("next", 1), ("legal", 2), ("goal", 2), ("terminal", 0), ("sees", 2),
}  # fmt: skip
"""What exists only once play has begun."""
HEAD_ONLY: set[Signature] = {
    ("init", 1), ("next", 1), ("sees", 2), ("base", 1), ("input", 2), ("percept", 2),
}  # fmt: skip
FIRST_IS_ROLE: set[Signature] = {("legal", 2), DOES, ("goal", 2), ("sees", 2)}

WHOLE = re.compile(r"[+-]?[0-9]{1,9}")


def placement_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Keywords on the wrong side of a rule."""
    for rule in sheet.heads.get(("role", 1), ()):
        argument = rule.head.arguments[0]
        is_name = isinstance(argument, Compound) and not argument.arguments
        if rule.body or not is_name:
            # Rules over facts are worked out; a role that is a term would have no name.
            yield (sheet.warning if rule.body else sheet.error)(
                "GDL040",
                rule.head.span,
                "roles are stated by plain facts, not by rules or as terms",
                "write one fact for each role: (role white)",
            )
    for rule in (*sheet.heads.get(TRUE, ()), *sheet.heads.get(DOES, ())):
        name = rule.head.predicate
        instead = "`init` or `next`" if name == "true" else "`legal`"
        # A fact left over does no harm, and is dropped. A rule was meant to have an effect.
        yield (sheet.error if rule.body else sheet.warning)(
            "GDL041",
            rule.head.span,
            f"`{name}` is stated; it can only be asked for",
            f"write {instead} in the head, or move the condition to the body",
        )
    for use in sheet.uses:
        if signature(use.atom) in HEAD_ONLY:
            yield sheet.warning(
                "GDL042",
                use.atom.span,
                f"`{use.atom.predicate}` is asked for in a body; it is meant to be stated only",
                "ask for the conditions that it follows from",
            )


def dependency_findings(sheet: CrossReference) -> Iterator[Finding]:
    """The first state must not depend on play, nor moves and results on the moves of this step."""
    for start in (("init", 1), ("base", 1), ("input", 2), ("percept", 2)):
        if finding := _forbidden(sheet, start, STATE, "GDL043", "before play begins"):
            yield finding
    for start in (("legal", 2), ("goal", 2), ("terminal", 0)):
        if finding := _forbidden(sheet, start, {DOES}, "GDL044", "before moves are made"):
            yield finding


def _forbidden(
    sheet: CrossReference, start: Signature, goals: set[Signature], code: str, when: str
) -> Finding | None:
    path = dependency_path(sheet, start, goals)
    if path is None:
        return None
    first = next(
        use for use in sheet.uses
        if signature(use.rule.head) == start and signature(use.atom) == path[1]
    )  # fmt: skip
    return sheet.warning(
        code,
        first.atom.span,
        f"`{start[0]}` must be known {when}, but depends on `{path[-1][0]}`: {chain(path)}; "
        "there it never holds",
        f"remove the dependency on `{path[-1][0]}`; keep what is needed in a fluent",
    )


def argument_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Roles that do not exist, and goals that are no numbers from 0 to 100."""
    if not sheet.roles or any(rule.body for rule in sheet.heads.get(("role", 1), ())):
        return
    roles = set(sheet.roles)
    atoms = [rule.head for rule in sheet.rules] + [use.atom for use in sheet.uses]
    for atom in atoms:
        if signature(atom) not in FIRST_IS_ROLE:
            continue
        first = atom.arguments[0]
        if isinstance(first, Variable) or (first.functor in roles and not first.arguments):
            continue
        yield sheet.warning(
            "GDL056" if atom.predicate == "sees" else "GDL045",
            first.span,
            f"{sheet.written(first.span)} is no role, but the first argument of "
            f"`{atom.predicate}` is one; roles are {', '.join(sorted(roles)[:6])}",
            "name a role, or state this one by a role fact",
        )


def goal_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Goal values as far as they are written down."""
    for rule in sheet.heads.get(("goal", 2), ()):
        yield from _goal_value(sheet, rule)


def _goal_value(sheet: CrossReference, rule: Rule) -> Iterator[Finding]:
    value = rule.head.arguments[1]
    if isinstance(value, Variable):
        return
    number = whole_number(rule.head)
    if number is None:
        yield sheet.error(
            "GDL047",
            value.span,
            f"the goal {sheet.written(value.span)} is not a whole number",
            "write a whole number from 0 to 100",
        )
    elif not 0 <= number <= 100:
        yield sheet.warning(
            "GDL046",
            value.span,
            f"the goal {number} is outside 0 to 100",
            "scale the goals to whole numbers from 0 to 100",
        )


def whole_number(goal: Atom) -> int | None:
    """The value of a goal head, if it is written as a whole number."""
    value = goal.arguments[1]
    assert isinstance(value, Compound)
    if value.arguments or not WHOLE.fullmatch(value.functor):
        return None
    return int(value.functor)
