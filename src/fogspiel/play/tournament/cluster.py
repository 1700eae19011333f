"""Matches as tasks on a Ray cluster. Only the process that runs this writes results.

A process or a node that is lost midway costs time alone: Ray starts its tasks again elsewhere, and
a match depends on its seed and on nothing around it. Nodes need Fogspiel in the same version, but
no files: rules are sent as text.
"""

from __future__ import annotations

import importlib
import importlib.util
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from fogspiel.core.findings import LimitError, UsageError
from fogspiel.play.tournament.schedule import PlayedMatch, ScheduledMatch, failed_match
from fogspiel.play.tournament.tournament import WorkerAssignment

if TYPE_CHECKING:
    from fogspiel.play.tournament.match_runner import MatchRunner

TRIES_AFTER_LOSS = 5  #: Tries that Ray makes where a process or a node is lost
AHEAD = 2  #: Matches for each processor that are handed out: nobody waits while results are written
CONNECT_SECONDS = 10.0
LOOK_SECONDS = 1.0
"""Between looks for matches that take too long, and for processors that came or went."""


def play_on_cluster(
    assignment: WorkerAssignment, matches: Sequence[ScheduledMatch], *, address: str
) -> Iterator[list[PlayedMatch]]:
    """Play matches on the cluster at an address; what is done is handed over as soon as it is.

    Raises `UsageError` TOU013 where Ray is not installed, `LimitError` TOU014 where no cluster
    answers at the address.
    """
    ray = _connected(address)
    try:
        tasks = _Tasks(ray, assignment, matches)
        while tasks.unfinished:
            done = tasks.advance()
            if done:
                yield done
    finally:
        ray.shutdown()


class _Tasks:
    """Matches that were handed to the cluster, and those still to be."""

    def __init__(
        self, ray: ModuleType, assignment: WorkerAssignment, matches: Sequence[ScheduledMatch]
    ) -> None:
        self._ray, self._assignment = ray, assignment
        self._queue = deque(matches)
        self._running: dict[Any, tuple[ScheduledMatch, float]] = {}
        """Matches and the moments at which they were handed out, by Ray's names for the results."""
        self._shared = ray.put(assignment)
        self._play: Any = ray.remote(num_cpus=1, max_retries=TRIES_AFTER_LOSS)(play_task)

    @property
    def unfinished(self) -> bool:
        return bool(self._queue or self._running)

    def advance(self) -> list[PlayedMatch]:
        """Hand out matches, wait until some are done or a second has passed."""
        room = max(1, int(AHEAD * self._ray.cluster_resources().get("CPU", 1)))
        while self._queue and len(self._running) < room:
            match = self._queue.popleft()
            self._running[self._play.remote(self._shared, match)] = (match, time.monotonic())
        waiting = list(self._running)
        ready, _ = self._ray.wait(waiting, num_returns=1, timeout=LOOK_SECONDS)
        if ready:
            # Whatever else has been done meanwhile goes to the disk together with it.
            ready, _ = self._ray.wait(waiting, num_returns=len(waiting), timeout=0)
        return [self._taken(task) for task in ready] + self._given_up()

    def _taken(self, task: Any) -> PlayedMatch:
        match, began = self._running.pop(task)
        try:
            played: PlayedMatch = self._ray.get(task)
        except self._ray.exceptions.RayError as error:
            why = f"the cluster could not play it: {type(error).__name__}"
            return self._failed(match, why, time.monotonic() - began)
        return played

    def _given_up(self) -> list[PlayedMatch]:
        """Matches that take longer than the plan allows.

        Of the time since they were handed out, waiting for a processor is part.
        """
        limit = AHEAD * self._assignment.plan.match_seconds
        now = time.monotonic()
        late = [task for task, (_, began) in self._running.items() if now - began > limit]
        given_up: list[PlayedMatch] = []
        for task in late:
            match, _ = self._running.pop(task)
            self._ray.cancel(task, force=True)
            given_up.append(self._failed(match, f"it was not over after {limit:g} s", limit))
        return given_up

    def _failed(self, match: ScheduledMatch, why: str, seconds: float) -> PlayedMatch:
        return failed_match(match, self._assignment.games[match.game], why, seconds)


def play_task(assignment: WorkerAssignment, match: ScheduledMatch) -> PlayedMatch:
    """One match, in a process of the cluster, which keeps its games for the next one."""
    from fogspiel.play.tournament.match_runner import MatchRunner

    if not _runners or _runners[0][0] != assignment:
        _runners[:] = [(assignment, MatchRunner(assignment))]
    return _runners[0][1].play(match)


_runners: list[tuple[WorkerAssignment, MatchRunner]] = []
"""The last runner of this process: loading a game takes longer than most matches."""


def _connected(address: str) -> ModuleType:
    if importlib.util.find_spec("ray") is None:
        raise UsageError.of(
            "TOU013",
            "--cluster needs Ray, which is not installed",
            fix="run `pip install 'fogspiel[cluster]'`, or leave --cluster out",
        )
    _refuse_closed(address)
    ray = importlib.import_module("ray")
    connect: Callable[..., object] = ray.init
    try:
        connect(address=address, logging_level="error", log_to_driver=False)
    except Exception as error:  # of many kinds, by what is wrong with the address
        raise _unreachable(address, " ".join(str(error).split())[:200]) from None
    return ray


def _refuse_closed(address: str) -> None:
    """Ray itself tries for minutes. Addresses without a port, such as `auto`, are left to it."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if not colon or not port.isascii() or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise _unreachable(address, str(error)) from None


def _unreachable(address: str, why: str) -> LimitError:
    return LimitError.of(
        "TOU014",
        f"no Ray cluster can be used at {address}: {why}",
        fix="start one with `ray start --head`, and set RAY_AUTH_MODE and the token as it has them",
    )
