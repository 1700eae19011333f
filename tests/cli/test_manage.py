"""`fogspiel manage`: players at URLs and our own, in tables, documents and records."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from commands import document, run, written

CLOCKS = ("--start-clock", "5", "--play-clock", "3")
GAME = """
(role white) (role black) (init (round 1)) (succ 1 2) (succ 2 3)
(<= (legal ?r (take ?x)) (role ?r) (thing ?x)) (thing a) (thing b)
(<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
(<= (next (has ?r ?x)) (does ?r (take ?x)))
(<= terminal (true (round 3)))
(<= (goal ?r 100) (true (has ?r a))) (<= (goal ?r 0) (role ?r) (not (true (has ?r a))))
"""


@contextmanager
def listening(move: str = "(take a)", pause: float = 0.0) -> Iterator[tuple[str, list[str]]]:
    """A player on Python's own HTTP server: its URL, and the messages that it got."""
    heard: list[str] = []
    over = threading.Event()

    class Player(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            heard.append(text)
            keyword = re.split(r"[\s()]+", text)[1]
            over.wait(pause if keyword == "PLAY" else 0.0)
            info = "((name plain) (status available))"
            replies = {"START": "ready", "PLAY": move, "STOP": "done", "INFO": info}
            replies["ABORT"] = "aborted"
            body = replies[keyword].encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/acl")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Player)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", heard
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def test_players_anywhere_play_and_results_are_told(tmp_path: Path) -> None:
    game = written(tmp_path, GAME)
    with listening() as (url, heard), listening("(take b)") as (other, _):
        answer = document("manage", game, "--players", url, other, "--matches", "4", "--swap")
    assert [player["name"] for player in answer["players"]] == ["plain", "plain"]
    assert [player["dialect"] for player in answer["players"]] == ["gdl1", "gdl1"]
    assert [player["url"] for player in answer["players"]] == [url, other]
    assert answer["faults"] == [{}, {}]
    first, second = answer["totals"]
    assert (first["wins"], second["losses"], first["games"]) == (4, 4, 4)
    assert first["ci95"] == [100.0, 100.0]
    keywords = [text.split()[0].strip("()") for text in heard]
    assert keywords == ["INFO"] + ["START", "PLAY", "PLAY", "STOP"] * 4
    assert heard[1].endswith(" 30 10)")


def test_a_table_shows_players_results_and_faults(tmp_path: Path) -> None:
    game = written(tmp_path, GAME)
    with listening("(take c)") as (url, _):
        result = run("manage", game, "--players", url, "first", *CLOCKS)
    assert result.exit_code == 0, result.output
    lines = [line.split() for line in result.output.splitlines()]
    assert ["plain", "illegal_move", "2"] in lines
    assert f"player 1: plain at {url}, in gdl1" in result.output
    assert "player 2: first, in this process" in result.output
    with listening() as (url, _):
        result = run("manage", game, "--players", url, "first", *CLOCKS)
    assert "no faults" in result.output


def test_a_record_can_be_replayed(tmp_path: Path) -> None:
    records = tmp_path / "records"
    answer = document(
        "manage", "kuhn_poker", "--players", "random", "random", *CLOCKS,
        "--record", str(records), "--matches", "2", "--seed", "5",
    )  # fmt: skip
    assert answer["payoff_unit"] == "chips"
    paths = sorted(records.iterdir())
    assert [path.name for path in paths] == ["kuhn_poker-0001.jsonl", "kuhn_poker-0002.jsonl"]
    heading = json.loads(paths[0].read_text().splitlines()[0])
    assert heading["clocks"] == {"start_seconds": 5, "turn_seconds": 3, "simulations": None}
    goals = [document("replay", str(path))["goals"] for path in paths]
    first = answer["results"][0]
    assert sum(own["first"] for own in goals) / 2 == first["mean_goal"]


def test_a_game_in_another_language_is_translated_and_its_rules_kept(tmp_path: Path) -> None:
    records = tmp_path / "records"
    answer = document(
        "manage", "kuhn_poker_pogddl", "--players", "random", "random", *CLOCKS,
        "--record", str(records),
    )  # fmt: skip
    assert answer["faults"] == [{}, {}]
    names = sorted(path.name for path in records.iterdir())
    assert names == ["kuhn_poker_pogddl-0001.jsonl", "kuhn_poker_pogddl.gdl"]
    replayed = document("replay", str(records / names[0]))
    assert replayed["goals"]["first"] == answer["results"][0]["mean_goal"]
    # A chip is a chip in either language.
    assert {abs(result["mean_payoff"]) for result in answer["results"]} <= {1.0, 2.0}


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["--players", "http://0x7f.1:9147", "random"], "NET001", 2),
        (["--players", "http://10.0.0.1:9147", "random"], "NET002", 2),
        (["--players", "http://169.254.169.254:80", "random", "--allow-remote"], "NET002", 2),
        (["--players", "http://127.0.0.1:1", "random"], "MAN002", 1),
        (["--players", "http://127.0.0.1:1", "random", "--dialect", "gdl2"], "MAN001", 2),
        (["--players", "random", "random", "--dialect", "auto", "--dialect", "auto",
          "--dialect", "auto"], "MAN003", 2),
        (["--players", "random"], "MAT003", 2),
        (["--players", "random", "nobody"], "PLY002", 2),
        (["--players", "random", "random", "--matches", "3", "--swap"], "MAT006", 2),
        (["--players"], "CLI001", 2),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_its_code(
    arguments: list[str], code: str, exit_code: int
) -> None:
    answer = document("manage", "tic_tac_toe", *arguments, code=exit_code)
    assert [finding["code"] for finding in answer["findings"]] == [code]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_is_told_to_the_players(number: signal.Signals, tmp_path: Path) -> None:
    records = tmp_path / "records"
    with listening(pause=600.0) as (url, heard):
        process = subprocess.Popen(
            [
                sys.executable, "-m", "fogspiel.cli", "manage", written(tmp_path, GAME),
                "--players", url, "first", "--record", str(records),
            ],
            stderr=subprocess.PIPE,
        )  # fmt: skip
        deadline = time.monotonic() + 600
        while not any("PLAY" in text for text in heard) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(number)
        _, said = process.communicate(timeout=300)
    assert (process.returncode, said.strip()) == (130, b"interrupted")
    assert heard[-1].startswith("(ABORT ")
    (record,) = records.iterdir()
    assert json.loads(record.read_text().splitlines()[-1])["aborted"] == "interrupted"


def test_our_server_plays_our_manager_in_a_game_that_hides() -> None:
    """Probed, scrambled and in upper case."""
    command = [sys.executable, "-m", "fogspiel.cli", "serve", "random", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            port = re.search(r"port (\d+)", server.stderr.readline())
            assert port is not None
            answer = document(
                "manage", "kuhn_poker", "--players", f"http://127.0.0.1:{port[1]}", "first",
                "--scramble", "--upper", "--start-clock", "20", "--play-clock", "10",
            )  # fmt: skip
        finally:
            server.terminate()
    assert [player["dialect"] for player in answer["players"]] == ["gdl2", None]
    assert answer["faults"] == [{}, {}]
