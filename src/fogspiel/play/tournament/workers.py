"""A process that plays matches for another one, and dies with it.

The parent is the only one that writes: a worker can be killed at any moment, and nothing is lost
but the match it was playing.
"""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from dataclasses import dataclass, field
from multiprocessing import connection as connections
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from fogspiel.core.processes import die_with_parent
from fogspiel.play.tournament.results import PlayedMatch
from fogspiel.play.tournament.schedule import ScheduledMatch
from fogspiel.play.tournament.tournament import WorkerAssignment

OUT_OF_MEMORY = 9
"""The exit code of a worker that could not get any more."""
LEAVE_SECONDS = 2.0
"""That a worker may take to end when it is no longer needed."""


@dataclass(slots=True, eq=False)
class Worker:
    """A process as its parent sees it."""

    process: BaseProcess
    connection: Connection
    matches: deque[ScheduledMatch] = field(default_factory=deque)
    """Handed to it and not yet answered: the first is being played."""
    ready: bool = False
    began: float = 0.0
    """When it began the first of its matches."""

    def give(self, match: ScheduledMatch) -> None:
        """Let it play one more. One that died meanwhile does not answer, which is seen then."""
        if not self.matches:
            self.began = time.monotonic()
        self.matches.append(match)
        try:
            self.connection.send(match)
        except OSError:
            return

    def take(self) -> PlayedMatch | None:
        """What it has to say: a match, or nothing when it is ready.

        Raises `EOFError` or `OSError` for one that died.
        """
        played: PlayedMatch | None = self.connection.recv()
        self.began = time.monotonic()
        if played is None:
            self.ready = True
        else:
            self.matches.popleft()
        return played

    def end(self, *, at_once: bool) -> None:
        """Let it go, or let it die."""
        self.connection.close()
        if not at_once:
            self.process.join(LEAVE_SECONDS)
        self.process.kill()
        self.process.join()

    def last_words(self) -> str:
        """Why it died. It must have."""
        self.process.join(LEAVE_SECONDS)
        code = self.process.exitcode
        if code == OUT_OF_MEMORY:
            return "was out of memory"
        if code is not None and code < 0:
            return f"was killed by signal {-code}"
        return f"ended with code {code}"


def start_worker(assignment: WorkerAssignment) -> Worker:
    """A new process. It is started afresh: a copy of one in which Numba runs threads may hang."""
    ours, theirs = connections.Pipe()
    process = get_context("spawn").Process(
        target=serve, args=(assignment, theirs, os.getpid()), daemon=True
    )
    # What a terminal sends to all of its processes is for the parent to answer. The mask is
    # inherited, so that the worker is never without it.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
    return Worker(process, ours)


def serve(assignment: WorkerAssignment, connection: Connection, parent: int) -> None:
    """What a worker does: play what it is handed, until nobody is left to hand it anything."""
    die_with_parent(parent)
    # Kernels and players are not for the parent, which should start at once.
    from fogspiel.play.tournament.match_runner import MatchRunner

    board = MatchRunner(assignment)
    try:
        connection.send(None)
        while True:
            connection.send(board.play(connection.recv()))
    except (EOFError, OSError):
        return
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
