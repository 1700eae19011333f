"""Depth-first search and bags of models where many choices lead nowhere."""

from __future__ import annotations

import numpy as np
import pytest
from belief_cases import SMALL, Case, deviation, exact_of, machine_of, position_of, posterior, told

from fogspiel.belief.dfs import DfsBelief
from fogspiel.belief.hyperplay.bag import HyperplayBelief
from fogspiel.belief.protocol import BeliefLimits, BeliefRequest
from fogspiel.belief.verify import consistent

DEAD_ENDS = [
    Case("battleship_4_2", 0, 16, 2),
    Case("battleship_4_2", 1, 20, 3),
    Case("racko_12_3", 1, 12, 3),
    Case("difference_9", 2, 10, 2),
    Case("latent_tic_tac_toe", 0, 9, 2),
]


@pytest.mark.parametrize("width", [1, 7, 512])
@pytest.mark.parametrize("case", SMALL[::4], ids=str)
def test_the_width_of_bundles_does_not_matter(case: Case, width: int) -> None:
    machine, position = machine_of(case.game), position_of(case)
    belief = told(
        DfsBelief(BeliefRequest(machine, position.role), width=width), position.observations
    )
    truth = exact_of(case).enumerate(1_000_000)
    assert posterior(belief.enumerate(1_000_000)) == pytest.approx(posterior(truth), abs=1e-9)


def test_a_small_limit_on_steps_makes_bundles_smaller() -> None:
    case = Case("racko_12_3", 1, 6)
    machine, position = machine_of(case.game), position_of(case)
    belief = DfsBelief(BeliefRequest(machine, position.role, BeliefLimits(histories=40)))
    told(belief, position.observations)
    found = belief.enumerate(20)
    assert len(found) == 20
    assert consistent(machine, position.role, position.observations, found.joints).all()


@pytest.mark.parametrize("case", DEAD_ENDS, ids=str)
def test_search_with_backtracking_finds_histories_where_descents_do_not(case: Case) -> None:
    machine, position = machine_of(case.game), position_of(case)
    belief = told(DfsBelief(BeliefRequest(machine, position.role), tries=0), position.observations)
    drawn = belief.sample(100, seed=1)
    assert len(drawn) == 100
    assert drawn.unbiased, "drawn from an enumeration"
    assert consistent(machine, position.role, position.observations, drawn.joints).all()


def test_what_a_search_comes_upon_first_is_not_called_unbiased(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fogspiel.belief.dfs.ALL_EXPANSIONS", 1)
    case = DEAD_ENDS[2]
    machine, position = machine_of(case.game), position_of(case)
    belief = told(DfsBelief(BeliefRequest(machine, position.role), tries=0), position.observations)
    drawn = belief.sample(100, seed=1)
    assert 0 < len(drawn) <= 100
    assert not drawn.unbiased
    assert consistent(machine, position.role, position.observations, drawn.joints).all()


def test_descents_that_come_through_are_not_given_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fogspiel.belief.dfs.ALL_EXPANSIONS", 1)
    case = Case("racko_12_3", 1, 12, 3)
    machine, position = machine_of(case.game), position_of(case)
    belief = told(DfsBelief(BeliefRequest(machine, position.role), tries=1), position.observations)
    drawn = belief.sample(100_000, seed=1)
    assert drawn.unbiased
    assert 0 < len(drawn) < 100_000
    assert deviation(drawn, exact_of(case).enumerate(1_000_000)) < 4.0


@pytest.mark.parametrize("case", DEAD_ENDS, ids=str)
def test_weights_undo_the_bias_of_backtracking(case: Case) -> None:
    machine, position = machine_of(case.game), position_of(case)
    belief = told(HyperplayBelief(BeliefRequest(machine, position.role)), position.observations)
    drawn = belief.sample(2048, seed=1)
    assert drawn.unbiased
    assert consistent(machine, position.role, position.observations, drawn.joints).all()
    assert deviation(drawn, exact_of(case).enumerate(1_000_000)) < 4.0


def test_the_mass_beside_a_path_counts_only_what_leads_to_the_end() -> None:
    """Weights from scouts are the products of masses that the exact layers give."""
    case = DEAD_ENDS[2]
    machine, position = machine_of(case.game), position_of(case)
    belief = told(
        HyperplayBelief(BeliefRequest(machine, position.role), count=64), position.observations
    )
    drawn, exact = belief.sample(64, seed=1), exact_of(case)
    viable = [np.ones(len(exact.layers[-1]), np.bool_)]
    for depth in range(len(exact.steps) - 1, -1, -1):
        step = exact.steps[depth]
        ends = np.repeat(np.arange(len(step.starts) - 1), np.diff(step.starts))
        here = np.zeros(len(exact.layers[depth]), np.bool_)
        here[step.parents[viable[0][ends]]] = True
        viable.insert(0, here)
    expected = []
    for joints in drawn.joints:
        at, weight = 0, 1.0
        for depth, joint in enumerate(joints):
            step = exact.steps[depth]
            ends = np.repeat(np.arange(len(step.starts) - 1), np.diff(step.starts))
            mine = (step.parents == at) & viable[depth + 1][ends]
            weight *= float(step.shares[mine].sum())
            at = int(ends[mine & (step.joints == joint).all(axis=1)][0])
        expected.append(weight)
    assert drawn.weights == pytest.approx(np.array(expected) / max(expected))


def test_without_scouts_weights_suppose_that_choices_lead_on() -> None:
    case = DEAD_ENDS[2]
    machine, position = machine_of(case.game), position_of(case)
    quick = told(
        HyperplayBelief(BeliefRequest(machine, position.role), scouts=0), position.observations
    )
    sure = told(HyperplayBelief(BeliefRequest(machine, position.role)), position.observations)
    assert np.array_equal(quick.edges, sure.edges)
    assert not np.allclose(quick.sample(500, seed=0).weights, sure.sample(500, seed=0).weights)
    assert sure.sample(500, seed=0).unbiased
    assert not quick.sample(500, seed=0).unbiased
