"""The process of one player in one match: it makes the player, and hands on what it answers.

It is a copy of the fork server, which has loaded the program and the game, and it ends with the
match. Tasks come over the wire one after the other, each with the moment by which it must be done:
then an alarm interrupts the player wherever it is, so that the fault can name the line. Code that
does not let itself be interrupted is ended from outside.

The alarm is no `Exception`, so that a player that catches those does not swallow it.
"""

from __future__ import annotations

import os
import pickle
import random
import resource
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from fogspiel.belief.positions import percept_of
from fogspiel.core.budget import Budget
from fogspiel.core.code_faults import trace_of
from fogspiel.core.findings import Finding, FogspielError
from fogspiel.core.processes import OUT_OF_MEMORY, limit_memory
from fogspiel.core.terms import Observation, RoleId
from fogspiel.machine.protocol import Machine
from fogspiel.play.clocks import PlayerLimits
from fogspiel.play.isolated.wire import Document, Wire, term_of_plain
from fogspiel.play.referee import FaultKind, move_text
from fogspiel.players.own import ILLEGAL
from fogspiel.players.protocol import Agent, Seat

MOST_SOURCE = 1 << 17  #: Characters of a file that are sent with a finding
SEEDS = 1 << 32  #: Seeds that NumPy's older generator takes


@dataclass(frozen=True, slots=True, kw_only=True)
class Birth:
    """What the process of a player must know."""

    load: bytes | None  #: The pickled function that makes the machine, for one that is to play
    make: bytes
    """The pickled function that makes the player, or finds out something about its file. User's
    code may run by unpickling it."""
    folder: str  #: The current folder
    path: tuple[str, ...]  #: Folders that modules are imported from
    limits: PlayerLimits


class _OutOfTimeError(BaseException):
    """The moment by which a task had to be done."""


def live(handle: int, birth: Birth, machine: Machine | None) -> NoReturn:
    """Play one match, and end. handle: the end of a wire that the match has the other end of."""
    status = 1
    try:
        os.setsid()  # what the player starts is ended with it
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGALRM, _interrupt)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.chdir(birth.folder)
        wire = Wire(socket.socket(fileno=handle))
        limit_memory(birth.limits.memory_bytes)
        _PlayerWorker(birth, machine, wire).work()
        status = 0
    except MemoryError:
        status = OUT_OF_MEMORY
    finally:
        # Threads and exit handlers of the player have no say in this.
        os._exit(status)


def _interrupt(*_: object) -> None:
    raise _OutOfTimeError


class _PlayerWorker:
    """The player, and the wire that it is asked over."""

    def __init__(self, birth: Birth, machine: Machine | None, wire: Wire) -> None:
        self._loaded, self._wire = machine, wire
        self._role = RoleId(0)
        self._agent: Agent | None = None
        self._unseen: list[Observation] = []
        """Observations that the player was not told yet: it may have failed at those before."""
        self._report(lambda: self._made(birth), time.monotonic() + birth.limits.load_seconds)

    def work(self) -> None:
        """Do what is asked, until nobody asks any more or the player could not be made."""
        while self._agent is not None:
            try:
                task = self._wire.receive()
            except EOFError:
                return
            self._report(lambda: self._done(task), task["until"])  # noqa: B023  # done at once
            if task["task"] == "stop":
                return

    @property
    def _machine(self) -> Machine:
        assert self._loaded is not None
        return self._loaded

    def _report(self, work: Callable[[], Document], until: float) -> None:
        """Send what comes of work on the player, or what went wrong."""
        signal.setitimer(signal.ITIMER_REAL, max(0.001, until - time.monotonic()))
        try:
            try:
                answer = work()
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
        except _OutOfTimeError as error:
            answer = _fault(FaultKind.TIMEOUT, "it was not done in time", error)
        except FogspielError as error:
            found = error.findings[0]
            cause = error.__cause__ or error
            kind = FaultKind.ILLEGAL_MOVE if found.code == ILLEGAL else FaultKind.ERROR
            said = found.message if isinstance(cause, FogspielError) else _said(cause)
            answer = _fault(kind, said, cause)
            answer["fault"]["finding"] = _plain(found)
        except BaseException as error:  # whatever code of others may raise
            answer = _fault(FaultKind.ERROR, _said(error), error)
        self._wire.send(answer)

    def _made(self, birth: Birth) -> Document:
        make: Callable[[], Agent | list[str]] = pickle.loads(birth.make)
        made = make()
        if isinstance(made, list):
            return {"found": made}
        self._agent = made
        return {}

    def _done(self, task: Document) -> Document:
        agent, kind = self._agent, task["task"]
        assert agent is not None
        if kind == "start":
            self._role, seed = RoleId(task["role"]), task["seed"]
            # Whoever draws without the generator that players are given can be repeated, too.
            random.seed(seed)
            np.random.seed(seed % SEEDS)
            agent.start(Seat(self._machine, self._role, seed), _budget(task))
            return {}
        self._unseen += map(self._observation, task["seen"])
        while self._unseen:
            agent.observe(self._unseen.pop(0))
        if kind == "stop":
            agent.stop()
            return {}
        move = agent.choose(_budget(task))
        if not 0 <= move < self._machine.move_count(self._role):
            said = move_text(self._machine, self._role, move)
            return _fault(FaultKind.ILLEGAL_MOVE, f"it answered {said}", None)
        return {"move": self._machine.move_term(self._role, move)}

    def _observation(self, plain: list[object]) -> Observation:
        machine, role = self._machine, self._role
        move, percepts = plain
        assert isinstance(percepts, list)
        known = [percept_of(machine, role, term_of_plain(percept)) for percept in percepts]
        return Observation(
            machine.move_id(role, term_of_plain(move)),
            tuple(sorted(percept for percept in known if percept is not None)),
        )


def _budget(task: Document) -> Budget:
    return Budget(deadline=task["deadline"], simulations=task["simulations"])


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _fault(kind: FaultKind, text: str, error: BaseException | None) -> Document:
    trace: tuple[str, ...] = ()
    if error is not None:
        with suppress(Exception):  # files may be gone, and exceptions be odd
            trace = trace_of(error)
    return {"fault": {"kind": kind, "text": text, "trace": trace}}


def _plain(finding: Finding) -> Document:
    """A finding that can be sent, with the text that it shows a line of."""
    source = finding.source
    if source is None or finding.span is None or len(source.text) > MOST_SOURCE:
        place = None
    else:
        place = {"name": source.name, "text": source.text, "span": list(finding.span)}
    told = {"code": finding.code, "message": finding.message, "fix": finding.fix}
    return told | {"place": place}
