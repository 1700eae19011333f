"""Players for a load of many matches: a process that answers for all seats at once.

Every seat follows its match by the joint moves that it is told, thinks for a random time, and
plays a random legal move. Meanwhile it is measured how long the manager takes: from the moment when
the last answer of a turn has been handed to the system, until the next question has been read by
all. Started by `matches` with its arguments as JSON; it names its port in the first line, works
until its standard input is closed, and then tells what it measured.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine, State
from fogspiel.play.ggp.messages import DONE, READY, Play, Start, read_message
from fogspiel.play.ggp.term_text import write_term

LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")


@dataclass(slots=True)
class MeasuredSeat:
    """A role in a match."""

    role: RoleId
    state: State


@dataclass(slots=True)
class MeasuredTurn:
    """What is known of the turn of a match that is going on."""

    asked: int = 0
    last_answer: float = 0.0


@dataclass(slots=True)
class Players:
    """All seats of all matches. Names of matches end with the number of the role."""

    machine: Machine
    think_seconds: float
    rng: np.random.Generator
    seats: dict[str, MeasuredSeat] = field(default_factory=dict)
    turns: dict[str, MeasuredTurn] = field(default_factory=dict)
    overheads: list[float] = field(default_factory=list)  #: Seconds that the manager took, by turn

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One question on a connection of its own."""
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = LENGTH.search(head)
            assert length is not None
            text = (await reader.readexactly(int(length[1]))).decode()
            message = read_message(text)
            body = await self._move(message) if isinstance(message, Play) else self._other(message)
            reply = f"HTTP/1.0 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}"
            writer.write(reply.encode())
            if isinstance(message, Play):
                self._answered(message.match.rpartition(".")[0])
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the measurement is over
        finally:
            writer.close()

    async def _move(self, message: Play) -> str:
        machine, seat = self.machine, self.seats[message.match]
        self._asked(message.match.rpartition(".")[0])
        if message.told.terms is not None:
            roles = map(RoleId, range(len(machine.roles)))
            moves = zip(roles, message.told.terms, strict=True)
            joint = [machine.move_id(role, move) for role, move in moves]
            seat.state = machine.step(seat.state, joint)
        legal = machine.legal(seat.state, seat.role)
        move = legal[int(self.rng.integers(len(legal)))]
        await asyncio.sleep(self.rng.random() * self.think_seconds)
        return write_term(machine.move_term(seat.role, move))

    def _other(self, message: object) -> str:
        if isinstance(message, Start):
            role = RoleId(self.machine.roles.index(message.role))
            self.seats[message.match] = MeasuredSeat(role, self.machine.initial())
            self.turns.setdefault(message.match.rpartition(".")[0], MeasuredTurn())
            return READY
        name = getattr(message, "match", "")
        self.seats.pop(name, None)
        self.turns.pop(name.rpartition(".")[0], None)
        return DONE

    def _asked(self, match: str) -> None:
        turn = self.turns[match]
        turn.asked += 1
        if turn.asked == len(self.machine.roles):
            if turn.last_answer:
                self.overheads.append(time.monotonic() - turn.last_answer)
            turn.asked = 0

    def _answered(self, match: str) -> None:
        if match in self.turns:
            self.turns[match].last_answer = time.monotonic()


async def serve(order: dict[str, Any]) -> None:
    """Answer until nobody wants any more."""
    players = Players(
        machine=load(order["game"]).machine,
        think_seconds=order["think_seconds"],
        rng=np.random.default_rng(order["seed"]),
    )
    server = await asyncio.start_server(players.handle, "127.0.0.1", 0, backlog=1_024)
    _tell(server.sockets[0].getsockname()[1])
    await asyncio.to_thread(sys.stdin.read)
    server.close()
    _tell({"overhead_seconds": players.overheads})


def _tell(what: object) -> None:
    """A line to the process that started this one."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(serve(json.loads(sys.argv[1])))
