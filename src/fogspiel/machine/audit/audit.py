"""Properties that must hold while a game is played, checked in all states or by random playouts.

Sources: the GDL specification (Love et al. 2008: games must end, be playable and winnable), GDL-II
(Thielscher 2010), and for POGDDL Richards (2012), section 3.2: the same actions are legal in all
states of an information set. The verdict on a claim is that it is proved, or not violated in a
number of playouts, or violated, with a counterexample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId
from fogspiel.core.values import FULL_GOAL
from fogspiel.machine.audit.claims import Audit, Claim, ClaimVerdict, ClaimWriter, shortened
from fogspiel.machine.audit.confusions import (
    END,
    LEGAL,
    RESULT,
    IndistinguishablePair,
    confusions_of,
)
from fogspiel.machine.audit.pogddl_claims import (
    ACTION_FIXES,
    ACTION_WARNED,
    ActionAudit,
    ActionRules,
    idle_moves,
)
from fogspiel.machine.audit.sampled_play import MAX_STEPS, Sample, sample_play, stuck_roles
from fogspiel.machine.audit.state_space import (
    BrokenPlayError,
    Cycle,
    StateSpace,
    enumerate_states,
    find_loop,
)
from fogspiel.machine.protocol import Machine, player_roles

MAX_STATES = 20_000
MAX_SECONDS = 10.0  #: Time limit of visiting states, and of playouts, since rules may be slow

ENDS, PLAYABLE, ONE_GOAL, WINNABLE = "DYN001", "DYN002", "DYN003", "DYN004"
WARNED = frozenset({ENDS, WINNABLE, END, RESULT})  #: Faults with which a game can be played
FIXES = {
    ENDS: "add a counter of steps that ends the game, as tournament rules do",
    PLAYABLE: "give the role a move such as noop wherever the game is not over",
    ONE_GOAL: "make the conditions of its goals exclude each other and cover every ending",
    WINNABLE: "give some course of play the goal 100 for this role",
    LEGAL: "let the role see what its legal moves depend on",
    END: "let the role see that the game is over",
    RESULT: "let the role see what its goal depends on",
}
KNOWLEDGE_TEXTS = {
    LEGAL: "knows its legal moves",
    END: "knows whether the game is over",
    RESULT: "knows its result at the end",
}
PLAYABLE_TEXT = "every role has a legal move until the game is over"


class AuditedRules(Protocol):
    """What an audit asks of rules: clauses are such, and so is the code of a game in Python."""

    @property
    def source(self) -> Source:
        """The text to which findings belong."""

    @property
    def has_percepts(self) -> bool:
        """Whether they say what roles see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """The states that were visited and the playouts, on which claims are checked."""

    rules: AuditedRules
    has_goals: bool
    """Whether results are goals from 0 to 100, of which each role has exactly one."""
    space: StateSpace | None
    sample: Sample
    clerk: ClaimWriter

    @property
    def players(self) -> list[RoleId]:
        """The roles other than chance."""
        machine = self.sample.machine
        return player_roles(machine)


def audit_play(
    machine: Machine,
    rules: AuditedRules,
    *,
    playouts: int,
    seed: int,
    max_states: int = MAX_STATES,
    rulings: ActionRules | None = None,
    has_goals: bool = True,
) -> Audit:
    """Visit all states if they are few, play at random, and check every claim on both.

    rulings: the rules as written, for games in POGDDL, in which one role moves at a time.
    has_goals: whether results are goals from 0 to 100, and no payoffs of any size.
    """
    idle = idle_moves(machine, rulings) if rulings is not None else None
    clerk = ClaimWriter(
        machine,
        rules.source,
        fixes=FIXES if rulings is None else FIXES | ACTION_FIXES,
        warned=WARNED if rulings is None else WARNED | ACTION_WARNED,
        idle=rulings.idle if rulings is not None else None,
    )
    try:
        space = enumerate_states(machine, max_states=max_states, max_seconds=MAX_SECONDS)
        sample = sample_play(
            machine,
            playouts=playouts,
            seed=seed,
            knowledge=rules.has_percepts,
            max_seconds=MAX_SECONDS,
            idle=idle,
        )
    except BrokenPlayError as broken:
        return Audit(claims=(clerk.broken(broken),), playouts=0, states=None)
    looked = Looked(rules=rules, has_goals=has_goals, space=space, sample=sample, clerk=clerk)
    claims = _goal_claims(looked) if rulings is None else _action_claims(looked, rulings)
    return Audit(
        claims=tuple(claims),
        playouts=sample.playouts,
        states=len(space.states) if space is not None else None,
    )


def _goal_claims(looked: Looked) -> Iterator[Claim]:
    """Claims about rules with `legal` and `goal`."""
    yield _ends(looked)
    if looked.space is not None:
        yield from _visited_claims(looked.space, looked)
    else:
        yield from _sampled_claims(looked)
    yield from _knowledge_claims(looked)


def _action_claims(looked: Looked, rulings: ActionRules) -> Iterator[Claim]:
    """Claims about rules with actions and gains."""
    if rulings.is_tree:
        yield _ends(looked)
        yield from (claim for claim in _knowledge_claims(looked) if claim.code == LEGAL)
        return
    audit = ActionAudit(rulings, looked.space, looked.sample, looked.clerk)
    one_mover = audit.one_mover()
    yield one_mover
    if one_mover.verdict is ClaimVerdict.VIOLATED:
        # Further findings would be about a game that nobody meant.
        return
    yield _ends(looked)
    yield from audit.claims()
    yield from _knowledge_claims(looked)


def _ends(looked: Looked) -> Claim:
    space, sample, clerk = looked.space, looked.sample, looked.clerk
    if space is not None:
        evidence = f"all {len(space.states):,} states"
        loop = find_loop(space)
        if loop is None:
            return clerk.claim(ENDS, "play ends", ClaimVerdict.PROVED, evidence)
        courses = [[*loop.lead, *loop.circle]]
        said = _loop_text(loop, clerk)
        return clerk.claim(ENDS, "play ends", ClaimVerdict.VIOLATED, evidence, courses, said=said)
    evidence = f"{sample.playouts:,} playouts"
    if sample.cut is None:
        return clerk.claim(ENDS, "play ends", ClaimVerdict.NOT_VIOLATED, evidence)
    text = f"play ends within {MAX_STEPS:,} steps"
    return clerk.claim(ENDS, text, ClaimVerdict.VIOLATED, evidence, [sample.history(sample.cut)])


def _loop_text(loop: Cycle, clerk: ClaimWriter) -> str:
    lead, circle = clerk.course(loop.lead), clerk.course(loop.circle)
    way = f"after {shortened(lead)}, " if lead else "from the start on, "
    for_ever = f"{way}this can be repeated for ever: {shortened(circle, len(lead) + 1)}"
    return f": {for_ever}" + ("; nothing then ends the game" if loop.inescapable else "")


def _visited_claims(space: StateSpace, looked: Looked) -> Iterator[Claim]:
    """Claims about play, decided on all states."""
    machine, clerk = space.machine, looked.clerk
    evidence = f"all {len(space.states):,} states"
    ends = [state for state, ended in enumerate(space.terminal) if ended]

    def claim(code: str, text: str, bad: list[int], wrong: str) -> Claim:
        courses = [space.history(bad[0])] if bad else []
        verdict = ClaimVerdict.VIOLATED if bad else ClaimVerdict.PROVED
        return clerk.claim(code, text, verdict, evidence, courses, wrong=wrong)

    roles = stuck_roles(machine, space.states[space.stuck[0]]) if space.stuck else []
    yield claim(PLAYABLE, PLAYABLE_TEXT, space.stuck, _stuck_text(machine, roles))
    for role in looked.players if looked.has_goals else ():
        name = machine.roles[role]
        values = [machine.goal_values(space.states[state], role) for state in ends]
        bad = [state for state, held in zip(ends, values, strict=True) if len(held) != 1]
        clash = machine.goal_values(space.states[bad[0]], role) if bad else ()
        yield claim(ONE_GOAL, _one_goal_text(name), bad, _clash_text(name, clash))
        best = max((max(held, default=0) for held in values), default=0)
        verdict = ClaimVerdict.PROVED if best >= FULL_GOAL else ClaimVerdict.VIOLATED
        largest = f"{evidence}; the largest goal is {best}"
        yield clerk.claim(WINNABLE, _winnable_text(name), verdict, largest)


def _sampled_claims(looked: Looked) -> Iterator[Claim]:
    """Claims about play, checked on random playouts."""
    sample, clerk = looked.sample, looked.clerk
    evidence = f"{sample.playouts:,} playouts"

    def claim(code: str, text: str, course: tuple[int, int] | None, wrong: str) -> Claim:
        if course is None:
            return clerk.claim(code, text, ClaimVerdict.NOT_VIOLATED, evidence)
        courses = [sample.history(course)]
        return clerk.claim(code, text, ClaimVerdict.VIOLATED, evidence, courses, wrong=wrong)

    stuck = _stuck_text(sample.machine, sample.stuck_roles)
    yield claim(PLAYABLE, PLAYABLE_TEXT, sample.stuck, stuck)
    for role in looked.players if looked.has_goals else ():
        name = sample.machine.roles[role]
        course, clash = sample.bad_goals.get(role, (None, ()))
        yield claim(ONE_GOAL, _one_goal_text(name), course, _clash_text(name, clash))
        # One course of play proves this claim, and no number of playouts refutes it.
        verdict = (
            ClaimVerdict.PROVED if sample.best_goals[role] >= FULL_GOAL else ClaimVerdict.NOT_SHOWN
        )
        largest = f"{evidence}; the largest goal met is {sample.best_goals[role]}"
        yield clerk.claim(WINNABLE, _winnable_text(name), verdict, largest)


def _knowledge_claims(looked: Looked) -> Iterator[Claim]:
    """Claims about each role's knowledge, decided on pairs of states unless they are too many."""
    space, sample = looked.space, looked.sample
    has_percepts = looked.rules.has_percepts
    for role in looked.players:
        idle = sample.idle[role] if sample.idle is not None else None
        proof = confusions_of(space, role, idle) if space and has_percepts else None
        if not has_percepts:
            evidence, holds = "every role sees all moves", ClaimVerdict.PROVED
        elif proof is not None and space is not None:
            evidence, holds = f"all {len(space.states):,} states", ClaimVerdict.PROVED
        else:
            evidence, holds = f"{sample.playouts:,} playouts", ClaimVerdict.NOT_VIOLATED
        confusions = sample.confusions if proof is None else proof
        by_code = {c.code: c for c in confusions if c.role == role}
        for code, knows in KNOWLEDGE_TEXTS.items():
            text = f"{sample.machine.roles[role]} {knows}"
            if code in by_code:
                yield _confused(looked.clerk, text, by_code[code], evidence)
            else:
                yield looked.clerk.claim(code, text, holds, evidence)


def _confused(
    clerk: ClaimWriter, text: str, confusion: IndistinguishablePair, evidence: str
) -> Claim:
    courses = [confusion.first, confusion.second]
    told = [
        f"[{shortened(clerk.course(history))}], after which {holds}"
        for history, holds in zip(courses, confusion.contrast, strict=True)
    ]
    said = f": it cannot tell {told[0]}, from {told[1]}"
    return clerk.claim(confusion.code, text, ClaimVerdict.VIOLATED, evidence, courses, said=said)


def _one_goal_text(role: str) -> str:
    return f"{role} has exactly one goal at the end"


def _stuck_text(machine: Machine, stuck: Sequence[RoleId]) -> str:
    names = [machine.roles[role] for role in stuck]
    have = "has" if len(names) == 1 else "have"
    return f"{' and '.join(names)} {have} no legal move, and the game is not over"


def _clash_text(role: str, goals: Sequence[int]) -> str:
    if not goals:
        return f"{role} has no goal where the game is over"
    return f"{role} has the goals {' and '.join(map(str, sorted(goals)))} at one end of the game"


def _winnable_text(role: str) -> str:
    return f"{role} can reach the goal {FULL_GOAL}"
