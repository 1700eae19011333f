"""Names, typed lists, numbers and conditions of POGDDL, from the nodes of a text.

A piece that cannot be read is None, and was reported; whoever asked for it goes on with the next.

Source: Richards (2012), appendix A: <typed list>, <GD>, <f-comp>, <f-exp>.
Departure: `+` and `*` take more than two operands, as in PDDL 3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from fogspiel.core.findings import FindingCollector
from fogspiel.core.source import Span
from fogspiel.rules.numbers import COMPARISONS
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.syntax import ANY_TYPE
from fogspiel.rules.sexpr import Group, Node, Word, head_of, keyword

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+|[0-9]+/[0-9]+)")
MAX_DIGITS = 30
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

T = TypeVar("T")


def made(kind: Callable[..., T], *parts: object, span: Span) -> T | None:
    """A piece of some parts; None if one of them could not be read."""
    return None if any(part is None for part in parts) else kind(*parts, span=span)


def read_each(read: Callable[[Node], T | None], nodes: Iterable[Node]) -> tuple[T, ...]:
    """All pieces that can be read."""
    return tuple(found for node in nodes if (found := read(node)) is not None)


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
    """The nodes after the first word of a group, if they are as many as that word takes."""
    given = group.items[1:]
    if least <= len(given) and (most is None or len(given) <= most):
        return given
    word = keyword(group.items[0])
    count = f"{least}" if most == least else f"at least {least}" if most is None else "1 or 2"
    is_surplus = most is not None and len(given) > most
    notes.error(
        "POG004",
        surplus(notes, given, most or 0) if is_surplus else group.span,
        f"`{word}` takes {count} operand{'s' * (count != '1')}, not {len(given)}",
        f"write `{word}` with all its operands in one pair of parentheses",
    )
    return None


def surplus(notes: FindingCollector, given: Sequence[Node], most: int) -> Span:
    """The place of what is too much among some operands.

    Where that opens a new line, the operand before it mostly ends too early: a parenthesis in it
    is lost.
    """
    first, last = given[most], given[most - 1].span.end
    opens_line = "\n" in notes.source.text[last : first.span.start]
    return Span(last - 1, last) if opens_line else first.span


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
    terms = read_each(lambda item: read_term(notes, item), node.items[1:])
    is_whole = len(terms) == len(node.items) - 1
    return made(syntax.Atom, name, terms if is_whole else None, span=node.span)


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
    return tuple(
        _corrected(notes, item, syntax.Variable(item.term.text, span=item.span), "a variable")
        if isinstance(item.term, syntax.Name)
        else item
        for item in read_typed(notes, nodes)
    )


def read_names(notes: FindingCollector, nodes: Sequence[Node]) -> tuple[syntax.Typed, ...]:
    """A typed list of names; a variable among them is taken for one."""
    return tuple(
        _corrected(notes, item, syntax.Name(item.term.name, span=item.span), "a name")
        if isinstance(item.term, syntax.Variable)
        else item
        for item in read_typed(notes, nodes)
    )


def _corrected(
    notes: FindingCollector, item: syntax.Typed, term: syntax.Term, what: str
) -> syntax.Typed:
    """The term that was meant, with the types of the one that was written."""
    message = f"`{item.term}` stands where {what} must"
    notes.error("POG005", item.span, message, f"write `{term}`")
    return syntax.Typed(term, item.types)


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
    return read_each(lambda item: read_name(notes, item, "a type"), node.items[1:])


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
            found: tuple[syntax.Condition, ...] = read_each(self.condition, node.items[1:])
            return (syntax.And if word == "and" else syntax.Or)(found, span=node.span)
        if word in {"not", "imply", "exists", "forall"}:
            return self._nested(node, word)
        if word is not None and word in COMPARISONS:
            return self._comparison(node, word)
        return read_atom(self.notes, node)

    def _refuse(self, node: Node, word: str | None) -> None:
        if isinstance(node, Word):
            expected(self.notes, node, "a condition in parentheses", f"write ({node.text})")
        else:
            message = f"a condition is expected here, but `{word}` is an effect"
            self.notes.error("POG003", node.span, message, "move it to `:effect`")

    def _nested(self, group: Group, word: str) -> syntax.Condition | None:
        """`not`, `imply` and the quantifiers."""
        count = 1 if word == "not" else 2
        given = operands(self.notes, group, count, count)
        if given is None:
            return None
        if word == "not":
            return made(syntax.Not, self.condition(given[0]), span=group.span)
        if word == "imply":
            parts = [self.condition(node) for node in given]
            return made(syntax.Imply, *parts, span=group.span)
        variables, inner = self.variables(given[0]), self.condition(given[1])
        quantifier = syntax.Quantifier(word)
        return made(syntax.Quantified, quantifier, variables, inner, span=group.span)

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
        is_numeric = any(
            isinstance(node, Group) or is_number(node) or node.text in self.functions
            for node in given
        )
        if word == "=" and not is_numeric:
            terms = [read_term(self.notes, node) for node in given]
            return made(syntax.Equal, *terms, span=group.span)
        sides = [self.expression(node) for node in given]
        return made(syntax.Comparison, word, *sides, span=group.span)

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
            name = syntax.Name(node.text, span=node.span)
            return syntax.Fluent(name, (), span=node.span)
        if isinstance(node, Word):
            expected(self.notes, node, "a number or a function", "write 1 or (function ?x)")
            return None
        atom = read_atom(self.notes, node, "a function")
        return None if atom is None else syntax.Fluent(atom.name, atom.arguments, span=atom.span)
