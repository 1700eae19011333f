"""All checks of a game in POGDDL before it is played.

An error means that the game has no meaning; a warning, that it says something odd; a note is a
remark. All findings are reported at once.

Derived predicates must not depend on their own negation (Edelkamp & Hoffmann 2004, PDDL 2.2).
Departure: recursion under `not` is refused only where it is a circle, as in stratified programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fogspiel.core.findings import Finding, FindingCollector, errors_in, in_order
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source
from fogspiel.rules.gdl.read import DEFAULT_LIMITS
from fogspiel.rules.graphs import components
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.check.actions import RuleChecker
from fogspiel.rules.pogddl.check.declarations import check_domain, check_problem
from fogspiel.rules.pogddl.check.uses import BoundVariables, UsageRecord
from fogspiel.rules.pogddl.read.read import read_pogddl
from fogspiel.rules.pogddl.syntax import MOVER
from fogspiel.rules.pogddl.world import World


def read_and_check(
    sources: Sequence[Source], limits: ReadLimits = DEFAULT_LIMITS
) -> tuple[syntax.GameDescription, list[Finding]]:
    """The game that some texts define, with the findings of reading and checking, in their order.

    Raises `LimitError` for a text beyond the limits.
    """
    description, findings = read_pogddl(sources, limits)
    found = check(description, lint=not errors_in(findings))
    return description, in_order([*findings, *found], sources)


def check(description: syntax.GameDescription, *, lint: bool = True) -> list[Finding]:
    """Every finding about a game.

    lint: whether to look for what nothing uses. In a text that could not be read as a whole, the
    use may be in what was lost.
    """
    domain, problem = description.domain, description.problem
    if domain is None:
        return []
    world = World(description)
    notes = FindingCollector(domain.source)
    one_file = problem is None or problem.source is domain.source
    problem_notes = notes if one_file or problem is None else FindingCollector(problem.source)
    record = UsageRecord()
    check_domain(world, domain, notes)
    check_derivation(domain.derived, notes)
    _check_rules(RuleChecker(world, notes, record), domain)
    if problem is not None:
        check_problem(world, problem, problem_notes)
        _check_start(RuleChecker(world, problem_notes, record), problem)
    every = [notes] if problem_notes is notes else [notes, problem_notes]
    if lint and not any(errors_in(own.findings) for own in every):
        check_unused(world, domain, notes, record)
    return [finding for own in every for finding in own.findings]


def _check_rules(checker: RuleChecker, domain: syntax.Domain) -> None:
    for derived in domain.derived:
        checker.derived(derived)
    for action in domain.actions:
        checker.action(action)
    for choice in domain.choices:
        checker.choice(choice)
    _check_ends(checker, domain)


def _check_start(checker: RuleChecker, problem: syntax.Problem) -> None:
    checker.start(problem)
    _check_ends(checker, problem)


def _check_ends(checker: RuleChecker, part: syntax.Domain | syntax.Problem) -> None:
    """Gains and terminal conditions, which may stand in either part."""
    for gain in part.gains:
        checker.gain(gain)
    for terminal in part.terminals:
        checker.condition(terminal, BoundVariables({}))


def check_unused(
    world: World, domain: syntax.Domain, notes: FindingCollector, record: UsageRecord
) -> None:
    """Variables, predicates and functions without a use, and conditions that never hold."""
    for where, variable in record.unused:
        fix = "remove it: each of its objects makes one more copy of the same"
        where.warning("POG060", variable.span, f"nothing uses `?{variable.name}`", fix)
    for declaration in (*domain.predicates, *domain.functions):
        name = declaration.name
        if name.text not in record.asked and name.text != MOVER:
            notes.note(
                "POG061", name.span, f"nothing asks for `{name.text}`", "remove it, or use it"
            )
    if world.problem is None:
        return
    for text, (where, span) in record.asked.items():
        if text in record.stated:
            continue
        if text in world.predicates:
            fix = "state it in `:init`, or let an effect add it"
            where.warning("POG062", span, f"nothing makes `{text}` true: it never holds", fix)
        elif text in world.functions:
            fix = f"give it a value in `:init`: (= ({text} …) 0)"
            where.warning("POG062", span, f"nothing gives `{text}` a value", fix)


def check_derivation(rules: Sequence[syntax.Derived], notes: FindingCollector) -> None:
    """Negations that close a circle of derived predicates, one finding for each."""
    names = {rule.head.name.text for rule in rules}
    graph: dict[str, set[str]] = {name: set() for name in names}
    negations: list[tuple[str, syntax.Atom]] = []
    for rule in rules:
        head = rule.head.name.text
        for atom, is_negated in _atoms(rule.condition):
            if atom.name.text in names:
                graph[head].add(atom.name.text)
                if is_negated:
                    negations.append((head, atom))
    circle = components({name: sorted(graph[name]) for name in sorted(graph)})
    for head, atom in negations:
        if circle[head] == circle[atom.name.text]:
            fix = "derive what is negated without asking for this predicate"
            message = f"`{head}` depends on the negation of itself"
            notes.error("POG033", atom.span, message, fix)


def _atoms(condition: syntax.Condition) -> Iterator[tuple[syntax.Atom, bool]]:
    """The atoms of a condition, each with whether it stands under an odd number of negations."""
    work: list[tuple[syntax.Condition, bool]] = [(condition, False)]
    while work:
        item, is_negated = work.pop()
        match item:
            case syntax.Atom():
                yield item, is_negated
            case syntax.And(inner) | syntax.Or(inner):
                work += [(part, is_negated) for part in reversed(inner)]
            case syntax.Not(inner):
                work.append((inner, not is_negated))
            case syntax.Imply(premise, conclusion):
                work += [(conclusion, is_negated), (premise, not is_negated)]
            case syntax.Quantified(_, _, inner):
                work.append((inner, is_negated))
            case _:
                pass  # comparisons ask for no predicate
