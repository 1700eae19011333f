"""A player of one's own in a process of its own, as matches take players.

The process gets the rules, the role, the clock, and what the role did and saw: terms alone. Its
seed is a digest, from which the draws of chance cannot be computed. Whatever it does becomes an
error that carries the fault. Where it does not answer, or has ended, a new process takes its place,
which is told all that the role saw so far; after some of these, the player is out of the match.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from fogspiel.core.budget import Budget
from fogspiel.core.findings import Finding, PlayError
from fogspiel.core.source import Source, Span
from fogspiel.core.terms import MoveId, Observation
from fogspiel.machine.protocol import Machine
from fogspiel.play.isolated.fork_server import ForkedPlayer, ForkServer
from fogspiel.play.isolated.wire import Document, NonsenseError, term_of_plain
from fogspiel.play.referee import Fault, FaultKind, PlayerFaultError
from fogspiel.players.protocol import Agent, Seat

MOST_DEATHS = 3  #: Processes that a player may lose in a match before it is out of it
PATIENCE_SECONDS = 0.25
"""Seconds after the alarm inside of a process in which it can still say where it was."""
AGAIN_SHARE = 0.5
"""Share of the clock for a move in which a player may get ready once more, in a new process."""
STOP_SECONDS = 1.0  #: Time for a player to take leave
SEED_BYTES = 8
LIMIT = "PLY036"  #: The code of a process that did not answer


class IsolatedAgent:
    """A player in a process of its own. Implements `Agent`."""

    def __init__(
        self,
        name: str,
        make: Callable[[], Agent | list[str]],
        *,
        server: ForkServer,
        load: Callable[[], Machine] | None,
        grace_seconds: float = 0.0,
    ) -> None:
        """A player that is made when it is needed.

        make, load: as `ForkServer.start_player` takes them.
        grace_seconds: seconds after its deadline at which a move still counts.
        """
        self._name, self._make = name, make
        self._server, self._load, self._grace_seconds = server, load, grace_seconds
        self._process: ForkedPlayer | None = None
        self._seat: Seat | None = None
        self._is_started = False
        self._seen: list[Observation] = []
        self._told = 0
        """Observations that the process was told."""
        self._deaths = 0
        self._last: PlayerFaultError | None = None

    def prepare(self) -> object:
        """Start the process and make the player, before any clock runs.

        Returns: what was found out, where no player was to be made.
        Raises `PlayerFaultError` where that fails, and what `ForkServer.start_player` does.
        """
        if self._process is not None or self._last is not None:
            return None
        self._process = self._server.start_player(self._load, self._make)
        limit = self._server.limits.load_seconds
        try:
            return self._take(lambda process, until: process.receive(until), limit).get("found")
        except PlayerFaultError as error:
            self._last = error
            self.end()
            raise

    def start(self, seat: Seat, budget: Budget) -> None:
        """Let the player get ready. Raises `PlayerFaultError`, as the other methods do."""
        self._seat = seat
        try:
            self.prepare()
            self._begin(budget)
        except PlayerFaultError:
            self.end()
            raise

    def choose(self, budget: Budget) -> MoveId:
        """The move of the player, whether it is legal or not."""
        assert self._seat is not None
        self.prepare()
        if not self._is_started:
            self._begin(budget.part(AGAIN_SHARE))
        told, self._told = self._told, len(self._seen)
        answer = self._ask({"task": "choose", "seen": self._terms(told)}, budget)
        machine, role = self._seat.machine, self._seat.role
        try:
            return machine.move_id(role, term_of_plain(answer.get("move")))
        except PlayError as error:
            said = error.findings[0].message
            self._fail(Fault(FaultKind.ILLEGAL_MOVE, said))
        except NonsenseError as error:
            self._lose(Fault(FaultKind.PARSING_ERROR, f"its process answered {error}"))

    def observe(self, observation: Observation) -> None:
        """Take note of a step, which the process is told when it is asked next."""
        self._seen.append(observation)

    def stop(self) -> None:
        """Let the player take leave, and end its process."""
        if self._is_started and self._process is not None:
            seen = self._terms(self._told)
            budget = Budget.of(seconds=STOP_SECONDS)
            try:
                self._ask({"task": "stop", "seen": seen}, budget)
            finally:
                self.end()
        self.end()

    def end(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.end()
        self._process, self._is_started = None, False

    def __del__(self) -> None:
        """End the process of a player that no match has ended."""
        with suppress(Exception):
            self.end()

    def _begin(self, budget: Budget) -> None:
        if self._last is not None:
            raise self._last
        assert self._seat is not None
        role, seed = int(self._seat.role), told_seed(self._seat)
        self._ask({"task": "start", "role": role, "seed": seed}, budget)
        self._is_started, self._told = True, 0

    def _ask(self, task: Document, budget: Budget) -> Document:
        """What the process answers within a budget."""
        left = budget.seconds_left
        has_clock = budget.deadline is not None
        seconds = left + self._grace_seconds if has_clock else self._server.limits.move_seconds
        now = time.monotonic()
        task |= {
            "deadline": now + left if has_clock else None,
            "simulations": budget.simulations,
            "until": now + seconds,
        }
        return self._take(lambda process, until: process.ask(task, until), seconds)

    def _take(
        self, question: Callable[[ForkedPlayer, float], Document], seconds: float
    ) -> Document:
        """The answer to a question that is to come within so many seconds."""
        process = self._process
        if process is None:
            assert self._last is not None
            raise self._last
        try:
            answer = question(process, time.monotonic() + seconds + PATIENCE_SECONDS)
        except TimeoutError:
            said = f"no answer within {seconds:g} s; its process was ended"
            self._lose(Fault(FaultKind.TIMEOUT, said))
        except EOFError:
            self._process = None
            self._lose(Fault(FaultKind.ERROR, f"its process {process.end()}"))
        except NonsenseError as error:
            self._lose(Fault(FaultKind.PARSING_ERROR, f"its process answered {error}"))
        fault = answer.get("fault")
        if fault is not None:
            self._fail(*_fault_of(fault, seconds))
        return answer

    def _lose(self, fault: Fault) -> NoReturn:
        """End the process for a fault. The next one is made before the clock of a move runs."""
        was_started = self._is_started
        self.end()
        self._deaths += 1
        try:
            self._fail(fault)
        except PlayerFaultError as error:
            if self._deaths >= MOST_DEATHS:
                self._last = error
            elif was_started:
                with suppress(PlayerFaultError):
                    self.prepare()
            raise

    def _fail(self, fault: Fault, finding: Finding | None = None) -> NoReturn:
        seat = self._seat
        role = "" if seat is None else f" of {seat.machine.roles[seat.role]}"
        where = "" if seat is None else f"in step {len(self._seen) + 1}, "
        raise PlayerFaultError(
            finding
            or Finding(
                LIMIT,
                f"{where}the player {self._name}{role} failed: {fault.text}",
                fix="correct the code of the player, or give it more time or memory",
            ),
            fault,
        )

    def _terms(self, first: int) -> list[Document | list[object]]:
        """Observations from one on, as the wire carries them."""
        assert self._seat is not None
        machine, role = self._seat.machine, self._seat.role
        return [
            [
                machine.move_term(role, seen.move),
                [machine.percept_term(role, percept) for percept in seen.percepts],
            ]
            for seen in self._seen[first:]
        ]


def told_seed(seat: Seat) -> int:
    """The seed that a player's process is told: chance of the match has the other one."""
    digest = hashlib.sha256(f"a player's own seed\n{seat.seed}".encode()).digest()
    return int.from_bytes(digest[:SEED_BYTES], "big")


def _fault_of(plain: Document, seconds: float) -> tuple[Fault, Finding | None]:
    """The fault that a process told of, with its finding. What it says may be anything."""
    kind, text, trace = plain.get("kind"), plain.get("text"), plain.get("trace")
    fault = Fault(
        FaultKind(kind) if kind in list(FaultKind) else FaultKind.ERROR,
        f"no answer within {seconds:g} s" if kind == FaultKind.TIMEOUT else str(text),
        tuple(map(str, trace)) if isinstance(trace, list) else (),
    )
    return fault, _finding_of(plain.get("finding"))


def _finding_of(plain: object) -> Finding | None:
    if not isinstance(plain, dict):
        return None
    source = span = None
    place = plain.get("place")
    try:
        if place is not None:
            source = Source(str(place["name"]), str(place["text"]))
            span = Span(*map(int, place["span"]))
        told = [str(plain[key]) for key in ("code", "message", "fix")]
    except (KeyError, TypeError, ValueError):
        return None
    return Finding(*told, source=source, span=span)
