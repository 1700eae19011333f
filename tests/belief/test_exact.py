"""The yardstick itself, against plain enumeration of all courses of play."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from belief_cases import brute_force, told

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.positions import position_after, random_history
from fogspiel.belief.protocol import BeliefLimits, BeliefRequest
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import MoveId, RoleId, format_term
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine

GAMES = [
    ("monty_hall", 1, 3),
    ("kuhn_poker", 1, 4),
    ("leduc_poker", 1, 6),
    ("latent_tic_tac_toe", 1, 4),
    ("number_guessing_8", 1, 3),
    ("biased_rps", 0, 1),
    ("slippery_robot", 1, 5),
    ("exploding_bomb", 1, 3),
    ("meier", 1, 3),
    ("hidden_goofspiel_4", 1, 2),
    ("racko_12_3", 1, 4),
]


def in_terms(machine: Machine, joints: Iterable[Iterable[int]]) -> tuple[tuple[str, ...], ...]:
    """A history that does not depend on how a machine numbers moves."""
    return tuple(
        tuple(
            format_term(machine.move_term(RoleId(role), MoveId(int(move))))
            for role, move in enumerate(joint)
        )
        for joint in joints
    )


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("name", "role", "steps"), GAMES)
def test_exact_beliefs_are_those_of_plain_enumeration(
    name: str, role: int, steps: int, seed: int
) -> None:
    observer = RoleId(role)
    reference = load(name, engine="reference").machine
    course = random_history(reference, steps, seed)
    position = position_after(reference, course, observer)
    truth = {
        in_terms(reference, past): share
        for past, share in brute_force(reference, observer, position.observations).items()
    }
    compiled = load(name).machine
    same = [
        tuple(
            compiled.move_id(RoleId(r), reference.move_term(RoleId(r), move))
            for r, move in enumerate(joint)
        )
        for joint in course
    ]
    for machine, played in ((reference, course), (compiled, same)):
        observations = position_after(machine, played, observer).observations
        found = told(ExactBelief(BeliefRequest(machine, observer)), observations).enumerate(100_000)
        weights = found.weights / found.weights.sum()
        shares = {
            in_terms(machine, joints): float(weight)
            for joints, weight in zip(found.joints, weights, strict=True)
        }
        assert shares == pytest.approx(truth, abs=1e-12)


def test_states_are_merged_but_histories_counted() -> None:
    """Two marks of the opponent on a board of nine: their order makes no difference to a state."""
    machine = load("latent_tic_tac_toe").machine
    position = position_after(machine, random_history(machine, 6, 2), RoleId(1))
    belief = told(ExactBelief(BeliefRequest(machine, RoleId(1))), position.observations)
    apart = told(
        ExactBelief(BeliefRequest(machine, RoleId(1)), by_knowledge=True), position.observations
    )
    assert len(belief.layers[-1]) < len(apart.layers[-1])
    assert belief.size() == apart.size()
    for state in belief.layers[-1].states:
        assert apart.probability(state) == pytest.approx(belief.probability(state), abs=1e-12)


def test_a_limit_on_memory_is_kept() -> None:
    machine = load("racko_60_10").machine
    position = position_after(machine, random_history(machine, 24, 1), RoleId(1))
    belief = ExactBelief(BeliefRequest(machine, RoleId(1), BeliefLimits(bytes=1 << 20)))
    with pytest.raises(LimitError, match="1 MiB"):
        told(belief, position.observations)
