"""States of a game: sets of facts, with what the rules say of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, final

import numpy as np

from fogspiel.api import from_above
from fogspiel.api.names import Move, term_of
from fogspiel.core.findings import UsageError
from fogspiel.machine.protocol import KeepsStates
from fogspiel.machine.protocol import State as Row
from fogspiel.rules.sexpr import exact_text

if TYPE_CHECKING:
    from fogspiel.api.game import Game
    from fogspiel.api.known import Known

_NO_MOVES: Mapping[str, tuple[Move, ...]] = MappingProxyType({})


@final
class State:
    """A state of a game: the set of facts (fluents) that hold.

    `"(cell 1 1 x)" in state` asks for one of them, iteration gives all.

    >>> game = fs.load("kuhn_poker")
    >>> state = game.begin().play("(deal queen)").play("(deal king)").state
    >>> state
    State((holds first queen) (holds second king) (turn open))
    >>> "(turn open)" in state, state.over, state.legal["second"]
    (True, False, (Move('noop'),))
    """

    __slots__ = ("_key", "bits", "game")

    def __init__(self, game: Game, bits: Row) -> None:
        """The state of a row of bits; `Game.state` makes one from facts."""
        self.game = game  #: The game that it belongs to
        self.bits: Row = np.array(bits)
        """(words,) the state as the machine keeps it, which cannot be written to."""
        self.bits.flags.writeable = False
        self._key: bytes = game.machine.key(self.bits)

    @property
    def fluents(self) -> tuple[str, ...]:
        """The facts that hold, in the order of the rules."""
        return tuple(map(exact_text, self.game.machine.fluent_terms(self.bits)))

    @property
    def over(self) -> bool:
        """Whether the game is over here."""
        return self.game.machine.terminal(self.bits)

    @property
    def legal(self) -> Mapping[str, tuple[Move, ...]]:
        """The legal moves of every role, chance included; empty where the game is over."""
        if self.over:
            return _NO_MOVES
        game = self.game
        return {
            role: game.vocabulary.moves(role.id, game.machine.legal(self.bits, role.id))
            for role in game.roles
        }

    @property
    def goals(self) -> dict[str, Fraction]:
        """The goal of every player as the rules count. Raises `UsageError` API004 before the end.

        GDL counts from 0 to 100; POGDDL and EFG state payoffs, which are given as fractions.
        """
        if not self.over:
            raise UsageError.of(
                "API004",
                "the game is not over, so that nobody has a payoff yet",
                fix="play on until `over`; `legal` names the moves",
            )
        game = self.game
        goals = game.machine.goals(self.bits)
        return {role: Fraction(goals[role.id], game.machine.goal_scale) for role in game.players}

    @property
    def payoffs(self) -> dict[str, float]:
        """The payoff of every player in the unit of the game. Raises as `goals`."""
        return {role: self.game.payoff(float(goal)) for role, goal in self.goals.items()}

    def known(self) -> Known:
        """What somebody is sure of who knows the state.

        >>> fs.load("tic_tac_toe").begin().state.known().certain[-1]
        '(control x)'
        """
        from fogspiel.api.known import Known

        return Known(states=1, certain=self.fluents, open=())

    def board(self) -> str:
        """Draw the state as text: its boards, and then the facts that stand on none of them.

        What is a board is seen in a few random matches, so that it depends on the rules alone.
        Returns: lines of text, without a board where the facts make none.

        >>> print(fs.load("tic_tac_toe").begin().play(x="(mark 2 2)").state.board())
        The board (cell):
          3  . . .
          2  . x .
          1  . . .
             1 2 3
        (control o)
        """
        drawn: str = from_above("state")(self)
        return drawn

    def __contains__(self, fluent: object) -> bool:
        """Whether a fact holds. Raises `UsageError` API005 for a text that is no term."""
        return isinstance(fluent, str) and exact_text(term_of(fluent)) in self.fluents

    def __iter__(self) -> Iterator[str]:
        """The facts that hold, in the order of the rules."""
        return iter(self.fluents)

    def __len__(self) -> int:
        """The number of facts that hold."""
        return len(self.fluents)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._key == other._key and self.game == other.game

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"State({' '.join(self.fluents)})"

    def __reduce__(self) -> tuple[Any, ...]:
        machine = self.game.machine
        if isinstance(machine, KeepsStates):
            return _state_with, (self.game, machine.value_of(self.bits))
        return _state_again, (self.game, self.fluents)


def _state_again(game: Game, fluents: tuple[str, ...]) -> State:
    return game.state(fluents)


def _state_with(game: Game, value: Hashable) -> State:
    machine = game.machine
    assert isinstance(machine, KeepsStates)
    return State(game, machine.state_with(value))
