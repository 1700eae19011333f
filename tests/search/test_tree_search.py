"""Search in a tree that grows: the same search as in lockstep, and nothing lost on the way."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np
import pytest
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId, format_term
from fogspiel.games.load import load
from fogspiel.machine.knowledge import Keys, first_knowledge, state_keys
from fogspiel.machine.protocol import Machine, States
from fogspiel.search.mcts.kernels.bandits import EXP3, REGRET_MATCHING, UCB
from fogspiel.search.mcts.lockstep import Lockstep, Scope, SelectionRule
from fogspiel.search.mcts.roots import SimulationStarts
from fogspiel.search.mcts.statistics import DecisionTable
from fogspiel.search.mcts.tree_search import TreeSearch

FIRST = RoleId(0)
RULES = {
    "ucb": SelectionRule(kind=UCB, constant=0.4),
    "exp3": SelectionRule(kind=EXP3, constant=0.2),
    "regret matching": SelectionRule(kind=REGRET_MATCHING, constant=0.2),
}


@dataclass
class Beginning:
    """Some states, with nothing known. A `Pool`, and a `Source` of the first of them."""

    states: States
    knowledge: Keys
    weights: NDArray[np.float64]

    def __call__(self, count: int, seed: int) -> SimulationStarts:
        rows = np.zeros(count, np.int64)
        return SimulationStarts(states=self.states[rows], knowledge=self.knowledge[rows])


def at_first(machine: Machine, *states: NDArray[np.uint64]) -> Beginning:
    rows = np.stack(states) if states else machine.initial()[None, :]
    known = np.array([first_knowledge(RoleId(role)) for role in range(len(machine.roles))])
    return Beginning(rows, np.tile(known, (len(rows), 1)), np.ones(len(rows)))


def player(machine: Machine) -> RoleId:
    """The first role that is not chance."""
    return RoleId(int(machine.chance_role == 0))


def searched(
    name: str, rule: SelectionRule, simulations: int, scope: Scope = "knowledge"
) -> TreeSearch:
    machine = load(name).machine
    search = TreeSearch(machine, player(machine), scope=scope, rule=rule, seed=7)
    assert search.run(at_first(machine), Budget.of(simulations=simulations)) == simulations
    return search


def visits_of(decisions: DecisionTable) -> dict[int, NDArray[np.float64]]:
    """Numbers of visits of the moves of each decision, by its key."""
    arrays = decisions.arrays
    used = np.flatnonzero(arrays.table_nodes >= 0)
    return {
        int(arrays.table_keys[place]): arrays.arm_visits[
            decisions.arms(int(arrays.table_nodes[place]))
        ].copy()
        for place in used
    }


def test_decisions_by_knowledge_are_the_infosets() -> None:
    # Kuhn (1950): twelve infosets, six a player; 58 nodes, of which the machine makes two at once.
    search = searched("kuhn_poker", RULES["exp3"], 4_000)
    assert search.decisions.node_count == 12
    before = search.node_count
    search.run(at_first(search.machine), Budget.of(simulations=4_000))
    assert search.node_count == before


@pytest.mark.parametrize(
    ("scope", "rule"), [*(("knowledge", rule) for rule in RULES), ("observer", "ucb")]
)
def test_one_by_one_it_is_the_search_in_lockstep(scope: Scope, rule: str) -> None:
    machine = load("kuhn_poker").machine
    start, seeds, simulations = at_first(machine), 16, 20
    one_by_one = [Budget.of(simulations=1)] * simulations
    found: list[list[dict[int, NDArray[np.float64]]]] = [[], []]
    for seed in range(seeds):
        tree = TreeSearch(machine, player(machine), scope=scope, rule=RULES[rule], seed=seed)
        lanes = Lockstep(machine, player(machine), scope=scope, rule=RULES[rule], seed=seed)
        for budget in one_by_one:
            tree.run(start, budget)
            lanes.run(start, budget)
        found[0].append(visits_of(tree.decisions))
        found[1].append(visits_of(lanes.decisions))
    keys = sorted({key for runs in found for run in runs for key in run})
    assert len(keys) == 12 or scope == "observer"
    none = np.zeros(2)
    ours, theirs = (
        np.array([np.concatenate([run.get(key, none) for key in keys]) for run in runs])
        for runs in found
    )
    error = np.sqrt((ours.var(axis=0) + theirs.var(axis=0)) / seeds) + 0.05
    assert (np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) < 4.0 * error).all()


def test_the_same_seed_gives_the_same_decisions() -> None:
    one, other = (searched("leduc_poker", RULES["ucb"], 20_000) for _ in range(2))
    for name in one.decisions.arrays._fields:
        own, same = (getattr(search.decisions.arrays, name) for search in (one, other))
        assert np.array_equal(own, same)


@pytest.mark.parametrize(
    ("game", "scope"),
    [("latent_tic_tac_toe", "knowledge"), ("latent_tic_tac_toe", "observer"),
     ("connect_four", "state"), ("battleship_4", "knowledge")],
)  # fmt: skip
def test_every_simulation_comes_back(game: str, scope: Scope) -> None:
    # Battleship begins with 24 * 24 joint moves: more than have places of their own.
    search = searched(game, RULES["ucb"], 3_000, scope)
    arrays = search.decisions.arrays
    assert np.array_equal(arrays.arm_visits, arrays.arm_returns)
    for node in range(0, search.decisions.node_count, 97):
        assert arrays.arm_visits[search.decisions.arms(node)].sum() == arrays.visits[node]
    assert arrays.visits[0] == 3_000


def test_with_little_memory_the_tree_stops_growing_and_the_search_goes_on() -> None:
    machine = load("latent_tic_tac_toe").machine
    search = TreeSearch(
        machine, FIRST, scope="knowledge", rule=RULES["ucb"], seed=1, max_bytes=1 << 20
    )
    search.run(at_first(machine), Budget.of(simulations=20_000))
    nodes, size = search.node_count, search.bytes
    assert 1 << 20 < size < 1 << 22
    assert search.run(at_first(machine), Budget.of(simulations=5_000)) == 5_000
    assert (search.node_count, search.bytes) == (nodes, size)
    arrays = search.decisions.arrays
    assert np.array_equal(arrays.arm_visits, arrays.arm_returns)


def test_starts_are_drawn_by_their_weights() -> None:
    machine = load("tic_tac_toe").machine
    children = machine.expand(machine.initial()).states[:2]
    start = at_first(machine, *children)
    start.weights = np.array([3.0, 1.0])
    search = TreeSearch(machine, FIRST, scope="state", rule=RULES["ucb"], seed=5)
    search.run(start, Budget.of(simulations=8_000))
    node = search.decisions.find(state_keys(children[:1], RoleId(1))[0])
    assert node is not None
    # Four standard errors of a share of 3/4 among 8,000.
    assert search.decisions.arrays.visits[node] / 8_000 == pytest.approx(0.75, abs=0.02)


def shares(search: TreeSearch, values: NDArray[np.float64]) -> dict[str, float]:
    """What an array of the decisions says about the first role's moves at the start."""
    machine = search.machine
    node = search.decisions.find(state_keys(machine.initial()[None, :], FIRST)[0])
    assert node is not None
    arms = search.decisions.arms(node)
    moves = search.decisions.arrays.moves[arms].tolist()
    names = [format_term(machine.move_term(FIRST, move)) for move in moves]
    return dict(zip(names, (values[arms] / values[arms].sum()).tolist(), strict=True))


def test_uct_takes_the_centre_of_tic_tac_toe() -> None:
    search = searched("tic_tac_toe", RULES["ucb"], 5_000, "state")
    visits = shares(search, search.decisions.arrays.arm_visits)
    assert max(visits, key=lambda move: visits[move]) == "(mark 2 2)"


@pytest.mark.parametrize("rule", ["exp3", "regret matching"])
def test_averages_come_near_the_equilibrium(rule: str) -> None:
    search = searched(
        "biased_rps", SelectionRule(kind=RULES[rule].kind, constant=0.05), 200_000, "state"
    )
    average = shares(search, search.decisions.arrays.strategy)
    # Shafiei (2010), section 3.6.1: 1/16, 10/16, 5/16. Nothing is learnt late here.
    assert average["paper"] == pytest.approx(10 / 16, abs=0.08)
    assert average["rock"] == pytest.approx(1 / 16, abs=0.05)


def test_states_of_a_reasoner_may_grow() -> None:
    machine = load("latent_tic_tac_toe", engine="reference").machine
    search = TreeSearch(machine, FIRST, scope="knowledge", rule=RULES["ucb"], seed=1)
    assert search.run(at_first(machine), Budget.of(simulations=40)) == 40
    arrays = search.decisions.arrays
    assert np.array_equal(arrays.arm_visits, arrays.arm_returns)
    assert arrays.visits[0] == 40


def test_a_search_looks_at_the_clock() -> None:
    machine = load("leduc_poker").machine
    search = TreeSearch(machine, player(machine), scope="knowledge", rule=RULES["ucb"], seed=0)
    ticks = count()
    budget = Budget.of(seconds=40.0, clock=lambda: float(next(ticks)))
    assert 0 < search.run(at_first(machine), budget) < 100_000
    assert search.run(at_first(machine), Budget.of(seconds=-1.0)) == 0


def test_a_search_without_room_is_crowded_where_time_is_short() -> None:
    machine = load("kuhn_poker").machine
    search = TreeSearch(machine, RoleId(1), scope="knowledge", rule=RULES["ucb"], seed=1)
    assert not search.is_crowded(Budget.of(seconds=0.01))
    search.decisions.make_room(0, 1 << 20)
    arrays = search.decisions.arrays
    arrays.sizes[1] = len(arrays.moves)
    assert search.is_crowded(Budget.of(seconds=0.01))
    assert not search.is_crowded(Budget.of(seconds=60.0))
    assert not search.is_crowded(Budget.of(simulations=1))
