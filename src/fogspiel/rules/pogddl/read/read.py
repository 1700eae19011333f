"""Reading of a game in POGDDL: domain and problem in one file or in two.

All faults of a text are reported: reading goes on at the next form after each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fogspiel.core.findings import Finding, FindingCollector, in_order
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source
from fogspiel.rules.gdl.read import DEFAULT_LIMITS, refuse_bytes
from fogspiel.rules.pogddl.read.sections import (
    DOMAIN_SECTIONS,
    PROBLEM_SECTIONS,
    STARTS_SECTION,
    name_of_define,
    read_sections,
)
from fogspiel.rules.pogddl.syntax import Domain, GameDescription, Name, Problem
from fogspiel.rules.pogddl.text_parts import Part
from fogspiel.rules.sexpr import Group, Node, head_of, read_nodes

DEFINE_FIX = "write (define (domain name) …) and (define (problem name) …)"


@dataclass(frozen=True, slots=True)
class _Definition:
    """A `(define …)` that was found, and where its findings go."""

    notes: FindingCollector
    group: Group
    name: Name
    part: Part


def read_pogddl(
    sources: Sequence[Source], limits: ReadLimits = DEFAULT_LIMITS
) -> tuple[GameDescription, list[Finding]]:
    """The game that some texts define together, and what could not be read of them.

    The findings are those of reading alone; `checks.check` judges the game. Raises `LimitError` for
    a text beyond the limits.
    """
    findings: list[Finding] = []
    notes = [FindingCollector(source) for source in sources]
    definitions: list[_Definition] = []
    for own in notes:
        refuse_bytes(own.source.name, len(own.source.text), limits)
        nodes, unbalanced = read_nodes(
            own.source, limits, starts_form="define", starts_section=STARTS_SECTION
        )
        findings += unbalanced
        definitions += _definitions(own, nodes)
    domain = _read_domain(_only(definitions, Part.DOMAIN))
    problem = _read_problem(_only(definitions, Part.PROBLEM), domain)
    findings += [finding for own in notes for finding in own.findings]
    if not findings:
        findings += _missing(sources, domain, problem)
    return GameDescription(domain, problem), in_order(findings, sources)


def _definitions(notes: FindingCollector, nodes: Sequence[Node]) -> list[_Definition]:
    """The definitions of a text. Sections that follow one after its end are taken into it."""
    found: list[_Definition] = []
    strays: list[Node] = []
    for node in reversed(nodes):
        if (head_of(node) or "").startswith(":"):
            strays.append(node)
            continue
        definition = _definition(notes, node)
        if definition is None:
            continue
        if strays:
            fix = "remove a closing parenthesis before it"
            message = f"this section stands after the end of `{definition.name.text}`"
            notes.error("POG013", strays[-1].span, message, fix)
        items = (*definition.group.items, *reversed(strays))
        found.append(replace(definition, group=Group(items, definition.group.span)))
        strays = []
    for node in strays:
        notes.error("POG001", node.span, "this section stands in no definition", DEFINE_FIX)
    return found[::-1]


def _definition(notes: FindingCollector, node: Node) -> _Definition | None:
    if head_of(node) != "define" or not isinstance(node, Group) or len(node.items) < 2:
        message = "this is neither a domain nor a problem"
        notes.error("POG001", node.span, message, DEFINE_FIX)
        return None
    kind = head_of(node.items[1])
    name = name_of_define(node)
    if kind not in {"domain", "problem"} or name is None or name.is_variable:
        message = "this names neither a domain nor a problem"
        notes.error("POG001", node.items[1].span, message, DEFINE_FIX)
        return None
    part = Part.DOMAIN if kind == "domain" else Part.PROBLEM
    return _Definition(notes, node, Name(name.text, span=name.span), part)


def _only(definitions: Sequence[_Definition], part: Part) -> _Definition | None:
    """The definition of a part; more than one would be several games."""
    found = [definition for definition in definitions if definition.part is part]
    word = "domain" if part is Part.DOMAIN else "problem"
    for extra in found[1:]:
        fix = f"give one {word} at a time"
        extra.notes.error("POG008", extra.name.span, f"this is a second {word}", fix)
    return found[0] if found else None


def _read_domain(definition: _Definition | None) -> Domain | None:
    if definition is None:
        return None
    read = read_sections(definition.notes, definition.group, DOMAIN_SECTIONS, frozenset())
    return Domain(
        name=definition.name,
        requirements=tuple(read.requirements),
        types=tuple(read.types),
        constants=tuple(read.objects),
        predicates=tuple(read.predicates),
        functions=tuple(read.functions),
        derived=tuple(read.derived),
        actions=tuple(read.actions),
        choices=tuple(read.choices),
        gains=tuple(read.gains),
        terminals=tuple(read.terminals),
        source=definition.notes.source,
    )


def _read_problem(definition: _Definition | None, domain: Domain | None) -> Problem | None:
    if definition is None:
        return None
    declared = () if domain is None else domain.functions
    functions = frozenset(function.name.text for function in declared)
    read = read_sections(definition.notes, definition.group, PROBLEM_SECTIONS, functions)
    return Problem(
        name=definition.name,
        domain=read.domain,
        requirements=tuple(read.requirements),
        objects=tuple(read.objects),
        facts=tuple(read.facts),
        values=tuple(read.values),
        gains=tuple(read.gains),
        terminals=tuple(read.terminals),
        source=definition.notes.source,
    )


def _missing(
    sources: Sequence[Source], domain: Domain | None, problem: Problem | None
) -> list[Finding]:
    """Parts that were not given. In a text with faults they may just have been lost."""
    notes = FindingCollector(sources[0])
    if domain is None:
        fix = "give the file of the domain too, or add (define (domain name) …)"
        notes.error("POG009", None, "there is no domain", fix)
    elif problem is None:
        fix = "give the file of a problem too, or add (define (problem name) …)"
        notes.warning("POG009", None, "there is no problem: only the domain is checked", fix)
    return notes.findings
