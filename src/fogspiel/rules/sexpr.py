"""S-expressions with spans, read without recursion: GDL's prefix form and POGDDL share them.

Comments run from ";" to the end of the line. `|any text|` is a name that may hold spaces and
parentheses; in it a backslash makes the next character plain, and `\\n` stands for a line end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NoReturn, TypeAlias

from fogspiel.core.findings import Finding, LimitError, Severity
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source, Span
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.rules.unclosed import ClosedForms, close_forms

# At most one quote of a line is unclosed, since an escaped one belongs to a word: so the search
# for a closing quote stays linear.
TOKEN = re.compile(r"[()]|;[^\n]*|\|(?:[^|\\\n]|\\[^\n])*+\||(?:[^\s();|\\]|\\[^\n]?)+|\|")
PLAIN_NAME = re.compile(r"(?!\?)[^\s();|\\]+")
"""What reads back as the same name; with a question mark before it, it would be a variable."""
ESCAPE = re.compile(r"\\(.)")

STRAY_CLOSE, NEVER_CLOSED, TOO_DEEP, UNCLOSED_QUOTE = "GDL001", "GDL002", "GDL003", "GDL010"
MAX_PIECES = 100  #: Forms that may have been meant to stand in one that ends too early
FAULTS = {
    STRAY_CLOSE: (
        "this closing parenthesis has no opening one",
        "remove it, or add the opening parenthesis that belongs to it",
    ),
    NEVER_CLOSED: (
        "this parenthesis is never closed",
        "add the closing parenthesis that belongs to it",
    ),
    TOO_DEEP: (
        "parentheses are nested more than {:,} deep",
        "check for a missing closing parenthesis; no known game nests more than 20 deep",
    ),
    UNCLOSED_QUOTE: ("this quote is never closed on its line", "close the quote, or remove it"),
}
"""Message and fix of each code."""


@dataclass(frozen=True, slots=True)
class Word:
    """A token that is not a parenthesis. A quoted one is a name whatever it looks like."""

    text: str
    span: Span
    quoted: bool = False

    @property
    def is_variable(self) -> bool:
        """Whether the word is written `?x`."""
        return not self.quoted and self.text.startswith("?")


@dataclass(frozen=True, slots=True)
class Group:
    """A parenthesised sequence."""

    items: tuple[Node, ...]
    span: Span


Node: TypeAlias = Word | Group


def keyword(node: Node) -> str | None:
    """The word in small letters, as keywords are compared; None for a name in quotes or a group."""
    return node.text.lower() if isinstance(node, Word) and not node.quoted else None


def head_of(node: Node) -> str | None:
    """The keyword that a group starts with."""
    return keyword(node.items[0]) if isinstance(node, Group) and node.items else None


def ground_term(node: Node) -> GroundTerm:
    """A node as a term. Its depth is that which `ReadLimits` allow, so recursion is no danger."""
    return node.text if isinstance(node, Word) else tuple(map(ground_term, node.items))


TERM_LIMITS = ReadLimits(bytes=1 << 16, tokens=1 << 14)  #: Larger terms are no move of a game


def read_term(text: str) -> GroundTerm | None:
    """The term that a text is, `(deal queen)` or a name; None if it is not a single term."""
    try:
        nodes, faults = read_nodes(Source("term", text), TERM_LIMITS)
    except LimitError:
        return None
    if faults or len(nodes) != 1:
        return None
    return ground_term(nodes[0])


def read_nodes(
    source: Source,
    limits: ReadLimits,
    *,
    starts_form: str | None = None,
    starts_section: re.Pattern[str] | None = None,
) -> tuple[list[Node], list[Finding]]:
    """All top-level nodes of a text, and what is wrong with its parentheses.

    starts_form: a word that only outermost forms start with. Where it opens a line inside another
    form, that one was left open, and reading goes on with the new one.
    starts_section: how the parts right inside an outermost form start, where forms consist of such
    parts. A part that starts inside another one shows which was left open.
    What was left open is closed where the layout asks for it, so that all that was written is read.
    """
    refuse_tokens(source, TOKEN, limits)
    findings: list[Finding] = []
    top: list[Node] = []
    open_items: list[list[Node]] = []
    open_starts: list[int] = []
    current = top
    forms_at_stray, has_lost = 0, False
    for match in TOKEN.finditer(source.text):
        text = match.group()
        first, at, span = text[0], match.start(), Span(*match.span())
        if first == "(":
            kept = _depth_kept(source.text, at, len(open_starts), starts_form, starts_section)
            if kept is not None:
                nodes, fault = _closed(source, open_starts[kept], at, in_sections=kept > 0)
                findings.append(fault)
                current = open_items[kept]
                current += nodes
                del open_items[kept:], open_starts[kept:]
            if len(open_items) >= limits.depth:
                findings.append(unbalanced(TOO_DEEP, source, span, limits.depth))
                return top, findings
            open_items.append(current)
            open_starts.append(at)
            current = []
        elif first == ")":
            if not open_items:
                rule = None if starts_section else starts_form
                early = _ended_early(source, top, span, rule) if rule else None
                findings.append(early or unbalanced(STRAY_CLOSE, source, span))
                has_lost = has_lost or early is not None
                forms_at_stray = len(top)
                continue
            group = Group(tuple(current), Span(open_starts.pop(), match.end()))
            current = open_items.pop()
            current.append(group)
        elif text == "|":
            findings.append(unbalanced(UNCLOSED_QUOTE, source, span))
        elif word := _word(match):
            current.append(word)
        if len(top) > limits.forms:
            refuse_size(source, span, limits)
    is_tail = not any(isinstance(node, Group) for node in top[forms_at_stray:])
    is_only = len(findings) == 1 and findings[0].code == STRAY_CLOSE
    if is_only and is_tail and not open_starts and not has_lost:
        # All forms are whole: the text was cut out of a message, or ends with one `)` too many.
        findings = [replace(findings[0], severity=Severity.WARNING)]
    if open_starts:
        in_sections = starts_section is not None
        nodes, fault = _closed(source, open_starts[0], len(source.text), in_sections=in_sections)
        findings.append(fault)
        top += nodes
    return top, findings


def _word(match: re.Match[str]) -> Word | None:
    """The word that a token is; None for a comment or a quote that is never closed."""
    text, span = match.group(), Span(*match.span())
    if text[0] == "|":
        return None if text == "|" else Word(unescape(text[1:-1]), span, quoted=True)
    return None if text[0] == ";" else Word(text, span)


def _ended_early(source: Source, top: list[Node], stray: Span, starts_form: str) -> Finding | None:
    """The finding about a form that ends too early, if the layout shows it, and take it away.

    What follows it, up to the parenthesis that is then too many, was meant to stand inside: it does
    not open a line, or an indented one.
    """
    text, first = source.text, len(top)
    while first > 0 and len(top) - first <= MAX_PIECES:
        first -= 1
        start = top[first].span.start
        if start == 0 or text[start - 1] == "\n":
            break
    pieces = top[first:]
    has_words = any(isinstance(piece, Word) for piece in pieces)
    is_broken = len(pieces) > 1 and (has_words or head_of(pieces[0]) == starts_form)
    if not is_broken or len(pieces) > MAX_PIECES:
        return None
    del top[first:]
    place = pieces[0].span
    if isinstance(pieces[0], Group):
        place = Span(place.end - 1, place.end)
    message = (
        "a `(` is missing here or before: the form ends too early, and the `)` in line "
        f"{source.position(stray.start).line} is left over"
    )
    return Finding(STRAY_CLOSE, message, "add the opening parenthesis", source=source, span=place)


def _depth_kept(
    text: str,
    at: int,
    depth: int,
    starts_form: str | None,
    starts_section: re.Pattern[str] | None,
) -> int | None:
    """The depth that stays open where a parenthesis shows something left open; else None."""
    opens_line = text[at - 1] == "\n"
    if depth and starts_form and opens_line and text.startswith(starts_form, at + 1):
        return 0
    if depth > 1 and starts_section and starts_section.match(text, at):
        return 1
    return None


def _closed(
    source: Source, start: int, end: int, *, in_sections: bool
) -> tuple[list[Node], Finding]:
    """The forms between two places, of which the last was left open, and the finding about it."""
    closed: ClosedForms[Node] = close_forms(
        source.text,
        start,
        end,
        token=TOKEN,
        word=_word,
        group=lambda items, start, end: Group(tuple(items), Span(start, end)),
        in_sections=in_sections,
    )
    line, column = source.position(closed.opened)
    message = f"a `)` is missing after this: the `(` in line {line}, column {column} stays open"
    fix = "add the closing parenthesis here, or where the form should end"
    span = Span(closed.missing_after - 1, closed.missing_after)
    return closed.nodes, Finding(NEVER_CLOSED, message, fix, source=source, span=span)


def unescape(text: str) -> str:
    """The name that the inside of a quoted word stands for."""
    return ESCAPE.sub(lambda match: "\n" if match[1] == "n" else match[1], text)


def escape(name: str, quote: str) -> str:
    """The name between quotes, so that `unescape` gives it back."""
    inner = name.replace("\\", "\\\\").replace(quote, "\\" + quote).replace("\n", "\\n")
    return f"{quote}{inner}{quote}"


def refuse_tokens(source: Source, token: re.Pattern[str], limits: ReadLimits) -> None:
    """Raise `LimitError` for a text of too many tokens, before anything is made of them."""
    if len(source.text) > limits.tokens:
        for count, match in enumerate(token.finditer(source.text)):
            if count >= limits.tokens and not match.group()[0].isspace():
                refuse_size(source, Span(*match.span()), limits)


def refuse_size(source: Source, span: Span, limits: ReadLimits) -> NoReturn:
    """Give up on a text with more rules or words than any sheet should have."""
    raise LimitError.of(
        "GDL013",
        f"the text holds more than {limits.forms:,} rules or {limits.tokens:,} tokens",
        fix="state repeated facts by rules with variables",
        source=source,
        span=span,
    )


def unbalanced(code: str, source: Source, span: Span, depth: int = 0) -> Finding:
    """The finding of a code about parentheses or quotes. depth: the limit that was passed."""
    message, fix = FAULTS[code]
    return Finding(code, message.format(depth), fix, source=source, span=span)


def exact_text(term: GroundTerm) -> str:
    """A term in prefix notation, with names between bars that would not read back as one word."""
    return format_term(_quoted(term))


def _quoted(term: GroundTerm) -> GroundTerm:
    if isinstance(term, str):
        return term if PLAIN_NAME.fullmatch(term) else escape(term, "|")
    return tuple(map(_quoted, term))
