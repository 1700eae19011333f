"""The tags of a PBN file with their places, before their meaning is looked at.

Source: Portable Bridge Notation 2.1 (1999), sections 2 and 3: tag pairs, sections, comments,
escaped lines, boards separated by empty lines, and values inherited by `#`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from fogspiel.core.findings import Finding, LimitError
from fogspiel.core.limits import MEBIBYTE
from fogspiel.core.source import Source, Span

SKIPPED = re.compile(
    r'"(?:[^"\\\n]|\\.)*+(?:"|\\?$)|;[^\n]*|\{[^}]*+(?:\}|\Z)|^%[^\n]*', re.MULTILINE
)
"""Comments and escaped lines; and quoted text, so that nothing in it is taken for one. What is not
closed is matched too: to look for its end again from every place would take forever."""
TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\\n]|\\.)*)"\s*\]')
WORD = re.compile(r"\S+")
BLANK = "\0"
"""Stands in the place of comments: a line of them does not end a board, as an empty one does."""
INHERITED = ("#", "##")
MANY = 20  #: Findings after which a text is considered to be no PBN, and reading stops


@dataclass(frozen=True, slots=True, kw_only=True)
class PbnLimits:
    """Limits on a file. They keep reading under about two seconds."""

    bytes: int = MEBIBYTE
    boards: int = 1_000
    row_words: int = 400
    """Words in the rows of one section; an auction cannot have more than 319 calls."""


@dataclass(frozen=True, slots=True)
class PbnWord:
    """A word of a section."""

    text: str
    span: Span


@dataclass(slots=True)
class Tag:
    """A tag pair, and the rows under it if it begins a section."""

    name: str
    value: str
    span: Span
    rows: list[list[PbnWord]] = field(default_factory=list)

    @property
    def is_section(self) -> bool:
        """Whether rows may follow."""
        name = self.name.lower()
        return name in {"auction", "play"} or (name.endswith("table") and name != "table")

    @property
    def words(self) -> Iterator[PbnWord]:
        """All words of the rows."""
        return (word for row in self.rows for word in row)


@dataclass(slots=True)
class Scan:
    """The boards of a file, as lists of tags, with the faults of its form."""

    boards: list[list[Tag]]
    findings: list[Finding]


def scan(source: Source, limits: PbnLimits) -> Scan:
    """The tags of every board. Raises `LimitError` BRI014 for a file that is too large."""
    if len(source.text) > limits.bytes:
        raise _too_large(source, f"{limits.bytes:,} characters")
    found = Scan([], [])
    board: list[Tag] = []
    before: dict[str, str] = {}
    start = 0
    text = SKIPPED.sub(_masked, source.text)
    for line in text.split("\n"):
        if line.strip(" \t\r\f\v"):
            _scan_line(line, start, board, found, source)
        elif board:
            before = _close(board, before, found)
            board = []
        if len(found.findings) >= MANY:
            return found
        if len(found.boards) > limits.boards:
            raise _too_large(source, f"{limits.boards:,} boards")
        start += len(line) + 1
    if board:
        _close(board, before, found)
    opened = _open_comment(source.text)
    if opened is not None:
        found.findings.append(broken(source, opened, "a comment is never closed"))
    _check_rows(found, source, limits)
    return found


def _masked(match: re.Match[str]) -> str:
    """Quoted text as it is; comments blanked out, so that places stay what they were."""
    text = match[0]
    return text if text.startswith('"') else re.sub(r"[^\n]", BLANK, text)


def _open_comment(text: str) -> Span | None:
    """The place where a comment begins that has no end."""
    for last in deque(SKIPPED.finditer(text), maxlen=1):
        if last[0].startswith("{") and not last[0].endswith("}"):
            return Span(last.start(), last.start() + 1)
    return None


def _scan_line(line: str, start: int, board: list[Tag], found: Scan, source: Source) -> None:
    """Add the tags or the row of a line to a board."""
    line = line.replace(BLANK, " ")
    for match in TAG.finditer(line):
        value = match[2].replace('\\"', '"')
        board.append(Tag(match[1], value, Span(start + match.start(), start + match.end())))
    rest = TAG.sub(lambda match: " " * len(match[0]), line)
    words = [
        PbnWord(match[0], Span(start + match.start(), start + match.end()))
        for match in WORD.finditer(rest)
    ]
    if not words:
        return
    if "[" in rest or not board or not board[-1].is_section:
        span = Span(words[0].span.start, words[-1].span.end)
        text = rest.strip()
        shown = text if len(text) <= 40 else text[:37] + "…"
        why = f"a tag is expected, and `{shown}` is found"
        found.findings.append(broken(source, span, why))
    else:
        board[-1].rows.append(words)


def _close(board: list[Tag], before: dict[str, str], found: Scan) -> dict[str, str]:
    """Add a board that is complete; returns the values that the next one may inherit."""
    for tag in board:
        if tag.value in INHERITED:
            tag.value = before.get(tag.name, "?")
    found.boards.append(board)
    return before | {tag.name: tag.value for tag in board}


def _check_rows(found: Scan, source: Source, limits: PbnLimits) -> None:
    for tag in (tag for board in found.boards for tag in board):
        if sum(1 for _ in tag.words) > limits.row_words:
            found.findings.append(
                broken(source, tag.span, f"{tag.name} has more than {limits.row_words} words")
            )


def broken(source: Source, span: Span | None, why: str) -> Finding:
    """The finding about a text that is not PBN."""
    return Finding(
        "BRI015",
        f"this is not PBN: {why}",
        fix='write tags as [Name "value"], one in a line, and an empty line after each board',
        source=source,
        span=span,
    )


def _too_large(source: Source, limit: str) -> LimitError:
    return LimitError.of(
        "BRI014", f"the file is larger than {limit}", fix="split it", source=Source(source.name, "")
    )
