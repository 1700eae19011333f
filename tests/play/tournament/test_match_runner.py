"""Players behind an address in a tournament: they play as if they were here."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import cast

import pytest
from plans import assignment_of, tournament_of

from fogspiel.games.send import sendable_rules
from fogspiel.play.tournament.local_processes import Worker, _Pool
from fogspiel.play.tournament.match_runner import MatchRunner, RemoteMatches
from fogspiel.play.tournament.tournament import Tournament

GAMES = '"kuhn_poker", "tic_tac_toe", "simple_poker_pogddl"'


def plan_text(url: str | None) -> str:
    far = 'player = "first"' if url is None else f'url = "{url}"'
    return (
        f"games = [{GAMES}]\nkeep_records = true\n"
        "[clock]\nstart_seconds = 30\nturn_seconds = 10\n"
        f'[[players]]\nname = "far"\n{far}\n[[players]]\nplayer = "first"\n'
    )


def sendable(whole: Tournament) -> Tournament:
    return replace(whole, games={name: sendable_rules(g) for name, g in whole.games.items()})


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "fogspiel.cli", "serve", "first", "--port", "0"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if found := re.search(r"listens on 127\.0\.0\.1, port (\d+)", line):
                yield f"http://127.0.0.1:{found[1]}"
                break
    finally:
        process.terminate()
        process.communicate()


def test_matches_end_as_if_all_were_players_of_this_program(url: str) -> None:
    far, near = sendable(tournament_of(plan_text(url))), sendable(tournament_of(plan_text(None)))
    far_board, near_board = MatchRunner(assignment_of(far)), MatchRunner(assignment_of(near))
    for far_match, near_match in zip(
        *(own.schedule.settled(()) for own in (far, near)), strict=True
    ):
        managed, here = far_board.play(far_match), near_board.play(near_match)
        assert managed.result.failed is None
        assert managed.result.goals == here.result.goals
        assert managed.result.steps == here.result.steps
        assert managed.result.faults == ({}, {})
        assert managed.record is not None


def test_a_player_that_is_gone_costs_its_matches_alone() -> None:
    whole = sendable(tournament_of(plan_text("http://127.0.0.1:1")))
    played = MatchRunner(assignment_of(whole)).play(whole.schedule.settled(())[0])
    assert played.result.failed is not None
    assert played.result.failed.startswith("MAN002 far: nobody listens at http://127.0.0.1:1")


def test_no_two_matches_have_the_same_name_and_no_seed_is_in_it() -> None:
    whole = tournament_of(plan_text("http://127.0.0.1:1"))
    names = [
        hall.match_name(match)
        for hall in (RemoteMatches(assignment_of(whole)) for _ in range(2))
        for match in whole.schedule.settled(())
    ]
    assert len(set(names)) == len(names)
    seeds = {f"{match.seed}" for match in whole.schedule.settled(())}
    assert not any(seed in name for seed in seeds for name in names)


def test_a_player_behind_an_address_is_asked_for_one_match_at_a_time() -> None:
    text = plan_text("http://127.0.0.1:1") + '[[players]]\nplayer = "random"\n'
    whole = tournament_of(text)
    pool = _Pool(assignment_of(whole), whole.schedule.settled(()), 0)
    nobody, nowhere = cast("BaseProcess", None), cast("Connection", None)
    one, two = Worker(nobody, nowhere), Worker(nobody, nowhere)
    pool._workers = [one, two]
    first = pool._next_for(one)
    assert first is not None
    assert "far" in first.players
    one.matches.append(first)
    second = pool._next_for(two)
    assert second is not None
    assert "far" not in second.players
    again = pool._next_for(one)
    assert again is not None
    assert "far" in again.players
