"""Observations: what no role is told, and what some role is not told that others are.

Source: Thielscher (2010), "A general game description language for incomplete information games",
for `sees`.
Departure: without `sees`, Fogspiel lets every role see the joint move, as in GDL. A role that is
not told what others are told may be meant, so roles are compared only if their legal moves are
alike and the other role is told all that this one is told.

A fluent that is written and never read is no observation, but a sign of the same fault: the rule
that should have asked for it was forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from fogspiel.core.findings import Finding, Severity
from fogspiel.rules.clauses import INIT, LEGAL, NEXT, ROLE, SEES, TRUE, Signature
from fogspiel.rules.gdl.cross_reference import CrossReference
from fogspiel.rules.gdl.roles import CONTROL
from fogspiel.rules.gdl.syntax import CHANCE_ROLE, Compound, Rule, Variable, subterms

MAX_ROLES, MAX_NAMES = 20, 1_000  #: What is compared: more is only in hostile texts


def observation_findings(sheet: CrossReference) -> Iterator[Finding]:
    """What sheets with hidden information seem to leave out, and fluents without a use."""
    if SEES[0] not in sheet.lost:
        yield from _chance_without_sees(sheet)
        yield from _uneven_percepts(sheet)
    yield from _unread_fluents(sheet)


def _chance_without_sees(sheet: CrossReference) -> Iterator[Finding]:
    """A remark on a sheet with chance whose roles see everything."""
    if sheet.stated_as(SEES):
        return
    for rule in sheet.heads.get(ROLE, ()):
        if rule.head.arguments == (Compound(CHANCE_ROLE),):
            yield sheet.finding(
                "GDL063",
                rule.head.span,
                "there is a role of chance and no `sees`: every role sees all moves, also those "
                "of chance",
                "if something is hidden, state what each role sees: (<= (sees ?r …) …)",
                Severity.NOTE,
            )
            return


def _uneven_percepts(sheet: CrossReference) -> Iterator[Finding]:
    """Percepts that one of several roles with the same kinds of moves never gets."""
    roles = [role for role in sheet.roles if role != CHANCE_ROLE]
    if not 2 <= len(roles) <= MAX_ROLES:
        return
    seen = _by_role(sheet.heads.get(SEES, ()), roles)
    moves = _by_role(sheet.heads.get(LEGAL, ()), roles)
    if seen is None or moves is None:
        return
    for role in roles:
        richer = [
            other
            for other in roles
            if moves[other].keys() == moves[role].keys() and seen[role].keys() < seen[other].keys()
        ]
        for other in richer[:1]:
            for name, arity in sorted(seen[other].keys() - seen[role].keys()):
                yield sheet.warning(
                    "GDL064",
                    seen[other][name, arity].head.span,
                    f"{role} is never told `{name}`, which {other} is told; their moves are alike",
                    f"add a rule that starts with (<= (sees {role} {_shown(name, arity)}) …), "
                    "unless this is meant",
                )


def _by_role(
    rules: list[Rule] | tuple[()], roles: list[str]
) -> dict[str, dict[Signature, Rule]] | None:
    """The last arguments of heads for each role, with the first rule; None if one is a variable."""
    found: dict[str, dict[Signature, Rule]] = {role: {} for role in roles}
    for rule in rules:
        role, term = rule.head.arguments
        if isinstance(term, Variable):
            return None
        for name in roles if isinstance(role, Variable) else [role.functor]:
            if name in found:
                found[name].setdefault((term.functor, len(term.arguments)), rule)
    return found


def _shown(name: str, arity: int) -> str:
    return f"({name} …)" if arity else name


def _unread_fluents(sheet: CrossReference) -> Iterator[Finding]:
    """Fluents that no rule but their own `next` asks for, whatever their arguments."""
    written: dict[str, Rule] = {}
    for keyword in (INIT, NEXT):
        for rule in sheet.heads.get(keyword, ()):
            term = rule.head.arguments[0]
            if isinstance(term, Compound):
                written.setdefault(term.functor, rule)
    read = set(sheet.lost)
    asked: set[str] = set()
    for use in sheet.uses:
        atom = use.atom
        if atom.signature in {TRUE, NEXT, INIT}:
            if isinstance(atom.arguments[0], Variable):
                return
            if _keeps(use.rule, atom.arguments[0]):
                continue
            asked.add(atom.arguments[0].functor)
        # Where `true` is misspelt or forgotten, there is a finding about that.
        read.add(atom.predicate)
        read |= {term.functor for term in subterms(atom.arguments) if isinstance(term, Compound)}
    unwritten = sorted(asked - written.keys())[:MAX_NAMES]
    for name, rule in written.items():
        # To some players `control` says whose turn it is, without any rule that asks for it.
        if name not in read and name != CONTROL and not get_close_matches(name, unwritten, n=1):
            yield sheet.finding(
                "GDL065",
                rule.head.arguments[0].span,
                f"nothing asks for the fluent `{name}`",
                "ask for it by (true …), or remove its rules unless they are kept for display",
                Severity.NOTE,
            )


def _keeps(rule: Rule, fluent: Compound) -> bool:
    """Whether a rule only says that the fluent stays, or changes, because it was there."""
    if rule.head.signature != NEXT:
        return False
    term = rule.head.arguments[0]
    return isinstance(term, Compound) and term.functor == fluent.functor
