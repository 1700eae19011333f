"""What must hold while a game is played, shown by visiting all states or by random playouts.

Sources: the GDL specification (Love et al. 2008: games must end, be playable and winnable) and
GDL-II (Thielscher 2010). Each claim ends as proved, as not violated in so many playouts, or with a
counterexample.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fogspiel.core.findings import Finding, Severity
from fogspiel.core.ids import RoleId
from fogspiel.lang.clauses import Program
from fogspiel.machine.knowledge import END, LEGAL, RESULT, Confusion, confusions_of
from fogspiel.machine.protocol import Machine
from fogspiel.machine.sampling import MAX_STEPS, Sample, sample_play
from fogspiel.machine.statespace import History, StateSpace, enumerate_states, history_text

MAX_STATES = 20_000
MAX_SECONDS = 30.0
"""For each of visiting and playing: rules of strangers may be slow."""
SHOWN_STEPS = 12
BEST = 100

ENDS, PLAYABLE, ONE_GOAL, WINNABLE = "DYN001", "DYN002", "DYN003", "DYN004"
WARNED = frozenset({ENDS, WINNABLE, END, RESULT})
"""A game can be played all the same."""
FIXES = {
    ENDS: "add a counter of steps that ends the game, as tournament rules do",
    PLAYABLE: "give the role a move such as noop wherever the game is not over",
    ONE_GOAL: "make the conditions of its goals exclude each other and cover every ending",
    WINNABLE: "give some course of play the goal 100 for this role",
    LEGAL: "let the role see what its legal moves depend on",
    END: "let the role see that the game is over",
    RESULT: "let the role see what its goal depends on",
}


class Verdict(StrEnum):
    """How a claim ended."""

    PROVED = "proved"
    NOT_VIOLATED = "no violation"
    NOT_SHOWN = "not shown"
    VIOLATED = "violated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Something that should hold of a game, and what became of it."""

    code: str
    text: str
    verdict: Verdict
    evidence: str
    """`all 5,478 states`, or `1,000 playouts`."""
    counterexamples: tuple[tuple[str, ...], ...] = ()
    """Courses of play, each a list of joint moves; two where a role confuses them."""

    def __str__(self) -> str:
        """One line."""
        if self.verdict is Verdict.NOT_VIOLATED:
            return f"{self.code} {self.text}: {self.verdict} in {self.evidence}"
        return f"{self.code} {self.text}: {self.verdict} ({self.evidence})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """All claims about a game."""

    claims: tuple[Claim, ...]
    playouts: int
    states: int | None
    """How many there are; None if they were not all visited."""
    program: Program

    @property
    def findings(self) -> list[Finding]:
        """A finding for every claim that is violated."""
        return [self._finding(c) for c in self.claims if c.verdict is Verdict.VIOLATED]

    def as_lines(self) -> list[str]:
        """Every claim as a line."""
        return [str(claim) for claim in self.claims]

    def as_record(self) -> dict[str, Any]:
        """Everything, as JSON documents hold it."""
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

    def _finding(self, claim: Claim) -> Finding:
        courses = " and ".join(_shortened(course) for course in claim.counterexamples)
        because = f"; counterexample: {courses}" if courses else f" ({claim.evidence})"
        return Finding(
            code=claim.code,
            message=f"it does not hold that {claim.text}{because}",
            fix=FIXES[claim.code],
            severity=Severity.WARNING if claim.code in WARNED else Severity.ERROR,
            source=self.program.source,
        )


def audit_play(
    machine: Machine,
    program: Program,
    *,
    playouts: int,
    seed: int,
    max_states: int = MAX_STATES,
) -> Audit:
    """Visit all states if they are few, and play at random; judge every claim by both."""
    space = enumerate_states(machine, max_states=max_states, max_seconds=MAX_SECONDS)
    sample = sample_play(
        machine,
        playouts=playouts,
        seed=seed,
        knowledge=program.has_percepts,
        max_seconds=MAX_SECONDS,
    )
    play = _visited_claims(space) if space is not None else _sampled_claims(sample)
    return Audit(
        claims=(*play, *_knowledge_claims(machine, program, space, sample)),
        playouts=sample.playouts,
        states=len(space.states) if space is not None else None,
        program=program,
    )


def _visited_claims(space: StateSpace) -> Iterator[Claim]:
    """Claims about play, decided by all states."""
    machine = space.machine
    evidence = f"all {len(space.states):,} states"

    def claim(code: str, text: str, wrong: History | None, *, holds: bool) -> Claim:
        return Claim(
            code=code,
            text=text,
            verdict=Verdict.PROVED if holds else Verdict.VIOLATED,
            evidence=evidence,
            counterexamples=_courses(machine, wrong),
        )

    cycle = space.find_cycle()
    yield claim(ENDS, "play ends", cycle, holds=cycle is None)
    stuck = space.history(space.stuck[0]) if space.stuck else None
    yield claim(PLAYABLE, PLAYABLE_TEXT, stuck, holds=stuck is None)
    ends = [state for state, ended in enumerate(space.terminal) if ended]
    for role in _players(machine):
        name = machine.roles[role]
        values = [machine.goal_values(space.states[state], role) for state in ends]
        bad = [state for state, held in zip(ends, values, strict=True) if len(held) != 1]
        wrong = space.history(bad[0]) if bad else None
        yield claim(ONE_GOAL, _one_goal_text(name), wrong, holds=not bad)
        best = max((max(held, default=0) for held in values), default=0)
        yield Claim(
            code=WINNABLE,
            text=_winnable_text(name),
            verdict=Verdict.PROVED if best >= BEST else Verdict.VIOLATED,
            evidence=f"{evidence}; the largest goal is {best}",
        )


def _sampled_claims(sample: Sample) -> Iterator[Claim]:
    """Claims about play, as far as random playouts can tell."""
    machine = sample.machine
    evidence = f"{sample.playouts:,} playouts"

    def claim(code: str, text: str, wrong: History | None) -> Claim:
        return Claim(
            code=code,
            text=text,
            verdict=Verdict.NOT_VIOLATED if wrong is None else Verdict.VIOLATED,
            evidence=evidence,
            counterexamples=_courses(machine, wrong),
        )

    cut = sample.history(sample.cut) if sample.cut else None
    yield claim(ENDS, f"play ends within {MAX_STEPS:,} steps" if cut else "play ends", cut)
    yield claim(PLAYABLE, PLAYABLE_TEXT, sample.history(sample.stuck) if sample.stuck else None)
    for role in _players(machine):
        name = machine.roles[role]
        bad = sample.bad_goals.get(role)
        yield claim(ONE_GOAL, _one_goal_text(name), sample.history(bad) if bad else None)
        # One course of play is enough to prove this claim, and none to refute it.
        won = sample.best_goals[role] >= BEST
        yield Claim(
            code=WINNABLE,
            text=_winnable_text(name),
            verdict=Verdict.PROVED if won else Verdict.NOT_SHOWN,
            evidence=f"{evidence}; the largest goal met is {sample.best_goals[role]}",
        )


def _knowledge_claims(
    machine: Machine, program: Program, space: StateSpace | None, sample: Sample
) -> Iterator[Claim]:
    """Claims about what each role knows; on pairs of states where they are not too many."""
    for role in _players(machine):
        proof = confusions_of(space, role) if space and program.has_percepts else None
        if not program.has_percepts:
            evidence, holds = "every role sees all moves", Verdict.PROVED
        elif proof is not None and space is not None:
            evidence, holds = f"all {len(space.states):,} states", Verdict.PROVED
        else:
            evidence, holds = f"{sample.playouts:,} playouts", Verdict.NOT_VIOLATED
        confusions = sample.confusions if proof is None else proof
        by_code = {c.code: c for c in confusions if c.role == role}
        for code, text in KNOWLEDGE_TEXTS.items():
            confusion = by_code.get(code)
            yield Claim(
                code=code,
                text=f"{machine.roles[role]} {text}",
                verdict=holds if confusion is None else Verdict.VIOLATED,
                evidence=evidence,
                counterexamples=_confused_courses(machine, confusion),
            )


PLAYABLE_TEXT = "every role has a legal move until the game is over"
KNOWLEDGE_TEXTS = {
    LEGAL: "knows its legal moves",
    END: "knows whether the game is over",
    RESULT: "knows its result at the end",
}


def _one_goal_text(role: str) -> str:
    return f"{role} has exactly one goal at the end"


def _winnable_text(role: str) -> str:
    return f"{role} can reach the goal {BEST}"


def _players(machine: Machine) -> list[RoleId]:
    return [RoleId(r) for r in range(len(machine.roles)) if r != machine.chance_role]


def _courses(machine: Machine, wrong: History | None) -> tuple[tuple[str, ...], ...]:
    return () if wrong is None else (tuple(history_text(machine, wrong)),)


def _confused_courses(machine: Machine, confusion: Confusion | None) -> tuple[tuple[str, ...], ...]:
    if confusion is None:
        return ()
    return tuple(tuple(history_text(machine, h)) for h in (confusion.first, confusion.second))


def _shortened(course: tuple[str, ...]) -> str:
    if not course:
        return "at the start"
    shown = [f"{number}. {joint}" for number, joint in enumerate(course[:SHOWN_STEPS], start=1)]
    if len(course) > SHOWN_STEPS:
        shown.append(f"… ({len(course)} steps)")
    return "; ".join(shown)
