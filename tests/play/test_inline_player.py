"""Matches in which players do anything: the match goes on, and each fault is kept."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError
from fogspiel.core.terms import MoveId, Observation
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.inline_player import Contender
from fogspiel.play.loop import Match, play_contenders, play_match
from fogspiel.play.records.format import RecordFolder
from fogspiel.play.referee import FaultKind
from fogspiel.players.protocol import Agent, Seat
from fogspiel.players.simple import FirstPlayer, RandomPlayer

FEW = partial(Budget.of, simulations=1)
SOON = partial(Budget.of, seconds=0.01)


@pytest.fixture(scope="module")
def machine() -> Machine:
    return load("tic_tac_toe").machine


class Bad(FirstPlayer):
    """Plays the first move, but does something wrong at one of its duties."""

    def __init__(self, duty: str, deed: Callable[[], None]) -> None:
        super().__init__()
        self._duty, self._deed = duty, deed
        self.observed = 0

    def start(self, seat: Seat, budget: Budget) -> None:
        self._do("start")
        super().start(seat, budget)

    def choose(self, budget: Budget) -> MoveId:
        self._do("choose")
        return MoveId(10_000) if self._duty == "illegal" else super().choose(budget)

    def observe(self, observation: Observation) -> None:
        self.observed += 1
        self._do("observe")
        super().observe(observation)

    def stop(self) -> None:
        self._do("stop")
        super().stop()

    def _do(self, duty: str) -> None:
        if duty == self._duty:
            self._deed()


def raise_error() -> None:
    raise KeyError("lost my\nnotes")


def judged(
    machine: Machine, make: Callable[[], Agent], *, budget: Callable[[], Budget] = FEW
) -> Match:
    """The player in the first role against a random one."""
    first, second = player_roles(machine)
    return play_contenders(
        machine,
        {
            first: Contender(make=make, start_budget=budget, turn_budget=budget),
            second: Contender(make=RandomPlayer, start_budget=FEW, turn_budget=FEW),
        },
        seed=3,
        on_fault="replace",
        grace_seconds=0.02,
    )


def test_sound_players_play_as_in_a_match_that_trusts_them(machine: Machine) -> None:
    match = judged(machine, FirstPlayer)
    first, second = player_roles(machine)
    trusted = play_match(
        machine,
        {first: FirstPlayer(), second: RandomPlayer()},
        start_budget=FEW,
        turn_budget=FEW,
        seed=3,
    )
    assert tuple(step.joint for step in match.steps) == trusted.joints
    assert match.goals == trusted.goals
    assert match.fault_counts(first) == match.fault_counts(second) == {}


@pytest.mark.parametrize(
    ("duty", "deed", "kind", "at_start"),
    [
        ("start", raise_error, "error", True),
        ("choose", raise_error, "error", False),
        ("illegal", raise_error, "illegal_move", False),
    ],
)
def test_each_move_that_is_not_the_players_own_is_a_fault(
    machine: Machine, duty: str, deed: Callable[[], None], kind: str, at_start: bool
) -> None:
    match = judged(machine, partial(Bad, duty, deed))
    first, second = player_roles(machine)
    assert match.fault_counts(first) == {kind: len(match.steps) + at_start}
    assert match.fault_counts(second) == {}
    assert len(match.goals) == 2


def test_a_note_that_cannot_be_taken_costs_the_next_move(machine: Machine) -> None:
    match = judged(machine, partial(Bad, "observe", raise_error))
    first, _ = player_roles(machine)
    # There is nothing to take note of before the first move.
    assert match.fault_counts(first) == {"error": len(match.steps) - 1}
    assert match.steps[1].faults[first].text == "KeyError: 'lost my\\nnotes'"


def test_a_fault_after_the_end_changes_nothing(machine: Machine) -> None:
    match, sound = judged(machine, partial(Bad, "stop", raise_error)), judged(machine, FirstPlayer)
    assert match.goals == sound.goals
    assert [step.joint for step in match.steps] == [step.joint for step in sound.steps]
    assert all(not step.faults for step in match.steps)


def test_who_is_later_than_the_grace_is_at_fault(machine: Machine) -> None:
    first, _ = player_roles(machine)
    sleep = partial(time.sleep, 0.05)
    starting = judged(machine, partial(Bad, "start", sleep), budget=SOON)
    assert starting.start_faults[first].kind is FaultKind.TIMEOUT
    choosing = judged(machine, partial(Bad, "choose", sleep), budget=SOON)
    faults = [step.faults[first] for step in choosing.steps]
    assert {fault.kind for fault in faults} == {FaultKind.TIMEOUT}
    assert all(fault.text.endswith(" s late") for fault in faults)
    assert all(step.seconds[first] >= 0.05 for step in choosing.steps)


def test_an_observation_comes_once_however_the_player_fails(machine: Machine) -> None:
    players: list[Bad] = []

    def make() -> Bad:
        players.append(Bad("choose", raise_error))
        return players[0]

    match = judged(machine, make)
    assert players[0].observed == len(match.steps)


def test_rules_that_break_down_end_the_match_and_its_record(
    machine: Machine, tmp_path: Path
) -> None:
    first, second = player_roles(machine)
    own = Contender(make=FirstPlayer, start_budget=FEW, turn_budget=FEW)
    clocks = MatchClocks(simulations=1)
    folder = RecordFolder(folder=tmp_path, game="g", rules="", clocks=clocks)
    with (
        pytest.raises(PlayError, match="MAT002"),
        folder.recorder(machine, number=1, players={}, seed=1) as recorder,
    ):
        play_contenders(
            machine,
            {first: own, second: own},
            seed=1,
            on_fault="replace",
            recorder=recorder,
            max_steps=2,
        )
    lines = [json.loads(line) for line in folder.path(1).read_text().splitlines()]
    assert [line["line"] for line in lines] == ["match", "start", "step", "step", "end"]
    assert "not over after 2 steps" in lines[-1]["aborted"]
