"""Constraint satisfaction, in every order and after every kind of conflict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

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

from fogspiel.belief.csp import belief as csp
from fogspiel.belief.csp import stage_graph
from fogspiel.belief.csp.belief import CspBelief
from fogspiel.belief.csp.demands import demands_of, survey_of
from fogspiel.belief.csp.forward import AfterConflict, StepChoice
from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.protocol import BeliefLimits, BeliefRequest
from fogspiel.belief.verify import consistent
from fogspiel.core.findings import LimitError, PlayError, UsageError
from fogspiel.core.terms import Observation, PerceptId, RoleId
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine
from fogspiel.machine.three_valued import OffersTernary

SETTLING: list[tuple[StepChoice, AfterConflict]] = [
    ("random", "restart"),
    ("random", "backtrack"),
    ("constrained", "restart"),
    ("constrained", "backtrack"),
]
ORDERS: list[tuple[StepChoice, AfterConflict]] = [("forward", "restart"), *SETTLING]
FEW = 400
"""Histories that settling one by one finds in a moment."""
UNLUCKY = 4.0
UNEVEN = [
    Case("monty_hall", 1, 3),
    Case("dark_hex_3", 1, 9),
    Case("difference_9", 1, 9),
    Case("phantom_connect_four", 0, 8, 2),
]
"""Positions in which settling the most constrained step first is far from the posterior."""

DEFAULT_LIMITS = BeliefLimits()


def csp_of(
    case: Case,
    order: tuple[StepChoice, AfterConflict] = ORDERS[0],
    limits: BeliefLimits = DEFAULT_LIMITS,
) -> CspBelief:
    position = position_of(case)
    belief = CspBelief(
        BeliefRequest(machine_of(case.game), position.role, limits),
        step_choice=order[0],
        after_conflict=order[1],
    )
    return told(belief, position.observations)


def few() -> list[Case]:
    return [case for case in SMALL if (exact_of(case).size() or FEW) < FEW]


@pytest.mark.parametrize("case", SMALL, ids=str)
def test_the_whole_set_is_found_in_the_order_of_play(case: Case) -> None:
    belief = csp_of(case)
    found, truth = belief.enumerate(1_000_000), exact_of(case).enumerate(1_000_000)
    assert found.complete
    assert belief.size() == len(found) == len(truth)
    assert posterior(found) == pytest.approx(posterior(truth), abs=1e-9)
    assert true_history_is_in(found, position_of(case))


@pytest.mark.parametrize("order", SETTLING, ids="-".join)
def test_the_whole_set_is_found_by_settling_steps(order: tuple[StepChoice, AfterConflict]) -> None:
    cases = few()
    assert len(cases) >= 5
    for case in cases:
        found, truth = csp_of(case, order).enumerate(FEW), exact_of(case).enumerate(FEW)
        assert found.complete
        assert posterior(found) == pytest.approx(posterior(truth), abs=1e-9), str(case)


@pytest.mark.parametrize("case", SMALL, ids=str)
def test_nothing_that_fits_is_ever_excluded(case: Case) -> None:
    """Soundness of propagation: every stage agrees with every history of the exact belief."""
    graph = csp_of(case).graph
    truth = exact_of(case).enumerate(100_000)
    machine = machine_of(case.game)
    states = np.repeat(machine.initial()[None, :], len(truth), axis=0)
    for step in range(1, len(graph) + 1):
        states = machine.step_batch(states, truth.joints[:, step - 1])
        plausible = {tuple(joint) for joint in graph.candidates(step)}
        assert {tuple(joint) for joint in np.unique(truth.joints[:, step - 1], axis=0)} <= plausible
        assert not (states & ~graph.can_hold[step]).any()
        must_hold = graph.can_hold[step] & ~graph.can_fail[step]
        assert not (~states & must_hold).any()


@pytest.mark.parametrize("case", [*SMALL, *UNEVEN], ids=str)
def test_samples_in_the_order_of_play_follow_the_posterior(case: Case) -> None:
    drawn = csp_of(case).sample(2000, seed=7)
    assert len(drawn) == 2000
    assert deviation(drawn, exact_of(case).enumerate(1_000_000)) < UNLUCKY


@pytest.mark.parametrize("case", UNEVEN, ids=str)
@pytest.mark.parametrize("step_choice", ["random", "constrained"])
def test_weights_remove_the_bias_of_settling(step_choice: StepChoice, case: Case) -> None:
    drawn = csp_of(case, (step_choice, "restart")).sample(300, seed=3)
    truth = exact_of(case).enumerate(1_000_000)
    assert deviation(drawn, truth) < UNLUCKY
    if step_choice == "constrained":
        assert deviation(replace(drawn, weights=np.ones(len(drawn))), truth) > UNLUCKY


@pytest.mark.parametrize(("order", "case"), list(product(ORDERS, SMALL[::5])), ids=str)
def test_what_is_drawn_fits_when_it_is_played_again(
    order: tuple[StepChoice, AfterConflict], case: Case
) -> None:
    machine, position = machine_of(case.game), position_of(case)
    drawn = csp_of(case, order).sample(10, seed=1)
    assert len(drawn) == 10
    assert consistent(machine, position.role, position.observations, drawn.joints).all()
    again = csp_of(case, order).sample(10, seed=1)
    assert np.array_equal(drawn.joints, again.joints)
    assert np.array_equal(drawn.weights, again.weights)


def test_a_card_seen_later_tells_where_it_was_dealt() -> None:
    """Richards, section 4.3: what is revealed fixes the deal without any search."""
    case = Case("racko_60_10", 1, 80)
    belief = csp_of(case)
    counts = belief.graph.counts()
    position = position_of(case)
    assert (counts[:21] == 1).sum() >= 19  # ten own cards, the one turned up, and those seen since
    assert position.joints is not None
    for step in map(int, np.flatnonzero(counts == 1)):
        assert tuple(belief.graph.candidates(step + 1)[0]) == tuple(position.joints[step])


def test_hands_are_counted() -> None:
    """Ten cards were bid, so ten deals gave just these: no single deal shows it."""
    case = Case("gops_4_10", 1, 19)
    belief = csp_of(case)
    machine = belief.machine
    assert isinstance(machine, OffersTernary)
    demands = demands_of(survey_of(belief.graph, machine.ternary()))
    assert any(demands.bounds)
    drawn = belief.sample(500, seed=0)
    # Every order of the four cards is as probable as any other, and no draw was in vain.
    assert drawn.weights == pytest.approx(1.0)


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_a_percept_that_cannot_be_names_its_step(order: tuple[StepChoice, AfterConflict]) -> None:
    case = Case("battleship_4_2", 0, 9)
    position = position_of(case)
    belief = CspBelief(
        BeliefRequest(machine_of(case.game), position.role),
        step_choice=order[0],
        after_conflict=order[1],
    )
    told(belief, position.observations[:-1])
    wrong = Observation(position.observations[-1].move, (PerceptId(0), PerceptId(1)))
    with pytest.raises(PlayError, match="step 9 is impossible") as caught:
        belief.advance(wrong)
    assert caught.value.findings[0].code == "BEL001"
    # The belief stays as it was, and play may go on from there.
    told(belief, position.observations[-1:])
    assert len(belief.observations) == 9


def test_limits_on_time_are_kept_within_propagation() -> None:
    with pytest.raises(LimitError) as caught:
        csp_of(Case("racko_12_3", 1, 12), limits=BeliefLimits(seconds=1e-9))
    assert caught.value.findings[0].code == "BEL002"


def test_limits_on_histories_are_kept_and_told() -> None:
    for order in ORDERS:
        some = csp_of(Case("racko_12_3", 1, 8), order).enumerate(20)
        assert len(some) == 20
        assert not some.complete


def test_where_the_order_of_play_fails_steps_are_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csp, "TRIES", 0)
    case = Case("battleship_4_2", 0, 12, 2)
    drawn = csp_of(case).sample(20, seed=0)
    assert not drawn.unbiased
    position = position_of(case)
    assert consistent(
        machine_of(case.game), position.role, position.observations, drawn.joints
    ).all()


def test_roles_are_looked_at_alone_where_joint_moves_are_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = Case("hidden_goofspiel_4", 0, 3, 4)
    truth = posterior(exact_of(case).enumerate(1_000_000))
    monkeypatch.setattr(stage_graph, "MOST_CANDIDATES", 6)
    assert posterior(csp_of(case).enumerate(1_000_000)) == pytest.approx(truth, abs=1e-9)
    monkeypatch.setattr(stage_graph, "MOST_CANDIDATES", 1)
    with pytest.raises(LimitError):
        csp_of(case)


def test_a_contradiction_that_was_overlooked_names_its_step_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Enumerating shows what step was impossible where there was no time to look for witnesses."""
    case = Case("latent_tic_tac_toe", 0, 9)
    machine, position = machine_of(case.game), position_of(case)
    monkeypatch.setattr(csp, "SEARCH_SHARE", 0.0)
    named = 0
    for other in (
        position_of(Case(case.game, case.role, case.steps, seed)) for seed in range(2, 12)
    ):
        for at in range(3, len(position.observations)):
            observations = [*position.observations[:at], *other.observations[at:]]
            step = impossible_step(machine, position.role, observations)
            if step is None:
                continue
            with pytest.raises(PlayError, match=f"step {step} is impossible"):
                told(
                    CspBelief(BeliefRequest(machine, position.role)), observations[:step]
                ).enumerate(1_000_000)
            named += 1
    assert named


def impossible_step(
    machine: Machine, role: RoleId, observations: Sequence[Observation]
) -> int | None:
    exact = ExactBelief(BeliefRequest(machine, role))
    for step, observation in enumerate(observations, 1):
        try:
            exact.advance(observation)
        except PlayError:
            return step
    return None


def test_a_machine_without_gates_is_refused() -> None:
    machine = load("monty_hall", engine="reference").machine
    with pytest.raises(UsageError) as caught:
        CspBelief(BeliefRequest(machine, RoleId(0)))
    assert caught.value.findings[0].code == "BEL006"
