"""The belief state tree: removal by Bayes' rule, and the posterior it comes to."""

from __future__ import annotations

import numpy as np
import pytest
from belief_cases import Case, exact_of, machine_of, position_of, told
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fogspiel.belief.belief_tree import ROOT, BeliefTree, TreeBelief
from fogspiel.belief.protocol import BeliefLimits, BeliefRequest
from fogspiel.belief.transitions import Successors

NOTHING_LEFT = np.zeros(1)


def empty_tree() -> BeliefTree:
    return BeliefTree(np.zeros((1, 1), np.uint64), 1)


def added(tree: BeliefTree, parent: int, local: NDArray[np.float64]) -> NDArray[np.int64]:
    """Children of a node with these probabilities, all at the same point."""
    first, size = len(tree), len(local)
    children = Successors(
        starts=np.array([0, size]),
        joints=np.zeros((size, 1), np.int32),
        points=np.zeros((size, 1), np.uint64),
        shares=local,
        masses=np.ones(1),
    )
    tree.open(np.array([parent]), children, np.zeros(1, np.int64))
    return np.arange(first, first + size)


def test_removal_gives_the_weights_of_the_published_example() -> None:
    """Geißer, Keller and Mattmüller (2014), example 1 and figure 1."""
    tree = empty_tree()
    a, e = added(tree, ROOT, np.array([1 / 2, 1 / 2]))
    b, c = added(tree, int(a), np.array([1 / 2, 1 / 2]))
    tree.remove(np.array([c]), NOTHING_LEFT)
    assert tree.local.rows[[b, a, e]] == pytest.approx([1, 1 / 3, 2 / 3], abs=1e-15)
    assert tree.local.rows[c] == 0.0


def test_a_node_without_possible_children_becomes_impossible() -> None:
    tree = empty_tree()
    a, e = added(tree, ROOT, np.array([1 / 4, 3 / 4]))
    b, c = added(tree, int(a), np.array([1 / 2, 1 / 2]))
    tree.remove(np.array([b]), NOTHING_LEFT)
    tree.remove(np.array([c]), NOTHING_LEFT)
    assert tree.local.rows[[a, e]] == pytest.approx([0, 1])
    tree.remove(np.array([e]), NOTHING_LEFT)
    assert tree.is_dead


@given(st.lists(st.floats(0.01, 1.0), min_size=12, max_size=12), st.sets(st.integers(0, 8)))
def test_removing_one_by_one_is_removing_all_at_once(
    numbers: list[float], removed: set[int]
) -> None:
    trees = []
    for _ in range(2):
        tree = empty_tree()
        shares = np.array(numbers).reshape(4, 3)
        shares /= shares.sum(axis=1)[:, None]
        for row, parent in enumerate(added(tree, ROOT, shares[0]), 1):
            added(tree, int(parent), shares[row])
        trees.append(tree)
    at_once, by_one = trees
    leaves = np.array(sorted(removed), np.int64) + 4
    prior = np.exp(at_once.logs(np.arange(4, 13), 2))
    if len(leaves):
        at_once.remove(leaves, np.zeros(len(leaves)))
    for leaf in leaves:
        by_one.remove(np.array([leaf]), NOTHING_LEFT)
    if len(leaves) == 9:
        assert at_once.is_dead
        assert by_one.is_dead
        return
    kept = np.setdiff1d(np.arange(4, 13), leaves)
    after = np.exp(at_once.logs(kept, 2))
    assert after == pytest.approx(np.exp(by_one.logs(kept, 2)), abs=1e-12)
    assert after == pytest.approx(prior[kept - 4] / prior[kept - 4].sum(), abs=1e-12)


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize(
    ("game", "steps"), [("monty_hall", 3), ("mastermind", 3), ("number_guessing_16", 4)]
)
def test_the_weights_of_a_complete_tree_are_the_posterior(game: str, steps: int, seed: int) -> None:
    for step in range(1, steps + 1):
        case = Case(game, 1, step, seed)
        position, exact = position_of(case), exact_of(case)
        belief = told(
            TreeBelief(BeliefRequest(machine_of(game), position.role)), position.observations
        )
        assert belief.enumerate(10_000_000).complete
        for state in exact.layers[-1].states[:64]:
            assert belief.probability(state) == pytest.approx(exact.probability(state), abs=1e-9)


def test_the_weights_of_a_tree_converge_as_it_is_searched() -> None:
    case = Case("battleship_4_2", 0, 11)
    position, exact = position_of(case), exact_of(case)
    belief = told(
        TreeBelief(BeliefRequest(machine_of(case.game), position.role), width=4),
        position.observations,
    )
    errors = []
    for count in (1, 30, 1000):
        belief.sample(count, seed=count)
        states = exact.layers[-1].states
        errors.append(max(abs(belief.probability(s) - exact.probability(s)) for s in states))
    assert errors[0] > errors[2]
    assert errors[2] < 0.01


def test_where_time_is_up_no_history_is_given_twice_for_others() -> None:
    case = Case("racko_12_3", 1, 12, 3)
    machine, position = machine_of(case.game), position_of(case)
    belief = told(TreeBelief(BeliefRequest(machine, position.role)), position.observations)
    belief.limits = BeliefLimits(seconds=0.0)
    drawn = belief.sample(100_000, seed=1)
    assert 0 < len(drawn) < 100_000
    assert len(drawn.weights) == len(drawn.joints) == len(drawn)
