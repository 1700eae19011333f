"""The infix form of GDL: `legal(P, noop) :- role(P) & ~true(control(P)).`

Conditions are joined by `,` or `&` and, weaker, by `|`, `;` or `or`; `not`, `~` or `\\+` negates.
Variables start with a capital or `_` (or `?`), and a lone `_` is a new one each time. Comments are
`% …`, `;; …` and `/* … */`. A statement ends with a dot, or where the next begins on a new line.
`(a, b)` among terms is a tuple: a function named `tuple`. Other names go between single quotes.

The parser keeps its own stack: nesting costs no recursion. It yields the nodes of the prefix form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, NoReturn, TypeAlias

from fogspiel.core.findings import Finding
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source, Span
from fogspiel.rules.gdl.prefix import description_from_nodes
from fogspiel.rules.gdl.syntax import Description, Notation
from fogspiel.rules.sexpr import (
    NEVER_CLOSED,
    STRAY_CLOSE,
    TOO_DEEP,
    UNCLOSED_QUOTE,
    Group,
    Node,
    Word,
    refuse_size,
    refuse_tokens,
    unbalanced,
    unescape,
)

TUPLE = "tuple"
TOKEN = re.compile(
    r"""
    (?P<skip>\s+|%[^\n]*|;;[^\n]*|/\*.*?(?:\*/|\Z))
  | (?P<neck>:-|<=)
  | (?P<not>~|\\\+|not\b)
  | (?P<or>[|;]|or\b)
  | (?P<and>[,&])
  | (?P<open>\()
  | (?P<close>\))
  | (?P<variable>_\w*|\?\w+)
  | (?P<number>[+-]?\d+(?:\.\d+)?(?!\w))
  | (?P<name>[+-]?\w+)
  | (?P<quoted>'(?:[^'\\\n]|\\[^\n])*+'|"(?:[^"\\\n]|\\[^\n])*+")
  | (?P<dot>\.)
  | (?P<other>\\['"]|.)
    """,
    re.VERBOSE | re.DOTALL,
)

FrameKind: TypeAlias = Literal["statement", "group", "call", "tuple"]


class _Token(NamedTuple):
    kind: str
    text: str
    span: Span
    at_line_start: bool  #: Whether only blanks stand before it on its line


@dataclass(slots=True)
class _Frame:
    """An open parenthesis, or the statement itself (outermost)."""

    kind: FrameKind
    start: int
    name: Word | None = None
    head: Node | None = None  #: What stood before `:-`; only in a statement
    alternatives: list[list[Node]] = field(default_factory=list)
    current: list[Node] = field(default_factory=list)
    negations: list[Span] = field(default_factory=list)
    wants_operand: bool = True

    @property
    def holds_formulas(self) -> bool:
        if self.kind == "call":
            return self.name is not None and self.name.text.lower() in {"or", "and", "not"}
        return self.kind != "tuple"


class _SyntaxFaultError(Exception):
    """Raised after its finding was noted; reading goes on at the next statement."""


def read_infix(source: Source, limits: ReadLimits) -> tuple[Description, list[Finding]]:
    """The rules of an infix text, as far as they can be read, and what could not be."""
    findings: list[Finding] = []
    parser = _InfixParser(source, limits, findings)
    nodes = parser.statements()
    return description_from_nodes(nodes, source, Notation.INFIX, findings), findings


class _InfixParser:
    def __init__(self, source: Source, limits: ReadLimits, findings: list[Finding]) -> None:
        self._source = source
        self._limits = limits
        self._findings = findings
        self._tokens = list(_tokens(source, limits))
        self._has_dots = any(token.kind == "dot" for token in self._tokens)
        self._used = {token.text.lstrip("?") for token in self._tokens if token.kind == "variable"}
        self._at = 0
        self._fresh = 0
        self._done: list[Node] = []
        self._frames: list[_Frame] = []

    def statements(self) -> list[Node]:
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            try:
                self._take(token)
            except _SyntaxFaultError:
                self._recover()
        try:
            if self._frames:
                self._end_statement(len(self._source.text))
        except _SyntaxFaultError:
            pass
        return self._done

    def _take(self, token: _Token) -> None:
        if token.kind in {"variable", "number", "name", "quoted", "not", "open"}:
            self._begin_operand(token)
        if not self._frames:
            if token.kind == "close":
                self._unbalanced(STRAY_CLOSE, token.span)
            self._fault(token, "a statement cannot start with this")
        handler = {
            "variable": self._variable, "number": self._name, "name": self._name,
            "quoted": self._name, "not": self._negation, "open": self._open,
            "close": self._close, "and": self._and, "or": self._or, "neck": self._neck,
            "dot": self._dot,
        }.get(token.kind)  # fmt: skip
        if handler is None:
            if token.text in {"'", '"'}:
                self._unbalanced(UNCLOSED_QUOTE, token.span)
            self._fault(token, "this character has no meaning here")
        handler(token)

    def _begin_operand(self, token: _Token) -> None:
        """Open a statement where one starts, after ending the one before if it had no dot."""
        if len(self._frames) == 1 and not self._frames[0].wants_operand and self._may_begin(token):
            self._end_statement(token.span.start)
        if not self._frames:
            self._frames.append(_Frame("statement", token.span.start))
        if not self._frames[-1].wants_operand:
            self._fault(token, "a comma, an operator or a dot is missing before this")

    def _may_begin(self, token: _Token) -> bool:
        """Whether a statement can start here without a dot before it.

        Where other statements do have dots, an indented line rather lacks a comma before it.
        """
        return token.at_line_start and (
            not self._has_dots or self._source.position(token.span.start).column == 1
        )

    def _variable(self, token: _Token) -> None:
        name = token.text.lstrip("?")
        if name == "_":
            self._fresh += 1
            while f"_{self._fresh}" in self._used:
                self._fresh += 1
            name = f"_{self._fresh}"
        self._operand(Word("?" + name, token.span), token)

    def _name(self, token: _Token) -> None:
        quoted = token.kind == "quoted"
        word = Word(unescape(token.text[1:-1]) if quoted else token.text, token.span, quoted)
        following = self._tokens[self._at] if self._at < len(self._tokens) else None
        if following and following.kind == "open" and not following.at_line_start:
            self._at += 1
            self._push(_Frame("call", token.span.start, word), following)
        else:
            self._operand(word, token)

    def _negation(self, token: _Token) -> None:
        frame = self._frames[-1]
        if not frame.holds_formulas:
            self._fault(token, "a term cannot be negated")
        if len(frame.negations) >= self._limits.depth:
            self._unbalanced(TOO_DEEP, token.span)
            raise _SyntaxFaultError
        frame.negations.append(token.span)

    def _open(self, token: _Token) -> None:
        kind: FrameKind = "group" if self._frames[-1].holds_formulas else "tuple"
        self._push(_Frame(kind, token.span.start), token)

    def _push(self, frame: _Frame, token: _Token) -> None:
        if len(self._frames) + len(self._frames[-1].negations) > self._limits.depth:
            self._unbalanced(TOO_DEEP, token.span)
            # As in the prefix form, whatever follows would be guesswork.
            self._at = len(self._tokens)
            raise _SyntaxFaultError
        self._frames.append(frame)

    def _close(self, token: _Token) -> None:
        if len(self._frames) == 1:
            self._unbalanced(STRAY_CLOSE, token.span)
            raise _SyntaxFaultError
        frame = self._frames[-1]
        is_empty = frame.kind == "call" and not frame.current and not frame.alternatives
        if frame.wants_operand and not is_empty:
            self._fault(token, "an operand is missing before this")
        self._frames.pop()
        self._operand(_frame_node(frame, token.span.end), token)

    def _operand(self, node: Node, token: _Token) -> None:
        frame = self._frames[-1]
        while frame.negations:
            span = frame.negations.pop()
            node = Group((Word("not", span), node), Span(span.start, node.span.end))
        frame.current.append(node)
        frame.wants_operand = False

    def _and(self, token: _Token) -> None:
        frame = self._frames[-1]
        if frame.wants_operand:
            self._fault(token, "an operand is missing before this")
        if token.text == "&" and not frame.holds_formulas:
            self._fault(token, "terms are separated by commas")
        if frame.kind == "statement" and frame.head is None:
            self._fault(token, "a rule states one relation; `:-` comes before its conditions")
        frame.wants_operand = True

    def _or(self, token: _Token) -> None:
        frame = self._frames[-1]
        following = self._tokens[self._at] if self._at < len(self._tokens) else None
        if token.text == "or" and frame.wants_operand and following and following.kind == "open":
            self._name(token)
            return
        self._and(token)
        if not frame.holds_formulas or frame.kind == "call":
            self._fault(token, "terms are separated by commas")
        frame.alternatives.append(frame.current)
        frame.current = []

    def _neck(self, token: _Token) -> None:
        frame = self._frames[-1]
        if frame.kind != "statement" or frame.head is not None or frame.wants_operand:
            self._fault(token, "this arrow does not follow the head of a rule")
        frame.head = frame.current.pop()
        frame.wants_operand = True

    def _dot(self, token: _Token) -> None:
        self._end_statement(token.span.end)

    def _end_statement(self, end: int) -> None:
        frame = self._frames[-1]
        if frame.kind != "statement":
            self._unbalanced(NEVER_CLOSED, Span(frame.start, frame.start + 1))
            raise _SyntaxFaultError
        if frame.wants_operand:
            last = self._tokens[self._at - 1] if self._at else None
            assert last is not None
            self._fault(last, "the statement ends where an operand is missing")
        self._frames.clear()
        if frame.head is None:
            self._done.append(frame.current[0])
            return
        body = frame.current
        if frame.alternatives:
            body = [_disjunction(frame, end)]
        arrow = Word("<=", Span(frame.start, frame.start))
        last_end = body[-1].span.end
        self._done.append(Group((arrow, frame.head, *body), Span(frame.start, last_end)))

    def _recover(self) -> None:
        """Skip to the next statement: past a dot, or to a word in the first column."""
        self._frames.clear()
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if self._tokens[self._at - 1].kind == "dot":
                return
            if self._may_begin(token) and token.kind in {"name", "quoted", "number"}:
                return
            self._at += 1

    def _unbalanced(self, code: str, span: Span) -> None:
        self._findings.append(unbalanced(code, self._source, span, self._limits.depth))

    def _fault(self, token: _Token, message: str) -> NoReturn:
        # A parenthesis or quote out of place has its own, clearer finding.
        if not self._findings or self._findings[-1].span != token.span:
            shown = token.text if len(token.text) <= 20 else token.text[:19] + "…"
            self._findings.append(
                Finding(
                    "GDL009",
                    f"{message}; found `{shown}`",
                    fix="write facts as `p(a).` and rules as `p(X) :- q(X), not r(X).`",
                    source=self._source,
                    span=token.span,
                )
            )
        raise _SyntaxFaultError


def _tokens(source: Source, limits: ReadLimits) -> Iterator[_Token]:
    refuse_tokens(source, TOKEN, limits)
    line_start = True
    statements = 0
    for match in TOKEN.finditer(source.text):
        kind = match.lastgroup
        assert kind is not None
        text = match.group()
        if kind == "skip" and (not text.startswith("/*") or text.endswith("*/")):
            line_start = line_start or "\n" in text
            continue
        if kind == "name" and text[0].isupper():
            kind = "variable"
        statements += kind == "dot"
        if statements > limits.forms:
            refuse_size(source, Span(*match.span()), limits)
        yield _Token(kind, text, Span(*match.span()), line_start)
        line_start = False


def _frame_node(frame: _Frame, end: int) -> Node:
    span = Span(frame.start, end)
    if frame.kind == "call":
        assert frame.name is not None
        return Group((frame.name, *frame.current), span)
    if frame.alternatives:
        return _disjunction(frame, end)
    if len(frame.current) == 1:
        return frame.current[0]
    word = TUPLE if frame.kind == "tuple" else "and"
    return Group((Word(word, Span(frame.start, frame.start)), *frame.current), span)


def _disjunction(frame: _Frame, end: int) -> Node:
    nowhere = Span(frame.start, frame.start)
    operands: list[Node] = []
    for conjunction in [*frame.alternatives, frame.current]:
        if len(conjunction) == 1:
            operands.append(conjunction[0])
        else:
            span = Span(conjunction[0].span.start, conjunction[-1].span.end)
            operands.append(Group((Word("and", nowhere), *conjunction), span))
    span = Span(operands[0].span.start, operands[-1].span.end)
    return Group((Word("or", nowhere), *operands), span)
