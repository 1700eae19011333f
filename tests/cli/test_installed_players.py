"""Players of an installed package are named like all others, in every process."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import call

CLUB = """\
import fogspiel


class Cautious(fogspiel.Player):
    def __init__(self, boldness=0.0, order="pass", name="nobody"):
        self.boldness, self.order, self.name = boldness, order.split(","), name

    def choose(self, view, legal, clock):
        if self.name != "nobody":
            raise ValueError(f"{self.boldness} {self.order} {self.name}")
        return min(legal, key=lambda move: (move not in self.order, str(move)))


class Fails(Cautious):
    def choose(self, view, legal, clock):
        return legal[7]
"""
ENTRY_POINTS = """\
[fogspiel.players]
cautious = club_bots.poker:Cautious
fails = club_bots.poker:Fails
gone = club_bots.nowhere:Cautious
first = club_bots.poker:Fails
"""
PLAN = """\
games = ["kuhn_poker"]
[clock]
simulations = 1
[[players]]
player = "cautious,order=[bet,pass],boldness=0.3"
[[players]]
name = "bad luck"
player = "fails"
[[players]]
player = "first"
"""
FEW = ("--games", "4", "--simulations", "1", "--seed", "1")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a package is installed, as a wheel would lay it down."""
    site = tmp_path_factory.mktemp("site")
    package, about = site / "club_bots", site / "club_bots-1.0.dist-info"
    package.mkdir()
    about.mkdir()
    (package / "__init__.py").write_text("")
    (package / "poker.py").write_text(CLUB)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: club-bots\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    (site / "league.toml").write_text(PLAN)
    return site


def environment(place: Path) -> dict[str, str]:
    """The environment of a process for which the package is installed."""
    searched = [str(place), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(searched)}


def told(place: Path, *words: str) -> str:
    """What a command prints where the package is installed; it must succeed."""
    done = call(*words, environment=environment(place))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_they_are_listed_without_running_their_code(place: Path) -> None:
    listed = {own["name"]: own for own in json.loads(told(place, "players", "--json"))["players"]}
    assert listed["cautious"]["what"] == "is club_bots.poker:Cautious of an installed package"
    assert listed["cautious"]["source"] == "club-bots"
    # It cannot be loaded, and nobody has tried.
    assert "gone" in listed
    # A name of Fogspiel keeps its meaning.
    assert "club_bots" not in listed["first"]["what"]


def test_they_play_matches_by_name_with_settings_in_brackets(place: Path) -> None:
    bets = "cautious,order=[bet,pass]"
    text = told(place, "match", "kuhn_poker", bets, "first", *FEW, "--json")
    own = json.loads(text)
    ours = json.loads(told(place, "match", "kuhn_poker", "first", "first", *FEW, "--json"))
    assert own["players"] == [bets, "first"]
    # The first of the legal moves of Kuhn poker is the bet.
    assert [row["mean_goal"] for row in own["results"]] == [
        row["mean_goal"] for row in ours["results"]
    ]


ANSWERS = {
    # Settings are numbers, truth or text; commas in brackets separate nothing.
    "cautious,name=[a,(b,c)],boldness=2": "ValueError: 2 ['pass'] a,(b,c)",
    "cautious,boldness=1e-1,name=(x,y),order=[]": "ValueError: 0.1 [''] (x,y)",
    "cautious:boldness=true,name=me": "ValueError: True ['pass'] me",
    "cautious:bold": "PLY021 error: the player cautious cannot use 'bold'",
    "cautious,boldnes=1": "it takes boldness, order, name; write cautious,key=value",
    "cautios": "did you mean cautious or ",
    "gone": "PLY030 error: the player gone cannot be loaded from club_bots.nowhere:Cautious",
}
PROGRAM = """
import sys
import fogspiel
game = fogspiel.load("kuhn_poker")
for name in sys.argv[1:]:
    try:
        game.match(name, "first", simulations=1)
    except fogspiel.FogspielError as error:
        print(repr(str(error)))
"""


def test_settings_are_read_and_refused_as_those_of_all_players(place: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *ANSWERS],
        env=environment(place),
        capture_output=True,
        text=True,
        check=True,
    )
    printed = done.stdout.splitlines()
    assert len(printed) == len(ANSWERS)
    for (name, said), line in zip(ANSWERS.items(), printed, strict=True):
        assert said in ast.literal_eval(line), name
        assert ("club_bots/poker.py:10:" in line) is said.startswith("ValueError")


def test_they_enter_tournaments_in_processes_of_their_own(place: Path) -> None:
    plan = str(place / "league.toml")
    found = json.loads(told(place, "tournament", plan, "--json"))
    rows = {row["player"]: row for row in found["standings"]}
    assert set(rows) == {"cautious,order=[bet,pass],boldness=0.3", "bad luck", "first"}
    assert set(rows["bad luck"]["faults"]) == {"error"}
    assert found["failures"] == []
    assert all(row["faults"] == {} for name, row in rows.items() if name != "bad luck")
