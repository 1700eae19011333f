"""Where findings about a POGDDL text are written down, in the order and number that help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from fogspiel.core.findings import Finding, Severity
from fogspiel.core.source import Source, Span

MAX_OF_ONE_CODE = 100
"""More findings of one kind help nobody, and a hostile text could ask for a million."""
MAX_CANDIDATES = 1_000
MAX_NAME = 60
MAX_SEARCHES = 200
"""Searches for a close name are slow, so a text gets only so many."""


class FindingCollector:
    """The findings of one text."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.findings: list[Finding] = []
        self._counts: Counter[tuple[str, Severity]] = Counter()
        self._searches = 0

    def error(self, code: str, span: Span | None, message: str, fix: str) -> None:
        """Something without which the game has no meaning."""
        self._add(code, span, message, fix, Severity.ERROR)

    def warning(self, code: str, span: Span | None, message: str, fix: str) -> None:
        """Something odd that has a meaning all the same."""
        self._add(code, span, message, fix, Severity.WARNING)

    def note(self, code: str, span: Span | None, message: str, fix: str) -> None:
        """A remark."""
        self._add(code, span, message, fix, Severity.NOTE)

    def close_name(self, name: str, known: Iterable[str]) -> str | None:
        """The known name that was probably meant. Letter case is the commonest slip."""
        self._searches += 1
        if len(name) > MAX_NAME or self._searches > MAX_SEARCHES:
            return None
        by_lower = {other.lower(): other for other in sorted(known)[:MAX_CANDIDATES]}
        close = get_close_matches(name.lower(), by_lower, n=1)
        return by_lower[close[0]] if close else None

    def meant(self, name: str, known: Iterable[str], otherwise: str) -> str:
        """A fix for an unknown name: the close one, or what else to do."""
        close = self.close_name(name, known)
        return f"did you mean `{close}`?" if close else otherwise

    def _add(self, code: str, span: Span | None, message: str, fix: str, how: Severity) -> None:
        self._counts[code, how] += 1
        if self._counts[code, how] <= MAX_OF_ONE_CODE:
            self.findings.append(
                Finding(code, message, fix=fix, severity=how, source=self.source, span=span)
            )


def in_order(findings: Iterable[Finding], sources: Sequence[Source]) -> list[Finding]:
    """Findings by file and place; what concerns no place comes first."""
    places = {source.name: index for index, source in enumerate(sources)}

    def place(finding: Finding) -> tuple[int, bool, Span, str]:
        file = -1 if finding.source is None else places.get(finding.source.name, -1)
        return file, finding.span is not None, finding.span or Span(0, 0), finding.code

    return sorted(findings, key=place)
