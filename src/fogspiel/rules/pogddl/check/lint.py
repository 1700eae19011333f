"""Lint: what is allowed and probably not meant. Names without a use, or without a cause."""

from __future__ import annotations

from fogspiel.core.findings import FindingCollector
from fogspiel.rules.pogddl.check.uses import UsageRecord
from fogspiel.rules.pogddl.syntax import MOVER, Domain
from fogspiel.rules.pogddl.world import World


def check_unused(
    world: World, domain: Domain, notes: FindingCollector, record: UsageRecord
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
