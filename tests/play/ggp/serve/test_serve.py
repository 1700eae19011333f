"""`fogspiel serve` as managers meet it: whole matches over plain sockets, in every dialect."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from click.testing import CliRunner
from plain_manager import Dialect, Form, PlainManager, body, everything, say

from fogspiel.api.ggp import serving
from fogspiel.cli import main
from fogspiel.core.terms import RoleId
from fogspiel.games.library import resolve
from fogspiel.games.load import load
from fogspiel.play.ggp.serve.host import Service
from fogspiel.play.ggp.term_text import Scrambling

TIC_TAC_TOE = Scrambling(None, resolve("tic_tac_toe").text).rules


class Server:
    """A server in a process of its own, and what it says."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fogspiel.cli", "serve", *arguments, "--port", "0"],
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []
        self._heard = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()
        self.port = int(self.line(r"port (\d+)")[1])

    def line(self, pattern: str, seconds: float = 60.0) -> re.Match[str]:
        """The first line that fits, once it has come."""
        with self._heard:
            found = self._heard.wait_for(lambda: self._found(pattern), seconds)
        assert found, self.lines
        return found

    def _found(self, pattern: str) -> re.Match[str] | None:
        return next((m for line in self.lines if (m := re.search(pattern, line))), None)

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._heard:
                self.lines.append(line)
                self._heard.notify_all()


@contextmanager
def running(*arguments: str) -> Iterator[Server]:
    server = Server(*arguments)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()


def ended_cleanly(server: Server) -> None:
    assert server.process.wait(timeout=20) == 0
    server.line("ended")
    assert "Traceback" not in "".join(server.lines)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running("auto", "--simulations", "20", "--matches", "2", "--name", "Fog") as found:
        yield found
        # A signal ends it cleanly, whatever all tests left behind.
        found.process.send_signal(signal.SIGINT)
        ended_cleanly(found)


CASES: list[tuple[str, int, Dialect, Form, str]] = [
    ("tic_tac_toe", 0, "gdl1", "1.0", "plain"),
    ("tic_tac_toe", 1, "gdl1", "chunked", "upper"),
    ("tic_tac_toe", 1, "gdl1", "no length", "scrambled"),
    ("kuhn_poker", 1, "new", "1.1", "plain"),
    ("kuhn_poker", 2, "new", "drip", "upper"),
    ("kuhn_poker", 2, "old", "1.0", "scrambled"),
    ("monty_hall", 1, "old", "no length", "plain"),
    ("monty_hall", 1, "new", "chunked", "scrambled"),
    ("monty_hall", 1, "old", "drip", "upper"),
]


@pytest.mark.parametrize(("game", "role", "dialect", "form", "names"), CASES)
def test_a_whole_match_is_played_with_legal_moves(
    server: Server, game: str, role: int, dialect: Dialect, form: Form, names: str
) -> None:
    seed = 11 if names == "scrambled" else None
    telling = Scrambling(seed, resolve(game).text, upper=names == "upper")
    manager = PlainManager(
        port=server.port,
        machine=load(game).machine,
        rules=telling.rules,
        told=telling.term,
        dialect=dialect,
        form=form,
    )
    answers = manager.play(f"{game}.{form.replace(' ', '')}.{names}", RoleId(role), seed=4)
    assert len(answers) >= 3
    if names == "upper":
        assert all(answer == answer.upper() for answer in answers)
    assert not [line for line in server.lines if "instead" in line]


@pytest.mark.parametrize(("game", "dialect"), [("tic_tac_toe", "gdl1"), ("kuhn_poker", "new")])
def test_a_move_that_the_manager_put_in_its_place_is_followed(
    server: Server, game: str, dialect: Dialect
) -> None:
    machine, rules = load(game).machine, Scrambling(None, resolve(game).text).rules
    manager = PlainManager(server.port, machine, rules, dialect=dialect, substitute=True)
    # Every answer is checked against what is legal after the substitute.
    assert manager.play(f"{game}.put", RoleId(1), seed=1)


def test_the_same_question_has_the_same_answer(server: Server) -> None:
    manager = PlainManager(server.port, load("tic_tac_toe").machine, TIC_TAC_TOE)
    assert manager.play("one", RoleId(0), seed=2) == manager.play("two", RoleId(0), seed=2)


def test_it_tells_who_it_is_and_whether_it_is_busy(server: Server) -> None:
    for text in ("( INFO )", "info", "(PING)"):
        assert say(server.port, text) == "( ( name Fog ) ( status available ) )"
    for match in ("a", "b"):
        assert say(server.port, f"(START {match} x ({TIC_TAC_TOE}) 120 60)") == "ready"
    assert say(server.port, "(INFO)") == "( ( name Fog ) ( status busy ) )"
    assert say(server.port, f"(START c x ({TIC_TAC_TOE}) 120 60)") == "busy"
    assert say(server.port, "(PLAY c NIL)") == "busy"
    assert say(server.port, "(STOP c NIL)") == "busy"
    assert say(server.port, "(ABORT a)") == "aborted"
    assert say(server.port, "(PLAY a NIL)") == "busy"
    assert say(server.port, "(PLAY b NIL)").startswith("(mark ")
    assert say(server.port, "(STOP b ((mark 1 1) noop))") == "done"


def test_a_start_that_comes_twice_is_answered_twice(server: Server) -> None:
    start = f"(START twice o ({TIC_TAC_TOE}) 120 60)"
    assert say(server.port, start) == "ready"
    assert say(server.port, start) == "ready"
    assert say(server.port, f"(START twice x ({TIC_TAC_TOE}) 120 60)") == "busy"
    assert say(server.port, "(PLAY twice NIL)") == "noop"
    # A manager that begins anew means it.
    assert say(server.port, start) == "ready"
    assert say(server.port, "(PLAY twice NIL)") == "noop"
    assert say(server.port, "(ABORT twice)") == "aborted"


def test_a_preview_is_welcome_and_bad_rules_are_not(server: Server) -> None:
    assert say(server.port, f"(PREVIEW ({TIC_TAC_TOE}) 10)") == "ready"
    assert say(server.port, "(START bad x ((role x)) 120 60)") == "busy"
    assert say(server.port, f"(START bad y ({TIC_TAC_TOE}) 120 60)") == "busy"
    assert "GGP004" in server.line(r"bad: cannot be played: (GGP\d+)")[0]
    assert say(server.port, "(INFO)").endswith("( status available ) )")


@pytest.mark.parametrize(
    ("request_text", "status", "expected"),
    [
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 200, "Fog: a player of general games"),
        ("GET /%28+INFO+%29 HTTP/1.0\r\n\r\n", 200, "( ( name Fog ) ( status available ) )"),
        ("OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\n\r\n", 204, ""),
        ("PUT / HTTP/1.0\r\nContent-Length: 0\r\n\r\n", 405, "by POST"),
        ("POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello", 400, "GGP001"),
        ("POST / HTTP/1.0\r\nContent-Length: 99999999\r\n\r\n", 413, "16,777,216"),
    ],
)
def test_what_is_no_message_has_its_status(
    server: Server, request_text: str, status: int, expected: str
) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(request_text.encode())
        answer = everything(connection).decode()
    assert answer.startswith(f"HTTP/1.1 {status} ")
    assert "access-control-allow-origin: *" in answer.lower()
    assert expected in answer
    assert "Traceback" not in answer


def test_a_port_that_is_taken_and_a_player_that_nobody_knows_are_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = CliRunner().invoke(main, ["serve", "random", "--port", str(taken.getsockname()[1])])
        assert done.exit_code == 2
        assert "GGP003" in done.stderr
        done = CliRunner().invoke(main, ["serve", "nobody", "--port", "0"])
        assert done.exit_code == 2
        assert "PLY002" in done.stderr
        assert "listens" not in done.stderr


def test_once_plays_one_match_within_its_clock_and_ends() -> None:
    with running("uct", "--once") as alone:
        assert say(alone.port, f"(START m x ({TIC_TAC_TOE}) 5 2)") == "ready"
        with socket.create_connection(("127.0.0.1", alone.port), timeout=60.0) as connection:
            connection.sendall(b"POST / HTTP/1.0\r\n\r\n(PLAY m NIL)")
            assert body(everything(connection)).startswith("(mark ")
        # It used the clock, of which a margin takes two fifths at most.
        seconds = float(alone.line(r"after ([\d.]+) s")[1])
        assert seconds > 1.0
        assert say(alone.port, "(STOP m ((mark 1 1) noop))") == "done"
        assert alone.process.wait(timeout=20) == 0


@pytest.mark.parametrize("words", [(), ("--no-ponder",)])
def test_players_think_while_others_move_unless_told_not_to(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: list[bool] = []

    async def served(service: Service, listening: Callable[[int], None]) -> None:
        wanted.append(service.process.ponders)

    monkeypatch.setattr(serving, "serve_until", served)
    assert CliRunner().invoke(main, ["serve", "random", *words]).exit_code == 0
    assert wanted == [not words]
