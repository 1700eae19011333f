"""Players of one's own: a class with one method, told what its role may know and nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, final

import numpy as np

from fogspiel.api.names import Move, Role
from fogspiel.api.strategy import AnyStrategy, Mixed, Strategy, checked_mixture
from fogspiel.api.view import View
from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.terms import MoveId
from fogspiel.play.series import Entrant
from fogspiel.players.base import BeliefPlayer, normalised, pure
from fogspiel.players.protocol import Agent, Seat, Shares

if TYPE_CHECKING:
    from fogspiel.api.game import Game

Clock: TypeAlias = Budget
"""The time for one choice: `seconds_left`, `is_over`, and `simulations` where these are counted."""


class Player(ABC):
    """A player of one's own: a subclass says how it chooses.

    A new player is made for each match where a class or the name of one is given; an object plays
    all its matches itself. These attributes are set before `start`:

    game: the game that is played.
    role: the role that the player has.
    random: a generator of random numbers, seeded for each match, so that play can be repeated.

    >>> class Cautious(fs.Player):
    ...     def choose(self, view, legal, clock):
    ...         return "pass" if "pass" in legal else legal[0]
    >>> fs.load("kuhn_poker").match(Cautious, "random", seed=3).players
    {'first': 'Cautious', 'second': 'random'}
    """

    game: Game
    role: Role
    random: np.random.Generator

    def start(self, game: Game, role: Role, clock: Clock) -> None:
        """Get ready for a match; nothing has to be done.

        game: the game that is played.
        role: the role that the player has.
        clock: the time for it.
        """

    @abstractmethod
    def choose(self, view: View, legal: Sequence[Move], clock: Clock) -> str | Mixed:
        """The move to make, or probabilities of moves, of which one is drawn.

        view: what the role did and saw.
        legal: the legal moves, two at least: where there is no choice, nobody is asked.
        clock: the time that is left.
        Returns: a legal move, or a mapping from legal moves to probabilities that sum to 1.
        """

    def stop(self) -> None:
        """Take leave: the match is over."""

    def agent(self) -> Agent:
        """The player as matches take it."""
        return PlayerAgent(self)


@final
class PlayerAgent(BeliefPlayer):
    """Shows a player its view and its legal moves, and checks its answers. Implements `Mixing`."""

    def __init__(self, player: Player) -> None:
        self.player = player

    def start(self, seat: Seat, budget: Budget) -> None:
        """Begin a match."""
        from fogspiel.api.game import Game

        super().start(seat, budget)
        self._game = Game.of_machine(seat.machine)
        self._role = self._game.roles[seat.role]
        self._rng = np.random.default_rng([seat.seed, 1])
        self.player.game, self.player.role = self._game, self._role
        self.player.random = np.random.default_rng(seat.seed)
        self.player.start(self._game, self._role, budget)

    def choose(self, budget: Budget) -> MoveId:
        """The player's move. Raises `PlayError` MAT001 for an answer that is no legal move."""
        legal = self.legal_moves(budget)
        shares = self.mixture(budget)
        if shares.max() == 1.0:
            return legal[int(shares.argmax())]
        return legal[int(self._rng.choice(len(legal), p=shares))]

    def mixture(self, budget: Budget) -> Shares:
        """The probabilities of the player's moves, (legal moves,). Raises as `choose`."""
        ids = self.legal_moves(budget)
        if len(ids) == 1:
            return pure(1, 0)
        legal = self._game.vocabulary.moves(self.role, ids)
        view = View(self._game, self._role, self.observations)
        answer = self.player.choose(view, legal, budget)
        if isinstance(answer, str):
            found = self._game.vocabulary.find_move(self.role, answer)
            if found is not None and found.id in ids:
                return pure(len(ids), ids.index(found.id))
        elif isinstance(answer, Mapping):
            try:
                shares = checked_mixture(view, answer, legal)
            except UsageError as error:
                raise self._refused(view, legal, error.findings[0].message) from None
            return normalised(np.array([shares[move] for move in legal]))
        raise self._refused(view, legal, f"it answered {str(answer)[:60]!r}")

    def stop(self) -> None:
        """End the match."""
        super().stop()
        self.player.stop()

    def _refused(self, view: View, legal: Sequence[Move], why: str) -> PlayError:
        return PlayError.of(
            "MAT001",
            f"in step {len(view) + 1}, the player {type(self.player).__name__} of {self._role} "
            f"made no legal move: {why}",
            fix=f"answer one of its legal moves: {', '.join(legal[:12])}",
        )


@final
class _Follower(Player):
    """Draws its moves from a strategy; plays uniformly at random where that says nothing."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    def choose(self, view: View, legal: Sequence[Move], clock: Clock) -> Mixed:
        """The mixed action of the strategy."""
        found = self._strategy.get(view)
        return dict.fromkeys(legal, 1.0 / len(legal)) if found is None else found


AnyPlayer: TypeAlias = "str | Player | type[Player] | AnyStrategy"
"""A player's name, a player of one's own (an object or its class), or a strategy to follow."""


def entrant_of(game: Game, player: AnyPlayer) -> Entrant:
    """The participant of a series that is meant.

    Raises `UsageError` PLY002 for an unknown name, `TypeError` for what is no player.
    """
    from fogspiel.players.catalogue import make_player

    if isinstance(player, str):
        name = _with_methods(str(player), game)
        make_player(name)  # so that an unknown name is refused before anything is played
        return Entrant(name, lambda: make_player(name))
    if isinstance(player, Player):
        return Entrant(type(player).__name__, player.agent)
    if isinstance(player, type):
        if not issubclass(player, Player):
            raise TypeError(f"{player.__name__} is no subclass of fogspiel.Player")
        own: type[Player] = player
        return Entrant(own.__name__, lambda: own().agent())
    try:
        followed = Strategy.of(game, player)
    except TypeError:
        raise TypeError(
            "a player is a name, a fogspiel.Player, a class of them, or a strategy; "
            f"got {type(player).__name__}"
        ) from None
    return Entrant("strategy", _Follower(followed).agent)


def _with_methods(name: str, game: Game) -> str:
    """A player's name with the methods beside the rules, for a player that needs some."""
    from fogspiel.players.planning.tignum import with_methods

    if game.entry is not None or not game.loaded.sources:
        return name
    return with_methods(name, Path(game.loaded.sources[-1].name))
