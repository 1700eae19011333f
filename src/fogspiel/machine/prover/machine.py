"""The reference machine, which plays a game by proofs from its rules, without grounding.

The compiled machine is tested against it, and it plays games whose ground rules would be too large.

It numbers terms as it meets them. Terms from outside, such as an opponent's move or a state set up
by hand, are accepted if they match the head of some rule.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.terms import GroundTerm, MoveId, PerceptId, RoleId
from fogspiel.machine.protocol import State
from fogspiel.machine.prover.fixpoint import Context, Fact
from fogspiel.machine.prover.prover import Prover
from fogspiel.machine.prover.rulebase import build_rulebase
from fogspiel.machine.uncompiled.numbered_machine import NumberedMachine, unknown_term
from fogspiel.rules.clauses import Pattern, Program, Var


class Heads:
    """Argument patterns of the heads of rules for moves and fluents."""

    def __init__(self, program: Program) -> None:
        self._moves = _heads(program, ("legal", 2))
        self._fluents = [*_heads(program, ("init", 1)), *_heads(program, ("next", 1))]

    def may_be_move(self, role: str, move: GroundTerm) -> bool:
        """Whether the head of some rule matches this legal move of the role."""
        return any(_fits(head, (role, move)) for head in self._moves)

    def may_be_fluent(self, fluent: GroundTerm) -> bool:
        """Whether the head of some rule matches this fluent, initially or later."""
        return any(_fits(head, (fluent,)) for head in self._fluents)


def _heads(program: Program, signature: tuple[str, int]) -> list[tuple[Pattern, ...]]:
    found = (c.head.arguments for c in program.clauses if c.head.signature == signature)
    return list(dict.fromkeys(found))


def _fits(patterns: Iterable[Pattern], terms: Iterable[GroundTerm]) -> bool:
    """Whether terms are instances of patterns in which all variables are distinct."""
    work = list(zip(patterns, terms, strict=True))
    while work:
        pattern, term = work.pop()
        if isinstance(pattern, Var):
            continue
        if isinstance(pattern, str) or isinstance(term, str):
            if pattern != term:
                return False
            continue
        if len(pattern) != len(term) or pattern[0] != term[0]:
            return False
        work.extend(zip(pattern[1:], term[1:], strict=True))
    return True


STATES_REMEMBERED = 64
"""Most contexts kept, so that a walk down a tree and back finds the proofs of states above."""


class ReferenceMachine(NumberedMachine):
    """A game played directly on its clauses. Implements `Machine`."""

    def __init__(self, program: Program, *, seconds_per_query: float = 60.0) -> None:
        """Raises `RulesError` for negation through recursion, `LimitError` for endless rules."""
        super().__init__(program.roles, program.chance_role, goal_scale=1)  # goals are integers
        self._program = program
        self._prover = Prover(build_rulebase(program), program.source, seconds_per_query)
        self._heads = Heads(program)
        self._contexts: OrderedDict[bytes, _Known] = OrderedDict()
        beginning = self._prover.answers(Context((), ()), "init")
        self._initial = tuple(self._fluents.numbers(beginning))
        self._prover.suppose_fluents(self._fluents.terms)

    def initial(self) -> State:
        """The state in which play begins."""
        return self._state(self._initial)

    def terminal(self, state: State) -> bool:
        """Whether the game is over."""
        known = self._known(state)
        if known.terminal is None:
            known.terminal = self._prover.holds(known.context, "terminal")
        return known.terminal

    def legal(self, state: State, role: RoleId) -> tuple[MoveId, ...]:
        """The moves of a role, ascending."""
        known = self._known(state)
        moves = known.legal.get(role)
        if moves is None:
            answers = self._prover.answers(known.context, "legal", self.roles[role])
            moves = tuple(map(MoveId, self._moves[role].numbers(answers)))
            known.legal[role] = moves
        return moves

    def step(self, state: State, joint: Sequence[MoveId]) -> State:
        """The state after every role made its move."""
        self._check_legal(state, joint)
        context = self._joint_context(state, joint)
        return self._state(self._fluents.numbers(self._prover.answers(context, "next")))

    def percepts(
        self, state: State, joint: Sequence[MoveId], role: RoleId
    ) -> tuple[PerceptId, ...]:
        """What a role sees when the joint move is made, ascending."""
        seen: Iterable[GroundTerm]
        if self._program.has_percepts:
            context = self._joint_context(state, joint)
            seen = self._prover.answers(context, "sees", self.roles[role])
        else:
            seen = [("does", *fact) for fact in self._does(joint)]
        return tuple(map(PerceptId, self._percepts[role].numbers(seen)))

    def goals(self, state: State) -> tuple[int, ...]:
        """The largest goal value of every role, 0 where there is none."""
        return tuple(
            max(self.goal_values(state, RoleId(role)), default=0) for role in range(len(self.roles))
        )

    def goal_values(self, state: State, role: RoleId) -> tuple[int, ...]:
        """Every integer that is a goal of the role, ascending."""
        answers = self._prover.answers(self._known(state).context, "goal", self.roles[role])
        return tuple(sorted({value for a in answers if (value := _whole(a)) is not None}))

    def chance_weights(self, state: State) -> NDArray[np.float64]:
        """(moves,) equal probabilities, as in GDL-II."""
        role = self.chance_role
        count = 0 if role is None else len(self.legal(state, role))
        return np.full(count, 1.0 / max(1, count))

    def state_of(self, fluents: Iterable[GroundTerm]) -> State:
        """The state in which exactly these fluents hold."""
        terms = list(fluents)
        for fluent in terms:
            if self._fluents.get(fluent) is None and not self._heads.may_be_fluent(fluent):
                raise unknown_term("MCH005", "fluent", fluent)
        return self._state(self._fluents.numbers(terms))

    def move_id(self, role: RoleId, move: GroundTerm) -> MoveId:
        """The id of a move, which may be new, such as an opponent's move in a match."""
        known = self._moves[role].get(move)
        if known is None and not self._heads.may_be_move(self.roles[role], move):
            raise unknown_term("MCH002", f"move of {self.roles[role]}", move)
        return MoveId(self._moves[role].numbers([move])[0])

    def _state(self, numbers: Iterable[int]) -> State:
        """The state with the bits of some fluents."""
        return self._packed(sum(1 << number for number in numbers))

    def _known(self, state: State) -> _Known:
        """The cached results of a state."""
        key = self.key(state)
        known = self._contexts.get(key)
        if known is None:
            known = self._contexts[key] = _Known(Context(self.fluent_terms(state), ()))
            if len(self._contexts) > STATES_REMEMBERED:
                self._contexts.popitem(last=False)
        else:
            self._contexts.move_to_end(key)
        return known

    def _joint_context(self, state: State, joint: Sequence[MoveId]) -> Context:
        """The context of a joint move; the last one of each state is kept."""
        known = self._known(state)
        moves = tuple(joint)
        if known.joint is None or known.joint_moves != moves:
            known.joint = known.context.with_moves(self._does(joint))
            known.joint_moves = moves
        return known.joint

    def _does(self, joint: Sequence[MoveId]) -> list[Fact]:
        return [
            (name, self.move_term(RoleId(role), joint[role]))
            for role, name in enumerate(self.roles)
        ]


@dataclass(slots=True, eq=False)
class _Known:
    """Cached results of one state."""

    context: Context
    joint: Context | None = None
    joint_moves: tuple[MoveId, ...] = ()
    legal: dict[RoleId, tuple[MoveId, ...]] = field(default_factory=dict)
    terminal: bool | None = None


def _whole(term: GroundTerm) -> int | None:
    """The integer that a goal denotes; None for any other term."""
    if isinstance(term, str) and term.isascii() and term.removeprefix("-").isdigit():
        return int(term)
    return None
