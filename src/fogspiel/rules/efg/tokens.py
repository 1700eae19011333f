"""The words of an EFG file: quoted texts, numbers, braces, and the quoting of texts.

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
MAX_EXPONENT = 100
"""Longer numbers are a fault or an attack: 1e999999999 would fill the memory."""


class TokenKind(StrEnum):
    """What a token is."""

    TEXT = "text"
    BRACE = "brace"
    COMMA = "comma"
    WORD = "word"
    OPEN = "open"
    """A quote that is never closed."""
    END = "end"


KINDS = (
    TokenKind.END,
    TokenKind.TEXT,
    TokenKind.BRACE,
    TokenKind.COMMA,
    TokenKind.WORD,
    TokenKind.OPEN,
)
"""By the number of the group that matched."""


class Token(NamedTuple):
    """One word of a file: a plain tuple, since large files have millions."""

    kind: TokenKind
    text: str
    """What a quoted text says, without its quotes; other words as they are."""
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Where it stands."""
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
