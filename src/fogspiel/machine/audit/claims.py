"""Claims about play with their verdicts, the result of every audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from fogspiel.core.findings import Finding, Severity
from fogspiel.core.source import Source, Span
from fogspiel.core.terms import GroundTerm
from fogspiel.machine.audit.state_space import BrokenPlayError, History, history_text
from fogspiel.machine.protocol import Machine

SHOWN_STEPS = 12
ONE_MOVER = "DYN008"
ONE_MOVER_TEXT = "`whoseturn` holds for one role at a time"
TWO_MOVERS = "MCH010"  #: Code of the error that two roles are to move


class ClaimVerdict(StrEnum):
    """Verdict on a claim."""

    PROVED = "proved"
    NOT_VIOLATED = "no violation"
    NOT_SHOWN = "not shown"
    VIOLATED = "violated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A property that a game should have, and the verdict on it."""

    code: str  #: The code that a finding about it has, such as `DYN001`
    text: str  #: The property in words
    verdict: ClaimVerdict
    """`proved`, `no violation` in the playouts, `not shown`, or `violated`."""
    evidence: str  #: `all 5,478 states`, or `1,000 playouts`
    counterexamples: tuple[tuple[str, ...], ...] = ()
    """Courses of play, each a list of joint moves; two if a role cannot tell them apart."""
    finding: Finding | None = field(default=None, repr=False)
    """The finding to report, if the claim is violated."""

    def __str__(self) -> str:
        """The claim and its verdict in one line."""
        if self.verdict is ClaimVerdict.NOT_VIOLATED:
            return f"{self.code} {self.text}: {self.verdict} in {self.evidence}"
        return f"{self.code} {self.text}: {self.verdict} ({self.evidence})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """All claims about a game."""

    claims: tuple[Claim, ...]  #: Every claim with its verdict
    playouts: int  #: The number of random playouts
    states: int | None  #: Number of reachable states; None if not all were visited

    @property
    def findings(self) -> list[Finding]:
        """A finding for every claim that is violated."""
        return [claim.finding for claim in self.claims if claim.finding is not None]

    def as_lines(self) -> list[str]:
        """Every claim as a line."""
        return [str(claim) for claim in self.claims]

    def as_record(self) -> dict[str, Any]:
        """The whole audit as a JSON document."""
        claims = [
            {
                "code": claim.code,
                "claim": claim.text,
                "verdict": str(claim.verdict),
                "evidence": claim.evidence,
                "counterexamples": [list(course) for course in claim.counterexamples],
            }
            for claim in self.claims
        ]
        return {"playouts": self.playouts, "states": self.states, "claims": claims}


@dataclass(frozen=True, slots=True)
class ClaimWriter:
    """Writes claims and findings in the syntax of the rules' language."""

    machine: Machine
    source: Source
    fixes: Mapping[str, str]  #: Remedies by code
    warned: frozenset[str]  #: Codes of faults with which a game can be played
    idle: GroundTerm | None = None
    """The move of roles that are not to move, which is left out of courses of play."""

    def claim(
        self,
        code: str,
        text: str,
        verdict: ClaimVerdict,
        evidence: str,
        courses: Sequence[History] = (),
        *,
        said: str = "",
        wrong: str = "",
        at: tuple[Source, Span] | None = None,
    ) -> Claim:
        """A claim, with a finding if it is violated.

        courses: counterexamples; said: text about them instead of the usual one; wrong: what is the
        case instead of what is claimed; at: place of the fault in the rules.
        """
        examples = tuple(self.course(history) for history in courses)
        finding = None
        if verdict is ClaimVerdict.VIOLATED:
            shown = " and ".join(shortened(course) for course in examples)
            because = f"; counterexample: {shown}" if shown else f" ({evidence})"
            source, span = at or (self.source, None)
            finding = Finding(
                code,
                (wrong or f"it does not hold that {text}") + (said or because),
                fix=self.fixes[code],
                severity=Severity.WARNING if code in self.warned else Severity.ERROR,
                source=source,
                span=span,
            )
        return Claim(
            code=code,
            text=text,
            verdict=verdict,
            evidence=evidence,
            counterexamples=examples,
            finding=finding,
        )

    def broken(self, broken: BrokenPlayError) -> Claim:
        """The claim that is violated if rules break down in play."""
        finding, history = broken.finding, broken.history
        if finding.code == TWO_MOVERS and ONE_MOVER in self.fixes:
            wrong = [] if history is None else [history]
            verdict = ClaimVerdict.VIOLATED
            return self.claim(ONE_MOVER, ONE_MOVER_TEXT, verdict, finding.message, wrong)
        courses = [] if history is None else [self.course(history)]
        after = f"; counterexample: {shortened(courses[0])}" if courses else ""
        return Claim(
            code=finding.code,
            text="the rules have a meaning wherever play leads",
            verdict=ClaimVerdict.VIOLATED,
            evidence=finding.message,
            counterexamples=tuple(courses),
            finding=replace(finding, message=f"{finding.message}{after}"),
        )

    def text(self, history: History) -> str:
        """A course of play in one line."""
        return shortened(self.course(history))

    def course(self, history: History) -> tuple[str, ...]:
        """A course of play as readable text, one line for each step."""
        return tuple(history_text(self.machine, history, self.idle))


def shortened(course: Sequence[str], first: int = 1) -> str:
    """A course of play as text, its steps numbered from `first` on, cut off if it is long."""
    if not course:
        return "at the start"
    shown = [f"{number}. {joint}" for number, joint in enumerate(course[:SHOWN_STEPS], first)]
    if len(course) > SHOWN_STEPS:
        shown.append(f"… ({len(course)} steps)")
    return "; ".join(shown)
