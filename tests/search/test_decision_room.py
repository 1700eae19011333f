"""Room for decisions: nothing is copied where the clock does not allow for it."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.machine.knowledge import first_knowledge
from fogspiel.search.mcts.kernels.bandits import UCB
from fogspiel.search.mcts.lockstep import Lockstep, SelectionRule
from fogspiel.search.mcts.roots import SimulationStarts
from fogspiel.search.mcts.statistics import DecisionTable
from fogspiel.search.outcome_sampling.oos import OutcomeSampling

MACHINE = load("kuhn_poker").machine
ROLE = RoleId(1)


def filled(decisions: DecisionTable) -> None:
    """Leave no room for another arm."""
    decisions.make_room(1 << 12, 1 << 14)
    decisions.arrays.sizes[1] = len(decisions.arrays.moves)


def at_first(count: int, seed: int) -> SimulationStarts:
    known = np.array([first_knowledge(RoleId(role)) for role in range(len(MACHINE.roles))])
    return SimulationStarts(
        states=np.repeat(MACHINE.initial()[None, :], count, axis=0),
        knowledge=np.repeat(known[None, :], count, axis=0),
    )


def test_a_table_with_room_needs_no_time() -> None:
    decisions = DecisionTable()
    decisions.make_room(1 << 12, 1 << 14)
    assert not decisions.is_crowded(1 << 12, 0.0)


def test_a_full_table_needs_time_by_its_size() -> None:
    decisions = DecisionTable()
    filled(decisions)
    assert decisions.is_crowded(1, 0.01)
    assert not decisions.is_crowded(1, 60.0)


def test_room_is_foreseen_by_the_widest_decision_so_far() -> None:
    decisions = DecisionTable()
    filled(decisions)
    decisions.make_room(10, 1_000_000)
    free = len(decisions.arrays.moves) - int(decisions.arrays.sizes[1])
    assert not decisions.is_crowded(free // 100_000, 0.01)
    assert decisions.is_crowded(free // 100_000 + 1, 0.01)


@pytest.mark.parametrize("kind", ["lockstep", "walks"])
def test_a_search_without_room_stops_where_time_is_short(kind: str) -> None:
    search: Lockstep | OutcomeSampling
    short, long = Budget.of(seconds=0.2), Budget.of(seconds=60.0)
    if kind == "lockstep":
        rule = SelectionRule(kind=UCB, constant=0.5)
        search = Lockstep(MACHINE, ROLE, scope="knowledge", rule=rule, seed=1)
        assert not search.is_crowded(short)
        filled(search.decisions)
        made = search.run(at_first, short)
    else:
        search = OutcomeSampling(MACHINE, ROLE, seed=1)
        assert not search.is_crowded(short)
        filled(search.decisions)
        made = search.run(None, short)
    assert made == 0
    assert search.is_crowded(short)
    assert not search.is_crowded(long)
    assert not search.is_crowded(Budget.of(simulations=1))
