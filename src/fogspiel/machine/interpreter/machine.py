"""Interpreter of games in POGDDL as written: no grounding, no bounds, exact numbers.

The compiled machine is tested against it, and it plays games whose ground rules would be too large.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import LimitError
from fogspiel.core.terms import GroundTerm, MoveId, PerceptId, RoleId
from fogspiel.machine.interpreter.apply import ActionOutcome, ground
from fogspiel.machine.interpreter.conditions import ConditionCompiler
from fogspiel.machine.interpreter.derive import Derivations
from fogspiel.machine.interpreter.game import CHANCE, InterpretedGame, Move
from fogspiel.machine.interpreter.normal import Estimates
from fogspiel.machine.interpreter.states import InitialState, States
from fogspiel.machine.interpreter.views import Calculator, QueryClock, StateView
from fogspiel.machine.protocol import State
from fogspiel.machine.uncompiled.numbered_machine import NumberedMachine, bit_numbers, unknown_term
from fogspiel.rules.pogddl.lower.scales import payoff_scale
from fogspiel.rules.pogddl.syntax import GameDescription
from fogspiel.rules.pogddl.world import idle_move

STATES_REMEMBERED = 64
"""Most views kept, so that a walk down a tree and back finds the views of states above."""
MAX_GOAL = 2**62  #: Goals are 64-bit numbers in batches


class InterpretedMachine(NumberedMachine):
    """A game played directly on its syntax tree. Implements `Machine`."""

    def __init__(self, description: GameDescription, *, seconds_per_query: float = 20.0) -> None:
        """The description must have passed its checks.

        Raises `RulesError` if it has no domain or no problem, `LimitError` if its conditions are
        nested too deep.
        """
        start = InitialState(description)
        chance = CHANCE if CHANCE in start.world.roles else None
        super().__init__(start.world.roles, chance, payoff_scale(description))
        self._idle = idle_move(start.domain)
        self._clock = QueryClock(seconds_per_query)
        self._positions: OrderedDict[bytes, _Position] = OrderedDict()
        with self._query():
            derived = frozenset(start.world.derived)
            conditions = ConditionCompiler(
                start.objects,
                Estimates(start.facts(), derived),
                Calculator(start.values, start.functions),
                derived,
                self._clock,
            )
            changed = start.predicates | start.functions
            derivations = Derivations(start.domain, start.world, conditions, changed)
            self._game = InterpretedGame(start.domain, start.problem, conditions, self._roles)
        self._states = States(start, self._fluents, derivations)
        self._initial = self._states.initial()

    def initial(self) -> State:
        """The state in which play begins."""
        return self._packed(self._initial)

    def terminal(self, state: State) -> bool:
        """Whether a `:terminal` condition holds, or no role has a move."""
        position = self._position(state)
        if position.terminal is None:
            with self._query():
                has_ended = self._game.has_ended(position.view)
            position.terminal = has_ended or not self._moves_in(position)
        return position.terminal

    def legal(self, state: State, role: RoleId) -> tuple[MoveId, ...]:
        """The moves of a role, ascending: actions if it is to move, else the idle move."""
        position = self._position(state)
        legal = position.legal.get(role)
        if legal is None:
            terms: list[GroundTerm] = [self._idle]
            if self._mover(position) == self._roles[role]:
                terms = [ground(*move) for move in self._moves_in(position)]
            legal = tuple(map(MoveId, self._moves[role].numbers(terms)))
            position.legal[role] = legal
        return legal

    def step(self, state: State, joint: Sequence[MoveId]) -> State:
        """The state after every role made its move."""
        self._check_legal(state, joint)
        position = self._position(state)
        outcome = self._outcome(position, joint)
        if outcome is None:
            return self._packed(position.bits)
        with self._query():
            bits, view = self._states.after(position.bits, position.view, outcome)
        row = self._packed(bits)
        self._remember(self.key(row), _Position(bits, view))
        return row

    def percepts(
        self, state: State, joint: Sequence[MoveId], role: RoleId
    ) -> tuple[PerceptId, ...]:
        """Percepts of a role when the joint move is made, ascending."""
        for index, move in enumerate(joint):
            self._checked(RoleId(index), move)
        outcome = self._outcome(self._position(state), joint)
        seen = {} if outcome is None else outcome.percepts.get(self._roles[role], {})
        return tuple(map(PerceptId, self._percepts[role].numbers(seen)))

    def goals(self, state: State) -> tuple[int, ...]:
        """The payoff of every role, multiplied by `goal_scale` and rounded if necessary."""
        position = self._position(state)
        if position.goals is None:
            with self._query():
                payoffs = self._game.payoffs(position.view)
            position.goals = tuple(self._goal(payoffs[role]) for role in self._roles)
        return position.goals

    def goal_values(self, state: State, role: RoleId) -> tuple[int, ...]:
        """The goal of the role: there is always exactly one."""
        return (self.goals(state)[role],)

    def is_asked_to_end(self, state: State) -> bool:
        """Whether a `:terminal` condition ends the game here."""
        position = self._position(state)
        with self._query():
            return self._game.has_ended(position.view)

    def gains_held(self, state: State) -> set[int]:
        """Numbers of the gains that some role gets here; those of the domain come first."""
        position = self._position(state)
        with self._query():
            return self._game.gains_held(position.view)

    def chance_weights(self, state: State) -> NDArray[np.float64]:
        """(moves,) probabilities of the legal moves of chance, in the order of `legal`."""
        role = self.chance_role
        if role is None:
            return np.zeros(0)
        position = self._position(state)
        legal = self.legal(state, role)
        if self._mover(position) != CHANCE:
            return np.full(len(legal), 1.0 / len(legal))
        moves = self._moves_in(position)
        total = sum(moves.values(), Fraction(0))
        chances = [moves[_move(self.move_term(role, move))] / total for move in legal]
        return np.array([float(chance) for chance in chances], dtype=np.float64)

    def state_of(self, fluents: Iterable[GroundTerm]) -> State:
        """The state in which exactly these fluents hold; functions that are not given are 0."""
        return self._packed(self._states.bits_of(fluents))

    def move_id(self, role: RoleId, move: GroundTerm) -> MoveId:
        """The id of a move, which may be new, such as an opponent's move in a match."""
        if self._moves[role].get(move) is None and move != self._idle:
            is_flat = isinstance(move, str) or all(isinstance(part, str) for part in move)
            if not is_flat or not self._game.may_be_move(_move(move)):
                raise unknown_term("MCH002", f"move of {self.roles[role]}", move)
        return MoveId(self._moves[role].numbers([move])[0])

    def _position(self, state: State) -> _Position:
        """The cached results of a state."""
        key = self.key(state)
        position = self._positions.get(key)
        if position is None:
            bits = int.from_bytes(key, "little")
            position = _Position(bits, self._states.view(bit_numbers(bits)))
            self._remember(key, position)
        else:
            self._positions.move_to_end(key)
        return position

    def _remember(self, key: bytes, position: _Position) -> None:
        if key not in self._positions:
            self._positions[key] = position
            if len(self._positions) > STATES_REMEMBERED:
                self._positions.popitem(last=False)

    def _mover(self, position: _Position) -> str | None:
        if not position.has_mover:
            position.mover = self._game.mover(position.view)
            position.has_mover = True
        return position.mover

    def _moves_in(self, position: _Position) -> dict[Move, Fraction]:
        """The moves of the role to move, with their weights."""
        if position.moves is None:
            with self._query():
                position.moves = self._game.moves(position.view)
        return position.moves

    def _outcome(self, position: _Position, joint: Sequence[MoveId]) -> ActionOutcome | None:
        """The outcome of the move of the role to move; None if it makes no move."""
        mover = self._mover(position)
        if mover is None:
            return None
        role = RoleId(self._roles.index(mover))
        term = self.move_term(role, joint[role])
        if term == self._idle:
            return None
        if position.outcome is None or position.made != term:
            with self._query():
                position.outcome = self._game.outcome(position.view, _move(term))
            position.made = term
        return position.outcome

    def _goal(self, payoff: Fraction) -> int:
        goal = round(payoff * self._goal_scale)
        if abs(goal) >= MAX_GOAL:
            raise LimitError.of(
                "MCH011",
                "a payoff is too large to be added up",
                fix="pay less, or in a larger unit",
            )
        return goal

    @contextmanager
    def _query(self) -> Iterator[None]:
        """Limit the work of one query of the rules."""
        self._clock.start()
        try:
            yield
        except RecursionError:
            raise LimitError.of(
                "MCH006",
                "the conditions are nested too deep, or bind too many variables",
                fix="split them, e.g. by derived predicates",
            ) from None


@dataclass(slots=True, eq=False)
class _Position:
    """Cached results of one state."""

    bits: int
    view: StateView
    has_mover: bool = False
    mover: str | None = None
    moves: dict[Move, Fraction] | None = None
    legal: dict[RoleId, tuple[MoveId, ...]] = field(default_factory=dict)
    terminal: bool | None = None
    goals: tuple[int, ...] | None = None
    made: GroundTerm = ""
    outcome: ActionOutcome | None = None


def _move(term: GroundTerm) -> Move:
    """The action and the arguments of a move."""
    name, *arguments = (term,) if isinstance(term, str) else term
    return str(name), tuple(map(str, arguments))
