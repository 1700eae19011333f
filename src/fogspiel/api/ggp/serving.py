"""A player that game managers reach over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from threading import Thread
from types import TracebackType
from typing import Self, TypeAlias, final

from fogspiel.api.matches.entries import name_of_player
from fogspiel.api.matches.player import Player
from fogspiel.api.matches.playing import whole_number
from fogspiel.games.library import game_source
from fogspiel.games.send import load_sent
from fogspiel.play.ggp.serve.host import Service
from fogspiel.play.ggp.serve.host import serve as serve_until
from fogspiel.play.ggp.serve.player_process import ProcessSettings
from fogspiel.play.series import Entrant
from fogspiel.players.catalogue import make_player

DEFAULT_PORT = 9147  #: The customary port of general game players
MOST_PORT = 65_535
PRACTICE = ("tic_tac_toe", "kuhn_poker")
"""A game of perfect information and one with chance: playing both compiles most kernels."""

OnEvent: TypeAlias = Callable[[str], object]
"""Told what happens: a line for each event."""


@final
class PlayerServer:
    """A player that waits for game managers, which send it the rules of games and ask for moves.

    It speaks GDL-I and both dialects of GDL-II. `run` serves until the process is interrupted; as
    a context manager it serves in the background. Each match is played in a process of its own.

    >>> with fs.ggp.PlayerServer("first", port=0) as server:
    ...     played = fs.ggp.manage("tic_tac_toe", [server.url, "random"], seed=1)
    >>> [player.name for player in played.players], played.faults
    (['first', 'random'], ({}, {}))
    """

    def __init__(
        self,
        player: str | type[Player],
        *,
        port: int = DEFAULT_PORT,
        host: str = "127.0.0.1",
        matches: int = 1,
        simulations: int | None = None,
        ponder: bool = True,
        seed: int = 0,
        name: str | None = None,
        once: bool = False,
        on_event: OnEvent | None = None,
    ) -> None:
        """Prepare a server; nothing listens before `run`.

        player: a name, or a class of one's own that stands in a file.
        port: where to listen; 0 takes a free one.
        host: the address to listen on; beyond loopback, anyone who reaches it can start matches.
        matches: how many may be played at once.
        simulations: for each move, instead of the whole clock: the same seed then plays the same.
        ponder: think while others move, for players that can.
        seed: the seed of the player.
        name: what the player calls itself; by default its own name.
        once: end after the first match.
        on_event: told what happens, a line for each event.
        Raises `UsageError` PLY002 for an unknown player.
        """
        self.player: str = name_of_player(player)  #: The name of the player
        make_player(self.player)  # so that an unknown name is refused before anything listens
        self.host = host  #: The address to listen on
        self.port: int = whole_number("port", port, least=0)
        """The port on which the server listens; 0 until a free one was taken."""
        if self.port > MOST_PORT:
            raise ValueError(f"port must be at most {MOST_PORT}; got {port}")
        if simulations is not None:
            simulations = whole_number("simulations", simulations, least=1)
        self._service = Service(
            name=name or self.player,
            process=ProcessSettings(
                entrant=Entrant(self.player, partial(make_player, self.player)),
                load=load_sent,
                practice=tuple(game_source(game).text for game in PRACTICE),
                ponders=ponder,
            ),
            tell=on_event or _ignore,
            host=host,
            port=self.port,
            matches=whole_number("matches", matches, least=1),
            simulations=simulations,
            seed=whole_number("seed", seed, least=0),
            once=once,
        )
        self._thread: Thread | None = None
        self._stop: Callable[[], object] = _nothing

    @property
    def url(self) -> str:
        """The address that managers are given: `http://127.0.0.1:9147`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def run(self, on_listening: Callable[[int], object] | None = None) -> None:
        """Serve until the process is interrupted, or the first match is over if only one is wanted.

        on_listening: told the port, once managers can come.
        Raises `UsageError` GGP003 where there is no listening at the address.
        """

        def listening(port: int) -> None:
            self.port = port
            if on_listening is not None:
                on_listening(port)

        asyncio.run(serve_until(self._service, listening))

    def __enter__(self) -> Self:
        """Serve in the background. Raises as `run`."""
        ready: Future[None] = Future()
        self._thread = Thread(target=self._work, args=(ready,), daemon=True)
        self._thread.start()
        ready.result()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop serving; matches that are being played end."""
        self._stop()
        if self._thread is not None:
            self._thread.join()

    def _work(self, ready: Future[None]) -> None:
        """What the thread in the background does."""
        try:
            asyncio.run(self._served(ready))
        except BaseException as error:
            if not ready.done():
                ready.set_exception(error)

    async def _served(self, ready: Future[None]) -> None:
        stopped, loop = asyncio.Event(), asyncio.get_running_loop()

        def stop() -> None:
            with suppress(RuntimeError):  # it has ended by itself
                loop.call_soon_threadsafe(stopped.set)

        def listening(port: int) -> None:
            self.port = port
            ready.set_result(None)

        self._stop = stop
        await serve_until(self._service, listening, stopped)

    def __repr__(self) -> str:
        return f"PlayerServer({self.player!r}, at {self.url})"


def _ignore(_: str) -> None:
    """Nobody listens to events."""


def _nothing() -> None:
    """There is nothing to stop yet."""
