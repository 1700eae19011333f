"""Matches on processes: the same as in one, whatever happens to these."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from bad_worlds import Deadly, load_or_die_once, load_or_worse
from plans import PLAYERS, assignment_of, tournament_of

from fogspiel.core.findings import LimitError
from fogspiel.play.tournament import local_processes
from fogspiel.play.tournament.journal import open_journal, read_journal
from fogspiel.play.tournament.local_processes import play_on_processes
from fogspiel.play.tournament.match_runner import MatchRunner
from fogspiel.play.tournament.schedule import MatchResult, PlayedMatch, ScheduledMatch
from fogspiel.play.tournament.tournament import Tournament, WorkerAssignment, run_matches

BAD = ("killed", "hungry", "faulty", "endless")


def timeless(result: MatchResult) -> MatchResult:
    return replace(result, seconds=0.0)


def results_by_number(
    matches: Sequence[ScheduledMatch], assignment: WorkerAssignment, jobs: int
) -> list[MatchResult]:
    batches = play_on_processes(assignment, matches, jobs=jobs)
    results = [timeless(played.result) for batch in batches for played in batch]
    assert not multiprocessing.active_children()
    return sorted(results, key=lambda result: result.number)


def results_here(whole: Tournament) -> list[MatchResult]:
    board = MatchRunner(assignment_of(whole))
    return [timeless(board.play(match).result) for match in whole.schedule.settled(())]


def test_processes_come_to_the_results_of_one_even_if_one_dies(tmp_path: Path) -> None:
    whole = tournament_of()
    dying = partial(load_or_die_once, tmp_path / "flag")
    results = results_by_number(
        whole.schedule.settled(()), replace(assignment_of(whole), load=dying), jobs=2
    )
    assert (tmp_path / "flag").exists()
    assert results == results_here(whole)
    assert {result.failed for result in results} == {None}


def test_bad_games_cost_their_own_matches_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Every try costs the start of a process.
    monkeypatch.setattr(local_processes, "MOST_TRIES", 1)
    rules = tournament_of().games["kuhn_poker"].sources[0].text
    for name in BAD:
        (tmp_path / f"{name}.gdl").write_text(rules)
    games = ", ".join(f'"{name}.gdl"' for name in BAD)
    text = (
        f'games = [{games}, "kuhn_poker"]\nmatch_seconds = 5\n[clock]\nsimulations = 1\n{PLAYERS}'
    )
    whole = tournament_of(text, tmp_path)
    # One seating of each is enough.
    seen = {match.game: match for match in whole.schedule.settled(())}
    matches = sorted(seen.values(), key=lambda match: match.number)
    results = results_by_number(matches, replace(assignment_of(whole), load=load_or_worse), jobs=2)
    assert [(result.game, result.failed) for result in results] == [
        ("killed.gdl", "its process was killed by signal 9, 1 times"),
        ("hungry.gdl", "its process was out of memory, 1 times"),
        ("faulty.gdl", "internal error: ValueError: no such luck"),
        ("endless.gdl", "it was not over after 5 s"),
        ("kuhn_poker", None),
    ]
    assert [len(result.goals) for result in results] == [0, 0, 0, 0, 2]


def test_workers_that_cannot_start_are_told() -> None:
    whole = tournament_of()
    with pytest.raises(LimitError, match=r"TOU012.*ended with code 7"):
        results_by_number(
            whole.schedule.settled(()), replace(assignment_of(whole), load=Deadly()), jobs=1
        )
    assert not multiprocessing.active_children()


def test_results_are_kept_before_anybody_hears_of_them(tmp_path: Path) -> None:
    whole, path = tournament_of(), tmp_path / "league.db"
    board = MatchRunner(assignment_of(whole))
    heard: list[int] = []
    asked: list[int] = []

    def play(matches: Sequence[ScheduledMatch]) -> Iterator[list[PlayedMatch]]:
        for match in matches:
            asked.append(match.number)
            yield [board.play(match)]

    def hear(batch: Sequence[PlayedMatch]) -> None:
        heard.extend(played.result.number for played in batch)
        with read_journal(path) as reader:
            assert set(heard) <= reader.finished()
        if len(heard) == 2:
            raise KeyboardInterrupt

    with open_journal(path, whole.plan, whole.rules, whole.schedule, resume=False) as journal:
        with pytest.raises(KeyboardInterrupt):
            run_matches(whole, journal, play, hear)
        run_matches(whole, journal, play)
        assert asked == list(range(6))
        assert [timeless(result) for result in journal.results()] == results_here(whole)
        run_matches(whole, journal, play)
        assert asked == list(range(6))
