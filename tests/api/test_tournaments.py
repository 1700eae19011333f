"""Tournaments as objects: planned by arguments, plans and journals, played, resumed and told."""

from __future__ import annotations

import gzip
import math
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import fogspiel as fs
from fogspiel.api.matches.tournament_results import TournamentResults
from fogspiel.core.values import Unit
from made_results import result

OLD = Path(__file__).parents[1] / "fixtures" / "before_rebuilding"
BOTS = """
import fogspiel


class Cautious(fogspiel.Player):
    def choose(self, view, legal, clock):
        return "pass" if "pass" in legal else legal[0]
"""


def codes(caught: pytest.ExceptionInfo[fs.FogspielError]) -> list[str]:
    return [finding.code for finding in caught.value.findings]


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> fs.Tournament:
    """A tournament that was played: a game that was loaded, and a player of one's own."""
    folder = tmp_path_factory.mktemp("league")
    (folder / "bots.py").write_text(BOTS)
    return fs.Tournament(
        fs.load("kuhn_poker"),
        {"careful": "bots.py:Cautious", "random": "random"},
        name="league",
        simulations=2,
        repetitions=2,
        keep_records=True,
        folder=folder,
        journal=folder / "league.db",
    ).play()


def test_everybody_meets_and_results_come_in_the_unit_of_the_game(league: fs.Tournament) -> None:
    results = league.results
    assert (league.planned, results.played, results.finished) == (4, 4, True)
    first, second = results.standings
    assert {first.player, second.player} == {"careful", "random"}
    assert first.payoff is not None
    assert second.payoff is not None
    assert first.payoff == pytest.approx(-second.payoff)
    # The index says that payoff = (goal - 50) / 25, and a share is a goal divided by 100.
    assert first.payoff == pytest.approx((100 * first.share - 50) / 25)
    assert first.interval is not None
    assert first.interval[0] <= first.payoff <= first.interval[1]
    of_first = [
        match.payoffs[role]
        for match in results.matches
        for role, player in match.players.items()
        if player == first.player
    ]
    assert sum(of_first) / len(of_first) == pytest.approx(first.payoff)
    assert {row.role for row in results.by_seat} == {"first", "second"}
    assert [row.player for row in results.ratings] == [first.player, second.player]
    assert str(first).startswith(first.player)
    assert str(results.ratings[0]).startswith(first.player)
    assert results.document()["played"] == 4


def test_a_tournament_says_what_it_is(league: fs.Tournament) -> None:
    assert repr(league) == (
        "Tournament('league', games: kuhn_poker; players: careful, random; 4 of 4 matches played)"
    )
    assert repr(league.results) == "TournamentResults(4 of 4 matches played)"


def test_a_match_is_played_again_from_its_record(league: fs.Tournament) -> None:
    for told in league.results.matches:
        match = league.match(told.number)
        assert match.payoffs == told.payoffs
        assert match.players == told.players
        assert len(match) == told.steps
    with pytest.raises(fs.UsageError) as caught:
        league.match(99)
    assert codes(caught) == ["TOU016"]


def test_a_journal_alone_opens_and_resumes_its_tournament(
    league: fs.Tournament, tmp_path: Path
) -> None:
    assert league.journal is not None
    for name in ("league.db", "bots.py"):
        shutil.copy(league.journal.with_name(name), tmp_path)
    with sqlite3.connect(tmp_path / "league.db") as connection:
        connection.execute("DELETE FROM seats WHERE number = 3")
        connection.execute("DELETE FROM results WHERE number = 3")
    connection.close()
    opened = fs.Tournament.open(tmp_path)
    assert opened.journal == tmp_path / "league.db"
    assert (opened.results.played, opened.results.finished) == (3, False)
    told: list[Any] = []
    opened.play(on_played=told.extend)
    assert [match.number for match in told] == [3]
    assert opened.results.standings == league.results.standings
    assert opened.fingerprint == league.fingerprint
    (tmp_path / "bots.py").write_text(BOTS.replace('"pass"', '"bet"'))
    with pytest.raises(fs.UsageError) as caught:
        fs.Tournament.open(tmp_path).play()
    assert codes(caught) == ["TOU007"]


def test_without_a_journal_results_last_as_long_as_the_object() -> None:
    cup = fs.Tournament("tic_tac_toe", ["first", "random"], simulations=1)
    assert (cup.journal, cup.fingerprint, cup.results.played) == (None, None, 0)
    assert len(cup.play().results) == 2
    with pytest.raises(fs.UsageError) as caught:
        cup.match(0)
    assert codes(caught) == ["TOU016"]


def test_a_plan_in_a_file_is_played_into_the_journal_beside_it(tmp_path: Path) -> None:
    plan = tmp_path / "cup.toml"
    plan.write_text(
        'games = ["tic_tac_toe"]\n[clock]\nsimulations = 1\n'
        '[[players]]\nplayer = "first"\n[[players]]\nplayer = "random"\n'
    )
    cup = fs.Tournament.read(plan)
    assert cup.journal == tmp_path / "cup.db"
    cup.play()
    assert fs.Tournament.read(plan).results.standings == cup.results.standings
    with pytest.raises(fs.UsageError) as caught:
        fs.Tournament.read(plan).play(resume=False)
    assert codes(caught) == ["TOU006"]
    plan.write_text("repetitions = 2\n" + plan.read_text())
    with pytest.raises(fs.UsageError) as caught:
        fs.Tournament.read(plan).play()
    assert codes(caught) == ["TOU007"]
    with pytest.raises(fs.UsageError) as caught:
        len(fs.Tournament.read(plan).results)
    assert codes(caught) == ["TOU007"]


@pytest.mark.parametrize("name", ["finished", "interrupted"])
def test_journals_of_older_versions_still_open(name: str, tmp_path: Path) -> None:
    for packed in OLD.glob(f"{name}.db*.gz"):
        (tmp_path / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    opened = fs.Tournament.open(tmp_path)
    assert opened.planned == 36
    assert opened.results.played == {"finished": 36, "interrupted": 16}[name]
    assert opened.results.standings


def test_a_result_of_several_games_has_shares_and_no_payoffs() -> None:
    told = TournamentResults(
        "mixed",
        [result(0, {"a": 75, "b": 25}, game="one"), result(1, {"a": 100, "b": 0}, game="two")],
        planned=2,
        units={"one": Unit("chips", 50, 25), "two": None},
        table=None,
    )
    (best, _), (in_one, _, in_two, _) = told.standings, told.by_game
    assert (best.payoff, best.interval, best.share) == (None, None, 0.875)
    assert (in_one.payoff, in_two.payoff) == (1.0, 100.0)


class Local(fs.Player):
    """A class at the top level of a module, which other processes import."""

    def choose(self, view: fs.View, legal: Any, clock: fs.Clock) -> str:
        return str(legal[0])


def test_classes_of_modules_enter_by_their_place() -> None:
    entry = fs.Tournament("kuhn_poker", [Local, "random"]).plan.players[0]
    assert (entry.name, entry.player) == ("Local", "test_tournaments:Local")

    class Hidden(Local):
        pass

    with pytest.raises(ValueError, match="put it at the top level of a file"):
        fs.Tournament("kuhn_poker", [Hidden, "random"])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"seconds": 1.0, "simulations": 5}, "MAT004"),
        ({"start_seconds": 1.0}, "MAT004"),
        ({"repetitions": 0}, "TOU003"),
        ({"repetitions": 1.5}, "TOU003"),
        ({"seed": -1}, "TOU003"),
        ({"grace_seconds": math.nan}, "TOU003"),
        ({"match_seconds": 0}, "TOU003"),
        ({"format": "knockout"}, "TOU003"),
        ({"format": "swiss"}, "TOU003"),
        ({"rounds": 3}, "TOU003"),
        ({"name": ""}, "TOU003"),
        ({"games": []}, "TOU003"),
        ({"games": ["kuhn_poker", "kuhn_poker"]}, "TOU003"),
        ({"games": "kuhn_pokr"}, "GAM001"),
        ({"games": "smallest"}, "TOU004"),
        ({"players": []}, "TOU003"),
        ({"players": [{"name": "x", "player": own} for own in ("first", "random")]}, "TOU003"),
        ({"players": [{"name": "x"}, "random"]}, "TOU003"),
        ({"players": [{"player": "uct", "simulation": 3}, "random"]}, "TOU002"),
        ({"players": [{"name": "far", "url": "http://127.0.0.1:9147"}, "random"]}, "TOU003"),
        ({"repetitions": 1_000_000}, "TOU005"),
    ],
)
def test_what_cannot_be_planned_is_refused(arguments: dict[str, Any], code: str) -> None:
    with pytest.raises(fs.FogspielError) as caught:
        fs.Tournament(**{"games": "kuhn_poker", "players": ["first", "random"], **arguments})
    assert codes(caught) == [code]


@pytest.mark.parametrize(
    "arguments",
    [
        {"seconds": math.nan},
        {"seconds": -1.0},
        {"seconds": math.inf},
        {"simulations": 0},
        {"seconds": 1.0, "start_seconds": 0.0},
    ],
)
def test_a_clock_must_be_a_number_above_nothing(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be a"):
        fs.Tournament("kuhn_poker", ["first", "random"], **arguments)


@pytest.mark.parametrize("player", [7, None, Local()])
def test_what_is_no_player_of_a_tournament_is_refused(player: Any) -> None:
    with pytest.raises(TypeError, match="takes players by name"):
        fs.Tournament("kuhn_poker", [player, "random"])


@pytest.mark.parametrize(("player", "code"), [("nobody", "PLY002"), ("human", "PLY003")])
def test_nothing_is_written_for_players_that_nobody_knows(
    player: str, code: str, tmp_path: Path
) -> None:
    cup = fs.Tournament("kuhn_poker", [player, "random"], journal=tmp_path / "cup.db")
    with pytest.raises(fs.UsageError) as caught:
        cup.play()
    assert codes(caught) == [code]
    assert cup.results.played == 0
    with pytest.raises(ValueError, match="jobs must be at least 1; got 0"):
        cup.play(jobs=0)


DAMAGE = {
    "UPDATE tournament SET plan = 'nothing'": "the plan in it cannot be read",
    'UPDATE tournament SET plan = \'{"plan": {}, "rules": {}}\'': "the plan in it cannot be read",
    "UPDATE seats SET faults = 'nothing' WHERE number = 1": "it is damaged",
    "UPDATE seats SET goal = NULL WHERE number = 1": "match 1 is not whole",
    "DELETE FROM seats WHERE number = 1 AND seat = 0": "match 1 is not whole",
    "DELETE FROM tournament": "what it should begin with is missing",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_journal_is_told(league: fs.Tournament, damage: str, tmp_path: Path) -> None:
    assert league.journal is not None
    path = Path(shutil.copy(league.journal, tmp_path))
    with sqlite3.connect(path) as connection:
        connection.execute(damage)
    connection.close()
    with pytest.raises(fs.UsageError, match=DAMAGE[damage]) as caught:
        fs.Tournament.open(path)
    assert codes(caught) == ["TOU008"]


def test_a_damaged_record_is_told(league: fs.Tournament, tmp_path: Path) -> None:
    assert league.journal is not None
    path = Path(shutil.copy(league.journal, tmp_path))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE results SET record = x'00' WHERE number = 0")
    connection.close()
    with pytest.raises(fs.UsageError, match="the record of match 0 is damaged"):
        fs.Tournament.open(path).match(0)


def test_a_folder_must_have_one_journal(league: fs.Tournament, tmp_path: Path) -> None:
    with pytest.raises(fs.UsageError, match="it holds none"):
        fs.Tournament.open(tmp_path)
    assert league.journal is not None
    for name in ("a.db", "b.db"):
        shutil.copy(league.journal, tmp_path / name)
    with pytest.raises(fs.UsageError, match=r"several in it, a\.db, b\.db"):
        fs.Tournament.open(tmp_path)
