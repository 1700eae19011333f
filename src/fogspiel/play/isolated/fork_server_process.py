"""The fork server: a process that loads the program and games once, and is copied for players.

A copy takes some milliseconds, where a new process would take a second and a half to begin. No
player's code runs here, nothing of any match is known here, and there is one thread alone: of a
process with more of them, a copy might hang.

Orders come from a match, over a connection that both trust. When its other end is gone, all players
are ended, and then the server. A player may have started processes, in groups of their own even:
all of these end with it.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import TypeAlias

import fogspiel
from fogspiel.core.findings import Finding, FogspielError
from fogspiel.core.processes import adopt_orphans, children
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.play.isolated.player_worker import Birth, live
from fogspiel.play.series import Entrant, warm_up
from fogspiel.players.catalogue import make_player
from fogspiel.players.simple import FirstPlayer

MOST_MACHINES = 16
"""Machines that are kept; the one not used for the longest time goes first."""
MOST_ROUNDS = 100  #: Looks for processes that players left behind
PRELOADED = (fogspiel.Player, fogspiel.load, make_player)
"""What makes players, and what nearly every file of one asks for: copies need not import it."""


@dataclass(frozen=True, slots=True)
class Death:
    """End a player."""

    process: int


@dataclass(frozen=True, slots=True)
class Born:
    """A player has its process."""

    process: int


@dataclass(frozen=True, slots=True)
class Dead:
    """A player's process is gone."""

    status: int  #: The exit code, or minus the signal that killed it


@dataclass(frozen=True, slots=True)
class Unborn:
    """The game of a player cannot be loaded."""

    findings: tuple[Finding, ...]


Order: TypeAlias = Birth | Death
Report: TypeAlias = Born | Dead | Unborn


def main() -> None:
    """Obey orders from the connection whose number is the argument."""
    adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server = _ForkServer(Connection(int(sys.argv[1])))
    with suppress(EOFError, OSError):
        server.serve()
    server.end_all()


class _ForkServer:
    """Machines that were loaded, and the players that live."""

    def __init__(self, orders: Connection) -> None:
        self._orders = orders
        self._machines: OrderedDict[bytes, Machine] = OrderedDict()
        self._players: set[int] = set()

    def serve(self) -> None:
        """Obey one order after the other. Raises `EOFError` where nobody gives any."""
        while True:
            order: Order = self._orders.recv()
            report = self._birth(order) if isinstance(order, Birth) else self._death(order.process)
            self._orders.send(report)

    def end_all(self) -> None:
        """End all players."""
        for process in list(self._players):
            self._death(process)

    def _birth(self, birth: Birth) -> Report:
        handle = reduction.recv_handle(self._orders)
        try:
            sys.path[:] = birth.path
            machine = None if birth.load is None else self._machine(birth.load)
        except Exception as error:
            os.close(handle)
            return Unborn(error.findings if isinstance(error, FogspielError) else (_broken(error),))
        process = os.fork()
        if not process:
            self._orders.close()
            live(handle, birth, machine)
        os.close(handle)
        self._players.add(process)
        return Born(process)

    def _death(self, process: int) -> Dead:
        # One that has ended keeps its number, and its status, until it is waited for.
        _kill(process)
        _, status = os.waitpid(process, 0)
        self._players.discard(process)
        self._end_orphans()
        return Dead(os.waitstatus_to_exitcode(status))

    def _end_orphans(self) -> None:
        """End what players left behind, and what that had started in turn."""
        for _ in range(MOST_ROUNDS):
            orphans = set(children()) - self._players
            for orphan in orphans:
                _kill(orphan)
                with suppress(ChildProcessError):
                    os.waitpid(orphan, 0)
            if not orphans:
                return

    def _machine(self, load: bytes) -> Machine:
        """The machine of a game; kernels that beliefs need are loaded with it."""
        if load not in self._machines:
            make: Callable[[], Machine] = pickle.loads(load)
            machine = make()
            roles = len(player_roles(machine))
            warm_up(machine, [Entrant("first", FirstPlayer)] * roles)
            self._machines[load] = machine
            if len(self._machines) > MOST_MACHINES:
                self._machines.popitem(last=False)
            # Pages that are not collected are not copied either.
            gc.collect()
            gc.freeze()
        self._machines.move_to_end(load)
        return self._machines[load]


def _broken(error: Exception) -> Finding:
    said = " ".join(str(error).split())
    return Finding(
        "PLY037",
        f"the game cannot be loaded for players: {type(error).__name__}: {said}",
        fix="load the game alone to see what is wrong",
    )


def _kill(process: int) -> None:
    """Kill a process, and its group if it leads one."""
    for kill in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            kill(process, signal.SIGKILL)
