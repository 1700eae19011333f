"""A class: every file is tried under limits, those that work play, and everybody is told."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import document, run

PLAYER = """\
import fogspiel


class {name}(fogspiel.Player):
    def choose(self, view, legal, clock):
        {choice}
"""
FILES = {
    "ann.py": PLAYER.format(name="Ann", choice="return legal[0]"),
    "bob/player.py": PLAYER.format(name="Bob", choice='return "no move"'),
    "cleo.py": PLAYER.format(name="Cleo", choice="return legal[len(legal)]"),
    "dan.py": "import fogspeil\n",
    "eve.py": PLAYER.format(name="Eve", choice="return ("),
    "fay.py": "print('hello')\nimport os\nos._exit(3)\n",
    "gus.py": "number = 3\n",
    "hal.py": PLAYER.format(name="Hal", choice="return legal[0]")
    + "\n    def __init__(self, depth):\n        self.depth = depth\n",
    "test_ann.py": "raise AssertionError('no file of a player')\n",
}
WORDS = ("class", "students", "--game", "kuhn_poker", "--simulations", "1")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder in which the class is, as the current one."""
    before, folder = Path.cwd(), tmp_path_factory.mktemp("class")
    for name, text in FILES.items():
        path = folder / "students" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    os.chdir(folder)
    yield folder
    os.chdir(before)


@pytest.fixture(scope="module")
def told(place: Path) -> dict[str, Any]:
    """What the command prints. It is played once for all tests."""
    return document(*WORDS, "--out", "results", "--seed", "1")


def report(place: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place / f"results/reports/{name}.json").read_text())
    return found


def test_all_that_can_be_made_take_part_and_random_with_them(told: dict[str, Any]) -> None:
    assert told["results"]["finished"]
    assert {row["player"] for row in told["results"]["standings"]} == {
        "ann", "bob", "cleo", "random",
    }  # fmt: skip
    assert told["results"]["failures"] == []


def test_files_that_do_not_load_are_told_with_their_error_and_line(
    told: dict[str, Any], place: Path
) -> None:
    errors = {one["name"]: one["error"] for one in told["submissions"] if one["error"]}
    assert {name: (own["code"], own["line"]) for name, own in errors.items()} == {
        "dan": ("OWN003", 1),
        "eve": ("OWN003", 6),
        "fay": ("PLY036", None),
        "gus": ("PLY038", None),
        "hal": ("PLY033", None),
    }
    assert "No module named 'fogspeil'" in errors["dan"]["message"]
    assert "its process ended with code 3" in errors["fay"]["message"]
    page = (place / "results/reports/eve.md").read_text()
    assert "students/eve.py:6" in page
    assert "return (" in page
    standings = (place / "results/standings.md").read_text()
    assert "| ann |" in standings
    assert "- **gus**: students/gus.py has no class of a player" in standings


def test_a_report_has_the_position_the_legal_moves_and_the_lines_of_the_code(
    told: dict[str, Any], place: Path
) -> None:
    own = report(place, "cleo")
    assert own["tournament"]["faults"]["error"] >= len(own["tournament_faults"]) > 0
    (fault, *_), *_ = own["trial"]["faults"], None
    assert fault["kind"] == "error"
    assert fault["text"] == "IndexError: tuple index out of range"
    assert fault["trace"] == ["students/cleo.py:6 in choose: return legal[len(legal)]"]
    assert sorted(fault["legal"]) == ["bet", "pass"]
    assert fault["played"] in fault["legal"]
    assert len(fault["view"]) == fault["step"] - 1
    page = (place / "results/reports/cleo.md").read_text()
    assert "students/cleo.py:6 in choose: return legal[len(legal)]" in page
    assert fault["view"][0] in page
    assert "no move" in report(place, "bob")["tournament_faults"][0]["text"]
    assert report(place, "ann")["tournament_faults"] == []


def test_a_report_tells_nothing_that_its_player_could_not_know(
    told: dict[str, Any], place: Path
) -> None:
    seen = 0
    for name in ("bob", "cleo"):
        own = report(place, name)
        for fault in own["tournament_faults"] + own["trial"]["faults"]:
            other = {"first": "second", "second": "first"}[fault["role"]]
            text = json.dumps(fault)
            assert f"holds {other}" not in text
            seen += f"holds {fault['role']}" in text
    assert seen > 0


def test_results_are_not_written_over_but_gone_on_with(told: dict[str, Any], place: Path) -> None:
    before = (place / "results/standings.md").read_text()
    done = run(*WORDS, "--out", "results", "--seed", "1")
    assert done.exit_code == 2
    assert "TOU017 error: the folder results is not empty" in done.output
    again = run(*WORDS, "--out", "results", "--seed", "1", "--resume")
    assert again.exit_code == 0
    assert "students: 12 of 12 matches played" in again.output
    assert "hal does not take part: PLY033" in again.output
    assert (place / "results/standings.md").read_text() == before


def test_a_folder_without_players_is_refused(place: Path) -> None:
    (place / "empty").mkdir(exist_ok=True)
    done = run("class", "empty", "--game", "kuhn_poker")
    assert done.exit_code == 2
    assert "TOU018 error: empty is no class: it has no files in Python" in done.output
    assert not (place / "class-results").exists()
