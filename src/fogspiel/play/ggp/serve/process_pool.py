"""Processes that think, as the server sees them: tasks are queued, reports come when they come.

A process is ended where its player does not come back in time to be of use: nothing else stops a
kernel. Another one is started in its place, and gets ready while nobody waits for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import signal
import sys
from collections import deque
from multiprocessing.connection import Connection

from fogspiel.core.terms import GroundTerm
from fogspiel.play.ggp.serve.player_process import (
    Begin,
    Chosen,
    Done,
    Failed,
    Fallback,
    PlayerProcess,
    Prepare,
    ProcessSettings,
    Report,
    Task,
)

PATIENCE_SECONDS = 1.0  #: Time for a process to end by itself, before the system ends it


def work(connection: Connection, settings: ProcessSettings) -> None:
    """What a process does: one task after the other, until nobody is there any more.

    Its player thinks between two of them.
    """
    # Whoever stops the server by its keyboard stops its processes through it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # An exit lets what runs clean up: a grounder must not be left behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        with contextlib.suppress(EOFError, OSError):
            player = PlayerProcess(settings)
            connection.send(Done())
            while True:
                while not connection.poll() and player.ponder():
                    pass
                task: Task = connection.recv()
                for report in player.reports(task):
                    connection.send(report)
    finally:
        # Raised while Python itself cleans up, an exit would be reported as an error.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


class Job:
    """A task that was handed over."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.done: asyncio.Future[Done | Failed | Chosen] = loop.create_future()
        self.legal: asyncio.Future[GroundTerm] = loop.create_future()
        """A move to fall back on; it may never come."""


class Process:
    """One process that thinks."""

    def __init__(self, settings: ProcessSettings) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, child = context.Pipe()
        self._process = context.Process(target=work, args=(child, settings), daemon=True)
        self._process.start()
        child.close()
        # A process that is busy, as with getting started, reads nothing: rules that are sent then
        # would not fit the pipe, and the server would stand still. So all but the first task wait.
        self._queue: deque[tuple[Task | None, Job]] = deque([(None, Job())])
        self._is_sent = True
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._connection.fileno(), self._hear)
        self.known: set[str] = set()
        """Rules that it was told to load."""
        self.is_alive = True
        """Whether we can still talk to it."""
        self.is_gone = False

    @property
    def is_busy(self) -> bool:
        """Whether it is at a task, or still getting started."""
        return bool(self._queue)

    def ask(self, task: Task) -> Job:
        """Hand over a task. Where the process is dead, it has failed already."""
        job = Job()
        if isinstance(task, Prepare | Begin):
            self.known.add(task.rules)
        self._queue.append((task, job))
        if self.is_alive:
            self._send_next()
        else:
            self._fail_all()
        return job

    def end(self) -> None:
        """Let go of the process, whatever it is doing."""
        self._lose()
        with contextlib.suppress(ValueError):  # it is gone
            self._process.terminate()
        self._loop.call_later(PATIENCE_SECONDS, self._kill)

    async def join(self) -> None:
        """End it, and wait until it is gone."""
        self.end()
        with contextlib.suppress(ValueError):
            await asyncio.to_thread(self._process.join, PATIENCE_SECONDS)
        self._kill()

    def _kill(self) -> None:
        with contextlib.suppress(ValueError):
            if self._process.is_alive():
                self._process.kill()
            self._process.join(PATIENCE_SECONDS)
            self._process.close()
            self.is_gone = True

    def _send_next(self) -> None:
        if self._queue and not self._is_sent:
            self._is_sent = True
            task, _ = self._queue[0]
            try:
                self._connection.send(task)
            except OSError:
                self._lose()

    def _hear(self) -> None:
        try:
            while self.is_alive and self._connection.poll():
                self._take(self._connection.recv())
        except (EOFError, OSError):
            self._lose()

    def _take(self, report: Report) -> None:
        job = self._queue[0][1]
        if isinstance(report, Fallback):
            job.legal.set_result(report.move)
            return
        job.done.set_result(report)
        self._queue.popleft()
        self._is_sent = False
        self._send_next()

    def _lose(self) -> None:
        """There is no process any more, or none that we listen to."""
        if self.is_alive:
            self.is_alive = False
            self._loop.remove_reader(self._connection.fileno())
            self._connection.close()
            self._fail_all()

    def _fail_all(self) -> None:
        while self._queue:
            _, job = self._queue.popleft()
            job.done.set_result(Failed("the process that thinks has ended"))


class ProcessPool:
    """Processes for as many matches as may be played at once."""

    def __init__(self, settings: ProcessSettings, count: int) -> None:
        self._settings, self._count = settings, count
        self._free: list[Process] = []
        self._taken: list[Process] = []
        self._ending: list[Process] = []

    def start(self) -> None:
        """Start all processes."""
        while len(self._free) + len(self._taken) < self._count:
            self._free.append(Process(self._settings))

    def prepare(self, rules: str) -> Job | None:
        """Let a process load rules that a match may be about; None where all are playing."""
        process = self._best(rules)
        return None if process is None else process.ask(Prepare(rules))

    def take(self, rules: str) -> Process | None:
        """A process for a match, one that knows the rules if there is one."""
        process = self._best(rules)
        if process is not None:
            self._free.remove(process)
            self._taken.append(process)
        return process

    def give_back(self, process: Process) -> None:
        """The match is over. A process that still thinks about it is replaced."""
        if process not in self._taken:
            return  # the pool was closed meanwhile
        self._taken.remove(process)
        if process.is_alive and not process.is_busy:
            self._free.append(process)
            return
        process.end()
        self._ending = [*(ending for ending in self._ending if not ending.is_gone), process]
        self.start()

    async def close(self) -> None:
        """End all processes."""
        processes = [*self._free, *self._taken, *self._ending]
        self._free, self._taken, self._ending = [], [], []
        await asyncio.gather(*(process.join() for process in processes))

    def _best(self, rules: str) -> Process | None:
        self._free = [process for process in self._free if process.is_alive]
        self.start()
        order = sorted(self._free, key=lambda p: (rules not in p.known, p.is_busy))
        return order[0] if order else None
