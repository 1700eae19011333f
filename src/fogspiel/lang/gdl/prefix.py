"""The KIF prefix form of GDL: `(<= (legal ?p noop) (not (true (control ?p))))`."""

from __future__ import annotations

from collections.abc import Sequence

from fogspiel.core.findings import Finding
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source, Span
from fogspiel.lang.gdl.syntax import (
    CONNECTIVES,
    KEYWORD_ARITIES,
    And,
    Atom,
    Compound,
    Description,
    Dialect,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Term,
    Variable,
)
from fogspiel.lang.sexpr import Group, Node, Word, read_nodes

KEYWORDS = frozenset(KEYWORD_ARITIES) | CONNECTIVES


def read_prefix(source: Source, limits: ReadLimits) -> tuple[Description, list[Finding]]:
    """The rules of a prefix text, as far as they can be read, and what could not be."""
    nodes, findings = read_nodes(source, limits)
    reader = _PrefixReader(source, findings)
    rules = [rule for node in nodes if (rule := reader.rule(node)) is not None]
    return Description(tuple(rules), source, Dialect.PREFIX), findings


class _UnreadableError(Exception):
    """Raised inside one form after its finding was noted; the form is skipped."""


class _PrefixReader:
    def __init__(self, source: Source, findings: list[Finding]) -> None:
        self._source = source
        self._findings = findings

    def rule(self, node: Node) -> Rule | None:
        try:
            if isinstance(node, Group) and node.items and _word(node.items[0]) == "<=":
                if len(node.items) < 2:
                    self._fail("GDL005", node.span, "a rule needs a head", "write (<= head body …)")
                head = self._atom(node.items[1])
                return Rule(head, tuple(map(self._formula, node.items[2:])), node.span)
            return Rule(self._atom(node), (), node.span)
        except _UnreadableError:
            return None

    def _formula(self, node: Node) -> Formula:
        name = _word(node.items[0]) if isinstance(node, Group) and node.items else None
        if not isinstance(node, Group) or name not in {"not", "or", "and", "distinct"}:
            return self._atom(node)
        operands: Sequence[Node] = node.items[1:]
        if name == "distinct":
            if len(operands) != 2:
                self._wrong_count(node, "distinct", 2)
            left, right = map(self._term, operands)
            return Distinct(left, right, node.span)
        if name == "not":
            if len(operands) != 1:
                self._wrong_count(node, "not", 1)
            return Not(self._formula(operands[0]), node.span)
        if not operands:
            self._fail(
                "GDL006", node.span, f"`{name}` has no operands", f"give `{name}` at least one"
            )
        formulas = tuple(map(self._formula, operands))
        return Or(formulas, node.span) if name == "or" else And(formulas, node.span)

    def _atom(self, node: Node) -> Atom:
        if isinstance(node, Word):
            if node.text.startswith("?"):
                self._fail(
                    "GDL007",
                    node.span,
                    f"the variable {node.text} stands where a relation belongs",
                    "write a relation, e.g. (true " + node.text + ")",
                )
            return Atom(_canonical(node.text), (), node.span)
        self._check_group(node)
        return Atom(_canonical(_name(node)), tuple(map(self._term, node.items[1:])), node.span)

    def _term(self, node: Node) -> Term:
        if isinstance(node, Word):
            if node.text.startswith("?"):
                return Variable(node.text[1:], node.span)
            return Compound(node.text, (), node.span)
        self._check_group(node)
        return Compound(_name(node), tuple(map(self._term, node.items[1:])), node.span)

    def _check_group(self, node: Group) -> None:
        if not node.items:
            self._fail("GDL004", node.span, "empty parentheses", "remove them or name a relation")
        head = node.items[0]
        if isinstance(head, Group) or head.text.startswith("?"):
            self._fail(
                "GDL007",
                head.span,
                "a name must come first in parentheses",
                "start with a relation or function name; rules start with <=",
            )

    def _wrong_count(self, node: Group, name: str, expected: int) -> None:
        self._fail(
            "GDL006",
            node.span,
            f"`{name}` takes {expected}, not {len(node.items) - 1}",
            f"write ({name} " + " ".join("…" for _ in range(expected)) + ")",
        )

    def _fail(self, code: str, span: Span, message: str, fix: str) -> None:
        self._findings.append(
            Finding(code=code, message=message, fix=fix, source=self._source, span=span)
        )
        raise _UnreadableError


def _word(node: Node) -> str | None:
    """The lower-case text of a word, for comparing with keywords."""
    return node.text.lower() if isinstance(node, Word) else None


def _name(node: Group) -> str:
    head = node.items[0]
    assert isinstance(head, Word)
    return head.text


def _canonical(name: str) -> str:
    """Keywords are read in any case; all other names stay as they are written."""
    lowered = name.lower()
    return lowered if lowered in KEYWORDS else name
