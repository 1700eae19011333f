"""Text with positions: where in which file something was written."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

EXCERPT_WIDTH = 100


class Span(NamedTuple):
    """A half-open range of characters in a source text."""

    start: int
    end: int


NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Spanned:
    """Something that stands in a text. Its place never counts when two of them are compared."""

    span: Span = field(default=NOWHERE, compare=False, repr=False, kw_only=True)


class TextPosition(NamedTuple):
    """A place as people and editors count it: both from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class Source:
    """A rule text with the name it is reported under."""

    name: str
    text: str = field(repr=False)

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        return starts

    def position(self, offset: int) -> TextPosition:
        """Line and column of a character offset."""
        line = bisect_right(self._line_starts, offset)
        return TextPosition(line, offset - self._line_starts[line - 1] + 1)

    def line_text(self, line: int) -> str:
        """The text of a line (counted from 1) without its line end."""
        start = self._line_starts[line - 1]
        end = self.text.find("\n", start)
        return self.text[start : len(self.text) if end < 0 else end].rstrip("\r")

    def excerpt(self, span: Span) -> str:
        """The line of the span with carets under it, cut to a readable width."""
        line, column = self.position(span.start)
        text = self.line_text(line).replace("\t", " ")
        first = column - 1
        length = max(1, min(span.end - span.start, len(text) - first))
        # A long line is shown as a window around the span.
        left = max(0, first - EXCERPT_WIDTH // 2) if len(text) > EXCERPT_WIDTH else 0
        window = text[left : left + EXCERPT_WIDTH]
        printable = "".join(c if c.isprintable() else "�" for c in window)
        carets = "^" * max(1, min(length, left + EXCERPT_WIDTH - first))
        return f"{printable}\n{' ' * (first - left)}{carets}"
