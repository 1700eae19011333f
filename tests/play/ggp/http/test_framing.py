"""Requests put together from bytes: lengths, chunks, none of both, and what is no request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fogspiel.play.ggp.http.server import (
    BadRequestError,
    HttpLimits,
    HttpRequest,
    HttpResponse,
    Incoming,
)

BODY = b"(PLAY m ((mark 1 1) noop))"
WITH_LENGTH = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
OF_1_0 = b"POST / HTTP/1.0\r\nAccept: text/delim\r\nContent-length: %d\r\n\r\n%s" % (
    len(BODY),
    BODY,
)
CHUNKED = (
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\n(PLAY\r\n" + b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY) - 5, BODY[5:])
)
WITHOUT_LENGTH = b"POST / HTTP/1.0\r\nSender: GAMESERVER\r\n\r\n" + BODY
FORMS = {
    "length": WITH_LENGTH,
    "1.0": OF_1_0,
    "chunked": CHUNKED,
    "no length": WITHOUT_LENGTH,
}


def fed(data: bytes, limits: HttpLimits | None = None, piece: int = 1 << 16) -> Incoming:
    incoming = Incoming(limits or HttpLimits())
    for first in range(0, len(data), piece):
        incoming.feed(data[first : first + piece])
    return incoming


def complete(incoming: Incoming) -> HttpRequest:
    assert incoming.request is not None
    return incoming.request


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("piece", [1, 7, 1 << 16])
def test_a_body_is_read_in_every_form_however_it_drips(form: str, piece: int) -> None:
    request = complete(fed(FORMS[form], piece=piece))
    assert request.method == "POST"
    assert request.body == BODY


@pytest.mark.parametrize("form", FORMS)
def test_nothing_is_complete_before_its_last_byte(form: str) -> None:
    assert fed(FORMS[form][:-1]).request is None


def test_a_body_of_untold_length_ends_with_its_parentheses_or_its_connection() -> None:
    head = b"POST / HTTP/1.0\r\n\r\n"
    assert complete(fed(head + b" (a (b) \n)\r\n")).body == b" (a (b) \n)\r\n"
    incoming = fed(head + b"ping")
    assert incoming.request is None
    assert incoming.is_quiet_word
    incoming.feed(b"")
    assert complete(incoming).body == b"ping"
    assert not fed(head + b"(a").is_quiet_word
    assert not fed(head).is_quiet_word


def test_a_length_in_characters_does_not_cut_a_body_short() -> None:
    text = "(PLAY m ((façade) (élan)))"
    head = f"POST / HTTP/1.0\r\nContent-Length: {len(text)}\r\n\r\n"
    assert complete(fed(head.encode() + text.encode())).body.decode() == text


def test_a_get_needs_no_body() -> None:
    assert complete(fed(b"GET /status HTTP/1.1\r\nHost: x\r\n\r\n")).target == "/status"


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"HELLO\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -4\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 3_000, 431),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", 413),
        (b"POST / HTTP/1.1\r\nHost: x\r\n\r\n(" + b"a" * 1_000, 413),
        (
            b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n400\r\n"
            + b"a" * 1_024
            + b"\r\n0\r\n\r\n",
            413,
        ),
    ],
)
def test_what_cannot_be_read_has_its_status(data: bytes, status: int) -> None:
    limits = HttpLimits(head_bytes=2_000, body_bytes=900)
    incoming = Incoming(limits)
    with pytest.raises(BadRequestError) as caught:
        incoming.feed(data)
    assert caught.value.status == status
    assert incoming.answer(caught.value.reply).startswith(b"HTTP/1.1 %d " % status)


@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    incoming = Incoming(HttpLimits())
    reply = HttpResponse(text="fine")
    try:
        incoming.feed(b"POST / HTTP/1.1\r\nHost: x\r\n" + data)
        incoming.feed(b"")
    except BadRequestError as error:
        reply = error.reply
    assert incoming.answer(reply).startswith(b"HTTP/1.1 %d " % reply.status)


def test_an_answer_closes_its_connection_and_may_be_read_by_browsers() -> None:
    answer = fed(WITH_LENGTH).answer(HttpResponse(text="ready"))
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    assert lines[0] == b"http/1.1 200 ok"
    assert {
        b"content-type: text/acl",
        b"content-length: 5",
        b"connection: close",
        b"access-control-allow-origin: *",
    } <= set(lines)
    assert body == b"ready"


def test_a_peer_that_waits_for_leave_to_send_gets_it() -> None:
    incoming = fed(
        b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
    )
    assert incoming.wants_continue
    assert incoming.continued().startswith(b"HTTP/1.1 100 ")
    incoming.feed(b"abc")
    assert complete(incoming).body == b"abc"
    assert not incoming.wants_continue
