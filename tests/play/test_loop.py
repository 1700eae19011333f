"""The loop of a match: its questions, and the two ways in which players are asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError
from fogspiel.core.terms import MoveId
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.play.loop import (
    Match,
    Question,
    advance,
    match_course,
    play_managed_match,
    play_match,
)
from fogspiel.play.referee import Answer, Fault, FaultKind, Referee, Step
from fogspiel.players.simple import FirstPlayer

FEW = partial(Budget.of, simulations=1)


@pytest.fixture(scope="module")
def machine() -> Machine:
    return load("tic_tac_toe").machine


class FirstMove:
    """A player that is awaited and makes the first legal move. Notes what it was asked."""

    def __init__(self, *, fails: bool = False) -> None:
        self.asked: list[str] = []
        self._fails = fails

    async def start(self) -> Answer:
        self.asked.append("start")
        return Answer(seconds=0.5)

    async def choose(self, last: Step | None, legal: Sequence[MoveId]) -> Answer:
        self.asked.append("choose")
        if self._fails:
            raise ConnectionResetError
        return Answer(move=legal[0])

    async def stop(self, last: Step | None) -> Answer:
        self.asked.append("stop")
        return Answer()

    async def abort(self) -> Answer:
        self.asked.append("abort")
        return Answer()


def test_questions_come_with_the_last_step_and_the_legal_moves(machine: Machine) -> None:
    course = match_course(Referee(machine, seed=1))
    asked, duties, last = advance(course), list[str](), list[int]()
    while isinstance(asked, Question):
        duties.append(asked.duty)
        last.append(0 if asked.last is None else asked.last.number)
        answers = {role: Answer(move=moves[0]) for role, moves in asked.legal.items()}
        asked = advance(course, answers or dict.fromkeys(player_roles(machine), Answer()))
    # By first moves x wins with the diagonal from 1 3 to 3 1.
    assert duties == ["start", *["choose"] * 7, "stop"]
    assert last == [0, *range(8)]
    assert len(asked.steps) == 7
    assert asked.goals == (100, 0)


def test_players_are_asked_in_turn_or_at_once_and_come_to_the_same_match(machine: Machine) -> None:
    roles = player_roles(machine)
    inline = play_match(
        machine, {role: FirstPlayer() for role in roles}, start_budget=FEW, turn_budget=FEW, seed=1
    )
    players = {role: FirstMove() for role in roles}
    managed = asyncio.run(play_managed_match(Referee(machine, seed=1), players))
    assert managed.joints == inline.joints
    assert managed.goals == inline.goals
    assert [player.asked[0] for player in players.values()] == ["start", "start"]
    assert [player.asked[-1] for player in players.values()] == ["stop", "stop"]


def test_all_players_hear_of_a_match_that_is_given_up(machine: Machine) -> None:
    first, second = player_roles(machine)
    players = {first: FirstMove(), second: FirstMove(fails=True)}
    with pytest.raises(ConnectionResetError):
        asyncio.run(play_managed_match(Referee(machine, seed=1), players))
    assert {player.asked[-1] for player in players.values()} == {"abort"}


class Exhausted(FirstPlayer):
    """Raises what a generator ends with."""

    def choose(self, budget: Budget) -> MoveId:
        raise StopIteration


def test_an_exception_of_a_player_does_not_end_the_match_quietly(machine: Machine) -> None:
    players = {role: Exhausted() for role in player_roles(machine)}
    with pytest.raises((StopIteration, RuntimeError)):
        play_match(machine, players, start_budget=FEW, turn_budget=FEW, seed=1)


def test_faults_are_counted_by_kind_with_those_at_the_start(machine: Machine) -> None:
    first, second = player_roles(machine)
    absent = Answer(fault=Fault(FaultKind.TIMEOUT))
    course = match_course(Referee(machine, seed=1))
    asked = advance(course)
    while isinstance(asked, Question):
        own = Answer(move=asked.legal[first][0]) if asked.legal else Answer()
        asked = advance(course, {first: own, second: absent})
    match: Match = asked
    assert match.fault_counts(first) == {}
    assert match.replaced(second) == len(match.steps)
    assert match.fault_counts(second) == {"timeout": len(match.steps) + 1}


def test_a_match_without_end_is_an_error_of_the_rules(machine: Machine) -> None:
    players = {role: FirstPlayer() for role in player_roles(machine)}
    with pytest.raises(PlayError, match="MAT002"):
        play_match(machine, players, start_budget=FEW, turn_budget=FEW, seed=1, max_steps=3)
