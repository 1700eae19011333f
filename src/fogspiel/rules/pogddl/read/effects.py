"""Effects: from nodes to what an action changes and what it lets roles observe.

Source: Richards (2012), appendix A: <effect>, <observation>.
Departure: effects nest freely under `when` and `forall`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogspiel.core.findings import FindingCollector
from fogspiel.rules.pogddl.read.conditions import ConditionReader
from fogspiel.rules.pogddl.read.pieces import expected, operands, read_atom, read_term
from fogspiel.rules.pogddl.syntax import (
    Add,
    Change,
    Delete,
    Effect,
    Effects,
    ForEach,
    ObservationClause,
    Observe,
    When,
)
from fogspiel.rules.sexpr import Group, Node, Word, head_of, keyword

CHANGES = frozenset({"assign", "increase", "decrease", "scale-up", "scale-down"})
CONDITION_WORDS = frozenset({"or", "imply", "exists", "=", "<", "<=", ">=", ">"})
OBSERVATION_FIX = "write (observe (role (what ?x)) (others (what _)))"


@dataclass(frozen=True, slots=True)
class EffectReader:
    """Reads effects of one text."""

    notes: FindingCollector
    conditions: ConditionReader

    def effect(self, node: Node) -> Effect | None:
        """An effect; `()` changes nothing."""
        word = head_of(node)
        if isinstance(node, Word) or word in CONDITION_WORDS:
            self._refuse(node, word)
            return None
        if not node.items or word == "and":
            return Effects(self._effects(node.items[1:]), span=node.span)
        if word in {"when", "forall"}:
            return self._nested(node, word)
        if word == "observe":
            return self._observe(node)
        if word in CHANGES:
            return self._change(node, word)
        return self._literal(node, is_negated=word == "not")

    def _refuse(self, node: Node, word: str | None) -> None:
        if isinstance(node, Word):
            expected(self.notes, node, "an effect in parentheses", f"write ({node.text})")
        else:
            fix = "ask for it in `:precondition`, or in the condition of a `when`"
            message = f"an effect is expected here, but `{word}` is a condition"
            self.notes.error("POG003", node.span, message, fix)

    def _effects(self, nodes: Sequence[Node]) -> tuple[Effect, ...]:
        found = []
        for node in nodes:
            effect = self.effect(node)
            if effect is not None:
                found.append(effect)
        return tuple(found)

    def _nested(self, group: Group, word: str) -> Effect | None:
        given = operands(self.notes, group, 2, 2)
        if given is None:
            return None
        if word == "forall":
            variables = self.conditions.variables(given[0])
            effect = self.effect(given[1])
            return None if effect is None else ForEach(variables, effect, span=group.span)
        condition, effect = self.conditions.condition(given[0]), self.effect(given[1])
        if condition is None or effect is None:
            return None
        return When(condition, effect, span=group.span)

    def _literal(self, group: Group, *, is_negated: bool) -> Effect | None:
        if not is_negated:
            added = read_atom(self.notes, group)
            return None if added is None else Add(added, span=group.span)
        given = operands(self.notes, group, 1, 1)
        deleted = None if given is None else read_atom(self.notes, given[0])
        return None if deleted is None else Delete(deleted, span=group.span)

    def _change(self, group: Group, word: str) -> Effect | None:
        given = operands(self.notes, group, 2, 2)
        if given is None:
            return None
        fluent = self.conditions.fluent(given[0])
        value = self.conditions.expression(given[1])
        if fluent is None or value is None:
            return None
        return Change(word, fluent, value, span=group.span)

    def _observe(self, group: Group) -> Effect:
        found = []
        for node in group.items[1:]:
            items = node.items if isinstance(node, Group) else ()
            named = [item for item in items if not isinstance(item, Group)]
            told = items[len(named) :]
            is_typed = any(keyword(item) == "-" for item in named)
            is_told = bool(told) and all(isinstance(item, Group) for item in told)
            if not named or is_typed or not is_told:
                expected(self.notes, node, "a recipient with an observation", OBSERVATION_FIX)
                continue
            # Several recipients are all told the same, be it one thing or several.
            recipients = [read_term(self.notes, item) for item in named]
            atoms = [read_atom(self.notes, item, "an observation") for item in told]
            found += [
                ObservationClause(recipient, atom, span=node.span)
                for recipient in recipients
                for atom in atoms
                if recipient is not None and atom is not None
            ]
        return Observe(tuple(found), span=group.span)
