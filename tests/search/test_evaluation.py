"""Evaluations made from the rules: what they say, how they are joined, how searches use them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load, load_source
from fogspiel.machine.protocol import Machine, State, States
from fogspiel.search.evaluation.evaluations import EVALUATIONS, Learned, evaluation
from fogspiel.search.evaluation.features import constant_sum, focus, mobility, samples_of
from fogspiel.search.evaluation.leaf import LeafEvaluation, leaf_evaluation_of
from fogspiel.search.mcts.algorithms import UCT
from fogspiel.search.mcts.roots import state_roots
from fogspiel.search.mcts.search import Search
from fogspiel.search.mcts.statistics import root_statistics

NUMBERS = """
(role a) (role b)
(init (left 9))
(<= (legal ?r (take 1)) (role ?r))
(<= (legal a (take 2)) (true (left ?n)) (many ?n))
(many 9) (many 6) (many 5)
(<= (next (left ?m)) (true (left ?n)) (does a (take 1)) (minus ?n ?m))
(<= (next (left ?k)) (true (left ?n)) (does a (take 2)) (minus ?n ?m) (minus ?m ?k))
(<= (next (rich a)) (does a (take 2)))
(<= (next (rich a)) (true (rich a)))
(minus 9 8) (minus 8 7) (minus 7 6) (minus 6 5) (minus 5 4) (minus 4 3) (minus 3 2) (minus 2 1)
(minus 1 0)
(<= terminal (true (left 0)))
(<= terminal (true (left 1)))
(<= (goal a 100) (true (rich a)))
(<= (goal a 0) (not (true (rich a))))
(<= (goal b 0) (true (rich a)))
(<= (goal b 100) (not (true (rich a))))
"""
"""One fluent decides everything: who is rich in the end was rich before."""


def numbers() -> Machine:
    return load_source(Source("numbers.gdl", NUMBERS)).machine


@pytest.mark.parametrize("name", EVALUATIONS)
@pytest.mark.parametrize("game", ["tic_tac_toe", "kuhn_poker", "smallest", "simple_poker_pogddl"])
def test_evaluations_are_goals_and_exact_at_the_end(game: str, name: str) -> None:
    machine = load(game).machine
    states = samples_of(machine).states[:50]
    found = evaluation(machine, name)(states)
    assert found.shape == (len(states), len(machine.roles))
    players = [role for role in range(len(machine.roles)) if role != machine.chance_role]
    goals = machine.playouts(states, seed=1, count=4).goal_sums[:, players] / 4
    assert found[:, players].min() >= min(0.0, goals.min())
    assert found[:, players].max() <= 100 * machine.goal_scale
    ends = ended_states(machine)
    assert np.array_equal(evaluation(machine, name)(ends), machine.goals_batch(ends))


def ended_states(machine: Machine) -> States:
    """Some terminal states."""
    states = samples_of(machine).states
    found: list[State] = []
    for state in states:
        children = machine.expand(state)
        found.extend(children.states[children.terminal][:1])
        if len(found) == 5:
            break
    return np.stack(found)


def test_moves_are_measured_against_what_is_usual_for_the_role_on_turn() -> None:
    machine = load("breakthrough_6").machine
    samples = samples_of(machine)
    found = mobility(machine, samples)(samples.states)
    # In games of turns one counts its moves, the other the same with the opposite sign.
    assert np.allclose(found[:, 0], -found[:, 1])
    assert abs(found[:, 0].mean()) < 0.05
    first = machine.legal_batch(samples.states, RoleId(0)).sum(axis=1)
    on_turn = first > 1
    assert np.corrcoef(found[on_turn, 0], first[on_turn])[0, 1] > 0.9


def test_focus_is_few_moves_of_the_others() -> None:
    machine = load("breakthrough_6").machine
    samples = samples_of(machine)
    found = focus(machine, samples)(samples.states)
    second = machine.legal_batch(samples.states, RoleId(1)).sum(axis=1)
    waits = second == 1
    assert np.allclose(found[waits, 0], 0.0)
    assert np.corrcoef(found[~waits, 0], second[~waits])[0, 1] < -0.9


def test_weights_of_fluents_find_the_one_that_decides() -> None:
    machine = numbers()
    states = samples_of(machine).states
    rich = np.array([("rich", "a") in machine.fluent_terms(state) for state in states])
    found = evaluation(machine, "fluents")(states)
    assert found[rich, 0].min() > 80
    assert found[rich, 1].max() < 20


def test_what_does_not_predict_has_no_weight() -> None:
    machine = load("tic_tac_toe").machine
    learned = evaluation(machine, "learned")
    assert isinstance(learned, Learned)
    weights = {weight.measure: weight for weight in learned.weights}
    assert set(weights) == {"mobility", "focus", "fuzzy", "fluents"}
    for weight in weights.values():
        if max(map(abs, weight.correlations)) < 0.05:
            assert weight.weights == (0.0, 0.0)
    assert weights["fluents"].weights[0] > 0.0
    samples = samples_of(machine)
    rest = slice(samples.fitted, None)
    said = learned(samples.states[rest])[:, 0]
    assert np.corrcoef(said, samples.outcomes[rest, 0])[0, 1] > 0.2


def test_the_reference_machine_has_all_but_fuzzy_goals() -> None:
    machine = load("tic_tac_toe", engine="reference").machine
    with pytest.raises(PlayError) as raised:
        evaluation(machine, "fuzzy")
    assert raised.value.findings[0].code == "SEA001"
    learned = evaluation(machine, "learned")
    assert isinstance(learned, Learned)
    assert [weight.measure for weight in learned.weights] == ["mobility", "focus", "fluents"]


def test_a_constant_sum_is_seen() -> None:
    assert constant_sum(load("tic_tac_toe").machine) == 100
    assert constant_sum(load("prisoners_dilemma").machine) is None


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({}, LeafEvaluation(name="learned")),
        ({"share": "0.25"}, LeafEvaluation(name="learned", share=0.25)),
        ({"steps": "3", "share": "0.5"}, LeafEvaluation(name="learned", share=0.5, steps=3)),
    ],
)
def test_settings_are_read(settings: dict[str, str], wanted: LeafEvaluation) -> None:
    assert leaf_evaluation_of("learned", settings) == wanted


@pytest.mark.parametrize(
    ("name", "settings", "code"),
    [
        ("material", {}, "SEA002"),
        ("", {}, "SEA002"),
        ("focus", {"share": "2"}, "SEA003"),
        ("focus", {"steps": "deep"}, "SEA003"),
    ],
)
def test_settings_that_mean_nothing_are_refused(
    name: str, settings: dict[str, str], code: str
) -> None:
    with pytest.raises(UsageError) as raised:
        leaf_evaluation_of(name, settings)
    assert raised.value.findings[0].code == code


def test_ends_are_mixed_and_reached_by_random_steps() -> None:
    machine = load("tic_tac_toe").machine
    states = samples_of(machine).states[:200]
    value = evaluation(machine, "fluents")(states)
    played = LeafEvaluation().evaluator(machine)(states, 7)
    mixed = leaf_evaluation_of("fluents", {"share": "0.25"}).evaluator(machine)(states, 7)
    assert np.allclose(mixed, 0.25 * value + 0.75 * played)
    # After nine steps every game of tic-tac-toe is over, so that these are goals themselves.
    ended = leaf_evaluation_of("fluents", {"steps": "9"}).evaluator(machine)(states, 7)
    assert set(np.unique(ended)) <= {0.0, 50.0, 100.0}
    assert abs(ended[:, 0].mean() - played[:, 0].mean()) < 15


def test_a_search_with_an_evaluation_repeats_and_learns_from_it() -> None:
    machine = numbers()
    start = machine.initial()

    def searched() -> NDArray[np.float64]:
        leaves, roots = leaf_evaluation_of("fluents"), state_roots(machine, start[None, :])
        search = Search(machine, RoleId(0), UCT.with_constant(0.1), seed=2, leaves=leaves)
        search.run(roots, Budget(simulations=60))
        ((_, found),) = root_statistics(search, roots, RoleId(0))
        return np.stack([found.visits, found.means])

    once = searched()
    assert np.array_equal(once, searched())
    # Taking two makes rich at once, and wins.
    assert once[0, 1] > 2 * once[0, 0]
