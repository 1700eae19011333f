"""Processes for players of one's own: started by a fork server, and ended with all they started."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from multiprocessing import Pipe, reduction
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from typing import Self

from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.processes import last_words
from fogspiel.machine.protocol import Machine
from fogspiel.play.clocks import PlayerLimits
from fogspiel.play.isolated.fork_server_process import Dead, Death, Order, Report, Unborn
from fogspiel.play.isolated.player_worker import Birth
from fogspiel.play.isolated.wire import Document, Wire
from fogspiel.players.protocol import Agent

# Nothing that lies in the current folder may take the place of a module.
COMMAND = (
    sys.executable,
    "-P",
    "-c",
    "from fogspiel.play.isolated.fork_server_process import main; main()",
)
ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "MKL", "OMP", "NUMBA", "VECLIB")
}
"""Libraries that start threads when they are loaded: copies of the server could not use them."""
SAME_ORDER = {"PYTHONHASHSEED": "0"}
"""Sets of texts have the same order in all processes, so that players can be repeated."""
LEAVE_SECONDS = 2.0  #: Time that the server may take to end when it is no longer needed


class ForkedPlayer:
    """The process of one player in one match, as the match sees it.

    It stands still while it is not asked: nobody thinks in the time of others.
    """

    def __init__(self, server: ForkServer, number: int, end: socket.socket) -> None:
        self._server, self._number = server, number
        self._wire = Wire(end)

    def receive(self, until: float) -> Document:
        """What it has to say, at a moment. Raises as `Wire.receive`."""
        answer = self._wire.receive(until)
        self._signal(signal.SIGSTOP)
        return answer

    def ask(self, task: Document, until: float) -> Document:
        """What it answers to a task. Raises `EOFError`, `TimeoutError` or `NonsenseError`."""
        self._signal(signal.SIGCONT)
        try:
            self._wire.send(task)
        except TimeoutError:
            raise  # it takes nothing
        except OSError:
            raise EOFError from None
        return self.receive(until)

    def end(self) -> str:
        """End it with all that it started. Returns: what became of it, for the first call."""
        self._wire.close()
        return last_words(self._server.end_player(self._number))

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._number, number)


class ForkServer:
    """Starts the processes of players, from a process that is started when it is first needed.

    Closed by its `with` block, with the object, or with this process, however that ends.
    """

    def __init__(self, limits: PlayerLimits | None = None) -> None:
        self.limits = limits or PlayerLimits()
        self._process: subprocess.Popen[bytes] | None = None
        self._orders: Connection | None = None
        self._lock = Lock()

    def start_player(
        self, load: Callable[[], Machine] | None, make: Callable[[], Agent | list[str]]
    ) -> ForkedPlayer:
        """The process of a player, which is being made.

        load, make: functions that can be pickled, since they are called in other processes. load
        is called once for the same function, make for each player. Without load the player can be
        made, and not play.
        Raises `LimitError` TOU012 where there can be no processes, and `PlayError` with what load
        raised.
        """
        birth = Birth(
            load=None if load is None else pickle.dumps(load),
            make=pickle.dumps(make),
            folder=str(Path.cwd()),
            path=tuple(sys.path),
            limits=self.limits,
        )
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                report = self._report(birth, theirs)
            except BaseException:
                ours.close()
                raise
        if isinstance(report, Unborn):
            ours.close()
            raise PlayError(report.findings)
        assert not isinstance(report, Dead)
        return ForkedPlayer(self, report.process, ours)

    def end_player(self, number: int) -> int | None:
        """End a player with all that it started; its exit code, or None if that is not known."""
        if self._orders is None:
            return None  # all players were ended with the server
        report = self._report(Death(number))
        assert isinstance(report, Dead)
        return report.status

    def close(self) -> None:
        """End all players, and the server."""
        with self._lock:
            if self._process is not None and self._orders is not None:
                _end(self._process, self._orders)
            self._process = self._orders = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _report(self, order: Order, end: socket.socket | None = None) -> Report:
        """What comes of an order. end: of the wire that the player gets."""
        with self._lock:
            for attempt in range(2):
                orders, process = self._started()
                try:
                    orders.send(order)
                    if end is not None:
                        reduction.send_handle(orders, end.fileno(), process.pid)
                    report: Report = orders.recv()
                except (EOFError, OSError):
                    self._process = self._orders = None
                    _end(process, orders)
                    if end is None:
                        return Dead(process.returncode)  # it took its players with it
                    if attempt:
                        raise _no_processes(process.returncode) from None
                    continue
                return report
        raise AssertionError("one of two attempts ends it")

    def _started(self) -> tuple[Connection, subprocess.Popen[bytes]]:
        if self._orders is None or self._process is None:
            ours, theirs = Pipe()
            with theirs:
                self._process = subprocess.Popen(
                    [*COMMAND, str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    # What a terminal sends to all of its processes is for the match to answer.
                    start_new_session=True,
                    env={**os.environ, **ONE_THREAD, **SAME_ORDER},
                )
            self._orders = ours
            weakref.finalize(self, _end, self._process, ours)
        return self._orders, self._process


@cache
def shared_server(limits: PlayerLimits) -> ForkServer:
    """The server of this process for players with some limits; it ends with the process."""
    return ForkServer(limits)


def _end(process: subprocess.Popen[bytes], orders: Connection) -> None:
    """End a server. It ends its players when nobody gives orders any more."""
    orders.close()
    try:
        process.wait(LEAVE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _no_processes(status: int) -> LimitError:
    return LimitError.of(
        "TOU012",
        f"no process for players can be started: the last one {last_words(status)}",
        fix="give more memory, or allow this user more processes",
    )
