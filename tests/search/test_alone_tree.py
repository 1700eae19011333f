"""One role by itself in a tree of its past: decisions are worth their best move."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId, format_term
from fogspiel.games.families.number_guessing import rules
from fogspiel.games.load import load, load_source
from fogspiel.machine.knowledge import first_knowledge
from fogspiel.machine.protocol import Machine
from fogspiel.search.evaluation.leaf import leaf_evaluation_of
from fogspiel.search.mcts.alone import AloneSearch
from fogspiel.search.mcts.alone_tree import AloneTree
from fogspiel.search.mcts.kernels.alone_arrays import BEST, COLUMNS, VALUE, Walks, learn_ends
from fogspiel.search.mcts.kernels.bandits import UCB
from fogspiel.search.mcts.lockstep import SelectionRule
from fogspiel.search.mcts.roots import SimulationStarts
from fogspiel.search.mcts.statistics import DecisionTable

CONSTANT = 2.0**0.5


class AfterChance:
    """The states after the first step, in which chance alone has a choice, all as probable."""

    def __init__(self, machine: Machine) -> None:
        self.states = machine.expand(machine.initial()).states
        known = [first_knowledge(RoleId(each)) for each in range(len(machine.roles))]
        self.knowledge = np.repeat(np.array(known)[None, :], len(self.states), axis=0)
        self.weights = np.full(len(self.states), 1.0 / len(self.states))

    def __call__(self, count: int, seed: int) -> SimulationStarts:
        rows = np.random.default_rng(seed).integers(len(self.states), size=count)
        return SimulationStarts(states=self.states[rows], knowledge=self.knowledge[rows])


class AtFirst(AfterChance):
    """The first state of the game."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.states = machine.initial()[None, :]
        self.knowledge, self.weights = self.knowledge[:1], np.ones(1)


def own_role(machine: Machine) -> RoleId:
    return next(RoleId(i) for i in range(len(machine.roles)) if i != machine.chance_role)


def searched(machine: Machine, pool: AfterChance, simulations: int) -> AloneTree:
    search = AloneTree(machine, own_role(machine), constant=CONSTANT, seed=3)
    assert search.run(pool, Budget.of(simulations=simulations)) == simulations
    return search


def values(search: AloneTree, pool: AfterChance) -> dict[str, float]:
    """What moves are worth where simulations begin."""
    ((key, weight),) = search.root_decisions(pool)
    assert weight == pytest.approx(1.0)
    return named_values(search.machine, search.observer, search.decisions, key)


def named_values(
    machine: Machine, role: RoleId, decisions: DecisionTable, key: np.uint64
) -> dict[str, float]:
    node = decisions.find(key)
    assert node is not None
    arms = decisions.arms(node)
    means = decisions.arrays.arm_values[arms] / decisions.arrays.arm_returns[arms]
    moves = decisions.arrays.moves[arms].tolist()
    names = [format_term(machine.move_term(role, move)) for move in moves]
    return dict(zip(names, means.tolist(), strict=True))


def test_an_answer_is_worth_what_its_best_use_is() -> None:
    # Geisser et al. (2014), section 5: asking is worth 90. Means count wires cut at random, too.
    machine = load("exploding_bomb").machine
    pool = AfterChance(machine)
    best = values(searched(machine, pool, 2_000), pool)
    by_means = AloneSearch(
        machine, own_role(machine), rule=SelectionRule(kind=UCB, constant=CONSTANT), seed=3
    )
    by_means.run(pool, Budget.of(simulations=2_000))
    key = first_knowledge(own_role(machine))
    mean = named_values(machine, own_role(machine), by_means.decisions, key)
    assert best["ask"] == pytest.approx(0.9, abs=0.02)
    assert mean["ask"] < best["ask"] - 0.01


def test_questions_are_worth_what_they_lead_to() -> None:
    # Of four numbers, binary search finds each with two questions: 100. Asking for 1 first: with
    # it 100; else 3 is asked for, after which 4 is known and 2 and 3 need one more, for 70 each:
    # (100 + 100 + 70 + 70) / 4. A guess at once is right in one of four cases; the best of four
    # means lies a little above that.
    machine = load_source(Source("four.gdl", rules(4))).machine
    pool = AfterChance(machine)
    found = values(searched(machine, pool, 100_000), pool)
    assert found["(ask 2)"] == pytest.approx(1.0, abs=0.03)
    assert found["(ask 1)"] == pytest.approx(0.85, abs=0.05)
    assert found["(ask 3)"] == pytest.approx(0.85, abs=0.05)
    assert found["ready"] == pytest.approx(0.25, abs=0.05)


def test_states_are_kept_apart_from_what_is_known() -> None:
    # A secret, the questions asked and whether one asks or guesses: 16 * 14 * 2, and 16 * 14 * 2
    # ends. Pasts are many more.
    machine = load("number_guessing_16").machine
    search = searched(machine, AfterChance(machine), 20_000)
    assert search.node_count <= 16 * 14 * 4 < 10_000 < search.decisions.node_count


def test_others_choose_evenly() -> None:
    machine = load("biased_rps").machine
    pool = AtFirst(machine)
    role = own_role(machine)
    found = values(searched(machine, pool, 20_000), pool)
    after = machine.expand(machine.initial())
    goals = machine.goals_batch(after.states)[:, role].astype(float)
    scale = goals.max() - goals.min()
    for move in sorted(set(after.joints[:, role].tolist())):
        even = (goals[after.joints[:, role] == move].mean() - goals.min()) / scale
        name = format_term(machine.move_term(role, move))
        assert found[name] == pytest.approx(even, abs=0.03)


def test_the_same_seed_finds_the_same() -> None:
    machine = load("number_guessing_8").machine
    pool = AfterChance(machine)
    one, other = (values(searched(machine, pool, 3_000), pool) for _ in range(2))
    assert one == other


def test_memory_is_bounded_and_simulations_go_on() -> None:
    machine = load("number_guessing_16").machine
    role = own_role(machine)
    search = AloneTree(machine, role, constant=CONSTANT, seed=3, max_bytes=1 << 21)
    assert search.run(AfterChance(machine), Budget.of(simulations=30_000)) == 30_000
    assert search.bytes < 1 << 23


def test_where_memory_is_full_decisions_that_were_met_once_get_no_moves() -> None:
    """There was no room for them, 256 each in mastermind, and a million simulations crashed."""
    machine = load("mastermind").machine
    search, pool = searched(machine, AfterChance(machine), 5_000), AfterChance(machine)
    sizes = search.decisions.arrays.sizes.tolist()
    assert (search.decisions.arrays.arm_counts[: sizes[0]] == 0).any()
    search._tree._max_bytes = 0
    assert search.run(pool, Budget.of(simulations=20_000)) == 20_000
    assert search.decisions.arrays.sizes.tolist() == sizes


def test_where_leaves_are_evaluated_simulations_stop_at_a_new_decision() -> None:
    machine = load("number_guessing_8").machine
    role = own_role(machine)
    search = AloneTree(
        machine, role, constant=CONSTANT, seed=3, leaves=leaf_evaluation_of("mobility")
    )
    assert search.run(AfterChance(machine), Budget.of(simulations=500)) == 500


def made_walks(trail: list[tuple[int, int]]) -> Walks:
    return Walks(
        states=np.ones(1, np.int8),
        nodes=np.zeros(1, np.int64),
        keys=np.zeros(1, np.uint64),
        outside=np.zeros(1, np.bool_),
        picks=np.zeros((1, 1), np.int32),
        joints=np.zeros(1, np.uint64),
        steps=np.zeros(1, np.int64),
        lengths=np.array([len(trail)]),
        trail=np.array([trail], np.int64),
    )


def test_until_all_moves_were_tried_the_mean_counts_and_then_the_best_move_in_doubt() -> None:
    # Decisions 0 and 1 with two moves each: arms 0 and 1, and 2 and 3. The second follows arm 0.
    decisions = DecisionTable(with_scores=False)
    decisions.arrays.sizes[:] = 2, 4
    decisions.arrays.first_arms[:2] = 0, 2
    decisions.arrays.arm_counts[:2] = 2
    bounds, estimates = np.zeros((4, 2)), np.zeros((2, COLUMNS))

    def worth_after(arm: int, goal: float) -> tuple[float, float]:
        walks, row = made_walks([(0, 0), (arm, 1)]), np.zeros(1, np.int64)
        learn_ends(decisions.arrays, bounds, estimates, walks, row, np.array([goal]))
        assert bounds[0, 0] == pytest.approx(estimates[1, VALUE])
        return float(estimates[1, VALUE]), float(estimates[1, BEST])

    assert worth_after(2, 1.0) == (1.0, 1.0)
    assert worth_after(2, 0.0) == (0.5, 0.5)
    # Now both were tried: 0.5 and 0.2. Then the second turns out better, 0.6, and worse again.
    # Of two moves each counts as if it had been tried (2 / 32)^2 times more, with the mean of all.
    more = 1 / 256
    assert worth_after(3, 0.2) == pytest.approx(((1.0 + 0.4 * more) / (2 + more), 0.5))
    assert worth_after(3, 1.0) == pytest.approx(((1.2 + 0.55 * more) / (2 + more), 0.6))
    assert worth_after(3, 0.0) == pytest.approx(((1.0 + 0.44 * more) / (2 + more), 0.5))


def test_among_many_moves_that_were_tried_once_a_lucky_one_is_doubted() -> None:
    # One decision of 64 moves: as if each had been tried four times more.
    arms = 64
    decisions = DecisionTable(with_scores=False)
    decisions.arrays.sizes[:] = 1, arms
    decisions.arrays.first_arms[0], decisions.arrays.arm_counts[0] = 0, arms
    bounds, estimates = np.zeros((arms, 2)), np.zeros((1, COLUMNS))
    for arm in range(arms):
        walks, row = made_walks([(arm, 0)]), np.zeros(1, np.int64)
        learn_ends(decisions.arrays, bounds, estimates, walks, row, np.array([float(arm == 7)]))
    mean = 1 / arms
    assert estimates[0, BEST] == 1.0
    assert estimates[0, VALUE] == pytest.approx((1.0 + 4 * mean) / 5)
