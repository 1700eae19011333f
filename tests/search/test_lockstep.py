"""Simulations in lockstep: known best moves, equilibria, and the same bytes for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId, format_term
from fogspiel.games.load import load
from fogspiel.machine.knowledge import first_knowledge, state_keys
from fogspiel.machine.protocol import Machine, State
from fogspiel.search.mcts.kernels.bandits import EXP3, REGRET_MATCHING, UCB
from fogspiel.search.mcts.lockstep import Lockstep, Scope, SelectionRule
from fogspiel.search.mcts.roots import SimulationStarts, Source

FIRST = RoleId(0)


def from_state(machine: Machine, state: State) -> Source:
    known = np.array([first_knowledge(RoleId(role)) for role in range(len(machine.roles))])

    def starts(count: int, seed: int) -> SimulationStarts:
        return SimulationStarts(
            states=np.repeat(state[None, :], count, axis=0),
            knowledge=np.repeat(known[None, :], count, axis=0),
        )

    return starts


def searched(name: str, rule: SelectionRule, simulations: int, scope: Scope = "state") -> Lockstep:
    machine = load(name).machine
    search = Lockstep(machine, FIRST, scope=scope, rule=rule, seed=7)
    source = from_state(machine, machine.initial())
    assert search.run(source, Budget.of(simulations=simulations)) == simulations
    return search


def shares(search: Lockstep, values: NDArray[np.float64]) -> dict[str, float]:
    """What an array of the decisions says about the first role's moves at the start."""
    machine = search.machine
    node = search.decisions.find(state_keys(machine.initial()[None, :], FIRST)[0])
    assert node is not None
    arms = search.decisions.arms(node)
    moves = search.decisions.arrays.moves[arms].tolist()
    names = [format_term(machine.move_term(FIRST, move)) for move in moves]
    return dict(zip(names, (values[arms] / values[arms].sum()).tolist(), strict=True))


def test_uct_takes_the_centre_of_tic_tac_toe() -> None:
    search = searched("tic_tac_toe", SelectionRule(kind=UCB, constant=0.5), 4_000)
    visits = shares(search, search.decisions.arrays.arm_visits)
    assert max(visits, key=lambda move: visits[move]) == "(mark 2 2)"


@pytest.mark.parametrize("kind", [EXP3, REGRET_MATCHING])
def test_averages_come_near_the_equilibrium(kind: int) -> None:
    search = searched("biased_rps", SelectionRule(kind=kind, constant=0.05), 200_000)
    average = shares(search, search.decisions.arrays.strategy)
    # Shafiei (2010), section 3.6.1: 1/16, 10/16, 5/16. Bandits come near it, no nearer.
    assert average["paper"] > average["scissors"] > average["rock"]
    assert average["paper"] == pytest.approx(10 / 16, abs=0.15)
    assert average["rock"] == pytest.approx(1 / 16, abs=0.1)


def test_decisions_by_knowledge_are_the_infosets() -> None:
    # Kuhn (1950): twelve infosets, six a player.
    search = searched(
        "kuhn_poker", SelectionRule(kind=EXP3, constant=0.2), 4_000, scope="knowledge"
    )
    assert search.decisions.node_count == 12


def test_decisions_by_state_tell_deals_apart() -> None:
    # Thirty courses of Kuhn have 24 decisions: six deals, four decisions each.
    search = searched("kuhn_poker", SelectionRule(kind=EXP3, constant=0.2), 4_000)
    assert search.decisions.node_count == 24


def test_the_same_seed_gives_the_same_decisions() -> None:
    rule = SelectionRule(kind=UCB, constant=0.5)
    one, other = (searched("leduc_poker", rule, 1_500, scope="knowledge") for _ in range(2))
    for name in one.decisions.arrays._fields:
        own, same = (getattr(search.decisions.arrays, name) for search in (one, other))
        assert np.array_equal(own, same)


def test_every_simulation_comes_back() -> None:
    search = searched("connect_four", SelectionRule(kind=UCB, constant=0.5), 3_000)
    arrays = search.decisions.arrays
    assert np.array_equal(arrays.arm_visits, arrays.arm_returns)
    nodes = search.decisions.node_count
    for node in (0, nodes // 2, nodes - 1):
        assert arrays.arm_visits[search.decisions.arms(node)].sum() == arrays.visits[node]
    assert arrays.visits[0] == 3_000
    assert (arrays.arm_values <= arrays.arm_returns).all()


def test_a_deadline_that_is_over_lets_nothing_run() -> None:
    machine = load("tic_tac_toe").machine
    search = Lockstep(
        machine, FIRST, scope="state", rule=SelectionRule(kind=UCB, constant=0.5), seed=0
    )
    assert search.run(from_state(machine, machine.initial()), Budget.of(seconds=-1.0)) == 0


def test_a_budget_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="deadline or a number"):
        Budget()
