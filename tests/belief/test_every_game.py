"""All methods on random positions of every bundled game, as far as these can be enumerated."""

from __future__ import annotations

import numpy as np
import pytest
from belief_cases import deviation, machine_of, posterior, told, true_history_is_in

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.methods import make_belief
from fogspiel.belief.positions import Position, position_after, random_history
from fogspiel.belief.protocol import BeliefLimits, BeliefRequest
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import RoleId
from fogspiel.games.library import bundled_games
from fogspiel.machine.protocol import Machine

MOST_STEPS = 14
MOST_HISTORIES = 5000


def enumerable_position(machine: Machine, seed: int) -> Position:
    """A position of a player in a random game, cut where there is too much to enumerate."""
    rng = np.random.default_rng(seed)
    course = random_history(machine, int(rng.integers(1, MOST_STEPS + 1)), seed)
    players = [role for role in range(len(machine.roles)) if role != machine.chance_role]
    role = RoleId(int(rng.choice(players)))
    belief = ExactBelief(BeliefRequest(machine, role, BeliefLimits(histories=50_000)))
    last = 0
    for step, observation in enumerate(position_after(machine, course, role).observations, 1):
        try:
            belief.advance(observation)
        except LimitError:
            break
        if (belief.size() or MOST_HISTORIES + 1) <= MOST_HISTORIES:
            last = step
    return position_after(machine, course[:last], role)


@pytest.mark.parametrize("game", sorted(bundled_games()))
def test_methods_agree(game: str) -> None:
    machine = machine_of(game)
    for seed in (1, 2):
        position = enumerable_position(machine, seed)
        exact = told(ExactBelief(BeliefRequest(machine, position.role)), position.observations)
        truth = exact.enumerate(MOST_HISTORIES)
        assert truth.complete
        for method in ("dfs", "tree", "particles", "hyperplay"):
            belief = told(make_belief(method, machine, position.role), position.observations)
            assert deviation(belief.sample(300, seed), truth) < 4.0, (method, seed)
            if method in ("dfs", "tree"):
                found = belief.enumerate(1_000_000)
                assert found.complete
                assert posterior(found) == pytest.approx(posterior(truth), abs=1e-9)
                assert true_history_is_in(found, position)
