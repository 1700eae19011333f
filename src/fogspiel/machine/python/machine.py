"""The machine of a game that is written as a Python class.

It numbers states as it meets them, and a row of words holds the number alone. Moves and percepts
are numbered as by all machines without gates; a short random play at the start meets most of them,
in an order that is the same in every process. Random playouts go from value to value: they number
no states, and need no memory.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.terms import GroundTerm, MoveId, PerceptId, RoleId
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Playouts, State, States
from fogspiel.machine.python.class_rules import ClassRules, copied
from fogspiel.machine.python.playouts import PlayoutLoop
from fogspiel.machine.uncompiled.numbered_machine import (
    WORD_BITS,
    NumberedMachine,
    bit_numbers,
    unknown_term,
)

POSITIONS_KEPT = 1 << 16  #: Most states whose answers are kept, so that each is asked for once
FIRST_STEPS = 256  #: Steps of random play that meet moves and percepts before anybody else does
COPIED_STEPS = 16  #: The first of them, in which states are compared with copies of them
SEED = 53


class PythonMachine(NumberedMachine):
    """A game played by the methods of a class. Implements `Machine` and `KeepsStates`."""

    def __init__(self, rules: ClassRules) -> None:
        """Raises `PlayError` or `LimitError` for a class that fails in its first steps."""
        super().__init__(rules.roles, rules.chance_role, rules.game.denominator)
        self.rules = rules
        self._values: list[Hashable] = [None]
        """The value of each state by its number; 0 is none."""
        self._keys: list[int] = [0]
        """The hash that each value had when it was met."""
        self._numbers: dict[Hashable, int] = {}
        self._positions: dict[int, _Position] = {}
        self._by_fluents: dict[frozenset[int], int] = {}
        self._with_fluents = 0
        """The states up to this number are in `_by_fluents`."""
        self._first = self.state_with(rules.initial())
        self._meet_terms()

    def initial(self) -> State:
        """The state in which play begins."""
        return self._first.copy()

    def terminal(self, state: State) -> bool:
        """Whether the game is over."""
        position = self._position(state)
        if position.terminal is None:
            position.terminal = self.rules.terminal(position.value)
            self._refuse_change("terminal", position)
        return position.terminal

    def legal(self, state: State, role: RoleId) -> tuple[MoveId, ...]:
        """The moves of a role, ascending; none for anybody where nobody has any."""
        return self._with_moves(state).legal[role]

    def step(self, state: State, joint: Sequence[MoveId]) -> State:
        """The state after every role made its move."""
        position = self._with_moves(state)
        made = tuple(joint)
        number = position.successors.get(made)
        if number is None:
            self._check_legal(state, joint)
            value = self.rules.next(position.value, self._joint(position, made))
            self._refuse_change("next", position)
            number = position.successors[made] = self._number(value, "next")
        return _row(number)

    def percepts(
        self, state: State, joint: Sequence[MoveId], role: RoleId
    ) -> tuple[PerceptId, ...]:
        """Percepts of a role when the joint move is made, ascending."""
        position = self._with_moves(state)
        asked = (role, *joint)
        seen = position.percepts.get(asked)
        if seen is None:
            self._check_legal(state, joint)
            terms = self.rules.percepts(position.value, self._joint(position, joint), role)
            self._refuse_change("percepts", position)
            seen = tuple(map(PerceptId, self._percepts[role].numbers(dict.fromkeys(terms))))
            position.percepts[asked] = seen
        return seen

    def goals(self, state: State) -> tuple[int, ...]:
        """The payoff of every role, multiplied by `goal_scale`; 0 before the end."""
        position = self._position(state)
        if position.goals is None:
            if not self.terminal(state):
                return (0,) * len(self.roles)
            position.goals = self.rules.goals(position.value)
            self._refuse_change("payoffs", position)
        return position.goals

    def goal_values(self, state: State, role: RoleId) -> tuple[int, ...]:
        """The goal of the role: there is always exactly one."""
        return (self.goals(state)[role],)

    def chance_weights(self, state: State) -> NDArray[np.float64]:
        """(moves,) probabilities of the legal moves of chance, in the order of `legal`."""
        return np.array(self._with_moves(state).shares, dtype=np.float64)

    def fluent_terms(self, state: State) -> tuple[GroundTerm, ...]:
        """Facts about the state in the order of the class, or those of a row of fluents."""
        if state[0]:
            return tuple(dict.fromkeys(self.rules.fluents(self._position(state).value)))
        bits = int.from_bytes(self.key(state[1:]), "little")
        return tuple(self._fluents.terms[number] for number in bit_numbers(bits))

    def fluent_rows(self, states: States) -> States:
        """(n, 1 + words) rows of fluents, whose first word is 0."""
        found = [
            sum(1 << number for number in self._fluent_numbers(self._position(state)))
            for state in states
        ]
        words = 2 + len(self._fluents) // WORD_BITS
        packed = b"".join((bits << WORD_BITS).to_bytes(8 * words, "little") for bits in found)
        return np.frombuffer(packed, "<u8").reshape(len(found), words).astype(np.uint64)

    def state_of(self, fluents: Iterable[GroundTerm]) -> State:
        """A state that was met and of which exactly these facts are told."""
        terms = list(fluents)
        while self._with_fluents < self.states_met:
            self._with_fluents += 1
            position = self._position(_row(self._with_fluents))
            told = frozenset(self._fluent_numbers(position))
            self._by_fluents.setdefault(told, self._with_fluents)
        for term in terms:
            if self._fluents.get(term) is None:
                raise unknown_term("MCH005", "fluent", term)
        number = self._by_fluents.get(frozenset(self._fluents.numbers(terms)))
        if number is None:
            raise PlayError.of(
                "MCH016",
                "no state with exactly these fluents was met so far",
                fix="play on from the initial state, or take the state of a history",
            )
        return _row(number)

    def move_id(self, role: RoleId, move: GroundTerm) -> MoveId:
        """The id of a move, which need not have been met yet."""
        return MoveId(self._moves[role].numbers([move])[0])

    def value_of(self, state: State) -> Hashable:
        """The value that the class knows a state by."""
        return self._position(state).value

    def state_with(self, value: Hashable) -> State:
        """The state of a value of the class."""
        return _row(self._number(value, "initial"))

    @property
    def states_met(self) -> int:
        """Different states that were numbered so far."""
        return len(self._values) - 1

    @property
    def is_crowded(self) -> bool:
        """Whether more than half of the states were met that may be."""
        return 2 * self.states_met > self.rules.game.max_states

    def renewed(self) -> PythonMachine:
        """A machine of the same game with room for states: this one, unless it is crowded."""
        return PythonMachine(self.rules) if self.is_crowded else self

    def playouts(
        self, states: States, *, seed: int, count: int, max_steps: int = DEFAULT_MAX_STEPS
    ) -> Playouts:
        """`count` random playouts from each state; each role plays at random, chance by weight."""
        loop = PlayoutLoop(self.rules, Random(seed), max_steps)
        goal_sums = np.zeros((len(states), len(self.roles)), dtype=np.int64)
        for row, start in enumerate(states):
            value = self._position(start).value
            for _ in range(count):
                goal_sums[row] += loop.goals_after(value)
        made, counts = loop.counts, np.full(len(states), count, dtype=np.int64)
        return Playouts(
            goal_sums=goal_sums, counts=counts, steps=made.steps, stuck=made.stuck, cut=made.cut
        )

    def _meet_terms(self) -> None:
        """Number the moves and percepts of some random play, in the order of their texts.

        Numbers are then the same in each process, whatever it asks for first: the same seed gives
        the same play. What is not met here is numbered as it comes.
        """
        random, rules = Random(SEED), self.rules
        moves: list[set[GroundTerm]] = [set() for _ in self.roles]
        seen: list[set[GroundTerm]] = [set() for _ in self.roles]
        value = rules.initial()
        for step in range(FIRST_STEPS):
            turn = rules.turn(value)
            if turn is None or turn.is_stuck:
                if turn is None:
                    rules.goals(value)
                value = rules.initial()
                continue
            for role, own in enumerate(turn.moves):
                moves[role].update(rules.distinct_terms(RoleId(role), own))
            joint = {
                role: own[random.randrange(len(own))]
                for role, own in zip(self.roles, turn.moves, strict=True)
            }
            key = rules.key_of("initial", value)
            before = copied(value) if step < COPIED_STEPS else None
            for role, observed in enumerate(seen):
                observed.update(rules.percepts(value, joint, RoleId(role)))
            rules.refuse_change("percepts", value, key, before)
            after = rules.next(value, joint)
            rules.refuse_change("next", value, key, before)
            value = after
        for role in range(len(self.roles)):
            self._moves[role].numbers(moves[role])
            self._percepts[role].numbers(seen[role])

    def _position(self, state: State) -> _Position:
        """What is known of a state."""
        number = int(state[0])
        position = self._positions.get(number)
        if position is None:
            if not 0 < number < len(self._values):
                raise PlayError.of(
                    "MCH016",
                    f"no state with the number {number} was met so far",
                    fix="use states as this machine gives them",
                )
            if len(self._positions) >= POSITIONS_KEPT:
                self._positions.clear()
            position = self._positions[number] = _Position(number, self._values[number])
        return position

    def _with_moves(self, state: State) -> _Position:
        """A position whose moves are known."""
        position = self._position(state)
        if not position.legal:
            turn = self.rules.moves(position.value)
            self._refuse_change("legal", position)
            legal: list[tuple[MoveId, ...]] = []
            for number, own in enumerate(turn.moves):
                role = RoleId(number)
                terms = self.rules.distinct_terms(role, own)
                ids = self._moves[role].numbers(terms)
                named = zip(map(self._moves[role].get, terms), own, strict=True)
                written = {id_: move for id_, move in named if id_ is not None}
                legal.append(tuple(map(MoveId, ids)))
                position.written.append(written)
                if role == self.chance_role:
                    shares = dict(zip(written, turn.shares, strict=True))
                    position.shares = tuple(shares[move] for move in ids)
            position.legal = tuple(legal)
        return position

    def _joint(self, position: _Position, joint: Sequence[MoveId]) -> dict[str, Any]:
        """The moves of all roles as the class wrote them."""
        written = zip(self.roles, position.written, joint, strict=True)
        return {role: by_id[move] for role, by_id, move in written}

    def _number(self, value: Hashable, method: str) -> int:
        """The number of a state. Raises `LimitError` GAM015 where there are too many."""
        key = self.rules.key_of(method, value)
        number: int | None = self.rules.guarded(method, self._numbers.get, value)
        if number is None:
            most = self.rules.game.max_states
            if len(self._values) > most:
                raise LimitError.of(
                    "GAM015",
                    f"more than {most:,} different states of {self.rules.name} were met",
                    fix="raise `max_states` in the class, which takes memory, or leave out of "
                    "states what makes no difference",
                )
            number = len(self._values)
            self._values.append(value)
            self._keys.append(key)
            self._numbers[value] = number
        return number

    def _refuse_change(self, method: str, position: _Position) -> None:
        self.rules.refuse_change(method, position.value, self._keys[position.number])

    def _fluent_numbers(self, position: _Position) -> list[int]:
        return self._fluents.numbers(dict.fromkeys(self.rules.fluents(position.value)))


@dataclass(slots=True, eq=False)
class _Position:
    """A state with what the class said of it."""

    number: int
    value: Hashable
    terminal: bool | None = None
    legal: tuple[tuple[MoveId, ...], ...] = ()
    written: list[dict[int, Any]] = field(default_factory=list)
    """The moves of each role as the class wrote them, by their ids."""
    shares: tuple[float, ...] = ()
    goals: tuple[int, ...] | None = None
    successors: dict[tuple[MoveId, ...], int] = field(default_factory=dict)
    percepts: dict[tuple[int, ...], tuple[PerceptId, ...]] = field(default_factory=dict)


def _row(number: int) -> State:
    return np.array([number], np.uint64)
