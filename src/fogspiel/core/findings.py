"""Findings: what is wrong with an input, where, and the fix; and the errors that carry them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import ClassVar, Self

from fogspiel.core.source import Source, Span


class Severity(StrEnum):
    """Whether rules with a finding can be played: not with an error, but with a warning."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem of an input. `code` is stable; `fogspiel explain` tells more about each."""

    code: str
    message: str
    fix: str
    _: KW_ONLY
    severity: Severity = Severity.ERROR
    source: Source | None = None
    span: Span | None = None

    def __str__(self) -> str:
        """`file:line:col: CODE message`, the excerpt with carets, and the fix."""
        lines = [f"{self.place}{self.code} {self.severity}: {self.message}"]
        if self.source is not None and self.span is not None:
            lines += [f"    {row}" for row in self.source.excerpt(self.span).splitlines()]
        lines.append(f"  fix: {self.fix}")
        return "\n".join(lines)

    @property
    def place(self) -> str:
        """`file:line:col: `, as much of it as is known."""
        if self.source is None:
            return ""
        if self.span is None:
            return f"{self.source.name}: "
        line, column = self.source.position(self.span.start)
        return f"{self.source.name}:{line}:{column}: "


def errors_in(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that are errors: with one of them, there is nothing to play."""
    return [finding for finding in findings if finding.severity is Severity.ERROR]


class FogspielError(Exception):
    """Root of everything Fogspiel raises on purpose. Carries at least one finding."""

    exit_code: ClassVar[int] = 1

    def __init__(self, findings: Finding | Iterable[Finding]) -> None:
        self.findings: tuple[Finding, ...] = (
            (findings,) if isinstance(findings, Finding) else tuple(findings)
        )
        super().__init__("\n".join(str(finding) for finding in self.findings))

    @classmethod
    def of(
        cls,
        code: str,
        message: str,
        fix: str,
        *,
        source: Source | None = None,
        span: Span | None = None,
    ) -> Self:
        """An error with a single finding."""
        return cls(Finding(code, message, fix, source=source, span=span))


class UsageError(FogspielError):
    """The caller asked for something that cannot be: unknown name, bad argument."""

    exit_code = 2


class RulesError(FogspielError):
    """The rules cannot be read or given a meaning."""

    exit_code = 3


class LimitError(FogspielError):
    """A limit on time, memory or size was reached."""

    exit_code = 4


class PlayError(FogspielError):
    """The rules broke down while being played, or an illegal move was tried."""

    exit_code = 1
