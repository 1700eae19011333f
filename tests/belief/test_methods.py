"""What holds for every method, judged by the exact belief."""

from __future__ import annotations

from collections.abc import Sequence

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

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.methods import METHODS, make_belief
from fogspiel.belief.models import UniformModel
from fogspiel.belief.positions import position_after, random_history
from fogspiel.belief.protocol import Belief, BeliefLimits, BeliefRequest
from fogspiel.belief.verify import consistent
from fogspiel.core.findings import LimitError, PlayError, UsageError
from fogspiel.core.terms import Observation, RoleId
from fogspiel.games.load import load

METHOD_NAMES = [name for name in METHODS if name not in ("csp", "sat")]
"""All that run on every machine; the other two have the same tests in files of their own."""
PROVING = [name for name in METHOD_NAMES if name != "rejection"]
"""Methods that can tell that nothing fits."""
IMPROBABLE = ("battleship_4_2", "racko_12_3", "difference_9", "gops_4_10")
"""Games of which a random history hardly ever fits: `rejection` is not tried on them."""
COMPLETE = ["auto", "exact", "dfs", "tree"]
"""Methods that find all histories where limits allow it."""
UNLUCKY = 4.0
"""Standard deviations that a sample stays below: seeds are fixed, and none came near it."""
IMPOSSIBLE = [
    (Case("battleship_4_2", 0, 14), 30),
    (Case("latent_tic_tac_toe", 0, 9), 30),
    (Case("leduc_poker", 1, 9, 5), 30),
    (Case("racko_12_3", 1, 12), 30),
    (Case("number_guessing_16", 1, 4), 30),
]
"""Positions, and how many altered ones are tried."""


def paired(methods: Sequence[str], cases: Sequence[Case]) -> list[tuple[str, Case]]:
    """All methods on all positions that they are made for."""
    return [
        (method, case)
        for method in methods
        for case in cases
        if method != "rejection" or case.game not in IMPROBABLE
    ]


def belief_of(method: str, case: Case, limits: BeliefLimits | None = None) -> Belief:
    position = position_of(case)
    belief = make_belief(method, machine_of(case.game), position.role, limits)
    return told(belief, position.observations)


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_histories_have_moves_of_all_roles_before_the_first_step_too(method: str) -> None:
    machine = machine_of("kuhn_poker")
    belief = make_belief(method, machine, RoleId(1))
    assert belief.sample(3, 1).joints.shape == (3, 0, len(machine.roles))
    assert belief.enumerate(3).joints.shape == (1, 0, len(machine.roles))


@pytest.mark.parametrize("case", SMALL, ids=str)
@pytest.mark.parametrize("method", COMPLETE)
def test_the_same_histories_are_found_with_the_same_probabilities(method: str, case: Case) -> None:
    belief = belief_of(method, case)
    found, truth = belief.enumerate(1_000_000), exact_of(case).enumerate(1_000_000)
    assert found.complete
    assert belief.size() == len(found) == len(truth)
    assert posterior(found) == pytest.approx(posterior(truth), abs=1e-9)


@pytest.mark.parametrize("case", SMALL, ids=str)
@pytest.mark.parametrize("method", COMPLETE)
def test_the_true_history_is_among_them(method: str, case: Case) -> None:
    assert true_history_is_in(belief_of(method, case).enumerate(1_000_000), position_of(case))


@pytest.mark.parametrize(("method", "case"), paired(METHOD_NAMES, SMALL), ids=str)
def test_samples_follow_the_posterior(method: str, case: Case) -> None:
    drawn = belief_of(method, case).sample(1000, seed=7)
    assert len(drawn) == 1000
    assert deviation(drawn, exact_of(case).enumerate(1_000_000)) < UNLUCKY


@pytest.mark.parametrize(("method", "case"), paired(METHOD_NAMES, SMALL[::2]), ids=str)
def test_what_is_drawn_fits_when_it_is_played_again(method: str, case: Case) -> None:
    machine, position = machine_of(case.game), position_of(case)
    drawn = belief_of(method, case).sample(50, seed=3)
    assert consistent(machine, position.role, position.observations, drawn.joints).all()
    for joints, end in zip(drawn.joints, drawn.states, strict=True):
        state = machine.initial()
        for joint in joints:
            state = machine.step(state, tuple(joint))
        assert machine.key(state) == machine.key(end)


@pytest.mark.parametrize("game", ["kuhn_poker", "latent_tic_tac_toe", "monty_hall"])
@pytest.mark.parametrize("method", METHOD_NAMES)
def test_methods_work_on_a_machine_that_meets_fluents_as_it_goes(method: str, game: str) -> None:
    machine = load(game, engine="reference").machine
    position = position_after(machine, random_history(machine, 4, 1), RoleId(1))
    belief = told(make_belief(method, machine, RoleId(1)), position.observations)
    drawn = belief.sample(300, seed=2)
    truth = told(ExactBelief(BeliefRequest(machine, RoleId(1))), position.observations).enumerate(
        1000
    )
    assert deviation(drawn, truth) < UNLUCKY


@pytest.mark.parametrize(("method", "case"), paired(METHOD_NAMES, SMALL[::3]), ids=str)
def test_the_same_seed_gives_the_same_sample(method: str, case: Case) -> None:
    first, second = (belief_of(method, case).sample(100, seed=5) for _ in range(2))
    assert np.array_equal(first.joints, second.joints)
    assert np.array_equal(first.weights, second.weights)


@pytest.mark.parametrize("case", SMALL[::3], ids=str)
@pytest.mark.parametrize("method", COMPLETE)
def test_questions_in_between_change_nothing(method: str, case: Case) -> None:
    position = position_of(case)
    belief = make_belief(method, machine_of(case.game), position.role)
    for observation in position.observations:
        belief.advance(observation)
        belief.sample(10, seed=1)
        belief.enumerate(1_000_000)
    truth = exact_of(case).enumerate(1_000_000)
    assert posterior(belief.enumerate(1_000_000)) == pytest.approx(posterior(truth), abs=1e-9)


@pytest.mark.parametrize(("method", "case"), paired(METHOD_NAMES, SMALL[1::3]), ids=str)
def test_probabilities_of_states_come_near_the_exact_ones(method: str, case: Case) -> None:
    belief, exact = belief_of(method, case), exact_of(case)
    belief.enumerate(1_000_000)
    tolerance = {"hyperplay": 0.1, "particles": 0.02, "rejection": 0.05}.get(method, 1e-9)
    for state in exact.layers[-1].states[:20]:
        assert belief.probability(state) == pytest.approx(exact.probability(state), abs=tolerance)


def altered(case: Case, count: int) -> list[tuple[list[Observation], int]]:
    """Observations that break off at a step which the exact belief calls impossible."""
    machine, position = machine_of(case.game), position_of(case)
    others = [s for seed in range(2, 6) for s in position_of(_with_seed(case, seed)).observations]
    rng = np.random.default_rng(0)
    found: list[tuple[list[Observation], int]] = []
    for _ in range(count):
        at = int(rng.integers(len(position.observations)))
        wrong = others[int(rng.integers(len(others)))]
        observations = [*position.observations[:at], wrong, *position.observations[at + 1 :]]
        belief = make_belief("exact", machine, position.role)
        for step, observation in enumerate(observations, 1):
            try:
                belief.advance(observation)
            except PlayError:
                found.append((observations, step))
                break
    return found


def _with_seed(case: Case, seed: int) -> Case:
    return Case(case.game, case.role, case.steps, case.seed + seed)


@pytest.mark.parametrize(("case", "count"), IMPOSSIBLE, ids=str)
@pytest.mark.parametrize("method", PROVING)
def test_a_contradiction_names_the_first_impossible_step(
    method: str, case: Case, count: int
) -> None:
    cases = altered(case, count)
    assert cases
    for observations, step in cases:
        belief = make_belief(method, machine_of(case.game), RoleId(case.role))
        told(belief, observations[: step - 1])
        wrong = observations[step - 1]
        with pytest.raises(PlayError, match=f"step {step} is impossible") as caught:
            belief.advance(wrong)
        assert caught.value.findings[0].code == "BEL001"


@pytest.mark.parametrize("method", ["exact", "tree", "hyperplay"])
def test_a_limit_on_histories_stops_a_method_with_a_coded_error(method: str) -> None:
    limits = BeliefLimits(histories=500)
    with pytest.raises(LimitError) as caught:
        belief_of(method, Case("racko_60_10", 1, 24), limits)
    assert caught.value.findings[0].code == "BEL002"


@pytest.mark.parametrize("method", ["dfs", "tree", "exact"])
def test_a_limit_on_what_is_enumerated_is_kept_and_told(method: str) -> None:
    belief = belief_of(method, Case("racko_12_3", 1, 8))
    some = belief.enumerate(100)
    assert len(some) <= 100
    assert not some.complete


@pytest.mark.parametrize("method", ["dfs", "tree", "hyperplay"])
def test_a_limit_on_time_stops_a_search(method: str) -> None:
    limits = BeliefLimits(seconds=1e-9)
    with pytest.raises(LimitError) as caught:
        belief_of(method, Case("battleship_4_2", 0, 9), limits)
    assert caught.value.findings[0].code == "BEL002"


def test_every_method_says_in_a_line_what_it_does() -> None:
    assert all(len(method.what) < 90 for method in METHODS.values())


def test_an_unknown_method_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="particles") as caught:
        make_belief("guess", machine_of("monty_hall"), RoleId(0))
    assert caught.value.findings[0].code == "BEL004"


def test_a_method_that_takes_no_model_refuses_one() -> None:
    with pytest.raises(UsageError, match="takes no opponent model"):
        make_belief("sat", machine_of("monty_hall"), RoleId(0), model=UniformModel())
