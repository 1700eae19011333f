"""One HTTP request, put together from bytes as they come, without any input or output of its own.

h11 knows the grammar of HTTP/1.0 and 1.1, lengths and chunks. Beyond it we read what some managers
of games send: a POST that says nothing about its length. By the standard it has no body; what
follows is then read until its parentheses are balanced.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from http import HTTPStatus

import h11

ALLOWED = "POST, GET, OPTIONS"
BODILESS = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})
CORS = (
    # Clients that run in a browser ask before they send, and read nothing without permission.
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Allow-Methods", ALLOWED),
    ("Access-Control-Allow-Headers", "Content-Type, Accept, Sender, Receiver"),
    ("Access-Control-Max-Age", "86400"),
)
PLAIN_TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """What a peer may ask of us."""

    head_bytes: int = 32_768
    body_bytes: int = 16 << 20  #: The rules of a large game have half a megabyte
    read_seconds: float = 30.0
    """Time from the first byte of a request to its last, however slowly it drips."""
    write_seconds: float = 10.0
    quiet_seconds: float = 0.3
    """Silence after which a body of unknown length is complete, if it is no list."""
    connections: int = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """What was asked."""

    method: str
    target: str
    body: bytes = field(repr=False)
    began: float
    """The moment of its first byte on the monotonic clock: a manager's clock runs since then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """What is answered."""

    status: int = HTTPStatus.OK
    text: str = ""
    content_type: str = "text/acl"


class BadRequestError(Exception):
    """What came cannot be answered but with a status."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status

    @property
    def reply(self) -> HttpResponse:
        """The answer."""
        return HttpResponse(status=self.status, text=f"{self}\n", content_type=PLAIN_TEXT)


class Incoming:
    """A request that is being received."""

    def __init__(self, limits: HttpLimits) -> None:
        self._limits = limits
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=limits.head_bytes)
        self._head: h11.Request | None = None
        self._body = bytearray()
        self._depth = 0
        self.is_open_ended = False
        """Whether the length of the body was not told."""
        self.began: float | None = None
        self.request: HttpRequest | None = None
        """The request when it is complete."""

    @property
    def wants_continue(self) -> bool:
        """Whether the peer waits for leave to send the body."""
        return self._http.they_are_waiting_for_100_continue

    @property
    def is_quiet_word(self) -> bool:
        """Whether a body of untold length is a word, such as `ping`: nothing shows its end."""
        return self.is_open_ended and bool(self._body.strip()) and b"(" not in self._body

    def feed(self, data: bytes) -> None:
        """More bytes, none where the peer will send no more. Raises `BadRequestError`."""
        if self.began is None:
            self.began = time.monotonic()
        if self.is_open_ended:
            self._extend(data)
            if not data or self._is_balanced():
                self.finish()
            return
        try:
            self._http.receive_data(data)
            while self.request is None and not self.is_open_ended and self._next_event():
                pass
        except h11.RemoteProtocolError as error:
            status = HTTPStatus(error.error_status_hint)
            raise BadRequestError(status, f"this is no HTTP request: {error}") from None

    def finish(self) -> None:
        """Take what came for the whole body."""
        assert self._head is not None
        assert self.began is not None
        self.request = HttpRequest(
            method=self._head.method.decode("ascii"),
            target=self._head.target.decode("ascii", "replace"),
            body=bytes(self._body),
            began=self.began,
        )

    def continued(self) -> bytes:
        """Leave to send the body."""
        return self._http.send(h11.InformationalResponse(status_code=100, headers=[])) or b""

    def answer(self, reply: HttpResponse) -> bytes:
        """The bytes of an answer, which is the last on its connection."""
        body = reply.text.encode("utf-8", "replace")
        headers = [
            ("Content-Type", reply.content_type),
            ("Content-Length", str(len(body))),
            ("Connection", "close"),
            *CORS,
        ]
        if reply.status == HTTPStatus.METHOD_NOT_ALLOWED:
            headers.append(("Allow", ALLOWED))
        reason = HTTPStatus(reply.status).phrase.encode()
        head = h11.Response(status_code=reply.status, headers=headers, reason=reason)
        if self._http.our_state is h11.ERROR:
            # After a request that was none h11 sends nothing; peers deserve to know why.
            self._http = h11.Connection(h11.SERVER)
        parts = (head, h11.Data(data=body), h11.EndOfMessage())
        return b"".join(self._http.send(part) or b"" for part in parts)

    def _next_event(self) -> bool:
        """Look at the next part of the request; whether there was one."""
        event = self._http.next_event()
        if isinstance(event, h11.Request):
            self._begin(event)
        elif isinstance(event, h11.Data):
            self._extend(bytes(event.data))
        elif isinstance(event, h11.EndOfMessage):
            rest, _ = self._http.trailing_data
            if self._depth > 0:
                # Some tell the length in characters, of which there may be fewer than bytes.
                self._extend(rest)
            self.finish()
        else:  # more is needed, or nothing comes
            return False
        return True

    def _begin(self, head: h11.Request) -> None:
        self._head = head
        told = dict(head.headers)
        length = told.get(b"content-length")
        # h11 has made sure that the length is a number.
        if length is not None and int(length) > self._limits.body_bytes:
            raise self._too_large()
        is_untold = length is None and b"transfer-encoding" not in told
        if is_untold and head.method.decode("ascii") not in BODILESS:
            self._http.next_event()  # the end, by the standard; what follows belongs to it for us
            self.is_open_ended = True
            rest, _ = self._http.trailing_data
            self._extend(rest)
            if self._is_balanced():
                self.finish()

    def _extend(self, data: bytes) -> None:
        if len(self._body) + len(data) > self._limits.body_bytes:
            raise self._too_large()
        self._body += data
        self._depth += data.count(b"(") - data.count(b")")

    def _is_balanced(self) -> bool:
        return self._depth <= 0 and b"(" in self._body

    def _too_large(self) -> BadRequestError:
        most = f"{self._limits.body_bytes:,} bytes"
        return BadRequestError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a message may have {most} at most"
        )
