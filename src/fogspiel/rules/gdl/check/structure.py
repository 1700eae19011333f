"""Structure: required relations, forms of conditions, and uses of keywords.

Source: GDL specification (2008), section 2 and definition 17; GDL-II (2010) for `sees`.
Departures: what does not disturb play is a warning, and `init` in a body is a plain relation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fogspiel.core.findings import Finding
from fogspiel.rules.clauses import (
    DOES,
    GOAL,
    INIT,
    LEGAL,
    NEXT,
    ROLE,
    SEES,
    TERMINAL,
    TRUE,
    Signature,
)
from fogspiel.rules.gdl import syntax
from fogspiel.rules.gdl.check.soundness import chain, dependency_path
from fogspiel.rules.gdl.cross_reference import CrossReference
from fogspiel.rules.gdl.normalise.dnf import too_large_findings
from fogspiel.rules.gdl.syntax import subformulas

NESTED_WORDS = {syntax.And: "and", syntax.Or: "or", syntax.Not: "not"}

STATE = {TRUE, DOES, NEXT, LEGAL, GOAL, TERMINAL, SEES}
"""The relations that exist only once play has begun."""
BASE, INPUT, PERCEPT = ("base", 1), ("input", 2), ("percept", 2)
HEAD_ONLY = {INIT, NEXT, SEES, BASE, INPUT, PERCEPT}
FIRST_IS_ROLE = {LEGAL, DOES, GOAL, SEES}

WHOLE = re.compile(r"[+-]?[0-9]{1,9}")


def missing_findings(sheet: CrossReference) -> Iterator[Finding]:
    """The relations without which there is no game."""
    if not sheet.rules:
        yield sheet.error(
            "GDL018",
            None,
            "the text holds no rules",
            "write at least `role`, `init`, `legal`, `next`, `terminal` and `goal`",
        )
        return
    wanted = [
        (ROLE, "GDL020", "no `role` is stated", "name the players: (role white)"),
        (
            LEGAL,
            "GDL021",
            "no `legal` move is stated",
            "say what each role may do: (<= (legal ?r noop) (role ?r))",
        ),
        (
            TERMINAL,
            "GDL022",
            "`terminal` is never stated: no match would ever end",
            "say when play is over: (<= terminal (true (step 9)))",
        ),
        (
            GOAL,
            "GDL023",
            "no `goal` is stated: every role gets 0",
            "say what each role gets: (<= (goal white 100) (line x))",
        ),
    ]
    for keyword, code, message, fix in wanted:
        if keyword in sheet.heads or keyword[0] in sheet.lost:
            continue
        state = sheet.warning if keyword == GOAL else sheet.error
        if meant := sheet.stated_as(keyword):
            head = meant[0].head
            seen = f"; nothing asks for `{head.predicate}`, which looks like it"
            yield state(code, head.span, message + seen, f"did you mean `{keyword[0]}`?")
        else:
            yield state(code, None, message, fix)


def shape_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Negations of more than an atom, and `and`."""
    is_prefix = sheet.description.dialect is syntax.Notation.PREFIX
    for rule in sheet.rules:
        for formula, _ in subformulas(rule.body):
            if isinstance(formula, syntax.Not) and not isinstance(formula.formula, syntax.Atom):
                inner = NESTED_WORDS.get(type(formula.formula), "distinct")
                yield sheet.warning(
                    "GDL028",
                    formula.span,
                    f"`not` is applied to `{inner}`; GDL allows it on a relation only",
                    "give what is negated a relation of its own, and negate that",
                )
            elif isinstance(formula, syntax.And) and is_prefix:
                yield sheet.warning(
                    "GDL029",
                    formula.span,
                    "`and` is no part of GDL; it is read as the conjunction that it means",
                    "write the conditions side by side, or give them a relation of their own",
                )


def size_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Rules whose alternatives or equations would fill the memory."""
    for rule in sheet.rules:
        if rule.body:
            yield from too_large_findings(rule, sheet.description, sheet.limits)


def placement_findings(sheet: CrossReference) -> Iterator[Finding]:
    """Keywords on the wrong side of a rule."""
    for rule in sheet.heads.get(ROLE, ()):
        argument = rule.head.arguments[0]
        is_name = isinstance(argument, syntax.Compound) and not argument.arguments
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
        if use.atom.signature in HEAD_ONLY:
            yield sheet.warning(
                "GDL042",
                use.atom.span,
                f"`{use.atom.predicate}` is asked for in a body; it is meant to be stated only",
                "ask for the conditions that it follows from",
            )


def dependency_findings(sheet: CrossReference) -> Iterator[Finding]:
    """The first state must not depend on play, nor moves and results on the moves of this step."""
    for start in (INIT, BASE, INPUT, PERCEPT):
        if finding := _forbidden(sheet, start, STATE, "GDL043", "before play begins"):
            yield finding
    for start in (LEGAL, GOAL, TERMINAL):
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
        if use.rule.head.signature == start and use.atom.signature == path[1]
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
    if not sheet.roles or any(rule.body for rule in sheet.heads.get(ROLE, ())):
        return
    roles = set(sheet.roles)
    for rule in sheet.stated_as(ROLE):
        roles |= {term.functor for term in rule.head.arguments if isinstance(term, syntax.Compound)}
    atoms = [rule.head for rule in sheet.rules] + [use.atom for use in sheet.uses]
    for atom in atoms:
        if atom.signature not in FIRST_IS_ROLE:
            continue
        first = atom.arguments[0]
        if isinstance(first, syntax.Variable) or (first.functor in roles and not first.arguments):
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
    for rule in sheet.heads.get(GOAL, ()):
        yield from _goal_value(sheet, rule)


def _goal_value(sheet: CrossReference, rule: syntax.Rule) -> Iterator[Finding]:
    value = rule.head.arguments[1]
    if isinstance(value, syntax.Variable):
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


def whole_number(goal: syntax.Atom) -> int | None:
    """The value of a goal head, if it is written as a whole number."""
    value = goal.arguments[1]
    assert isinstance(value, syntax.Compound)
    if value.arguments or not WHOLE.fullmatch(value.functor):
        return None
    return int(value.functor)
