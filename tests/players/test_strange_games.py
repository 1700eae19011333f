"""Every player plays every game that can be read, and no error is its own, whatever the rules."""

from __future__ import annotations

from functools import partial

import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.play.loop import play_match
from fogspiel.players.catalogue import PLAYERS, make_player
from strange_games import STRANGE, new_strange, strange

STEPS = 2
BUDGETS = {
    "simulations": partial(Budget.of, simulations=8),
    "seconds": partial(Budget.of, seconds=0.02),
}
BY_THE_RULES = {"pit": {"DYN002", "MAT002"}}
"""Codes with which a match may end if its rules are faulty; MAT002: it was not over in so few
steps."""


@pytest.mark.parametrize("kind", list(BUDGETS))
@pytest.mark.parametrize("game", list(STRANGE))
@pytest.mark.parametrize("player", list(PLAYERS))
def test_a_strange_game_is_played(player: str, game: str, kind: str) -> None:
    code = code_of_match(player, strange(game), BUDGETS[kind])
    assert code in BY_THE_RULES.get(game, {"MAT002", None})


@pytest.mark.parametrize("player", list(PLAYERS))
def test_states_may_grow_while_they_are_met(player: str) -> None:
    machine = new_strange("growing", engine="reference")
    assert code_of_match(player, machine, BUDGETS["seconds"]) in {"MAT002", None}


def code_of_match(player: str, machine: Machine, turn: partial[Budget]) -> str | None:
    """The code of the error that ended a match between players of one kind; None without one."""
    players = {role: make_player(player) for role in player_roles(machine)}
    try:
        play_match(machine, players, start_budget=turn, turn_budget=turn, seed=1, max_steps=STEPS)
    except PlayError as error:
        return error.findings[0].code
    return None
