"""Conditions and expressions: from nodes to what must hold, and to numbers.

Source: Richards (2012), appendix A: <GD>, <f-comp>, <f-exp>.
Departure: `+` and `*` take more than two operands, as in PDDL 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogspiel.core.findings import FindingCollector
from fogspiel.rules.pogddl.read.pieces import (
    expected,
    is_number,
    operands,
    read_atom,
    read_number,
    read_term,
    read_variables,
)
from fogspiel.rules.pogddl.syntax import (
    And,
    Arithmetic,
    Comparison,
    Condition,
    Equal,
    Expression,
    Fluent,
    Imply,
    Name,
    Not,
    Or,
    Quantified,
    Quantifier,
    Typed,
)
from fogspiel.rules.sexpr import Group, Node, Word, head_of, keyword

COMPARISONS = frozenset({"<", "<=", "=", ">=", ">"})
ARITHMETIC: dict[str, tuple[int, int | None]] = {
    "+": (2, None),
    "*": (2, None),
    "-": (1, 2),
    "/": (2, 2),
}
"""Operators with the least and the largest number of their operands."""
EFFECT_WORDS = frozenset({
    "when", "observe", "assign", "increase", "decrease", "scale-up", "scale-down",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class ConditionReader:
    """Reads conditions of one text."""

    notes: FindingCollector
    functions: frozenset[str]
    """Declared functions: `(= a b)` compares numbers where one of them is named, else objects."""

    def condition(self, node: Node) -> Condition | None:
        """A condition; `()` always holds."""
        word = head_of(node)
        if isinstance(node, Word) or word in EFFECT_WORDS:
            self._refuse(node, word)
            return None
        if not node.items:
            return And((), span=node.span)
        if word in {"and", "or"}:
            found = self._conditions(node.items[1:])
            return And(found, span=node.span) if word == "and" else Or(found, span=node.span)
        if word in {"not", "imply", "exists", "forall"}:
            return self._nested(node, word)
        if word in COMPARISONS:
            return self._comparison(node, word)
        return read_atom(self.notes, node)

    def _refuse(self, node: Node, word: str | None) -> None:
        if isinstance(node, Word):
            expected(self.notes, node, "a condition in parentheses", f"write ({node.text})")
        else:
            message = f"a condition is expected here, but `{word}` is an effect"
            self.notes.error("POG003", node.span, message, "move it to `:effect`")

    def _conditions(self, nodes: Sequence[Node]) -> tuple[Condition, ...]:
        found = []
        for node in nodes:
            condition = self.condition(node)
            if condition is not None:
                found.append(condition)
        return tuple(found)

    def _nested(self, group: Group, word: str) -> Condition | None:
        """`not`, `imply` and the quantifiers."""
        count = 1 if word == "not" else 2
        given = operands(self.notes, group, count, count)
        if given is None:
            return None
        if word == "not":
            inner = self.condition(given[0])
            return None if inner is None else Not(inner, span=group.span)
        if word == "imply":
            premise, conclusion = self.condition(given[0]), self.condition(given[1])
            if premise is None or conclusion is None:
                return None
            return Imply(premise, conclusion, span=group.span)
        variables = self.variables(given[0])
        inner = self.condition(given[1])
        if inner is None:
            return None
        return Quantified(Quantifier(word), variables, inner, span=group.span)

    def variables(self, node: Node) -> tuple[Typed, ...]:
        """The typed variables of a quantifier or of `:parameters`, in parentheses."""
        if isinstance(node, Group):
            return read_variables(self.notes, node.items)
        expected(self.notes, node, "a list of variables", "write (?x - type)")
        return ()

    def _comparison(self, group: Group, word: str) -> Condition | None:
        given = operands(self.notes, group, 2, 2)
        if given is None:
            return None
        if word == "=" and not any(self._is_numeric(node) for node in given):
            first, second = read_term(self.notes, given[0]), read_term(self.notes, given[1])
            if first is None or second is None:
                return None
            return Equal(first, second, span=group.span)
        left, right = self.expression(given[0]), self.expression(given[1])
        if left is None or right is None:
            return None
        return Comparison(word, left, right, span=group.span)

    def _is_numeric(self, node: Node) -> bool:
        if isinstance(node, Group):
            return True
        return is_number(node) or node.text in self.functions

    def expression(self, node: Node) -> Expression | None:
        """A number, a function, or arithmetic."""
        if is_number(node):
            return read_number(self.notes, node)
        word = head_of(node)
        if word not in ARITHMETIC:
            return self.fluent(node)
        assert isinstance(node, Group)
        given = operands(self.notes, node, *ARITHMETIC[word])
        if given is None:
            return None
        found = []
        for item in given:
            expression = self.expression(item)
            if expression is None:
                return None
            found.append(expression)
        return Arithmetic(word, tuple(found), span=node.span)

    def fluent(self, node: Node) -> Fluent | None:
        """`(function term…)`; a function without arguments may stand without parentheses."""
        if isinstance(node, Word) and not node.is_variable and keyword(node) != "-":
            return Fluent(Name(node.text, span=node.span), (), span=node.span)
        if isinstance(node, Word):
            expected(self.notes, node, "a number or a function", "write 1 or (function ?x)")
            return None
        atom = read_atom(self.notes, node, "a function")
        return None if atom is None else Fluent(atom.name, atom.arguments, span=atom.span)
