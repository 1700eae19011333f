"""Rejection sampling: what it accepts is the posterior, and it says so where it accepts nothing."""

from __future__ import annotations

import numpy as np
import pytest
from belief_cases import Case, exact_of, machine_of, position_of, posterior, told

from fogspiel.belief.protocol import BeliefLimits, BeliefRequest
from fogspiel.belief.rejection import RejectionBelief
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import MoveId, Observation, RoleId

LARGE = Case("battleship_10", 0, 40)
"""A position whose shots a random history repeats with a probability of less than 1 in 10^10."""


def rejection_of(case: Case) -> RejectionBelief:
    position = position_of(case)
    request = BeliefRequest(machine_of(case.game), position.role)
    return told(RejectionBelief(request), position.observations)


def test_after_a_while_all_histories_are_found_with_their_probabilities() -> None:
    case = Case("leduc_poker", 1, 5)
    found, truth = rejection_of(case).enumerate(5_000), exact_of(case).enumerate(1_000)
    assert not found.complete  # it cannot know
    assert posterior(found) == pytest.approx(posterior(truth))


def test_a_sample_is_the_beginning_of_a_larger_one() -> None:
    """Histories are accepted one by one, so how many are wanted does not change which come."""
    belief = rejection_of(Case("latent_tic_tac_toe", 0, 5))
    few, many = belief.sample(100, seed=3), belief.sample(1_000, seed=3)
    assert few.unbiased
    assert (few.weights == 1.0).all()
    assert np.array_equal(few.joints, many.joints[:100])


def test_where_nothing_is_accepted_it_says_so() -> None:
    belief = rejection_of(LARGE)
    belief.limits = BeliefLimits(histories=4_096)
    with pytest.raises(LimitError, match="accepted none of 7,168 random histories") as caught:
        belief.sample(10, seed=1)
    assert caught.value.findings[0].code == "BEL002"


def test_an_impossible_step_is_never_accepted() -> None:
    machine = machine_of("kuhn_poker")
    belief = RejectionBelief(BeliefRequest(machine, RoleId(1), BeliefLimits(histories=100)))
    for move in (MoveId(0), MoveId(10_000)):
        belief.observations = [Observation(move, ())]  # it would have seen its card
        with pytest.raises(LimitError, match="accepted none of 1,024"):
            belief.enumerate(10)
