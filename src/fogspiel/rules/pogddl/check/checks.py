"""All that can be said about a game in POGDDL before it is played.

An error means that the game has no meaning; a warning, that it says something odd; a note is a
remark. All findings are reported at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from fogspiel.core.findings import Finding, FindingCollector, errors_in, in_order
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source
from fogspiel.rules.gdl.read import DEFAULT_LIMITS
from fogspiel.rules.pogddl.check.actions import RuleChecker
from fogspiel.rules.pogddl.check.declarations import check_domain, check_problem
from fogspiel.rules.pogddl.check.derivation import check_derivation
from fogspiel.rules.pogddl.check.lint import check_unused
from fogspiel.rules.pogddl.check.uses import BoundVariables, UsageRecord
from fogspiel.rules.pogddl.read.read import read_pogddl
from fogspiel.rules.pogddl.syntax import Domain, GameDescription, Problem
from fogspiel.rules.pogddl.world import World


def read_and_check(
    sources: Sequence[Source], limits: ReadLimits = DEFAULT_LIMITS
) -> tuple[GameDescription, list[Finding]]:
    """The game that some texts define, with the findings of reading and checking, in their order.

    Raises `LimitError` for a text beyond the limits.
    """
    description, findings = read_pogddl(sources, limits)
    found = check(description, lint=not errors_in(findings))
    return description, in_order([*findings, *found], sources)


def check(description: GameDescription, *, lint: bool = True) -> list[Finding]:
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


def _check_rules(checker: RuleChecker, domain: Domain) -> None:
    for derived in domain.derived:
        checker.derived(derived)
    for action in domain.actions:
        checker.action(action)
    for choice in domain.choices:
        checker.choice(choice)
    _check_ends(checker, domain)


def _check_start(checker: RuleChecker, problem: Problem) -> None:
    checker.start(problem)
    _check_ends(checker, problem)


def _check_ends(checker: RuleChecker, part: Domain | Problem) -> None:
    """Gains and terminal conditions, which may stand in either part."""
    for gain in part.gains:
        checker.gain(gain)
    for terminal in part.terminals:
        checker.condition(terminal, BoundVariables({}))
