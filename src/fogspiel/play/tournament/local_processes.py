"""Matches on several processes of this machine, whatever happens to these.

A worker that dies is replaced, and the match that it was playing is played again: the third time
in vain, it is given up. So is one that takes longer than the plan allows, at once. The parent is
the only one that writes: a worker can be killed at any moment, and nothing is lost but its match.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import connection as connections
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from fogspiel.core.findings import LimitError
from fogspiel.core.processes import OUT_OF_MEMORY, die_with_parent, last_words
from fogspiel.play.tournament.schedule import PlayedMatch, ScheduledMatch, failed_match
from fogspiel.play.tournament.tournament import WorkerAssignment

MOST_TRIES = 3
MOST_STILLBORN = 5  #: Workers that may die before they are ready, one after the other
MOST_LOOKED_AT = 1_000  #: Matches from the front of the queue, for one that can begin
AHEAD = 2  #: Matches that a worker is handed: it need not wait while results are written
LEAVE_SECONDS = 2.0  #: Time that a worker may take to end when it is no longer needed


def play_on_processes(
    assignment: WorkerAssignment, matches: Sequence[ScheduledMatch], *, jobs: int
) -> Iterator[list[PlayedMatch]]:
    """Play matches on so many processes; what is done is handed over as soon as it is.

    Raises `LimitError` TOU012 where workers cannot even start.
    """
    pool = _Pool(assignment, matches, jobs)
    try:
        while pool.unfinished:
            done = pool.advance()
            if done:
                yield done
    except BaseException:
        pool.end(at_once=True)
        raise
    pool.end(at_once=False)


class _Pool:
    """Workers, and the matches that are still to be handed out."""

    def __init__(
        self, assignment: WorkerAssignment, matches: Sequence[ScheduledMatch], jobs: int
    ) -> None:
        self._assignment = assignment
        self._queue = deque(matches)
        self._tries: Counter[int] = Counter()
        self._stillborn = 0
        self._urls = assignment.plan.urls
        self._workers = [start_worker(assignment) for _ in range(min(jobs, len(matches)))]

    @property
    def unfinished(self) -> bool:
        return bool(self._queue) or any(worker.matches for worker in self._workers)

    def advance(self) -> list[PlayedMatch]:
        """Hand out matches, wait until something happens, and see what it is."""
        self._hand_out()
        asked = [worker.connection for worker in self._workers]
        heard = set(connections.wait(asked, timeout=self._patience()))
        done: list[PlayedMatch] = []
        for worker in [own for own in self._workers if own.connection in heard]:
            try:
                played = worker.take()
            except (EOFError, OSError):
                done += self._lost(worker)
                continue
            if played is None:
                self._stillborn = 0
            else:
                done.append(played)
        limit = self._assignment.plan.match_seconds
        for worker in self._playing():
            if worker.began <= time.monotonic() - limit:
                # A match only ends with its worker.
                match = worker.matches.popleft()
                self._replace(worker)
                done.append(self._failed(match, f"it was not over after {limit:g} s", limit))
        return done

    def end(self, *, at_once: bool) -> None:
        for worker in self._workers:
            worker.end(at_once=at_once)

    def _hand_out(self) -> None:
        # Near the end nobody should hold what another one could begin.
        plenty = len(self._queue) > AHEAD * len(self._workers)
        for worker in self._workers:
            while len(worker.matches) < (AHEAD if plenty else 1):
                match = self._next_for(worker)
                if match is None:
                    break
                worker.give(match)

    def _next_for(self, worker: Worker) -> ScheduledMatch | None:
        """The first match whose players are free: one behind an address plays one at a time."""
        if not self._urls:
            return self._queue.popleft() if self._queue else None
        taken = {
            url
            for other in self._workers
            if other is not worker
            for match in other.matches
            for url in self._urls_of(match)
        }
        for place, match in enumerate(islice(self._queue, MOST_LOOKED_AT)):
            if taken.isdisjoint(self._urls_of(match)):
                del self._queue[place]
                return match
        return None

    def _urls_of(self, match: ScheduledMatch) -> set[str]:
        return {self._urls[name] for name in match.players if name in self._urls}

    def _patience(self) -> float | None:
        """Seconds until the first match has taken too long."""
        limit, now = self._assignment.plan.match_seconds, time.monotonic()
        left = [worker.began + limit - now for worker in self._playing()]
        return max(0.0, min(left)) if left else None

    def _playing(self) -> list[Worker]:
        return [worker for worker in self._workers if worker.ready and worker.matches]

    def _failed(self, match: ScheduledMatch, why: str, seconds: float = 0.0) -> PlayedMatch:
        return failed_match(match, self._assignment.games[match.game], why, seconds)

    def _lost(self, worker: Worker) -> list[PlayedMatch]:
        """A worker died; the match that it failed at too often, if any."""
        why = worker.last_words()
        if not worker.ready:
            self._stillborn += 1
            if self._stillborn >= MOST_STILLBORN:
                raise LimitError.of(
                    "TOU012",
                    f"{MOST_STILLBORN} processes in a row died before they could play: the last "
                    f"{why}",
                    fix="give them more memory, or go on with --resume and fewer --jobs",
                )
        given_up: list[PlayedMatch] = []
        if worker.ready and worker.matches:
            match = worker.matches[0]
            self._tries[match.number] += 1
            if self._tries[match.number] >= MOST_TRIES:
                worker.matches.popleft()
                given_up.append(self._failed(match, f"its process {why}, {MOST_TRIES} times"))
        self._replace(worker)
        return given_up

    def _replace(self, worker: Worker) -> None:
        self._queue.extendleft(reversed(worker.matches))
        worker.end(at_once=True)
        self._workers.remove(worker)
        if self._queue:
            self._workers.append(start_worker(self._assignment))


@dataclass(slots=True, eq=False)
class Worker:
    """A process as its parent sees it."""

    process: BaseProcess
    connection: Connection
    matches: deque[ScheduledMatch] = field(default_factory=deque)
    """Handed to it and not yet answered: the first is being played."""
    ready: bool = False
    began: float = 0.0  #: The moment at which it began the first of its matches

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
        return last_words(self.process.exitcode)


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
