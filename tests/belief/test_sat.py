"""Histories as models of a formula, against the exact information set."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from belief_cases import (
    SMALL,
    Case,
    deviation,
    exact_of,
    machine_of,
    position_of,
    posterior,
    told,
    true_history_is_in,
)

from fogspiel.belief.protocol import BeliefLimits, BeliefRequest, Histories
from fogspiel.belief.sat import belief as sat
from fogspiel.belief.sat import solver
from fogspiel.belief.sat.belief import SatBelief
from fogspiel.belief.verify import consistent
from fogspiel.core.findings import LimitError, PlayError, UsageError
from fogspiel.core.terms import MoveId, Observation, PerceptId, RoleId
from fogspiel.games.load import load

TOLERANCE = 4.0
"""Standard deviations that a chi-square may be off: once in 30,000 true samples."""
CUT = [
    Case("latent_tic_tac_toe", 1, 9, 0),
    Case("battleship_4_2", 0, 7),
    Case("liars_dice", 0, 5),
    Case("racko_12_3", 1, 8),
    Case("gops_4_10", 1, 5),
]
"""Sets of 45 to 342 histories, to be cut into cells of 24."""
LARGE = Case("battleship_10", 0, 40)
"""Some 100,000 histories."""

DEFAULT_LIMITS = BeliefLimits()


def sat_of(case: Case, limits: BeliefLimits = DEFAULT_LIMITS) -> SatBelief:
    position = position_of(case)
    belief = SatBelief(BeliefRequest(machine_of(case.game), position.role, limits))
    return told(belief, position.observations)


def assert_same(found: Histories, truth: Histories) -> None:
    """The same histories, states and posterior."""
    assert len(found) == len(truth)
    assert posterior(found) == pytest.approx(posterior(truth), abs=1e-12)
    ends = zip(truth.joints, truth.states, strict=True)
    states = {row.tobytes(): state.tobytes() for row, state in ends}
    for row, state in zip(found.joints, found.states, strict=True):
        assert states[row.tobytes()] == state.tobytes()


@pytest.mark.parametrize("case", [*SMALL, *CUT], ids=str)
def test_all_models_are_the_information_set_with_its_posterior(case: Case) -> None:
    exact, belief = exact_of(case), sat_of(case)
    truth = exact.enumerate(1_000_000)
    found = belief.enumerate(1_000_000)
    assert found.complete
    assert_same(found, truth)
    assert true_history_is_in(found, position_of(case))
    assert belief.size() == exact.size()
    state = truth.states[0]
    assert belief.probability(state) == pytest.approx(exact.probability(state), abs=1e-9)


@pytest.mark.parametrize("case", SMALL[::5], ids=str)
def test_asking_between_steps_changes_nothing(case: Case) -> None:
    position = position_of(case)
    belief = SatBelief(BeliefRequest(machine_of(case.game), position.role))
    for observation in position.observations:
        belief.size()
        belief.enumerate(3)
        belief.advance(observation)
    found, truth = belief.enumerate(1_000_000), sat_of(case).enumerate(1_000_000)
    assert (found.joints == truth.joints).all()
    assert (found.weights == truth.weights).all()


def test_before_the_first_step_there_is_one_history() -> None:
    belief = SatBelief(BeliefRequest(machine_of("kuhn_poker"), RoleId(1)))
    assert belief.size() == 1
    found = belief.enumerate(10)
    assert found.complete
    assert found.joints.shape == (1, 0, 3)
    assert (belief.sample(4, seed=1).states == belief.machine.initial()).all()


def test_a_set_with_nothing_open_is_a_cell_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where time was too short to see that there is one history only."""
    belief = sat_of(Case("tic_tac_toe", 0, 4))
    unfinished = replace(belief.enumerate(10), complete=False)
    monkeypatch.setattr(belief, "_listed", lambda: unfinished)
    drawn = belief.sample(6, seed=1)
    assert len(np.unique(drawn.joints, axis=0)) == 1
    assert estimated_size(belief, 2, seed=1) == 1.0


def test_a_limit_leaves_the_enumeration_incomplete() -> None:
    belief = sat_of(CUT[0])
    found = belief.enumerate(5)
    assert len(found) == 5
    assert not found.complete
    assert len(sat_of(CUT[0], BeliefLimits(histories=7)).enumerate(100)) == 7


@pytest.mark.parametrize("case", [SMALL[2], SMALL[5], SMALL[11], *CUT], ids=str)
def test_a_small_set_is_sampled_exactly(case: Case) -> None:
    drawn = sat_of(case).sample(5_000, seed=3)
    assert (drawn.weights == 1.0).all()
    assert abs(deviation(drawn, exact_of(case).enumerate(1_000_000))) < TOLERANCE


@pytest.fixture
def small_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut sets that could be listed, and take but one history of a cell."""
    monkeypatch.setattr(sat, "SMALL", 1)
    monkeypatch.setattr(sat, "CELLS", 10_000)
    monkeypatch.setattr(solver, "CELL", 24)


@pytest.mark.usefixtures("small_cells")
@pytest.mark.parametrize("case", CUT, ids=str)
def test_cells_give_the_posterior_by_their_weights(case: Case) -> None:
    """Draws are independent here, so the weighted chi-square is that of as many as they count."""
    drawn = sat_of(case).sample(200, seed=5)
    assert len(drawn) == 200
    assert drawn.weights.std() > 0.0
    assert deviation(drawn, exact_of(case).enumerate(1_000_000)) < TOLERANCE


def estimated_size(belief: SatBelief, cells: int, seed: int) -> float:
    """The mean of what random cells stand for."""
    found = belief._cells(cells, np.random.default_rng(seed), belief.clock())
    return float(np.mean([len(cell.models) * 2.0**cell.log_factor for cell in found]))


@pytest.mark.usefixtures("small_cells")
def test_cells_estimate_the_size_without_bias() -> None:
    size = exact_of(CUT[1]).size()
    assert size is not None
    estimates = [estimated_size(sat_of(CUT[1]), 100, seed) for seed in range(4)]
    spread = np.std(estimates, ddof=1) / np.sqrt(len(estimates))
    assert abs(np.mean(estimates) - size) < max(4.0 * spread, 0.05 * size)


@pytest.mark.usefixtures("small_cells")
def test_the_same_seed_gives_the_same_sample_whatever_was_asked_before() -> None:
    fresh, asked = sat_of(CUT[1]), sat_of(CUT[1])
    asked.enumerate(20)
    asked.sample(10, seed=9)
    one, other = fresh.sample(50, seed=1), asked.sample(50, seed=1)
    assert (one.joints == other.joints).all()
    assert (one.weights == other.weights).all()
    assert not (one.joints == asked.sample(50, seed=2).joints).all()


def test_histories_of_a_large_set_fit_and_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sat, "SMALL", 500)
    monkeypatch.setattr(sat, "CELLS", 8)
    belief, position = sat_of(LARGE), position_of(LARGE)
    found = belief.enumerate(2_000)
    assert not found.complete
    assert len(np.unique(found.joints, axis=0)) == len(found) == 2_000
    assert consistent(belief.machine, belief.role, position.observations, found.joints).all()
    drawn = belief.sample(64, seed=1)
    assert consistent(belief.machine, belief.role, position.observations, drawn.joints).all()
    assert len(np.unique(drawn.joints, axis=0)) > 50


def test_the_first_impossible_step_is_named_and_can_be_told_again() -> None:
    case = Case("battleship_4_2", 0, 7)
    position, belief = position_of(case), sat_of(case)
    machine = machine_of(case.game)
    before = belief.enumerate(1_000)
    every_percept = tuple(map(PerceptId, range(machine.percept_count(position.role))))
    for percepts in (every_percept, (PerceptId(10_000),)):
        with pytest.raises(PlayError, match=r"BEL001.*step 8 is impossible"):
            belief.advance(Observation(MoveId(0), percepts))
    assert len(belief.observations) == 7
    assert_same(belief.enumerate(1_000), before)


def test_a_contradiction_that_only_search_finds_is_named() -> None:
    """An answer that no code of Mastermind gives after those before it."""
    machine = machine_of("mastermind")
    belief = SatBelief(BeliefRequest(machine, RoleId(1)))
    position = position_of(Case("mastermind", 1, 6))
    told(belief, position.observations)
    last = position.observations[-1]
    wrong = [PerceptId(p) for p in range(machine.percept_count(RoleId(1)))]
    others = [(p,) for p in wrong if (p,) != last.percepts]
    for percepts in others:
        # The same guess again must be answered as before.
        with pytest.raises(PlayError, match=r"BEL001.*step 7 is impossible"):
            belief.advance(Observation(last.move, percepts))
    assert belief.size() == exact_of(Case("mastermind", 1, 6)).size()


def test_time_that_runs_out_is_told() -> None:
    case = Case("gops_10_40", 1, 25)
    belief = sat_of(case)
    belief.limits = BeliefLimits(seconds=0.0)
    started = time.perf_counter()
    with pytest.raises(LimitError, match="BEL002"):
        belief.sample(10, seed=1)
    assert time.perf_counter() - started < 5.0


def test_a_machine_without_gates_is_refused() -> None:
    machine = load("kuhn_poker", engine="reference").machine
    with pytest.raises(UsageError, match="BEL006"):
        SatBelief(BeliefRequest(machine, RoleId(1)))
