"""The KIF prefix form of GDL: `(<= (legal ?p noop) (not (true (control ?p))))`.

The infix reader brings its text into the same nodes, so that what follows is shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NoReturn

from fogspiel.core.findings import Finding, Severity
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source, Span
from fogspiel.rules.gdl import syntax
from fogspiel.rules.gdl.syntax import CONNECTIVES, KEYWORDS
from fogspiel.rules.sexpr import Group, Node, Word, read_nodes


def read_prefix(source: Source, limits: ReadLimits) -> tuple[syntax.Description, list[Finding]]:
    """The rules of a prefix text, as far as they can be read, and what could not be."""
    nodes, findings = read_nodes(source, limits, starts_form="<=")
    return description_from_nodes(nodes, source, syntax.Notation.PREFIX, findings), findings


def description_from_nodes(
    nodes: Iterable[Node], source: Source, dialect: syntax.Notation, findings: list[Finding]
) -> syntax.Description:
    """The rules that the nodes stand for. What cannot be read is added to `findings`."""
    reader = _NodeReader(source, findings)
    rules = [rule for node in nodes if (rule := reader.rule(node)) is not None]
    return syntax.Description(tuple(rules), source, dialect)


class _UnreadableError(Exception):
    """Raised inside one form after its finding was noted; the form is skipped."""


class _NodeReader:
    def __init__(self, source: Source, findings: list[Finding]) -> None:
        self._source = source
        self._findings = findings

    def rule(self, node: Node) -> syntax.Rule | None:
        try:
            if isinstance(node, Group) and node.items and _word(node.items[0]) == "<=":
                if len(node.items) < 2:
                    self._fail("GDL005", node.span, "a rule needs a head", "write (<= head body …)")
                head = self._head(node.items[1])
                return syntax.Rule(head, self._body(node.items[2:]), span=node.span)
            return syntax.Rule(self._head(node), (), span=node.span)
        except _UnreadableError:
            return None

    def _head(self, node: Node) -> syntax.Atom:
        name = _word(node.items[0]) if isinstance(node, Group) and node.items else _word(node)
        if name in {"not", "or", "and", "distinct", "<="}:
            self._fail(
                "GDL005",
                node.span,
                f"`{name}` cannot be the head of a rule",
                "a rule or fact states one relation; say in the body when it holds",
            )
        return self._atom(node)

    def _body(self, nodes: Sequence[Node]) -> tuple[syntax.Formula, ...]:
        formulas: list[syntax.Formula] = []
        negation: Word | None = None
        for index, node in enumerate(nodes):
            if isinstance(node, Word) and _word(node) == "not" and index + 1 < len(nodes):
                negation = node
                self._note(
                    "GDL006",
                    node.span,
                    "`not` stands outside parentheses; it is applied to what follows it",
                    "put `not` and its operand in parentheses",
                    Severity.WARNING,
                )
            elif negation is not None:
                span = Span(negation.span.start, node.span.end)
                formulas.append(syntax.Not(self._formula(node), span=span))
                negation = None
            else:
                formulas.append(self._formula(node))
        return tuple(formulas)

    def _formula(self, node: Node) -> syntax.Formula:
        name = _word(node.items[0]) if isinstance(node, Group) and node.items else None
        if not isinstance(node, Group) or name not in {"not", "or", "and", "distinct"}:
            return self._atom(node)
        operands = node.items[1:]
        if name == "distinct":
            if len(operands) != 2:
                self._wrong_count(node, "distinct", 2)
            left, right = map(self._term, operands)
            return syntax.Distinct(left, right, span=node.span)
        if name == "not":
            if len(operands) != 1:
                self._wrong_count(node, "not", 1)
            return syntax.Not(self._formula(operands[0]), span=node.span)
        if not operands:
            self._note(
                "GDL006",
                node.span,
                f"`{name}` has no operands, and {'never' if name == 'or' else 'always'} holds",
                f"give `{name}` at least one",
                Severity.WARNING,
            )
        formulas = tuple(map(self._formula, operands))
        return (
            syntax.Or(formulas, span=node.span)
            if name == "or"
            else syntax.And(formulas, span=node.span)
        )

    def _atom(self, node: Node) -> syntax.Atom:
        if isinstance(node, Word):
            if node.is_variable:
                self._fail(
                    "GDL007",
                    node.span,
                    f"the variable {self._written(node)} stands where a relation belongs",
                    "write a relation; a fluent held in a variable is tested by `true`",
                )
            if node.text.lower() in CONNECTIVES:
                self._fail(
                    "GDL006",
                    node.span,
                    f"`{node.text}` stands alone, without operands",
                    f"put `{node.text}` and its operands in parentheses",
                )
            return syntax.Atom(_canonical(node.text), (), span=node.span)
        name = self._group_name(node)
        if name == "<=":
            self._fail(
                "GDL005",
                node.span,
                "a rule begins inside another",
                "close the rule before it: a parenthesis seems to be missing",
            )
        return syntax.Atom(_canonical(name), tuple(map(self._term, node.items[1:])), span=node.span)

    def _term(self, node: Node) -> syntax.Term:
        if isinstance(node, Word):
            if node.is_variable:
                return syntax.Variable(node.text[1:], span=node.span)
            return syntax.Compound(node.text, (), span=node.span)
        return syntax.Compound(
            self._group_name(node), tuple(map(self._term, node.items[1:])), span=node.span
        )

    def _group_name(self, node: Group) -> str:
        """The name that a group starts with. `(p)` is taken for `p`, as its writers meant it."""
        if not node.items:
            self._fail("GDL004", node.span, "empty parentheses", "remove them or name a relation")
        head = node.items[0]
        if isinstance(head, Group) or head.is_variable:
            found = f"found {self._written(head)}"
            self._fail(
                "GDL007",
                head.span,
                f"a name must come first here; {found}",
                "start with the name of a relation or function",
            )
        if len(node.items) == 1:
            self._note(
                "GDL019",
                node.span,
                f"`{head.text}` is given an empty list of arguments",
                f"write {head.text} without parentheses",
                Severity.WARNING,
            )
        return head.text

    def _wrong_count(self, node: Group, name: str, expected: int) -> NoReturn:
        self._fail(
            "GDL006",
            node.span,
            f"`{name}` takes {expected} operand{'s' * (expected > 1)}, not {len(node.items) - 1}",
            f"give `{name}` exactly {expected}",
        )

    def _written(self, node: Node) -> str:
        text = self._source.text[node.span.start : node.span.end]
        return text if len(text) <= 30 else text[:29] + "…"

    def _fail(self, code: str, span: Span, message: str, fix: str) -> NoReturn:
        self._note(code, span, message, fix, Severity.ERROR)
        raise _UnreadableError

    def _note(self, code: str, span: Span, message: str, fix: str, severity: Severity) -> None:
        self._findings.append(
            Finding(code, message, fix=fix, severity=severity, source=self._source, span=span)
        )


def _word(node: Node) -> str | None:
    """The lower-case text of a word, for comparing with keywords."""
    return node.text.lower() if isinstance(node, Word) else None


def _canonical(name: str) -> str:
    """Keywords are read in any case; all other names stay as they are written."""
    lowered = name.lower()
    return lowered if lowered in KEYWORDS else name
