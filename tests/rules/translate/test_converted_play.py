"""Games whose trees are too large to compare: random play of a game that went there and back.

Every step of a game in GDL-II is a round in POGDDL, in which the roles choose one after the other
before chance resolves it; so rounds have one step more than there are roles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from trips import trip

from fogspiel.games.library import GDL, POGDDL
from fogspiel.machine.protocol import Machine
from games_by_language import games_in

BATCHES, PLAYOUTS = 25, 40
SIGMAS = 5.0
SMALL = {
    "biased_rps", "coin_flip", "exploding_bomb", "goofspiel_4", "hidden_goofspiel_4", "kuhn_poker",
    "leduc_poker", "monty_hall", "prisoners_dilemma", "simple_poker", "kuhn_poker_pogddl",
    "simple_poker_pogddl",
}  # fmt: skip
"""Their whole trees are compared."""
SLOW = {"gops_10_40", "racko_60_10"}
"""Numbers are counted out in GDL, half a minute to ground; gops_4_10 and racko_12_3 have their
rules."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Means over batches of random play, and their standard errors."""

    payoffs: NDArray[np.float64]
    """(players,)"""
    payoff_errors: NDArray[np.float64]
    length: float
    length_error: float


def sample(machine: Machine, scale: float, offset: float, seed: int) -> Sample:
    """Random play; payoffs are what goals stand for, those of chance left out."""
    players = [role for role in range(len(machine.roles)) if role != machine.chance_role]
    start = machine.initial()[None, :]
    means, lengths = [], []
    for batch in range(BATCHES):
        played = machine.playouts(start, seed=seed + batch, count=PLAYOUTS)
        assert (played.stuck, played.cut) == (0, 0)
        means.append(played.mean_goals[players] / machine.goal_scale)
        lengths.append(played.mean_length)
    payoffs = (np.array(means) - offset) / scale
    root = np.sqrt(BATCHES)
    return Sample(
        payoffs.mean(axis=0),
        payoffs.std(axis=0, ddof=1) / root,
        float(np.mean(lengths)),
        float(np.std(lengths, ddof=1) / root),
    )


def assert_alike(name: str, *, through_pogddl: bool) -> None:
    """There and back, random play comes to the same payoffs after as many rounds."""
    own = trip(name)
    back = trip(name, "pogddl", "gdl") if through_pogddl else trip(name, "gdl", "pogddl")
    machine = own.machine()
    here = sample(machine, 1.0, 0.0, seed=0)
    there = sample(back.machine(), float(back.scale), float(back.offset), seed=1000)
    errors = np.hypot(here.payoff_errors, there.payoff_errors)
    assert (np.abs(here.payoffs - there.payoffs) <= SIGMAS * errors).all()
    steps = len(machine.roles) + 1
    error = np.hypot(here.length_error, there.length_error / steps)
    # A round that ends the game is a whole one, so lengths agree up to rounding.
    assert abs(here.length - there.length / steps) <= SIGMAS * error + 1e-9


@pytest.mark.parametrize("name", [name for name in games_in(GDL) if name not in SMALL])
def test_a_game_in_gdl_plays_the_same_after_pogddl(name: str) -> None:
    assert_alike(name, through_pogddl=True)


@pytest.mark.parametrize("name", [n for n in games_in(POGDDL) if n not in SMALL | SLOW])
def test_a_game_in_pogddl_plays_the_same_after_gdl(name: str) -> None:
    assert_alike(name, through_pogddl=False)
