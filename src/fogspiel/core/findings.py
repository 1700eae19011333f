"""Findings: what is wrong with an input, where, and the fix; and the errors that carry them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import ClassVar, Self

from fogspiel.core.source import Source, Span

MAX_OF_ONE_CODE = 100
"""More findings of one kind help nobody, and a hostile text could ask for a million."""
UNBALANCED = frozenset({"GDL002", "GDL003", "GDL010", "EFG002"})
"""Codes about parentheses and quotes that stay open."""
MAX_CANDIDATES = 1_000
MAX_NAME = 60
MAX_SEARCHES = 200  #: Searches for a close name are slow, so a text gets only so many


class Severity(StrEnum):
    """Whether rules with a finding can be played: not with an error, but with a warning or a note.

    >>> list(fs.Severity)
    [<Severity.ERROR: 'error'>, <Severity.WARNING: 'warning'>, <Severity.NOTE: 'note'>]
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem of an input. `code` is stable; `fogspiel explain` tells more about each.

    >>> try:
    ...     fs.read("(role white)", name="empty.gdl")
    ... except fs.RulesError as error:
    ...     print(error.findings[0])
    empty.gdl: GDL021 error: no `legal` move is stated
      fix: say what each role may do: (<= (legal ?r noop) (role ?r))
    """

    code: str  #: The code, such as `GDL021`
    message: str  #: What is wrong, and what was found
    fix: str  #: What to do
    _: KW_ONLY
    severity: Severity = Severity.ERROR  #: Whether it is an error, a warning or a note
    source: Source | None = None  #: The text that it is about
    span: Span | None = None  #: The place in the text

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
    """Root of everything Fogspiel raises on purpose. Carries at least one finding.

    >>> try:
    ...     fs.load("kuhn_pokr")
    ... except fs.FogspielError as error:
    ...     print(error.findings[0].code, error.findings[0].fix)
    GAM001 did you mean kuhn_poker or kuhn_poker_pogddl or leduc_poker?
    """

    exit_code: ClassVar[int] = 1  #: The exit code of commands that end with it

    def __init__(self, findings: Finding | Iterable[Finding]) -> None:
        self.findings: tuple[Finding, ...] = (
            (findings,) if isinstance(findings, Finding) else tuple(findings)
        )
        """All findings, each with its code, its place and what to do."""
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
        """An error with a single finding.

        code: the code, as `fogspiel explain` knows it.
        message: what is wrong, and what was found.
        fix: what to do.
        source, span: the text that is wrong, and where.

        >>> fs.FogspielError.of("API001", "the game has no role 'third'", "name another role")
        FogspielError("API001 error: the game has no role 'third'\\n  fix: name another role")
        """
        return cls(Finding(code, message, fix, source=source, span=span))


class UsageError(FogspielError, ValueError):
    """The caller asked for something that cannot be: unknown name, bad argument.

    It is a `ValueError` as well.

    >>> fs.load("kuhn_poker").begin().play(random="(deal ace)")
    Traceback (most recent call last):
    ...
    fogspiel.core.findings.UsageError: API002 error: random has no legal move '(deal ace)' here
      fix: did you mean (deal jack) or (deal queen)? legal: (deal jack), (deal king), (deal queen)
    """

    exit_code = 2


class RulesError(FogspielError):
    """The rules cannot be read or given a meaning.

    >>> try:
    ...     fs.read("(role white)")
    ... except fs.RulesError as error:
    ...     print([finding.code for finding in error.findings])
    ['GDL021', 'GDL022']
    """

    exit_code = 3


class LimitError(FogspielError):
    """A limit on time, memory or size was reached.

    >>> fs.load("leduc_poker").tree(max_nodes=100)
    Traceback (most recent call last):
    ...
    fogspiel.core.findings.LimitError: TRE001 error: the tree of this game has more than 100 nodes
      fix: take a smaller instance of the game, or raise the limit
    """

    exit_code = 4


class PlayError(FogspielError):
    """The rules broke down while being played, or an illegal move was tried.

    >>> fs.load("kuhn_poker").view("first", [("noop", [])]).belief()
    Traceback (most recent call last):
    ...
    fogspiel.core.findings.PlayError: BEL001 error: nothing fits what the role did and saw: step 1 \
is impossible
      fix: check the moves and percepts of that step against the rules
    """

    exit_code = 1


def is_cause(finding: Finding) -> bool:
    """Whether a text is grouped otherwise than meant, so that more findings may follow from it."""
    return finding.code in UNBALANCED and finding.severity is Severity.ERROR


class FindingCollector:
    """Collects the findings about one text, at most `MAX_OF_ONE_CODE` of each code."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.findings: list[Finding] = []
        self._counts: Counter[tuple[str, Severity]] = Counter()
        self._searches = 0

    def error(self, code: str, span: Span | None, message: str, fix: str) -> None:
        """Add an error: the game has no meaning."""
        self._add(code, span, message, fix, Severity.ERROR)

    def warning(self, code: str, span: Span | None, message: str, fix: str) -> None:
        """Add a warning: it is odd, but has a meaning."""
        self._add(code, span, message, fix, Severity.WARNING)

    def note(self, code: str, span: Span | None, message: str, fix: str) -> None:
        """Add a remark."""
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
    """Findings sorted by file and place; causes of others and those without a place come first."""
    places = {source.name: index for index, source in enumerate(sources)}

    def place(finding: Finding) -> tuple[int, bool, bool, Span, str]:
        file = -1 if finding.source is None else places.get(finding.source.name, -1)
        is_placed, span = finding.span is not None, finding.span or Span(0, 0)
        return file, not is_cause(finding), is_placed, span, finding.code

    return sorted(findings, key=place)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeEntry:
    """What is said about one code."""

    code: str  #: The code, such as `GDL014`
    title: str  #: The meaning in a few words
    meaning: str  #: The meaning in full
    example: str  #: A text that has such a finding; empty where there is none
    remedy: str  #: What to do
    framed: bool = True  #: Whether the example is part of a game, rather than all of its text
    language: str = "gdl"  #: Language of the example


@cache
def codes() -> Mapping[str, CodeEntry]:
    """Every code, in the order of the catalogue.

    The texts are data (`codes.toml`): the command line and the documentation print the same.
    """
    import tomllib

    text = resources.files("fogspiel.core").joinpath("codes.toml").read_text("utf-8")
    return {code: CodeEntry(code=code, **fields) for code, fields in tomllib.loads(text).items()}
