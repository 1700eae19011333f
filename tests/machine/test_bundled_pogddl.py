"""The compiled machine equals the interpreter in all results, on walks through POGDDL games."""

from __future__ import annotations

import pytest
from two_machines import walk_both

from fogspiel.games.library import POGDDL, game_source
from fogspiel.games.load import load
from fogspiel.machine.interpreter.machine import InterpretedMachine
from fogspiel.rules.pogddl.check.checks import read_and_check
from games_by_language import games_in

WALKS = 32
STEPS = 200


@pytest.mark.parametrize("name", games_in(POGDDL))
def test_both_machines_agree_on_a_bundled_game(name: str) -> None:
    compiled = load(name, engine="compiled").machine
    description, _ = read_and_check([game_source(name)])
    machines = compiled, InterpretedMachine(description)
    done = walk_both(*machines, walks=WALKS, seed=3, total_steps=STEPS)
    assert done.walks == WALKS or done.steps >= STEPS
