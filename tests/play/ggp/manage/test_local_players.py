"""Players of this process at the manager's table, beside remote ones."""

from __future__ import annotations

import time
from functools import partial

import pytest
from http_players import HIDING_GAME, OPEN_GAME, answers, polite
from tables import PATIENT, QUICK, game, play

from fogspiel.core.budget import Budget
from fogspiel.core.source import Source
from fogspiel.core.terms import MoveId, Observation
from fogspiel.games.load import load_source
from fogspiel.games.making import EngineChoice
from fogspiel.machine.protocol import Machine
from fogspiel.play.ggp.manage.local_player import LocalPlayer, Machines
from fogspiel.play.series import Entrant, warm_up
from fogspiel.players.catalogue import make_player
from fogspiel.players.protocol import Agent, Seat
from fogspiel.players.simple import RandomPlayer


class Made:
    """Makes machines and counts them."""

    def __init__(self, text: str, engine: EngineChoice = "compiled") -> None:
        self.count = 0
        self._text, self._engine = text, engine

    def __call__(self) -> Machine:
        self.count += 1
        return load_source(Source("test.gdl", self._text), engine=self._engine).machine


def local(
    make: partial[Agent] | type[Agent], made: Made, simulations: int | None = 50
) -> LocalPlayer:
    machines = Machines(made)
    machines.give_back(machines.take())  # so that no clock runs while it is made
    return LocalPlayer(name="here", make=make, machines=machines, simulations=simulations)


class Noting(RandomPlayer):
    """Keeps what it is told, by the terms of its own machine."""

    notes: list[tuple[object, list[object]]]

    def start(self, seat: Seat, budget: Budget) -> None:
        super().start(seat, budget)
        self._seat, self.notes = seat, []
        NOTED.append(self)

    def observe(self, observation: Observation) -> None:
        machine, role = self._seat.machine, self._seat.role
        seen: list[object] = [
            machine.percept_term(role, percept) for percept in observation.percepts
        ]
        self.notes.append((machine.move_term(role, observation.move), seen))


NOTED: list[Noting] = []


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_a_local_player_is_told_its_own_moves_and_percepts(engine: EngineChoice) -> None:
    NOTED.clear()
    player = local(Noting, Made(HIDING_GAME, engine))
    played = play([polite], hides=True, extra=[player])
    (noting,) = NOTED
    machine, notes = game(hides=True).machine, played.notes[1]
    role = next(role for role in notes.steps[0].seconds if role != 0)
    for step, (move, percepts) in zip(notes.steps, noting.notes, strict=True):
        assert move == machine.move_term(role, step.joint[role])
        seen = {machine.percept_term(role, percept) for percept in step.percepts[role]}
        assert set(percepts) == seen
    assert played.result.faults == ({}, {})


def test_a_searching_player_beats_one_that_gives_its_goal_away() -> None:
    make = partial(make_player, "uct")
    # Its kernels may have to be built, which takes longer than the clocks of this match.
    warm_up(Made(OPEN_GAME)(), [Entrant("uct", make)] * 2)
    player = local(make, Made(OPEN_GAME))
    played = play([answers("(take b)")], extra=[player], matches=4)
    assert played.result.series.goals.tolist() == [[0, 100]] * 4


def test_machines_are_used_again_and_no_two_matches_share_one() -> None:
    made = Made(OPEN_GAME)
    play([polite], extra=[local(RandomPlayer, made)], matches=6, at_once=1)
    assert made.count <= 2  # one may still be given back while the next match begins
    made = Made(OPEN_GAME)
    play([polite], extra=[local(Lingering, made)], matches=3, at_once=3)
    assert made.count == 3


class Lingering(RandomPlayer):
    def choose(self, budget: Budget) -> MoveId:
        time.sleep(0.1)
        return super().choose(budget)


class Late(RandomPlayer):
    def choose(self, budget: Budget) -> MoveId:
        time.sleep(1.0)
        return super().choose(budget)


class Broken(RandomPlayer):
    def choose(self, budget: Budget) -> MoveId:
        raise ZeroDivisionError("by design")


class NeverReady(RandomPlayer):
    def start(self, seat: Seat, budget: Budget) -> None:
        raise ZeroDivisionError("by design")


@pytest.mark.parametrize(
    ("player", "kinds"),
    [(Late, "timeout"), (Broken, "error"), (NeverReady, "error")],
)
def test_what_a_local_player_does_wrong_is_its_own_fault(player: type[Agent], kinds: str) -> None:
    clocks = QUICK if player is Late else PATIENT
    played = play([polite], extra=[local(player, Made(OPEN_GAME))], clocks=clocks)
    assert played.notes[1].kinds(1) == [kinds] * 3
    assert played.notes[1].kinds(0) == [None] * 3
