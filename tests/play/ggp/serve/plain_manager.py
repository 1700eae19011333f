"""A game manager of the plainest kind, on sockets: it knows the protocol and nothing of our code.

What is legal and what roles see comes from a machine; every byte that is sent is written here.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fogspiel.core.terms import MoveId, RoleId
from fogspiel.machine.protocol import Machine

Form = Literal["1.0", "1.1", "chunked", "drip", "no length"]
Dialect = Literal["gdl1", "new", "old"]
HEADERS = (
    "Accept: text/delim\r\nSender: GAMESERVER\r\nReceiver: PLAYER\r\nContent-Type: text/acl\r\n"
)


def say(port: int, text: str, form: Form = "1.0", seconds: float = 120.0) -> str:
    """Send a message, and give what is answered, which must have the status 200."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        for piece in pieces(text.encode(), form):
            connection.sendall(piece)
            if form == "drip":
                time.sleep(0.002)
        return body(everything(connection))


def pieces(body: bytes, form: Form) -> list[bytes]:
    """The bytes of a request, in one of the forms that are met."""
    version = "1.0" if form in ("1.0", "no length") else "1.1"
    head = f"POST / HTTP/{version}\r\n{HEADERS}" + ("Host: player\r\n" if version == "1.1" else "")
    if form == "chunked":
        half = len(body) // 2
        chunks = [
            b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:half], body[half:]) if part
        ]
        return [f"{head}Transfer-Encoding: chunked\r\n\r\n".encode(), *chunks, b"0\r\n\r\n"]
    if form == "no length":
        return [f"{head}\r\n".encode() + body]
    whole = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
    step = max(1, len(whole) // 40) if form == "drip" else len(whole)
    return [whole[first : first + step] for first in range(0, len(whole), step)]


def everything(connection: socket.socket) -> bytes:
    """All bytes until the peer closes."""
    data = b""
    while piece := connection.recv(65_536):
        data += piece
    return data


def body(answer: bytes) -> str:
    """What stands after the head of an answer."""
    head, _, text = answer.partition(b"\r\n\r\n")
    assert re.match(rb"HTTP/1\.[01] 200 ", head), answer
    return text.decode()


def parsed(text: str) -> Any:
    """A term as nested tuples of words."""
    stack: list[list[Any]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            group = tuple(stack.pop())
            stack[-1].append(group)
        else:
            stack[-1].append(token)
    (term,) = stack[0]
    return term


def written(term: Any) -> str:
    """The term as text."""
    return term if isinstance(term, str) else f"({' '.join(map(written, term))})"


@dataclass
class PlainManager:
    """Runs matches in which the player at a port has one role, and the others move at random."""

    port: int
    machine: Machine
    rules: str
    """The joint move or the percepts, as they are told."""
    told: Callable[[Any], Any] = lambda term: term
    """A term as it is told."""
    dialect: Dialect = "gdl1"
    form: Form = "1.0"
    substitute: bool = False
    """Whether the player's moves are replaced by the last legal ones."""

    def play(self, match: str, role: RoleId, seed: int) -> list[str]:
        """One match. Gives the player's answers; each must be legal, in the names it was told."""
        machine, rng, say_this = self.machine, np.random.default_rng(seed), self._say
        name = self.told(machine.roles[role])
        assert say_this(f"( START {match} {name} ({self.rules}) 120 60 )") == "ready"
        state, answers = machine.initial(), list[str]()
        news = "0 NIL NIL" if self.dialect == "new" else "NIL"
        while not machine.terminal(state):
            answer = say_this(f"( PLAY {match} {news} )")
            answers.append(answer)
            legal = machine.legal(state, role)
            by_name = {written(self.told(machine.move_term(role, m))): m for m in legal}
            assert written(parsed(answer)) in by_name, (answer, list(by_name))
            own = by_name[written(parsed(answer))]
            own = legal[-1] if self.substitute else own
            joint = [self._drawn(state, RoleId(r), rng) for r in range(len(machine.roles))]
            joint[role] = own
            news = self._news(state, joint, role, len(answers))
            state = machine.step(state, joint)
        assert say_this(f"( STOP {match} {news} )") == "done"
        return answers

    def _say(self, text: str) -> str:
        return say(self.port, text, self.form)

    def _drawn(self, state: Any, role: RoleId, rng: np.random.Generator) -> MoveId:
        legal = self.machine.legal(state, role)
        return legal[int(rng.integers(len(legal)))]

    def _news(self, state: Any, joint: Sequence[MoveId], role: RoleId, turn: int) -> str:
        machine = self.machine
        moves = [written(self.told(machine.move_term(RoleId(r), m))) for r, m in enumerate(joint)]
        if self.dialect == "gdl1":
            return f"({' '.join(moves)})"
        seen = machine.percepts(state, joint, role)
        percepts = " ".join(written(self.told(machine.percept_term(role, p))) for p in seen)
        if self.dialect == "new":
            return f"{turn} {moves[role]} ({percepts})"
        return f"({percepts})"
