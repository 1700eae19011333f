"""A test of fit that tells right samples from wrong ones."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.belief.transitions import Indices, Reals
from fogspiel.lab.framework.goodness_of_fit import Fit, goodness_of_fit, pooled

OUTCOMES = 60
DRAWS = 2000
TRIALS = 100


def test_neighbours_are_pooled_until_each_cell_has_enough() -> None:
    shares = np.array([0.1, 0.1, 0.3, 0.05, 0.05, 0.1, 0.2, 0.1])
    assert pooled(shares, 0.2).tolist() == [0, 0, 1, 2, 2, 2, 3, 3]
    # What is left at the end is too little for a cell of its own.
    assert pooled(np.array([0.5, 0.4, 0.1]), 0.3).tolist() == [0, 1, 1]
    assert pooled(np.ones(1), 0.2).tolist() == [0]


def test_with_one_outcome_there_is_nothing_to_test() -> None:
    fit = goodness_of_fit(np.ones(1), np.zeros(10, np.int64), np.ones(10))
    assert (fit.p_value, fit.cells) == (None, 1)


def test_pearsons_statistic_by_hand() -> None:
    """30 and 70 where 50 and 50 are expected: 2 * 20^2 / 50 = 16."""
    places = np.repeat([0, 1], [30, 70])
    fit = goodness_of_fit(np.array([0.5, 0.5]), places, np.ones(100))
    assert fit.statistic == pytest.approx(16.0)
    assert fit.degrees == 1
    assert fit.p_value == pytest.approx(6.3342e-05, rel=1e-4)  # two sides of 4 deviations


def independent(shares: Reals, rng: np.random.Generator) -> tuple[Indices, Reals, Indices | None]:
    return rng.choice(OUTCOMES, DRAWS, p=shares), np.ones(DRAWS), None


def weighted(shares: Reals, rng: np.random.Generator) -> tuple[Indices, Reals, Indices | None]:
    """Drawn from another distribution, with the weights that make up for it."""
    proposal = shares * np.exp(rng.normal(size=OUTCOMES))
    proposal /= proposal.sum()
    places = rng.choice(OUTCOMES, DRAWS, p=proposal)
    return places, (shares / proposal)[places], None


def in_blocks(shares: Reals, rng: np.random.Generator) -> tuple[Indices, Reals, Indices | None]:
    """Each block drawn from a few outcomes that were drawn before."""
    populations = rng.choice(OUTCOMES, (32, 20), p=shares)
    places = np.concatenate([rng.choice(few, DRAWS // 32) for few in populations])
    return places, np.ones(len(places)), np.repeat(np.arange(32), DRAWS // 32)


def fits(kind: str, wrong: float = 0.0) -> list[Fit]:
    """Tests of many samples, from a distribution that is wrong by a factor on half of it."""
    rng = np.random.default_rng(1)
    draw = {"independent": independent, "weighted": weighted, "in blocks": in_blocks}[kind]
    found = []
    for _ in range(TRIALS):
        shares = rng.dirichlet(np.ones(OUTCOMES))
        claimed = shares * (1.0 + wrong * (np.arange(OUTCOMES) < OUTCOMES // 2))
        found.append(goodness_of_fit(claimed / claimed.sum(), *draw(shares, rng)))
    return found


@pytest.mark.parametrize("kind", ["independent", "weighted", "in blocks"])
def test_right_samples_seldom_fail_and_wrong_ones_do(kind: str) -> None:
    right = np.array([fit.p_value for fit in fits(kind)])
    # 5 of 100 are expected below 0.05, and 16 would be five deviations more.
    assert (right < 0.05).sum() <= 16
    assert right.min() > 1e-5
    wrong = np.array([fit.p_value for fit in fits(kind, wrong=1.0)])
    assert np.median(wrong) < 0.001


def test_a_weighted_sample_counts_for_less() -> None:
    assert all(fit.effective < 0.9 * DRAWS for fit in fits("weighted"))
    assert all(fit.effective == pytest.approx(DRAWS) for fit in fits("independent"))
