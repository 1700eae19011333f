"""S-expressions with spans, read without recursion: GDL's prefix form and POGDDL share them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from fogspiel.core.findings import Finding
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source, Span

# Comments run from ";" to the end of the line.
TOKEN = re.compile(r"[()]|;[^\n]*|[^\s();]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A token that is not a parenthesis."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Group:
    """A parenthesised sequence."""

    items: tuple[Node, ...]
    span: Span


Node: TypeAlias = Word | Group


def read_nodes(source: Source, limits: ReadLimits) -> tuple[list[Node], list[Finding]]:
    """All top-level nodes of a text, and what is wrong with its parentheses."""
    findings: list[Finding] = []
    top: list[Node] = []
    open_items: list[list[Node]] = []
    open_starts: list[int] = []
    current = top
    for match in TOKEN.finditer(source.text):
        text = match.group()
        if text == "(":
            if len(open_items) >= limits.depth:
                findings.append(_too_deep(source, Span(*match.span()), limits.depth))
                return top, findings
            open_items.append(current)
            open_starts.append(match.start())
            current = []
        elif text == ")":
            if not open_items:
                findings.append(_stray_close(source, Span(*match.span())))
                continue
            group = Group(tuple(current), Span(open_starts.pop(), match.end()))
            current = open_items.pop()
            current.append(group)
        elif text[0] != ";":
            current.append(Word(text, Span(*match.span())))
    # What stands inside an unclosed parenthesis is dropped: it would only cause more findings.
    findings.extend(_never_closed(source, Span(start, start + 1)) for start in open_starts[:1])
    return top, findings


def _too_deep(source: Source, span: Span, depth: int) -> Finding:
    return Finding(
        code="GDL003",
        message=f"parentheses are nested more than {depth:,} deep",
        fix="check for a missing closing parenthesis; no known game nests more than 20 deep",
        source=source,
        span=span,
    )


def _stray_close(source: Source, span: Span) -> Finding:
    return Finding(
        code="GDL001",
        message="this closing parenthesis has no opening one",
        fix="remove it, or add the opening parenthesis that belongs to it",
        source=source,
        span=span,
    )


def _never_closed(source: Source, span: Span) -> Finding:
    return Finding(
        code="GDL002",
        message="this parenthesis is never closed",
        fix="add the closing parenthesis that belongs to it",
        source=source,
        span=span,
    )
