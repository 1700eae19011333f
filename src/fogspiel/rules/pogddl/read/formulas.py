"""From nodes to the small pieces of POGDDL: names, terms, typed lists, atoms, numbers.

A piece that cannot be read is None, and was reported; whoever asked for it goes on with the next.

Conditions and expressions: from nodes to what must hold, and to numbers.

Source: Richards (2012), appendix A: <GD>, <f-comp>, <f-exp>.
Departure: `+` and `*` take more than two operands, as in PDDL 3.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from fogspiel.core.findings import FindingCollector
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.syntax import ANY_TYPE
from fogspiel.rules.sexpr import Group, Node, Word, head_of, keyword

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+|[0-9]+/[0-9]+)")
MAX_DIGITS = 30


def expected(notes: FindingCollector, node: Node, what: str, fix: str) -> None:
    """Report that something else should stand here."""
    found = f"`{node.text}`" if isinstance(node, Word) else "a form in parentheses"
    if isinstance(node, Group) and not node.items:
        found = "`()`"
    if (keyword(node) or "").startswith(":"):
        fix = "close the form before it: a parenthesis is missing there"
    notes.error("POG003", node.span, f"{what} is expected here, not {found}", fix)


def operands(
    notes: FindingCollector, group: Group, least: int, most: int | None
) -> Sequence[Node] | None:
    """What follows the first word of a group, if it is as many as that word takes."""
    given = group.items[1:]
    if least <= len(given) and (most is None or len(given) <= most):
        return given
    word = keyword(group.items[0])
    count = f"{least}" if most == least else f"at least {least}" if most is None else "1 or 2"
    notes.error(
        "POG004",
        group.span,
        f"`{word}` takes {count} operand{'s' * (count != '1')}, not {len(given)}",
        f"write `{word}` with all its operands in one pair of parentheses",
    )
    return None


def read_name(notes: FindingCollector, node: Node, what: str) -> syntax.Name | None:
    """A plain name."""
    if isinstance(node, Word) and not node.is_variable:
        return syntax.Name(node.text, span=node.span)
    expected(notes, node, what, "write its name")
    return None


def read_term(notes: FindingCollector, node: Node) -> syntax.Term | None:
    """An object's name or a variable."""
    if isinstance(node, Word):
        if not node.is_variable:
            return syntax.Name(node.text, span=node.span)
        if len(node.text) > 1:
            return syntax.Variable(node.text[1:], span=node.span)
    expected(notes, node, "the name of an object or a variable", "write `name` or `?variable`")
    return None


def read_atom(notes: FindingCollector, node: Node, what: str = "a predicate") -> syntax.Atom | None:
    """`(name term…)`."""
    if not isinstance(node, Group) or not node.items:
        fix = f"write ({node.text})" if isinstance(node, Word) else "name it in the parentheses"
        expected(notes, node, f"{what} in parentheses", fix)
        return None
    name = read_name(notes, node.items[0], f"the name of {what}")
    terms = [read_term(notes, item) for item in node.items[1:]]
    found = tuple(term for term in terms if term is not None)
    if name is None or len(found) < len(terms):
        return None
    return syntax.Atom(name, found, span=node.span)


def is_number(node: Node) -> bool:
    """Whether a word starts like a number."""
    return isinstance(node, Word) and not node.quoted and node.text.lstrip("+-.")[:1].isdigit()


def read_number(notes: FindingCollector, node: Node) -> syntax.Number | None:
    """`2`, `0.5`, `.5` or `1/3`, with or without a sign."""
    if not is_number(node):
        expected(notes, node, "a number", "write a number such as 2, 0.5 or 1/3")
        return None
    assert isinstance(node, Word)
    # A decimal fraction may be written as a ratio, which is longer.
    longest = 3 * MAX_DIGITS if "/" in node.text else MAX_DIGITS
    if NUMBER.fullmatch(node.text) and len(node.text) <= longest:
        try:
            return syntax.Number(Fraction(node.text), span=node.span)
        except ZeroDivisionError:
            pass
    notes.error(
        "POG006",
        node.span,
        "this number cannot be read",
        f"write a number such as 2, 0.5 or 1/3, of at most {MAX_DIGITS} characters",
    )
    return None


def read_declaration(notes: FindingCollector, node: Node, what: str) -> syntax.Declaration | None:
    """`(name ?x ?y - type …)`."""
    if not isinstance(node, Group) or not node.items:
        expected(notes, node, f"{what} with its parameters", "write (name ?x - type)")
        return None
    name = read_name(notes, node.items[0], f"the name of {what}")
    if name is None:
        return None
    return syntax.Declaration(name, read_variables(notes, node.items[1:]), span=node.span)


def read_variables(notes: FindingCollector, nodes: Sequence[Node]) -> tuple[syntax.Typed, ...]:
    """A typed list of variables; a name among them is taken for one."""
    found = []
    for item in read_typed(notes, nodes):
        if isinstance(item.term, syntax.Name):
            text = item.term.text
            message = f"`{text}` stands where a variable must"
            notes.error("POG005", item.span, message, f"write `?{text}`")
            found.append(syntax.Typed(syntax.Variable(text, span=item.span), item.types))
        else:
            found.append(item)
    return tuple(found)


def read_names(notes: FindingCollector, nodes: Sequence[Node]) -> tuple[syntax.Typed, ...]:
    """A typed list of names; a variable among them is taken for one."""
    found = []
    for item in read_typed(notes, nodes):
        if isinstance(item.term, syntax.Variable):
            name = item.term.name
            message = f"`?{name}` stands where a name must"
            notes.error("POG005", item.span, message, f"write `{name}`")
            found.append(syntax.Typed(syntax.Name(name, span=item.span), item.types))
        else:
            found.append(item)
    return tuple(found)


def read_typed(notes: FindingCollector, nodes: Sequence[Node]) -> tuple[syntax.Typed, ...]:
    """`a b - type c - (either t u) d`: names or variables, each with its types."""
    found: list[syntax.Typed] = []
    waiting: list[syntax.Term] = []
    at = 0
    while at < len(nodes):
        node = nodes[at]
        at += 1
        types: tuple[syntax.Name, ...]
        if (glued := _glued_type(notes, node)) is not None:
            types = (glued,)
        elif keyword(node) != "-":
            if (term := read_term(notes, node)) is not None:
                waiting.append(term)
            continue
        elif at == len(nodes) or not waiting:
            missing = (
                "nothing stands before this `-`" if not waiting else "no type follows this `-`"
            )
            notes.error("POG005", node.span, missing, "write `name - type`")
            continue
        else:
            types = _types(notes, nodes[at])
            at += 1
        found += [syntax.Typed(term, types) for term in waiting]
        waiting.clear()
    return (*found, *(syntax.Typed(term) for term in waiting))


def _glued_type(notes: FindingCollector, node: Node) -> syntax.Name | None:
    """The type in `-type`, where a blank is missing."""
    if isinstance(node, Word) and not node.quoted and node.text[0] == "-" and node.text != "-":
        fix = "write a blank between `-` and the type"
        notes.error("POG005", node.span, "a type must stand apart from its `-`", fix)
        return syntax.Name(node.text[1:], span=node.span)
    return None


def _types(notes: FindingCollector, node: Node) -> tuple[syntax.Name, ...]:
    """A type, or `(either type…)`."""
    if isinstance(node, Word):
        name = read_name(notes, node, "a type")
        return () if name is None or name.text == ANY_TYPE else (name,)
    if head_of(node) != "either" or len(node.items) == 1:
        fix = "write the name of a type, or (either a b)"
        notes.error("POG005", node.span, "this is not a type", fix)
        return ()
    names = [read_name(notes, item, "a type") for item in node.items[1:]]
    return tuple(name for name in names if name is not None)


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

    def condition(self, node: Node) -> syntax.Condition | None:
        """A condition; `()` always holds."""
        word = head_of(node)
        if isinstance(node, Word) or word in EFFECT_WORDS:
            self._refuse(node, word)
            return None
        if not node.items:
            return syntax.And((), span=node.span)
        if word in {"and", "or"}:
            found = self._conditions(node.items[1:])
            return (
                syntax.And(found, span=node.span)
                if word == "and"
                else syntax.Or(found, span=node.span)
            )
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

    def _conditions(self, nodes: Sequence[Node]) -> tuple[syntax.Condition, ...]:
        found = []
        for node in nodes:
            condition = self.condition(node)
            if condition is not None:
                found.append(condition)
        return tuple(found)

    def _nested(self, group: Group, word: str) -> syntax.Condition | None:
        """`not`, `imply` and the quantifiers."""
        count = 1 if word == "not" else 2
        given = operands(self.notes, group, count, count)
        if given is None:
            return None
        if word == "not":
            inner = self.condition(given[0])
            return None if inner is None else syntax.Not(inner, span=group.span)
        if word == "imply":
            premise, conclusion = self.condition(given[0]), self.condition(given[1])
            if premise is None or conclusion is None:
                return None
            return syntax.Imply(premise, conclusion, span=group.span)
        variables = self.variables(given[0])
        inner = self.condition(given[1])
        if inner is None:
            return None
        return syntax.Quantified(syntax.Quantifier(word), variables, inner, span=group.span)

    def variables(self, node: Node) -> tuple[syntax.Typed, ...]:
        """The typed variables of a quantifier or of `:parameters`, in parentheses."""
        if isinstance(node, Group):
            return read_variables(self.notes, node.items)
        expected(self.notes, node, "a list of variables", "write (?x - type)")
        return ()

    def _comparison(self, group: Group, word: str) -> syntax.Condition | None:
        given = operands(self.notes, group, 2, 2)
        if given is None:
            return None
        if word == "=" and not any(self._is_numeric(node) for node in given):
            first, second = read_term(self.notes, given[0]), read_term(self.notes, given[1])
            if first is None or second is None:
                return None
            return syntax.Equal(first, second, span=group.span)
        left, right = self.expression(given[0]), self.expression(given[1])
        if left is None or right is None:
            return None
        return syntax.Comparison(word, left, right, span=group.span)

    def _is_numeric(self, node: Node) -> bool:
        if isinstance(node, Group):
            return True
        return is_number(node) or node.text in self.functions

    def expression(self, node: Node) -> syntax.Expression | None:
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
        return syntax.Arithmetic(word, tuple(found), span=node.span)

    def fluent(self, node: Node) -> syntax.Fluent | None:
        """`(function term…)`; a function without arguments may stand without parentheses."""
        if isinstance(node, Word) and not node.is_variable and keyword(node) != "-":
            return syntax.Fluent(syntax.Name(node.text, span=node.span), (), span=node.span)
        if isinstance(node, Word):
            expected(self.notes, node, "a number or a function", "write 1 or (function ?x)")
            return None
        atom = read_atom(self.notes, node, "a function")
        return None if atom is None else syntax.Fluent(atom.name, atom.arguments, span=atom.span)
