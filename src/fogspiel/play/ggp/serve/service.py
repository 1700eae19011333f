"""From settings to a server that listens, plays, and ends cleanly."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fogspiel.play.ggp.http.framing import HttpLimits
from fogspiel.play.ggp.http.server import HttpServer
from fogspiel.play.ggp.serve.host import Host
from fogspiel.play.ggp.serve.hosted_match import ServerSettings, Tell
from fogspiel.play.ggp.serve.player_process import ProcessSettings
from fogspiel.play.ggp.serve.process_pool import ProcessPool
from fogspiel.play.ggp.serve.safety_margin import Margin

STOPPING = (signal.SIGINT, signal.SIGTERM)
FAREWELL_SECONDS = 0.2
"""For the last reply to be written, where the server ends after a match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What is to be served, and where."""

    name: str
    equipment: ProcessSettings
    tell: Tell
    host: str = "127.0.0.1"
    port: int = 9147
    matches: int = 1
    simulations: int | None = None
    seed: int = 0
    once: bool = False
    """Whether to end after the first match."""
    limits: HttpLimits | None = None


async def serve(service: Service, listening: Callable[[int], None]) -> None:
    """Listen and play until a signal comes, or a match is over where only one is wanted.

    listening: told the port. Raises `UsageError` GGP003 where there is no listening there.
    """
    pool = ProcessPool(service.equipment, service.matches)
    settings = ServerSettings(
        load=service.equipment.load,
        tell=service.tell,
        margin=Margin(),
        simulations=service.simulations,
        seed=service.seed,
    )
    host = Host(service.name, pool, settings, service.matches)
    server = HttpServer(host.handle, service.limits)
    stopped = asyncio.Event()
    with _signals(stopped):
        port = await server.listen(service.host, service.port)
        sweeping = asyncio.create_task(host.sweep())
        try:
            pool.start()
            listening(port)
            await _until_over(host, stopped, once=service.once)
        finally:
            sweeping.cancel()
            await server.close()
            await pool.close()


async def _until_over(host: Host, stopped: asyncio.Event, *, once: bool) -> None:
    while not stopped.is_set():
        if once and host.ended:
            await asyncio.sleep(FAREWELL_SECONDS)
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL_SECONDS if once else None):
                await stopped.wait()


@contextlib.contextmanager
def _signals(stopped: asyncio.Event) -> Iterator[None]:
    """Let signals stop the server instead of the process."""
    loop = asyncio.get_running_loop()
    for number in STOPPING:
        loop.add_signal_handler(number, stopped.set)
    try:
        yield
    finally:
        for number in STOPPING:
            loop.remove_signal_handler(number)
