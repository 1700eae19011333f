"""Reproducible play: with a budget of simulations, moves do not depend on the machine's speed."""

from __future__ import annotations

import time
from functools import cache

import pytest

from fogspiel.core.budget import Budget
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.play.loop import play_match
from fogspiel.players.catalogue import PLAYERS, make_player

GAMES = ("goofspiel_4", "hidden_goofspiel_4", "monty_hall", "racko_12_3")
"""Moves at once that all see and that nobody sees, one player, and information sets that are many
more than anybody looks at."""
PACE = 40.0
"""Factor by which time seems to pass faster: a machine that is slow, or shared by many."""


@cache
def machine_of(game: str) -> Machine:
    return load(game).machine


def few() -> Budget:
    return Budget.of(simulations=24)


def played(game: str, name: str) -> tuple[object, ...]:
    """The parts of a match that do not depend on clocks: moves, observations and goals."""
    machine = machine_of(game)
    players = {role: make_player(name) for role in player_roles(machine)}
    match = play_match(machine, players, start_budget=few, turn_budget=few, seed=5)
    return match.joints, tuple(step.percepts for step in match.steps), match.goals


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", list(PLAYERS))
def test_a_slow_machine_plays_the_same(
    name: str, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = played(game, name)
    for clock in ("monotonic", "perf_counter"):
        real = getattr(time, clock)
        monkeypatch.setattr(time, clock, lambda real=real: real() * PACE)
    # Budgets that players make for themselves; a default is not looked up again.
    defaults = Budget.of.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "clock", time.monotonic)
    assert played(game, name) == first
