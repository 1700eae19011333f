"""The words of an EFG file: quoted texts, numbers, braces, and the quoting of texts.

In a quoted text a backslash makes a quote or a backslash plain; before any other character it
stands for itself, as in Gambit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from fogspiel.core.source import Source, Span

# Possessive: a quote that is never closed is looked through once.
TOKEN = re.compile(
    r"""(?P<text>"(?:[^"\\]|\\.)*+")|(?P<brace>[{}])|(?P<comma>,)|(?P<word>[^\s{},"]+)|(?P<open>")""",
    re.DOTALL,
)
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


class Kind(StrEnum):
    """What a token is."""

    TEXT = "text"
    BRACE = "brace"
    COMMA = "comma"
    WORD = "word"
    OPEN = "open"
    """A quote that is never closed."""
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a file. `text` is what a quoted text says, without its quotes."""

    kind: Kind
    text: str
    span: Span


def tokens_of(source: Source) -> Iterator[Token]:
    """The tokens of a file, and one that marks its end."""
    for match in TOKEN.finditer(source.text):
        kind = Kind(match.lastgroup or "")
        text = match.group()
        if kind is Kind.TEXT:
            text = unquoted(text)
        yield Token(kind, text, Span(*match.span()))
        if kind is Kind.OPEN:
            break
    end = len(source.text.rstrip())
    yield Token(Kind.END, "", Span(end, end))


def unquoted(text: str) -> str:
    """What a quoted text says."""
    inner = text[1:-1]
    return ESCAPED.sub(r"\1", inner) if "\\" in inner else inner


def quoted(text: str) -> str:
    """A text in quotes, so that it reads back the same."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


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
