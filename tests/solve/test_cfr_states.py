"""Regrets over states: examples and figures of Shafiei's thesis, and other solvers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fogspiel.core.findings import UsageError
from fogspiel.games.load import load
from fogspiel.solve.induction.simultaneous import solve_states
from fogspiel.solve.regret.cfr import cfr_on_tree
from fogspiel.solve.regret.cfr_states import StateRegrets
from fogspiel.solve.result import SolveLimits
from fogspiel.tree.build.build import build
from fogspiel.tree.state_graph import StateGraph, build_state_graph


def graph_of(name: str) -> StateGraph:
    return build_state_graph(load(name).machine)


def at_root(regrets: StateRegrets, player: int) -> list[float]:
    found: list[float] = regrets.average().at(regrets.graph.decision(0, player)).tolist()
    return found


def test_biased_rock_paper_scissors_comes_to_its_one_equilibrium() -> None:
    regrets = StateRegrets(graph_of("biased_rps"))
    regrets.iterate(200_000)
    # Shafiei (2010), section 3.6.1: 0.0625, 0.6250, 0.3125.
    by_name = dict(zip(regrets.graph.actions(0, 1), at_root(regrets, 1), strict=True))
    expected = {"rock": 1 / 16, "paper": 10 / 16, "scissors": 5 / 16}
    assert by_name == pytest.approx(expected, abs=5e-3)
    assert regrets.exploitability() < 0.05


def test_one_iteration_by_hand() -> None:
    """Shafiei, section 4.5.1, with payoffs of the biased game (table 3.3) and uniform behaviour."""
    regrets = StateRegrets(graph_of("biased_rps"))
    regrets.iterate(2)
    # Values of rock, paper, scissors against even play: 175/3, 170/3, 105/3; their mean is 50.
    # Regrets 25/3, 20/3, -15 make 25/45, 20/45, 0 the second behaviour; the first was even.
    by_name = dict(zip(regrets.graph.actions(0, 1), at_root(regrets, 1), strict=True))
    second = {"rock": 25 / 45, "paper": 20 / 45, "scissors": 0.0}
    assert by_name == pytest.approx({name: (1 / 3 + p) / 2 for name, p in second.items()})


def test_first_moves_are_where_it_may_begin() -> None:
    regrets = StateRegrets(graph_of("biased_rps"), first_moves=True)
    regrets.iterate(1)
    assert at_root(regrets, 1) == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("name", ["goofspiel_4", "repeated_rps_9"])
def test_exploitability_falls_as_the_value_says(name: str) -> None:
    graph = graph_of(name)
    regrets = StateRegrets(graph, first_moves=True)
    regrets.iterate(20)
    early = regrets.exploitability()
    regrets.iterate(5_000)
    assert regrets.exploitability() < early / 5
    assert solve_states(graph).values[0] == pytest.approx(50.0)


def test_without_merged_states_it_is_the_tree_algorithm() -> None:
    machine = load("biased_rps").machine
    tree = build(machine)
    on_tree = cfr_on_tree(tree, limits=SolveLimits(iterations=500))
    regrets = StateRegrets(build_state_graph(machine))
    regrets.iterate(500)
    assert np.allclose(on_tree.strategy.probabilities, regrets.average().probabilities, atol=1e-12)


ODD_ONE_OUT = """
(role a) (role b) (role c) (init start)
(<= (legal ?r heads) (role ?r))
(<= (legal ?r tails) (role ?r))
(<= (next (shown ?r ?side)) (does ?r ?side))
(<= terminal (true (shown a ?side)))
(<= (odd ?r) (true (shown ?r ?side)) (true (shown ?s ?other)) (true (shown ?t ?other))
    (distinct ?s ?t) (distinct ?side ?other))
(<= (goal ?r 100) (odd ?r))
(<= (goal ?r 0) (role ?r) (not (odd ?r)))
"""


def test_three_players_have_regrets_but_no_exploitability(tmp_path: Path) -> None:
    rules = tmp_path / "odd.gdl"
    rules.write_text(ODD_ONE_OUT)
    regrets = StateRegrets(build_state_graph(load(str(rules)).machine), first_moves=True)
    # All show heads at first, and nobody wins. Whoever alone changed would: all change.
    regrets.iterate(1)
    assert at_root(regrets, 3) == [1.0, 0.0]
    regrets.iterate(1)
    assert at_root(regrets, 3) == [0.5, 0.5]
    with pytest.raises(UsageError, match="SOL003"):
        regrets.exploitability()


def test_states_that_two_graphs_share_are_taken_over() -> None:
    machine = load("goofspiel_4").machine
    whole = build_state_graph(machine)
    before = StateRegrets(whole)
    before.iterate(50)
    second = int(whole.level_starts[1]) + 2
    after = StateRegrets(build_state_graph(machine, start=whole.states[second]))
    uniform = after.average().at(0)
    after.take_over(before, 1, most=10)
    assert after.iterations == 10
    assert not np.allclose(after.average().at(0), uniform)
    for state, row in enumerate(after.graph.states):
        (same,) = np.flatnonzero((whole.states == row).all(axis=1))
        for player in (1, 2):
            np.testing.assert_allclose(
                after.average().at(after.graph.decision(state, player)),
                before.average().at(whole.decision(int(same), player)),
            )
    # Elsewhere nothing is shared: a graph that begins where the other has ended.
    other = StateRegrets(build_state_graph(machine))
    other.take_over(before, 9)
    np.testing.assert_array_equal(other.average().at(0), StateRegrets(whole).average().at(0))
