"""The larger forms of a domain: actions with effects, derived predicates, gains, weighted choices.

Source: Richards (2012), appendix A: <structure-def>, <effect>, <observation>; section 3.6 for
`choose`.
Departures: a gain's role may be a name; `:choose` names actions by `(action term…)`; effects nest
freely under `when` and `forall`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from fogspiel.core.findings import FindingCollector
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.read.formulas import (
    ARITHMETIC,
    ConditionReader,
    expected,
    is_number,
    made,
    operands,
    read_atom,
    read_declaration,
    read_each,
    read_name,
    read_term,
    read_typed,
    surplus,
)
from fogspiel.rules.sexpr import Group, Node, Word, head_of, keyword

ACTION_PARTS = (":parameters", ":precondition", ":effect")
CHOICE_PARTS = (":parameters", ":condition", ":select")
ACTION_FIX = "write (:action name :parameters (…) :precondition (…) :effect (…))"
GAIN_FIX = "write (:gain ?r - role amount (condition))"
CHOICE_FIX = "write (:choose :parameters (?x - type) :condition (…) :select (2 (act ?x) 1 (other)))"
CHANGES = frozenset({"assign", "increase", "decrease", "scale-up", "scale-down"})
CONDITION_WORDS = frozenset({"or", "imply", "exists", "=", "<", "<=", ">=", ">"})
OBSERVATION_FIX = "write (observe (role (what ?x)) (others (what _)))"


@dataclass(frozen=True, slots=True)
class StructureReader:
    """Reads the structures of one text."""

    notes: FindingCollector
    conditions: ConditionReader
    effects: EffectReader

    def action(self, group: Group) -> syntax.Action:
        """`(:action name :parameters (…) :precondition condition :effect effect)`."""
        title = group.items[1] if len(group.items) > 1 else None
        if title is None or (keyword(title) or "").startswith(":"):
            self.notes.error("POG003", group.span, "this action has no name", ACTION_FIX)
            name, start = syntax.Name("", span=group.span), 1
        else:
            found = read_name(self.notes, title, "the name of an action")
            name, start = found or syntax.Name("", span=title.span), 2
        parts = self._parts(group, start, ACTION_PARTS)
        condition, effect = parts.get(":precondition"), parts.get(":effect")
        return syntax.Action(
            name=name,
            parameters=self._parameters(parts),
            precondition=None if condition is None else self.conditions.condition(condition),
            effect=None if effect is None else self.effects.effect(effect),
            span=group.span,
        )

    def derived(self, group: Group) -> syntax.Derived | None:
        """`(:derived (predicate ?x - type) condition)`."""
        if len(group.items) != 3:
            fix = "write (:derived (predicate ?x - type) (condition))"
            message = "a derived predicate takes its head and one condition"
            given = group.items[1:]
            place = surplus(self.notes, given, 2) if len(given) > 2 else group.span
            self.notes.error("POG003", place, message, fix)
            return None
        head = read_declaration(self.notes, group.items[1], "a predicate")
        condition = self.conditions.condition(group.items[2])
        return made(syntax.Derived, head, condition, span=group.span)

    def gain(self, group: Group) -> syntax.Gain | None:
        """`(:gain roles amount condition)`; the roles are a typed list, mostly of one."""
        items = group.items[1:]
        if len(items) < 3:
            message = "a gain takes a role, an amount and a condition"
            self.notes.error("POG003", group.span, message, GAIN_FIX)
            return None
        listed = items[:-2]
        if len(listed) == 1 and isinstance(listed[0], Group):
            listed = listed[0].items
        roles = read_typed(self.notes, listed)
        value = self.conditions.expression(items[-2])
        condition = self.conditions.condition(items[-1])
        return made(syntax.Gain, roles, value, condition, span=group.span)

    def choice(self, group: Group) -> syntax.Choice | None:
        """`(:choose :parameters (…) :condition condition :select (weight (action …) …))`."""
        parts = self._parts(group, 1, CHOICE_PARTS)
        select, condition = parts.get(":select"), parts.get(":condition")
        if not isinstance(select, Group) or not select.items or len(select.items) % 2:
            message = "`:select` must list pairs of a weight and an action"
            place = _unpaired(select) if isinstance(select, Group) else select
            self.notes.error("POG003", (place or group).span, message, CHOICE_FIX)
            return None
        options = []
        for weight_node, action_node in zip(select.items[::2], select.items[1::2], strict=True):
            weight = self.conditions.expression(weight_node)
            action = self._call(action_node)
            if weight is not None and action is not None:
                options.append(syntax.Option(weight, action))
        return syntax.Choice(
            parameters=self._parameters(parts),
            condition=None if condition is None else self.conditions.condition(condition),
            options=tuple(options),
            span=group.span,
        )

    def _call(self, node: Node) -> syntax.Atom | None:
        """`(action ?x ?y)`; the thesis writes `(action(?x ?y))`."""
        if isinstance(node, Group) and len(node.items) == 2 and isinstance(node.items[1], Group):
            node = Group((node.items[0], *node.items[1].items), node.span)
        return read_atom(self.notes, node, "an action")

    def _parameters(self, parts: Mapping[str, Node]) -> tuple[syntax.Typed, ...]:
        given = parts.get(":parameters")
        return () if given is None else self.conditions.variables(given)

    def _parts(self, group: Group, start: int, known: tuple[str, ...]) -> dict[str, Node]:
        """The values of the keywords of a structure."""
        parts: dict[str, Node] = {}
        items = deque(group.items[start:])
        is_lost = False  # What follows such a fault is mostly a consequence.
        while items:
            node = items.popleft()
            word = keyword(node)
            if word is None or not word.startswith(":"):
                if not is_lost:
                    self._no_keyword(node, known)
                is_lost = True
                continue
            if not items or (keyword(items[0]) or "").startswith(":"):
                fix = f"write what {word} stands for, or leave it out"
                self.notes.error("POG003", node.span, f"nothing follows `{word}`", fix)
                continue
            value = items.popleft()
            if word not in known:
                self.unknown(node, known)
            elif word in parts:
                fix = "join them by `and`"
                self.notes.error("POG007", node.span, f"`{word}` is given twice", fix)
            else:
                parts[word] = value
        return parts

    def _no_keyword(self, node: Node, known: tuple[str, ...]) -> None:
        inner = head_of(node)
        if inner in known:
            fix = f"write {inner} before the parenthesis, not in it"
        elif is_number(node):
            fix = "remove it"
        else:
            fix = f"write one of {', '.join(known)} before it, or remove it"
        expected(self.notes, node, f"one of {', '.join(known)}", fix)

    def unknown(self, node: Node, known: tuple[str, ...]) -> None:
        """Report a keyword that nothing is known about."""
        word = node.text if isinstance(node, Word) else ""
        fix = self.notes.meant(word, known, f"write one of {', '.join(known)}")
        self.notes.error("POG002", node.span, f"`{word}` is no keyword here", fix)


def _unpaired(select: Group) -> Node:
    """The place in a list of weights and actions from which on they are no pairs."""
    for place, node in enumerate(select.items):
        is_action = isinstance(node, Group) and head_of(node) not in ARITHMETIC
        if place % 2 == 0 and is_action and place + 1 < len(select.items):
            following = select.items[place + 1]
            if isinstance(following, Group) and head_of(following) not in ARITHMETIC:
                continue  # The weight is a function.
            return node
    return select.items[-1] if select.items else select


@dataclass(frozen=True, slots=True)
class EffectReader:
    """Reads effects of one text."""

    notes: FindingCollector
    conditions: ConditionReader

    def effect(self, node: Node) -> syntax.Effect | None:
        """An effect; `()` changes nothing."""
        word = head_of(node)
        if isinstance(node, Word) or word in CONDITION_WORDS:
            self._refuse(node, word)
            return None
        if not node.items or word == "and":
            return syntax.Effects(read_each(self.effect, node.items[1:]), span=node.span)
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

    def _nested(self, group: Group, word: str) -> syntax.Effect | None:
        given = operands(self.notes, group, 2, 2)
        if given is None:
            return None
        if word == "forall":
            variables, effect = self.conditions.variables(given[0]), self.effect(given[1])
            return made(syntax.ForEach, variables, effect, span=group.span)
        condition, effect = self.conditions.condition(given[0]), self.effect(given[1])
        return made(syntax.When, condition, effect, span=group.span)

    def _literal(self, group: Group, *, is_negated: bool) -> syntax.Effect | None:
        if not is_negated:
            return made(syntax.Add, read_atom(self.notes, group), span=group.span)
        given = operands(self.notes, group, 1, 1)
        deleted = None if given is None else read_atom(self.notes, given[0])
        return made(syntax.Delete, deleted, span=group.span)

    def _change(self, group: Group, word: str) -> syntax.Effect | None:
        given = operands(self.notes, group, 2, 2)
        if given is None:
            return None
        fluent, value = self.conditions.fluent(given[0]), self.conditions.expression(given[1])
        return made(syntax.Change, word, fluent, value, span=group.span)

    def _observe(self, group: Group) -> syntax.Effect:
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
                syntax.ObservationClause(recipient, atom, span=node.span)
                for recipient in recipients
                for atom in atoms
                if recipient is not None and atom is not None
            ]
        return syntax.Observe(tuple(found), span=group.span)
