"""Players of one's own in processes of their own, for matches that are played from Python.

They are named as tournaments name them: other processes make them, so that an object that lives in
this one cannot be meant.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from fogspiel.api.matches.entries import place_of
from fogspiel.api.matches.player import AnyPlayer, Player
from fogspiel.play.clocks import MatchClocks, PlayerLimits
from fogspiel.play.isolated.fork_server import ForkServer, shared_server
from fogspiel.play.isolated.isolated_agent import IsolatedAgent
from fogspiel.play.referee import PlayerFaultError
from fogspiel.play.series import Entrant
from fogspiel.players.catalogue import is_own, make_player
from fogspiel.players.protocol import Agent

if TYPE_CHECKING:
    from fogspiel.api.game import Game
    from fogspiel.machine.protocol import Machine


@dataclass(frozen=True, slots=True)
class Isolation:
    """The server that starts processes of players, and the grace that moves have."""

    server: ForkServer
    clocks: MatchClocks

    @staticmethod
    def of(clocks: MatchClocks, limits: PlayerLimits | None = None) -> Isolation:
        """The isolation of a match by some clocks; matches with the same limits share a server."""
        return Isolation(shared_server(limits or PlayerLimits()), clocks)

    def entrant(self, game: Game, player: AnyPlayer) -> Entrant | None:
        """The participant that plays in another process; None for players of this program.

        Raises `ValueError` for an object, and for a class that other processes cannot find.
        """
        if isinstance(player, Player):
            name = type(player).__name__
            raise ValueError(f"an object of {name} lives in this process; give the class instead")
        if isinstance(player, str):
            if not is_own(player):
                return None
            name, word = str(player), str(player)
        elif isinstance(player, type) and issubclass(player, Player):
            name, word = player.__name__, place_of(player)
        else:
            return None
        return Entrant(name, partial(self._made, name, partial(make_player, word), game))

    def _made(self, name: str, make: Callable[[], Agent], game: Game) -> Agent:
        agent = IsolatedAgent(
            name,
            make,
            server=self.server,
            load=partial(_machine_of, game),
            grace_seconds=self.clocks.grace_seconds,
        )
        with suppress(PlayerFaultError):  # it is raised again where the match begins
            agent.prepare()
        return agent


def _machine_of(game: Game) -> Machine:
    return game.machine
