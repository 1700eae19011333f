"""Particles: what thinning keeps, and how a dead population recovers."""

from __future__ import annotations

import numpy as np
import pytest
from belief_cases import SMALL, Case, deviation, exact_of, machine_of, position_of, told
from hypothesis import given
from hypothesis import strategies as st

from fogspiel.belief.particles.particle_filter import ParticlesBelief
from fogspiel.belief.particles.populations import resample
from fogspiel.belief.protocol import BeliefRequest
from fogspiel.belief.verify import consistent

WEIGHTS = st.lists(st.floats(0.001, 1.0), min_size=1, max_size=40)


@given(WEIGHTS, st.integers(1, 20), st.integers(0, 1000))
def test_thinning_keeps_the_number_and_the_sum(numbers: list[float], count: int, seed: int) -> None:
    weights = np.array(numbers)
    rows, kept = resample(weights, count, np.random.default_rng(seed))
    assert len(rows) == min(count, len(weights))
    assert len(set(rows.tolist())) == len(rows)
    assert kept.sum() == pytest.approx(weights.sum())
    assert (kept >= weights[rows] - 1e-12).all()


def test_thinning_is_right_on_average() -> None:
    weights = np.array([8.0, 3.0, 1.0, 1.0, 0.5, 0.5, 0.25, 0.25])
    sums = np.zeros(len(weights))
    for seed in range(4000):
        rows, kept = resample(weights, 4, np.random.default_rng(seed))
        sums[rows] += kept
    assert sums / 4000 == pytest.approx(weights, abs=0.06)


SURVIVED = [case for case in SMALL[::2] if case.steps <= 6]
"""Positions in which enough plain particles survive to speak of a distribution."""


@pytest.mark.parametrize("case", SURVIVED, ids=str)
@pytest.mark.parametrize("guided", [True, False])
def test_few_draws_from_many_particles_follow_the_posterior(case: Case, guided: bool) -> None:
    machine, position = machine_of(case.game), position_of(case)
    belief = ParticlesBelief(BeliefRequest(machine, position.role), count=30_000, guided=guided)
    drawn = told(belief, position.observations).sample(200, seed=2)
    assert deviation(drawn, exact_of(case).enumerate(1_000_000)) < 4.0


def test_a_small_population_is_exact_as_long_as_all_fits() -> None:
    case = Case("racko_12_3", 1, 8)
    machine, position = machine_of(case.game), position_of(case)
    belief = told(ParticlesBelief(BeliefRequest(machine, position.role)), position.observations)
    assert belief.enumerate(10_000).complete
    assert belief.size() == exact_of(case).size()
    assert belief.sample(20, seed=0).unbiased
    thin = told(
        ParticlesBelief(BeliefRequest(machine, position.role), count=50), position.observations
    )
    assert not thin.enumerate(10_000).complete
    assert thin.size() is None


@pytest.mark.parametrize("guided", [True, False])
def test_a_dead_population_is_replaced_by_histories_that_fit(guided: bool) -> None:
    case = Case("battleship_4_2", 0, 20, 2)
    machine, position = machine_of(case.game), position_of(case)
    belief = ParticlesBelief(BeliefRequest(machine, position.role, seed=5), count=2, guided=guided)
    told(belief, position.observations)
    assert belief.recoveries > 0
    drawn = belief.sample(20, seed=0)
    assert consistent(machine, position.role, position.observations, drawn.joints).all()


def test_a_search_steps_in_where_new_starts_are_not_allowed() -> None:
    case = Case("battleship_4_2", 0, 20, 2)
    machine, position = machine_of(case.game), position_of(case)
    belief = ParticlesBelief(BeliefRequest(machine, position.role, seed=5), count=2, restarts=0)
    told(belief, position.observations)
    assert belief.recoveries > 0
    drawn = belief.sample(20, seed=0)
    assert not drawn.unbiased
    assert consistent(machine, position.role, position.observations, drawn.joints).all()
