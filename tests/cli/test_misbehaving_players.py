"""Whatever players do, matches go on, faults are counted, and documents stay documents."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import call, document, run

BAD = """\
import os
import time

import fogspiel


class Raises(fogspiel.Player):
    def choose(self, view, legal, clock):
        return legal[1 // 0]


class Sleeps(fogspiel.Player):
    def choose(self, view, legal, clock):
        time.sleep(600)


class Babbles(fogspiel.Player):
    def choose(self, view, legal, clock):
        return {"bet": 0.3, "raise": 0.7}


class Prints(fogspiel.Player):
    def choose(self, view, legal, clock):
        print("{", flush=True)
        os.system("echo from a shell; echo and an error >&2")
        return legal[0]


class Forks(fogspiel.Player):
    def choose(self, view, legal, clock):
        for _ in range(3):
            if not os.fork():
                print("a child", flush=True)
                time.sleep(600)
        return legal[0]


class Eats(fogspiel.Player):
    def choose(self, view, legal, clock):
        food = []
        while True:
            food.append(bytearray(1 << 26))


class Dies(fogspiel.Player):
    def choose(self, view, legal, clock):
        os._exit(3)


class Chatters(fogspiel.PythonGame):
    roles = ("one", "other")

    def initial(self):
        print("a game begins", flush=True)
        return 0

    def legal(self, state, role):
        return ["left", "right"] if state < 2 else []

    def next(self, state, joint):
        return state + 1

    def payoffs(self, state):
        return [1, 0]
"""
FAULTS = {
    "Raises": ("error", "ZeroDivisionError: integer division or modulo by zero"),
    "Sleeps": ("timeout", "no answer within "),
    "Babbles": ("illegal_move", "'raise'"),
    "Eats": ("error", "MemoryError"),
    "Dies": ("error", "its process ended with code 3"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "bad.py").write_text(BAD)
    return tmp_path


def played(name: str, *, seconds: str = "2") -> dict[str, Any]:
    """The document of two games against `first`, with the player in a process of its own."""
    words = ("--games", "2", "--swap", "--seconds", seconds, "--isolate", "--seed", "3")
    return document("match", "kuhn_poker", f"bad.py:{name}", "first", *words)


@pytest.mark.parametrize("name", FAULTS)
def test_a_match_goes_on_and_faults_are_counted_by_kind(
    folder: Path, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    kind, _ = FAULTS[name]
    bad, good = played(name, seconds="0.3" if name == "Sleeps" else "2")["totals"]
    assert set(bad["faults"]) == {kind}
    assert bad["faults"][kind] == bad["replaced"] > 0
    assert (good["faults"], good["replaced"]) == ({}, 0)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["Prints", "Forks"])
def test_isolated_players_neither_print_nor_disturb(
    folder: Path, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert [row["faults"] for row in played(name)["totals"]] == [{}, {}]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["Raises", "Babbles"])
def test_the_first_fault_is_told_in_words(folder: Path, name: str) -> None:
    words = ("--games", "2", "--simulations", "1", "--isolate")
    printed = run("match", "kuhn_poker", f"bad.py:{name}", "first", *words).output
    kind, said = FAULTS[name]
    assert f"bad.py:{name} made " in printed
    assert f"({kind} " in printed
    assert said in printed


def test_what_players_and_games_print_is_no_part_of_a_document(folder: Path) -> None:
    words = ("--games", "2", "--simulations", "1", "--json")
    done = call("match", "bad.py:Chatters", "bad.py:Prints", "first", *words)
    assert done.returncode == 0
    assert json.loads(done.stdout)["players"] == ["bad.py:Prints", "first"]
    assert {"a game begins", "{", "from a shell", "and an error"} <= set(done.stderr.splitlines())


def test_errors_are_documents_too_where_a_player_printed(folder: Path) -> None:
    (folder / "bad.py").write_text(BAD.replace("return legal[1 // 0]", "print('x'); 1 // 0"))
    found = run("match", "kuhn_poker", "bad.py:Raises", "first", "--simulations", "1", "--json")
    assert found.exit_code == 1
    assert json.loads(found.stdout)["findings"][0]["code"] == "PLY035"
    assert found.stderr.startswith("x\n")


def test_what_they_print_is_shown_where_a_person_reads(folder: Path) -> None:
    words = ("--games", "2", "--simulations", "1")
    printed = run("match", "bad.py:Chatters", "bad.py:Prints", "first", *words).stdout
    assert "a game begins" in printed
    assert "bad.py:Chatters: 2 games" in printed
