"""Normalisation: rules as written become clauses that every layer below can take at their word.

Sheets in the wild bend GDL in a few well-known ways. Checks warn of each, and here each is given
its one meaning: see the modules of the steps. Clauses that play cannot depend on are left out.
"""

from __future__ import annotations

from dataclasses import replace

from fogspiel.core.findings import LimitError, RulesError
from fogspiel.core.limits import ReadLimits
from fogspiel.rules.clauses import (
    DOES,
    PLAYED,
    SEES,
    TRUE,
    Clause,
    Condition,
    Literal,
    Program,
    unused_name,
)
from fogspiel.rules.gdl.normalise.dnf import alternative_count, clauses_of_rule, too_large_findings
from fogspiel.rules.gdl.normalise.relation_copies import separate_phases, split_negative_cycles
from fogspiel.rules.gdl.normalise.unbound import bind_heads, project_negations
from fogspiel.rules.gdl.roles import give_turns, leaves_turns_to_control, roles_of
from fogspiel.rules.gdl.syntax import CHANCE_ROLE, KEYWORD_ARITIES, Description
from fogspiel.rules.graphs import needed_for

ASKED_ONLY = frozenset({TRUE, DOES})


def normalise(description: Description, limits: ReadLimits | None = None) -> Program:
    """The clauses of a description that passed its checks."""
    clauses = _raw_clauses(description, limits or ReadLimits())
    needs_turns = leaves_turns_to_control(clauses)
    taken = {literal.predicate for clause in clauses for literal in (clause.head, *clause.literals)}
    clauses = _without_borrowed_keywords(clauses, taken)
    clauses = [clause for clause in clauses if clause.head.signature not in ASKED_ONLY]
    clauses = _relevant(bind_heads(clauses, taken))
    clauses = project_negations(clauses, taken)
    if needs_turns:
        clauses = give_turns(clauses, taken)
    clauses = separate_phases(clauses, taken)
    clauses = _relevant(split_negative_cycles(clauses, taken))
    roles = roles_of(clauses)
    return Program(
        clauses=tuple(clauses),
        roles=roles,
        source=description.source,
        chance_role=CHANCE_ROLE if CHANCE_ROLE in roles else None,
        has_percepts=any(clause.head.signature == SEES for clause in clauses),
    )


def _raw_clauses(description: Description, limits: ReadLimits) -> list[Clause]:
    total = 0
    for rule in description.rules:
        if findings := too_large_findings(rule, description, limits):
            raise RulesError(findings)
        total += alternative_count(rule)
        if total > limits.clauses:
            raise LimitError.of(
                "GDL008",
                f"the rules up to here come to more than {limits.clauses:,} clauses",
                fix="give each `or` a relation of its own, with one rule for each alternative",
                source=description.source,
                span=rule.head.span,
            )
    return [clause for rule in description.rules for clause in clauses_of_rule(rule)]


def _without_borrowed_keywords(clauses: list[Clause], taken: set[str]) -> list[Clause]:
    """Rename relations that share a keyword's name with another number of arguments."""
    borrowed = {
        literal.signature
        for clause in clauses
        for literal in (clause.head, *clause.literals)
        if KEYWORD_ARITIES.get(literal.predicate, len(literal.arguments)) != len(literal.arguments)
    }
    if not borrowed:
        return clauses
    names = {s: unused_name(f"{s[0]}_of_{s[1]}", taken, "_") for s in sorted(borrowed)}

    def renamed(literal: Literal) -> Literal:
        return replace(literal, predicate=names.get(literal.signature, literal.predicate))

    def renamed_condition(condition: Condition) -> Condition:
        return renamed(condition) if isinstance(condition, Literal) else condition

    return [
        Clause(renamed(clause.head), tuple(map(renamed_condition, clause.body)), clause.span)
        for clause in clauses
    ]


def _relevant(clauses: list[Clause]) -> list[Clause]:
    needed = needed_for(clauses, PLAYED)
    return [clause for clause in clauses if clause.head.signature in needed]
