"""The tree of states: known moves, equilibria, equal states as one node, the same bytes again."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId, format_term
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine, State, player_roles
from fogspiel.search.mcts import state_tree
from fogspiel.search.mcts.kernels.bandits import EXP3, REGRET_MATCHING, UCB
from fogspiel.search.mcts.kernels.state_arrays import StateNodes, add_edges, refill
from fogspiel.search.mcts.lockstep import SelectionRule
from fogspiel.search.mcts.roots import SimulationStarts, Source
from fogspiel.search.mcts.state_tree import StateTree

FIRST = RoleId(0)


def from_state(machine: Machine, state: State) -> Source:
    def starts(count: int, seed: int) -> SimulationStarts:
        nothing = np.zeros((count, len(machine.roles)), np.uint64)
        return SimulationStarts(states=np.repeat(state[None, :], count, axis=0), knowledge=nothing)

    return starts


def searched(name: str, rule: SelectionRule, simulations: int) -> StateTree:
    machine = load(name).machine
    tree = StateTree(machine, rule=rule, seed=1)
    source = from_state(machine, machine.initial())
    assert tree.run(source, Budget.of(simulations=simulations)) == simulations
    return tree


def names(tree: StateTree) -> list[str]:
    moves = tree.statistics(tree.machine.initial(), FIRST).moves.tolist()
    return [format_term(tree.machine.move_term(FIRST, move)) for move in moves]


def test_uct_takes_the_centre_of_tic_tac_toe() -> None:
    tree = searched("tic_tac_toe", SelectionRule(kind=UCB, constant=0.4), 20_000)
    visits = tree.statistics(tree.machine.initial(), FIRST).visits
    assert names(tree)[int(visits.argmax())] == "(mark 2 2)"


@pytest.mark.parametrize("kind", [EXP3, REGRET_MATCHING])
def test_averages_come_near_the_equilibrium(kind: int) -> None:
    tree = searched("biased_rps", SelectionRule(kind=kind, constant=0.05), 200_000)
    statistics = tree.statistics(tree.machine.initial(), FIRST)
    average = dict(zip(names(tree), statistics.average.tolist(), strict=True))
    # Shafiei (2010), section 3.6.1: 1/16, 10/16, 5/16. Bandits come near it, no nearer.
    assert average["paper"] == pytest.approx(10 / 16, abs=0.15)
    assert average["rock"] == pytest.approx(1 / 16, abs=0.1)


def test_equal_states_are_one_node() -> None:
    tree = searched("tic_tac_toe", SelectionRule(kind=UCB, constant=5.0), 60_000)
    # Tic-tac-toe has 5,478 states; a search that explores much meets most of them, and no more.
    assert 3_000 < int(tree.nodes.sizes[0]) <= 5_478


def test_every_simulation_comes_back() -> None:
    tree = searched("connect_four", SelectionRule(kind=UCB, constant=0.4), 20_000)
    arms = tree.arms
    assert np.array_equal(arms.visits, arms.returns)
    assert tree.statistics(tree.machine.initial(), FIRST).visits.sum() == 20_000
    assert (arms.values <= arms.returns).all()


def test_chance_draws_by_its_weights() -> None:
    machine = load("monty_hall").machine
    tree = StateTree(machine, rule=SelectionRule(kind=UCB, constant=0.4), seed=3)
    tree.run(from_state(machine, machine.initial()), Budget.of(simulations=30_000))
    # As if nothing were hidden, the car is found: whoever sees it behind a door takes that door.
    best = max(
        float(tree.statistics(state, role).means.max(initial=0.0))
        for state in tree.nodes.states[: int(tree.nodes.sizes[0])]
        for role in (RoleId(0), RoleId(1))
        if role != machine.chance_role
    )
    assert best == 1.0


def test_the_same_seed_gives_the_same_tree() -> None:
    rule = SelectionRule(kind=UCB, constant=0.4)
    one, other = (searched("goofspiel_5", rule, 3_000) for _ in range(2))
    for name in one.nodes._fields:
        assert np.array_equal(getattr(one.nodes, name), getattr(other.nodes, name))
    for name in one.arms._fields:
        assert np.array_equal(getattr(one.arms, name), getattr(other.arms, name))


def test_joint_moves_beyond_32_bits_are_told_apart() -> None:
    """Four roles with 300 moves each have so many in one state."""
    tree = searched("tic_tac_toe", SelectionRule(kind=UCB, constant=0.4), 16)
    owners, numbers = np.array([1, 1]), np.array([7, 7 + (1 << 32)])
    before = int(tree.nodes.sizes[2])
    add_edges(tree.nodes, owners, numbers, np.array([2, 3]))
    assert int(tree.nodes.sizes[2]) == before + 2


def test_states_may_become_longer_while_the_tree_grows() -> None:
    """A machine that works on rules as written meets fluents as it goes, 64 to a word."""
    machine = load("breakthrough_6", engine="reference").machine
    start = machine.initial()
    tree = StateTree(machine, rule=SelectionRule(kind=UCB, constant=0.4), seed=1)
    assert tree.run(from_state(machine, start), Budget.of(simulations=300)) == 300
    assert tree.nodes.states.shape[1] > len(start)
    visits = tree.statistics(start, FIRST).visits
    assert visits.sum() == 300
    # The state in which play begins is the same node, however long it is written.
    assert (tree.statistics(machine.initial(), FIRST).visits == visits).all()


def test_algorithm_1_of_shafiei_goes_as_his_table_says() -> None:
    """Table 3.4: all nine joint moves of biased rock-paper-scissors first, then the best bounds."""
    machine = load("biased_rps").machine
    for seed in range(3):
        tree = StateTree(
            machine, rule=SelectionRule(kind=UCB, constant=0.4, jointly=True), seed=seed
        )
        source = from_state(machine, machine.initial())
        counts: dict[int, dict[str, float]] = {}
        for step in range(1, 27):
            tree.run(source, Budget.of(simulations=1))
            for role in machine_roles(machine):
                statistics = tree.statistics(machine.initial(), role)
                counts[step] = dict(zip(names(tree), statistics.visits.tolist(), strict=True))
                if step == 9:
                    means = dict(zip(names(tree), statistics.means.tolist(), strict=True))
                    assert means["rock"] == pytest.approx(0.5833, abs=1e-4)
                    assert means["paper"] == pytest.approx(0.5667, abs=1e-4)
                    assert means["scissors"] == pytest.approx(0.35)
        assert counts[9] == {"rock": 3, "paper": 3, "scissors": 3}
        assert counts[10] == {"rock": 4, "paper": 3, "scissors": 3}
        assert counts[23] == {"rock": 10, "paper": 10, "scissors": 3}
        assert counts[26] == {"rock": 11, "paper": 11, "scissors": 4}


def test_all_joint_moves_are_tried_before_simulations_lead_further() -> None:
    """Three players choose at once in smallest: new nodes are first one for each joint move."""
    machine = load("smallest").machine
    start = machine.initial()
    joints = int(np.prod([len(machine.legal(start, role)) for role in machine_roles(machine)]))
    orders = []
    for seed in range(2):
        tree = StateTree(
            machine, rule=SelectionRule(kind=UCB, constant=0.4, jointly=True), seed=seed
        )
        tree.run(from_state(machine, start), Budget.of(simulations=joints))
        orders.append(tree.nodes.states[1:5].tolist())
        assert int(tree.nodes.sizes[2]) == joints
        for role in machine_roles(machine):
            statistics = tree.statistics(start, role)
            assert (statistics.visits == joints / len(statistics.moves)).all()
        tree.run(from_state(machine, start), Budget.of(simulations=1))
        assert int(tree.nodes.sizes[2]) == joints + 1
    assert orders[0] != orders[1]


def machine_roles(machine: Machine) -> list[RoleId]:
    return player_roles(machine)


def test_a_tree_says_when_making_room_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many moves in each state fill the room of moves long before that of states."""
    monkeypatch.setattr(state_tree, "MANY_ARMS", 1 << 12)
    machine = load("hex_9").machine
    tree = StateTree(machine, rule=SelectionRule(kind=UCB, constant=0.4), seed=1, together=16)
    assert not tree.is_crowded(Budget.of(seconds=1e-9))
    while len(tree.arms.moves) - int(tree.nodes.sizes[1]) > 32 * 81:
        tree.run(from_state(machine, machine.initial()), Budget.of(simulations=1))
    assert tree.is_crowded(Budget.of(seconds=1e-9))
    assert not tree.is_crowded(Budget.of(seconds=10.0))


def test_the_kernel_that_makes_room_is_loaded_before_the_clock_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded: list[int] = []

    def slow_at_first(nodes: StateNodes, *tables: NDArray[Any]) -> None:
        if not loaded:
            time.sleep(0.3)
        loaded.append(int(nodes.sizes[0]))
        refill(nodes, *tables)

    rule = SelectionRule(kind=UCB, constant=0.4)
    machine = searched("tic_tac_toe", rule, 20_000).machine
    monkeypatch.setattr(state_tree, "refill", slow_at_first)
    monkeypatch.setattr(state_tree, "FIRST_NODES", 1 << 6)
    tree = StateTree(machine, rule=rule, seed=1)
    assert loaded == [0]
    budget = Budget.of(seconds=0.4)
    tree.run(from_state(machine, machine.initial()), budget)
    assert len(loaded) > 1
    assert budget.seconds_left < 0.1
