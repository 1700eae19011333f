"""The words of an EFG file, and a cursor over them that reports what it expected.

In a quoted text a backslash makes a quote or a backslash plain; before any other character it
stands for itself, as in Gambit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from fogspiel.core.findings import FindingCollector
from fogspiel.core.source import Source, Span

# One group for each kind, in their order. Possessive: an open quote is looked through once.
TOKEN = re.compile(r"""("(?:[^"\\]|\\.)*+")|([{}])|(,)|([^\s{},"]+)|(")""", re.DOTALL)
ESCAPED = re.compile(r'\\(["\\])')
NUMBER = re.compile(
    r"(?P<numerator>[+-]?\d+)/(?P<denominator>\d+)"
    r"|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE](?P<exponent>[+-]?\d+))?",
    re.ASCII,
)
INTEGER = re.compile(r"\d+", re.ASCII)

MAX_NUMBER_LENGTH = 100
MAX_EXPONENT = 100  #: Longer numbers are a fault or an attack: 1e999999999 would fill the memory
MAX_SHOWN = 30


class TokenKind(StrEnum):
    """What a token is."""

    TEXT = "text"
    BRACE = "brace"
    COMMA = "comma"
    WORD = "word"
    OPEN = "open"  #: A quote that is never closed
    END = "end"


KINDS = (
    TokenKind.END,
    TokenKind.TEXT,
    TokenKind.BRACE,
    TokenKind.COMMA,
    TokenKind.WORD,
    TokenKind.OPEN,
)
"""Kinds of tokens by the number of the group that matched."""


class Token(NamedTuple):
    """One word of a file: a plain tuple, since large files have millions."""

    kind: TokenKind
    text: str  #: What a quoted text says, without its quotes; other words as they are
    start: int
    end: int

    @property
    def span(self) -> Span:
        """The place of the token."""
        return Span(self.start, self.end)


def tokens_of(source: Source) -> Iterator[Token]:
    """The tokens of a file, and one that marks its end."""
    for match in TOKEN.finditer(source.text):
        kind, text = KINDS[match.lastindex or 0], match[0]
        yield Token(kind, unquoted(text) if kind is TokenKind.TEXT else text, *match.span())
        if kind is TokenKind.OPEN:
            break
    end = len(source.text.rstrip())
    yield Token(TokenKind.END, "", end, end)


def unquoted(text: str) -> str:
    """What a quoted text says."""
    inner = text[1:-1]
    return ESCAPED.sub(r"\1", inner) if "\\" in inner else inner


def quoted(text: str) -> str:
    """A text in quotes, so that it reads back the same."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@lru_cache(maxsize=4096)
def read_number(text: str) -> Fraction | None:
    """`3`, `-2.50`, `1e-3` or `2/6`, exactly. None if it is none, or longer than anyone needs."""
    if len(text) > MAX_NUMBER_LENGTH:
        return None
    match = NUMBER.fullmatch(text)
    if match is None or abs(int(match["exponent"] or 0)) > MAX_EXPONENT:
        return None
    if match["denominator"] is not None and int(match["denominator"]) == 0:
        return None
    return Fraction(text)


def read_count(text: str) -> int | None:
    """A whole number without a sign; None if it is none."""
    if len(text) > MAX_NUMBER_LENGTH or INTEGER.fullmatch(text) is None:
        return None
    return int(text)


class BrokenError(Exception):
    """A part of the file cannot be read; the finding about it is written down already."""


class Cursor:
    """Hands out tokens one by one, with a look at the next two."""

    def __init__(self, source: Source, notes: FindingCollector) -> None:
        self._tokens = tokens_of(source)
        self._notes = notes
        self._has_reported = False
        self.next = next(self._tokens)
        self.after = next(self._tokens, self.next)
        self.last = self.next

    def at(self, kind: TokenKind) -> bool:
        """Whether the next token is of a kind."""
        return self.next.kind is kind

    @property
    def is_over(self) -> bool:
        """Whether nothing follows that could be read."""
        return self.next.kind is TokenKind.END or self.next.kind is TokenKind.OPEN

    def take(self) -> Token:
        """The next token. The last one, which ends the file or breaks it, is never passed."""
        self.last = taken = self.next
        if not self.is_over:
            self.next, self.after = self.after, next(self._tokens, self.after)
        return taken

    def text(self, what: str) -> str:
        """A quoted text."""
        if not self.at(TokenKind.TEXT):
            self.fail(what, "put it in quotes, even if it is empty")
        return self.take().text

    def brace(self, brace: str, what: str) -> None:
        """An opening or closing brace."""
        if not self.at(TokenKind.BRACE) or self.next.text != brace:
            self.fail(f"{what} `{brace}`", f"add `{brace}`")
        self.take()

    def count(self, what: str) -> int:
        """A whole number from 0 on."""
        found = read_count(self.next.text) if self.at(TokenKind.WORD) else None
        if found is None:
            self.fail(what, "write a whole number")
        self.take()
        return found or 0

    def number(self, what: str) -> Fraction:
        """A number, exactly as it is written."""
        found = read_number(self.next.text) if self.at(TokenKind.WORD) else None
        if found is None:
            if not self.at(TokenKind.WORD):
                self.fail(what, "write a number such as 2, -0.5 or 1/3")
            message = f"{shown(self.next)} is no number that can be read exactly"
            fix = "write a number such as 2, -0.5 or 1/3, with at most 100 digits"
            self._notes.error("EFG004", self.next.span, message, fix)
            raise BrokenError
        self.take()
        return found

    def fail(self, what: str, fix: str) -> None:
        """Say that something else was expected here, and give up this part."""
        if self.at(TokenKind.OPEN):
            self.report_open_quote()
        else:
            message = f"{what} is expected, not {shown(self.next)}"
            self._notes.error("EFG003", self.next.span, message, fix)
        raise BrokenError

    def report_open_quote(self) -> None:
        """Say once that the next token is a quote that is never closed."""
        if not self._has_reported:
            self._has_reported = True
            fix = 'close the quote; a quote inside a text is written \\"'
            self._notes.error("EFG002", self.next.span, "this quote is never closed", fix)


def shown(token: Token) -> str:
    """A token as messages show it."""
    if token.kind is TokenKind.END:
        return "the end of the file"
    if token.kind is TokenKind.OPEN:
        return "an open quote"
    text = token.text if len(token.text) <= MAX_SHOWN else token.text[: MAX_SHOWN - 1] + "…"
    return f'the text "{text}"' if token.kind is TokenKind.TEXT else f"`{text}`"
