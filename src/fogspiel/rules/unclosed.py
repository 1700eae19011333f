"""Forms that were left open: the place where a closing parenthesis is missing, by the layout.

A line that begins at the column of an open parenthesis, or left of it, shows that the form there
should have ended before: people and editors indent what stands inside. Of these lines the first
counts that leaves the rest of the form balanced. Where the layout says nothing, the parenthesis is
missing at the end of the form. Reading goes on as if it stood there, so that one lost parenthesis
causes no findings about rules that seem to be missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

NodeT = TypeVar("NodeT")
MAX_LINES = 10_000  #: Lines of one form whose columns are compared: more are only in hostile texts


@dataclass(frozen=True, slots=True)
class ClosedForms(Generic[NodeT]):
    """The forms of a text that ends inside of one, closed where the layout asks for it."""

    nodes: list[NodeT]
    missing_after: int  #: Place in the text after which the parenthesis is missing
    opened: int  #: Place of the parenthesis that it would close


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int
    column: int
    opens_line: bool
    after_blank: bool  #: Whether an empty line or a comment stands before its line
    depth: int  #: Number of open parentheses after it


@dataclass(slots=True)
class _Open(Generic[NodeT]):
    start: int
    items: list[NodeT] = field(default_factory=list)


def close_forms(
    text: str,
    start: int,
    end: int,
    *,
    token: re.Pattern[str],
    word: Callable[[re.Match[str]], NodeT | None],
    group: Callable[[Sequence[NodeT], int, int], NodeT],
    in_sections: bool,
) -> ClosedForms[NodeT]:
    """Read the part of a text that starts with a parenthesis and ends with one still open.

    word: makes a node of any other token, or None of one that is none.
    group: makes a node of what stands inside, and its start and end.
    in_sections: whether the outermost form consists of sections, so that the section is named.
    """
    tokens = _tokens(text, start, end, token)
    break_at, kept = _break(tokens)
    top: list[NodeT] = []
    opened: list[_Open[NodeT]] = []
    culprit, last_end, missing_after = start, start + 1, None

    def leave(depth: int, at: int) -> None:
        while len(opened) > depth:
            inner = opened.pop()
            node = group(inner.items, inner.start, at)
            (opened[-1].items if opened else top).append(node)

    for number, item in enumerate(tokens):
        if number == break_at:
            culprit, missing_after = opened[kept].start, last_end
            leave(kept, last_end)
        if item.text == "(":
            opened.append(_Open(item.start))
        elif item.text == ")":
            leave(max(len(opened) - 1, 0), item.end)
        else:
            found = token.match(text, item.start)
            node = word(found) if found else None
            if node is not None:
                (opened[-1].items if opened else top).append(node)
        last_end = item.end
    if missing_after is None:
        missing_after = last_end
        culprit = opened[:2][-1].start if in_sections else opened[0].start
    leave(0, end)
    return ClosedForms(top, missing_after, culprit)


def _tokens(text: str, start: int, end: int, token: re.Pattern[str]) -> list[_Token]:
    """All tokens but comments, each with its column and the depth after it."""
    tokens: list[_Token] = []
    depth, line, before = 0, text.rfind("\n", 0, start) + 1, start
    opens_line = after_blank = False
    for match in token.finditer(text, start, end):
        if (newline := text.rfind("\n", before, match.start())) >= 0:
            after_blank = opens_line or text.count("\n", before, match.start()) > 1
            line, opens_line = newline + 1, True
        before = match.end()
        found = match.group()
        if found[0] == ";":
            continue
        depth += (found == "(") - (found == ")")
        place = match.start() - line
        tokens.append(_Token(found, *match.span(), place, opens_line, after_blank, depth))
        opens_line = after_blank = False
    return tokens


def _break(tokens: list[_Token]) -> tuple[int | None, int]:
    """The token before which a form should have ended, and how many forms stay open there."""
    last = tokens[-1].depth
    shallowest = [last + 1] * len(tokens)  # The least depth from each token on, without the last
    for number in range(len(tokens) - 2, -1, -1):
        shallowest[number] = min(tokens[number].depth, shallowest[number + 1])
    columns: list[int] = []
    lines = 0
    for number, item in enumerate(tokens):
        if item.opens_line and item.text != ")" and columns and lines < MAX_LINES:
            lines += 1
            kept = next((n for n, column in enumerate(columns) if column >= item.column), None)
            if kept is not None:
                closed = len(columns) - kept
                stays_whole = shallowest[number] - closed >= (1 if kept else 0)
                # Some sheets write the bodies of their rules without indentation.
                is_body = not kept and tokens[1].text == "<=" and not item.after_blank
                if not is_body and last >= closed and (stays_whole or number == len(tokens) - 1):
                    return number, kept
        if item.text == "(":
            columns.append(item.column)
        elif item.text == ")" and columns:
            columns.pop()
    return None, 0
