"""SDPOG and DOMIS decide in time, even where the evaluation of one history would take longer."""

from __future__ import annotations

import time
from functools import partial

import pytest

from fogspiel.core.budget import Budget
from fogspiel.games.load import load
from fogspiel.machine.protocol import player_roles
from fogspiel.play.clocks import Timing
from fogspiel.play.loop import play_match
from fogspiel.play.series import Entrant, warm_up
from fogspiel.players.catalogue import make_player

SECONDS = 0.05
TOLERANCE = 0.15
"""A busy machine makes the same work take more processor time too. A thousand simulations for each
of eight histories would take far longer."""


@pytest.mark.parametrize("name", ["sdpog:mcts1000", "domis:mcts1000", "domis:greedy"])
@pytest.mark.parametrize("game", ["battleship_4_2", "difference_9"])
def test_no_choice_is_late(game: str, name: str) -> None:
    """Eight histories of an opponent, with a thousand simulations each, take longer than the clock.

    The clock counts processor time, which other programs do not use up.
    """
    machine = load(game).machine
    entrants = [Entrant(player, partial(make_player, player)) for player in (name, "random")]
    warm_up(machine, entrants)
    roles = player_roles(machine)
    budget = partial(Budget.of, seconds=SECONDS, clock=time.process_time)
    timings: list[Timing] = []
    play_match(
        machine,
        {role: entrant.make() for role, entrant in zip(roles, entrants, strict=True)},
        start_budget=budget,
        turn_budget=budget,
        seed=2,
        on_timing=timings.append,
    )
    own = [timing for timing in timings if timing.role == roles[0]]
    assert len(own) > 10
    assert max(timing.over_seconds for timing in own) < TOLERANCE
