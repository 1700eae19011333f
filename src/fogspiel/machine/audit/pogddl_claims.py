"""Claims about games in POGDDL, which have actions and gains, and one role to move at a time.

Source: Richards (2012), section 3.2. A state without an applicable action is terminal, so that no
role is ever stuck; payoffs are sums, so that every role always has exactly one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fogspiel.core.findings import PlayError
from fogspiel.core.source import NOWHERE, Source, Span
from fogspiel.core.terms import GroundTerm, MoveId, RoleId, functor
from fogspiel.machine.audit.claims import (
    ONE_MOVER,
    ONE_MOVER_TEXT,
    Claim,
    ClaimVerdict,
    ClaimWriter,
)
from fogspiel.machine.audit.confusions import END, LEGAL, RESULT
from fogspiel.machine.audit.sampled_play import Sample
from fogspiel.machine.audit.state_space import History, StateSpace
from fogspiel.machine.interpreter.machine import InterpretedMachine
from fogspiel.machine.protocol import Machine, State
from fogspiel.rules.pogddl.syntax import Domain, GameDescription, Problem
from fogspiel.rules.pogddl.world import idle_move

ASKED_END, GAINED, APPLIED = "DYN009", "DYN010", "DYN011"
ACTION_WARNED = frozenset({ASKED_END, GAINED, APPLIED})
ACTION_FIXES = {
    ONE_MOVER: "let the action that gives the turn to one role take it from the other",
    ASKED_END: "give the turn to a role, or let a :terminal condition hold there",
    GAINED: "correct the condition of the gain, or remove it",
    APPLIED: "correct the precondition of the action, or remove it",
    LEGAL: "let the role observe what the preconditions of its actions depend on",
    END: "let the role observe that the game is over",
    RESULT: "let the role observe what its gains depend on",
}


@dataclass(frozen=True, slots=True)
class ActionRules:
    """The rules as written, and a machine that evaluates single sections of them."""

    description: GameDescription
    reference: InterpretedMachine
    is_tree: bool = False
    """Whether the rules were made from a game tree. Trees have one mover at a time and are finite,
    and do not say what roles learn at the end."""

    @staticmethod
    def of(description: GameDescription, machine: Machine, *, is_tree: bool) -> ActionRules:
        """The rules of a game that a machine plays, which evaluates them itself if it can."""
        if not isinstance(machine, InterpretedMachine):
            machine = InterpretedMachine(description)
        return ActionRules(description, machine, is_tree=is_tree)

    @property
    def domain(self) -> Domain:
        """The domain, which all instances share."""
        assert self.description.domain is not None
        return self.description.domain

    @property
    def problem(self) -> Problem:
        """The instance that is played."""
        assert self.description.problem is not None
        return self.description.problem

    @property
    def idle(self) -> str:
        """The move of roles that are not to move."""
        return idle_move(self.domain)

    @property
    def says_when_over(self) -> bool:
        """Whether a `:terminal` section says when the game is over."""
        return bool(self.domain.terminals or self.problem.terminals)

    def gains(self) -> list[tuple[Source, Span]]:
        """Source and place of each gain, in the order of their numbers."""
        parts: tuple[Domain | Problem, ...] = (self.domain, self.problem)
        return [(part.source, gain.span) for part in parts for gain in part.gains]


def idle_moves(machine: Machine, rulings: ActionRules) -> list[int | None]:
    """Each role's move when it is not to move; None for a role that is always to move."""
    return [_move_id(machine, RoleId(role), rulings.idle) for role in range(len(machine.roles))]


def _move_id(machine: Machine, role: RoleId, move: GroundTerm) -> int | None:
    try:
        return machine.move_id(role, move)
    except PlayError:
        return None


class ActionAudit:
    """Claims decided on all states if they were visited, otherwise on playouts."""

    def __init__(
        self, rulings: ActionRules, space: StateSpace | None, sample: Sample, clerk: ClaimWriter
    ) -> None:
        self._rulings = rulings
        self._space = space
        self._sample = sample
        self._clerk = clerk
        self._machine = sample.machine
        self._idle: Sequence[int | None] = sample.idle or ()
        if space is not None:
            self._evidence, self._holds = f"all {len(space.states):,} states", ClaimVerdict.PROVED
        else:
            self._evidence, self._holds = f"{sample.playouts:,} playouts", ClaimVerdict.NOT_VIOLATED

    def one_mover(self) -> Claim:
        """The claim that at most one role is to move at a time."""
        wrong = self._contested()
        return self._clerk.claim(
            ONE_MOVER,
            ONE_MOVER_TEXT,
            self._holds if wrong is None else ClaimVerdict.VIOLATED,
            self._evidence,
            [] if wrong is None else [wrong],
        )

    def claims(self) -> Iterator[Claim]:
        """All other claims."""
        ends = list(self._ends())
        if self._rulings.says_when_over:
            yield self._asked_end(ends)
        yield from self._gained([state for state, _ in ends])
        yield from self._applied()

    def _contested(self) -> History | None:
        """A course of play to a state where two roles are to move."""
        space, sample = self._space, self._sample
        if space is None:
            # If one of two roles to move has no action, the other one cannot go on.
            wrong = sample.contested or sample.stuck
            return sample.history(wrong) if wrong is not None else None
        for state, joints in enumerate(space.joints):
            moved = joints[:1] != [-1 if move is None else move for move in self._idle]
            if state in space.stuck or moved.sum() > 1:
                return space.history(state)
        return None

    def _ends(self) -> Iterator[tuple[State, History]]:
        """Terminal states with the courses of play that lead to them."""
        if self._space is None:
            for state, course in self._sample.ends.values():
                yield state, self._sample.history(course)
            return
        for number, ended in enumerate(self._space.terminal):
            if ended:
                yield self._space.states[number], self._space.history(number)

    def _asked_end(self, ends: Sequence[tuple[State, History]]) -> Claim:
        text = "the game ends by a :terminal condition, or for want of an action of the mover"
        wrong = next((history for state, history in ends if self._is_deserted(state)), None)
        said = ""
        if wrong is not None:
            steps = self._clerk.text(wrong)
            said = f": nobody is to move, and no :terminal condition holds, after {steps}"
        verdict = self._holds if wrong is None else ClaimVerdict.VIOLATED
        courses = [] if wrong is None else [wrong]
        return self._clerk.claim(ASKED_END, text, verdict, self._evidence, courses, said=said)

    def _is_deserted(self, state: State) -> bool:
        """Whether no role is to move though no `:terminal` condition holds."""
        for role, idle in enumerate(self._idle):
            if self._machine.legal(state, RoleId(role)) != (idle,):
                return False
        return not self._rulings.reference.is_asked_to_end(self._translated(state))

    def _gained(self, ends: Sequence[State]) -> Iterator[Claim]:
        places = self._rulings.gains()
        missing = set(range(len(places)))
        for state in ends:
            if not missing:
                break
            missing -= self._rulings.reference.gains_held(self._translated(state))
        if not missing:
            # A gain that was paid once proves that it can be.
            yield self._clerk.claim(
                GAINED, "every gain can be got", ClaimVerdict.PROVED, self._evidence
            )
        for number in sorted(missing):
            yield self._missing(GAINED, "some role can get this gain", places[number])

    def _applied(self) -> Iterator[Claim]:
        met = self._actions_met()
        unmet = [action for action in self._rulings.domain.actions if action.name.text not in met]
        if not unmet:
            text = "every action can be applied"
            yield self._clerk.claim(APPLIED, text, ClaimVerdict.PROVED, self._evidence)
        possible = self._actions_possible()
        for action in unmet:
            place = self._rulings.domain.source, action.name.span
            text = f"the action {action.name.text} can be applied"
            is_possible = possible is None or action.name.text in possible
            yield self._missing(APPLIED, text, place, is_possible=is_possible)

    def _missing(
        self, code: str, text: str, place: tuple[Source, Span], *, is_possible: bool = True
    ) -> Claim:
        """The claim about a gain or an action that was met in no state, or in no playout."""
        at = place if place[1] != NOWHERE else None
        if not is_possible:
            return self._clerk.claim(
                code, text, ClaimVerdict.VIOLATED, "by its precondition", at=at
            )
        verdict = ClaimVerdict.NOT_SHOWN if self._space is None else ClaimVerdict.VIOLATED
        return self._clerk.claim(code, text, verdict, self._evidence, at=at)

    def _actions_possible(self) -> set[str] | None:
        """The actions left by grounding; None for a machine that numbers moves as it meets them."""
        machine = self._machine
        if machine.engine != "compiled":
            return None
        return {
            functor(machine.move_term(RoleId(role), MoveId(move)))
            for role in range(len(machine.roles))
            for move in range(machine.move_count(RoleId(role)))
        }

    def _actions_met(self) -> set[str]:
        """The actions that were applicable in some state."""
        moves: dict[int, set[int]] = {role: set() for role in range(len(self._machine.roles))}
        if self._space is None:
            moves |= self._sample.legal_met
        else:
            for joints in self._space.joints:
                for role, made in moves.items():
                    made.update(map(int, joints[:, role]))
        return {
            functor(self._machine.move_term(RoleId(role), MoveId(move)))
            for role, made in moves.items()
            for move in made
            if move != self._idle[role]
        }

    def _translated(self, state: State) -> State:
        """The state in the form of the machine that interprets the rules as written."""
        if self._machine is self._rulings.reference:
            return state
        return self._rulings.reference.state_of(self._machine.fluent_terms(state))
