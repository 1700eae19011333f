"""`fogspiel results`: tables, files and refusals, of journals in every condition."""

from __future__ import annotations

import csv
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from commands import document, run, written

import fogspiel
from fogspiel.core.source import Source
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.ratings.summary import summary_of
from fogspiel.play.tournament.formats import schedule_of
from fogspiel.play.tournament.journal import Journal, open_journal
from fogspiel.play.tournament.plan import GameRules, PlayerPlan, TournamentPlan
from fogspiel.play.tournament.schedule import MatchResult, PlayedMatch
from made_results import drawn_by_strength, result

PLAYERS = ("a", "b", "c")
SOME = drawn_by_strength({"a": 1.0, "b": 0.0, "c": -1.0}, matches=20, seed=1)


@contextmanager
def opened(
    path: Path, players: tuple[str, ...] = PLAYERS, name: str = "spring"
) -> Iterator[Journal]:
    """The journal of a tournament of 30 matches, to be added to."""
    rules = GameRules(
        name="toss", sources=(Source("toss.gdl", "(role first)"),), roles=("first", "second")
    )
    plan = TournamentPlan(
        name=name,
        seed=7,
        games=("toss",),
        players=tuple(PlayerPlan(name=player, player="uct") for player in players),
        clock=MatchClocks(simulations=50),
        repetitions=5,
    )
    with open_journal(path, plan, [rules], schedule_of(plan, [rules]), resume=True) as journal:
        yield journal


def journal_of(folder: Path, results: list[MatchResult]) -> Path:
    path = folder / "spring.db"
    with opened(path) as journal:
        journal.add([PlayedMatch(result=own) for own in results])
    return path


def test_tables_are_printed_with_how_much_was_played(tmp_path: Path) -> None:
    done = run("results", str(journal_of(tmp_path, SOME)))
    assert done.exit_code == 0
    assert done.output.startswith(
        "spring: 20 of 30 matches played; the tournament is not finished\n"
    )
    best = summary_of(SOME).standings[0]
    row = next(line for line in done.output.splitlines() if line.split()[:2] == ["1", best.player])
    assert row.split()[2:4] == [str(best.matches), f"{best.mean_share:.3f}"]
    for title in ("Standings", "Ratings", "Cross table"):
        assert title in done.output
    assert "By game" not in done.output
    # Sentences are not wrapped where they go to a file, and end in a full stop.
    table = [line.rstrip() for line in done.output.splitlines() if not line.endswith(".")]
    assert max(map(len, table)) <= 80


def test_standings_are_told_by_game_or_by_seat_if_asked(tmp_path: Path) -> None:
    path = str(journal_of(tmp_path, SOME))
    by_game, by_seat = (run("results", path, "--by", part).output for part in ("game", "seat"))
    assert "By game\n" in by_game
    assert "second" not in by_game
    assert "By game and seat\n" in by_seat
    assert by_seat.count(" second ") == 3


def test_the_document_holds_what_the_summary_does(tmp_path: Path) -> None:
    told = document("results", str(journal_of(tmp_path, SOME)))
    summary = summary_of(SOME, planned=30)
    assert (told["tournament"], told["played"], told["planned"]) == ("spring", 20, 30)
    assert told["finished"] is False
    assert [own["player"] for own in told["standings"]] == list(summary.players)
    first = told["ratings"]["players"][0]
    rating = summary.ratings.ratings[0]
    assert (first["player"], first["elo"]) == (rating.player, rating.elo)
    assert rating.interval is not None
    assert first["ci95"] == list(rating.interval)
    assert told["skills"][0]["mu"] == summary.skills[0].mu
    assert len(told["cross"]) == 6
    assert len(told["differences"]) == 3
    assert {own["role"] for own in told["by_seat"]} == {"first", "second"}
    assert told["failures"] == []


def test_a_report_and_a_csv_file_are_written(tmp_path: Path) -> None:
    page, rows = tmp_path / "report.html", tmp_path / "rows.csv"
    path = journal_of(tmp_path, [*SOME, result(20, {"a": 0, "b": 0}, failed="crashed\x1b[2J")])
    done = run("results", str(path), "--report", str(page), "--csv", str(rows))
    assert done.exit_code == 0
    assert f"wrote {page}" in done.output
    # An escape sequence must not reach the terminal.
    assert "match 20 (toss) failed: crashed\N{REPLACEMENT CHARACTER}[2J" in done.output
    text = page.read_text(encoding="utf-8")
    for part in ("spring", "a (uct), b (uct), c (uct)", "50 simulations a move", "crashed"):
        assert part in text
    with rows.open(encoding="utf-8", newline="") as stream:
        table = list(csv.DictReader(stream))
    assert len(table) == 42
    winner = next(row for row in table if row["outcome"] == "win")
    assert (winner["goal"], winner["share"]) == ("100", "1.0")
    assert [(row["goal"], row["failed"]) for row in table[-2:]] == [("", "crashed\x1b[2J")] * 2


def test_a_journal_can_be_read_while_its_tournament_writes(tmp_path: Path) -> None:
    path = tmp_path / "spring.db"
    with opened(path) as journal:
        assert document("results", str(path))["played"] == 0
        assert "0 of 30 matches played" in run("results", str(path)).output
        journal.add([PlayedMatch(result=own) for own in SOME[:3]])
        assert document("results", str(path))["played"] == 3
        # And reading keeps nobody from writing.
        journal.add([PlayedMatch(result=own) for own in SOME[3:5]])
    assert document("results", str(path))["played"] == 5


def test_reading_changes_no_byte_of_a_journal(tmp_path: Path) -> None:
    path = journal_of(tmp_path, SOME)
    before = path.read_bytes()
    run("results", str(path), "--report", str(tmp_path / "report.html"))
    assert path.read_bytes() == before


def test_a_finished_tournament_is_not_called_unfinished(tmp_path: Path) -> None:
    results = drawn_by_strength({"a": 1.0, "b": 0.0, "c": -1.0}, matches=30, seed=1)
    done = run("results", str(journal_of(tmp_path, results)))
    assert done.output.startswith("spring: 30 of 30 matches played\n")


def test_unbeaten_players_and_groups_are_explained(tmp_path: Path) -> None:
    path = tmp_path / "groups.db"
    with opened(path, players=("a", "b", "x", "y")) as journal:
        pairs = [{"a": 100, "b": 0}, {"x": 50, "y": 50}]
        journal.add([PlayedMatch(result=result(n, own)) for n, own in enumerate(pairs)])
    output = run("results", str(path)).output
    assert "the prior sets their distance" in output
    assert "No matches connect the groups" in output


@pytest.mark.parametrize("content", [None, b"", b"no database at all, but long enough to look at"])
def test_a_bad_file_is_refused_with_a_reason(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "bad.db"
    if content is not None:
        path.write_bytes(content)
    done = run("results", str(path))
    assert done.exit_code == 2
    assert "TOU008" in done.stderr
    assert "is no journal of a tournament" in done.stderr
    assert document("results", str(path), code=2)["ok"] is False


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE birds (name TEXT)")
    connection.close()
    assert "TOU008" in run("results", str(path)).stderr


@pytest.mark.parametrize("option", ["--report", "--csv"])
def test_the_journal_itself_is_never_overwritten(tmp_path: Path, option: str) -> None:
    path = journal_of(tmp_path, SOME)
    link = tmp_path / "link.html"
    link.symlink_to(path)
    before = path.read_bytes()
    for target in (path, link):
        done = run("results", str(path), option, str(target))
        assert done.exit_code == 2
        assert "is the journal itself" in done.stderr
    assert path.read_bytes() == before


def test_a_place_that_cannot_be_written_is_an_error_of_the_place(tmp_path: Path) -> None:
    path = journal_of(tmp_path, SOME)
    done = run("results", str(path), "--report", str(tmp_path / "nowhere" / "report.html"))
    assert done.exit_code == 1
    assert "CLI005" in done.stderr
    assert "nowhere" in done.stderr


def test_a_finished_journal_can_be_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    path = journal_of(tmp_path, SOME)
    # A link to nowhere in the place of the file that SQLite wants: to root, nothing is forbidden.
    path.with_name("spring.db-shm").symlink_to(tmp_path / "nowhere" / "at all")
    with pytest.raises(sqlite3.OperationalError):
        sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True).execute("SELECT * FROM results")
    assert document("results", str(path))["played"] == 20


def cup(folder: Path, **settings: Any) -> Path:
    """The journal of a tournament that was played, with records."""
    path = folder / "cup.db"
    players = {"sure": "first", "bad": f"{written(folder, CLUMSY, 'clumsy.py')}:Clumsy"}
    tournament = fogspiel.Tournament(
        "tic_tac_toe", players, simulations=1, journal=path, keep_records=True, **settings
    )
    tournament.play()
    return path


CLUMSY = """\
import fogspiel


class Clumsy(fogspiel.Player):
    def choose(self, view, legal, clock):
        return "nowhere"
"""


def test_one_match_is_told_and_its_record_written(tmp_path: Path) -> None:
    journal = str(cup(tmp_path))
    shown = run("results", journal, "--match", "1").output
    assert shown.startswith("tournament, match 1: tic_tac_toe, ")
    record = str(tmp_path / "one.jsonl")
    told = document("results", journal, "--match", "1", "--record", record)
    assert told["number"] == 1
    assert told["files"] == [record]
    assert fogspiel.Match.open(record).payoffs == told["payoffs"]
    missing = run("results", journal, "--match", "99")
    assert (missing.exit_code, "TOU016" in missing.stderr) == (2, True)
    assert run("results", journal, "--record", record).exit_code == 2


def test_a_fault_is_a_loss_where_the_plan_says_so(tmp_path: Path) -> None:
    # Every move of the clumsy player is a fault; moves that were drawn may still win.
    journal = cup(tmp_path, faults="loss", repetitions=3)
    sure, bad = fogspiel.Tournament.open(journal).results.standings
    assert (sure.player, sure.share, sure.wins) == ("sure", 1.0, 6)
    assert (bad.player, bad.share, bad.losses) == ("bad", 0.0, 6)
    with pytest.raises(fogspiel.UsageError, match="faults is 'win'"):
        fogspiel.Tournament("kuhn_poker", ["first", "random"], faults="win")


def test_a_report_opens_with_the_standings_and_lists_matches_with_their_moves(
    tmp_path: Path,
) -> None:
    page = fogspiel.Tournament.open(cup(tmp_path)).report()
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    assert titles[0] == "Standings"
    assert titles.index("Matches") < titles.index("Settings")
    match = fogspiel.Tournament.open(tmp_path / "cup.db").match(0)
    first = ", ".join(match.steps[0].moves.values())
    assert f"1. {first}" in page
