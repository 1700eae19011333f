"""Matches on several processes of this machine, whatever happens to these.

A worker that dies is replaced, and the match that it was playing is played again: the third time
in vain, it is given up. So is one that takes longer than the plan allows, at once.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import islice
from multiprocessing import connection as connections

from fogspiel.core.findings import LimitError
from fogspiel.play.tournament.results import PlayedMatch, failed_match
from fogspiel.play.tournament.schedule import ScheduledMatch
from fogspiel.play.tournament.tournament import WorkerAssignment
from fogspiel.play.tournament.workers import Worker, start_worker

MOST_TRIES = 3
MOST_STILLBORN = 5
"""Workers that may die before they are ready, one after the other."""
MOST_LOOKED_AT = 1_000
"""Matches from the front of the queue, for one that can begin."""
AHEAD = 2
"""Matches that a worker is handed: it need not wait while results are written."""


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
        for worker in self._overdue():
            done.append(self._given_up(worker))
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
        began = [w.began for w in self._workers if w.ready and w.matches]
        return max(0.0, min(began) + limit - now) if began else None

    def _overdue(self) -> list[Worker]:
        latest = time.monotonic() - self._assignment.plan.match_seconds
        return [w for w in self._workers if w.ready and w.matches and w.began <= latest]

    def _given_up(self, worker: Worker) -> PlayedMatch:
        """End the match of a worker, which only ends with it."""
        match, seconds = worker.matches.popleft(), self._assignment.plan.match_seconds
        self._replace(worker)
        why = f"it was not over after {seconds:g} s"
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
                reason = f"its process {why}, {MOST_TRIES} times"
                given_up.append(failed_match(match, self._assignment.games[match.game], reason))
        self._replace(worker)
        return given_up

    def _replace(self, worker: Worker) -> None:
        self._queue.extendleft(reversed(worker.matches))
        worker.end(at_once=True)
        self._workers.remove(worker)
        if self._queue:
            self._workers.append(start_worker(self._assignment))
