"""What holds for every search: counts, budgets, seeds, and games that strain its tables."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from searches import assert_all_came_back, machine_of, player, roots_at, searched, statistics_at

from doubtful_game import DOUBTFUL, UNEVEN
from fogspiel.core.budget import Budget
from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load, load_source
from fogspiel.machine.protocol import player_roles
from fogspiel.search.evaluation.leaf import leaf_evaluation_of
from fogspiel.search.mcts.algorithms import (
    ISMCTS,
    NORNS,
    OPPONENT_TYPES,
    OUTCOME_SAMPLING,
    SHODAN,
    SIMULTANEOUS_EXP3,
    SIMULTANEOUS_MATCHING,
    SIMULTANEOUS_UCT,
    SINGLE_OBSERVER_ISMCTS,
    UCT,
)
from fogspiel.search.mcts.kernels.decisions import ROWS
from fogspiel.search.mcts.kernels.graph import JOINT
from fogspiel.search.mcts.roots import first_roots
from fogspiel.search.mcts.search import Search

ALGORITHMS = {
    "uct": UCT,
    "sm-uct": SIMULTANEOUS_UCT,
    "sm-exp3": SIMULTANEOUS_EXP3,
    "sm-rm": SIMULTANEOUS_MATCHING,
    "ismcts": ISMCTS,
    "so-ismcts": SINGLE_OBSERVER_ISMCTS,
    "shodan": SHODAN,
    "norns": NORNS,
    "types": OPPONENT_TYPES,
    "outcome": OUTCOME_SAMPLING,
    "belief": replace(ISMCTS, keys="belief", only_observer=True),
}
UNEQUAL = pytest.mark.parametrize("name", ALGORITHMS)


@UNEQUAL
def test_every_simulation_comes_back(name: str) -> None:
    for game in ("latent_tic_tac_toe", "goofspiel_4"):
        assert_all_came_back(searched(game, ALGORITHMS[name], 3_000))


@UNEQUAL
def test_games_of_more_joint_moves_than_have_places_are_searched(name: str) -> None:
    # Battleship begins with 24 * 24 joint moves.
    search = searched("battleship_4", ALGORITHMS[name], 3_000)
    assert_all_came_back(search)
    assert int(search.tree.graph.sizes[JOINT]) > 256


@UNEQUAL
def test_roles_may_be_in_doubt_about_their_moves(name: str) -> None:
    for rules in (DOUBTFUL, UNEVEN):
        machine = load_source(Source("doubtful.gdl", rules)).machine
        for role in player_roles(machine):
            search = Search(machine, role, ALGORITHMS[name], seed=1)
            search.run(first_roots(machine), Budget.of(simulations=2_000))
            assert_all_came_back(search)


@UNEQUAL
def test_the_same_seed_gives_the_same_bytes(name: str) -> None:
    one, other = (searched("leduc_poker", ALGORITHMS[name], 4_000) for _ in range(2))
    different = searched("leduc_poker", ALGORITHMS[name], 4_000, seed=8)
    assert one.tree.graph.sizes.tolist() == other.tree.graph.sizes.tolist()
    nodes, rows = one.tree.node_count, int(one.tree.decisions.sizes[ROWS])
    assert rows == int(other.tree.decisions.sizes[ROWS])
    assert one.tree.graph.heads[:nodes].tobytes() == other.tree.graph.heads[:nodes].tobytes()
    assert one.tree.graph.rows[:nodes].tobytes() == other.tree.graph.rows[:nodes].tobytes()
    own = one.tree.decisions.rows[:rows].tobytes()
    assert own == other.tree.decisions.rows[:rows].tobytes()
    assert own != different.tree.decisions.rows[:rows].tobytes()


@UNEQUAL
def test_rows_of_machines_that_are_not_compiled_become_wider(name: str) -> None:
    """A machine that works on rules as written meets fluents as it goes, 64 to a word."""
    machine = load("breakthrough_6", engine="reference").machine
    width = len(machine.initial())
    search = Search(machine, player(machine), ALGORITHMS[name], seed=1)
    assert search.run(first_roots(machine), Budget.of(simulations=60)) == 60
    tree = search.tree
    assert tree.graph.rows.shape[1] > width + len(tree.keys.in_nodes)
    assert_all_came_back(search)
    # The state in which play begins is the same node, however long it is written.
    nodes = tree.node_count
    assert search.nodes_of(first_roots(machine)).tolist() == [0]
    assert tree.node_count == nodes


@pytest.mark.parametrize("simulations", [0, 1, 15, 16, 17, 1_000])
def test_budgets_of_simulations_are_exact(simulations: int) -> None:
    for algorithm in (UCT, NORNS, OUTCOME_SAMPLING):
        search = searched("kuhn_poker", algorithm, simulations)
        again = search.run(first_roots(search.machine), Budget.of(simulations=simulations))
        assert again == simulations
        assert search.simulations == 2 * simulations


def test_a_deadline_that_is_over_lets_nothing_run() -> None:
    machine = machine_of("tic_tac_toe")
    search = Search(machine, player(machine), UCT, seed=0)
    assert search.run(first_roots(machine), Budget.of(seconds=-1.0)) == 0
    assert search.tree.node_count == 0


def test_a_search_looks_at_the_clock() -> None:
    machine = machine_of("leduc_poker")
    search = Search(machine, player(machine), ISMCTS, seed=0)
    ticks = count()
    budget = Budget.of(seconds=40.0, clock=lambda: float(next(ticks)))
    assert 0 < search.run(first_roots(machine), budget) < 1_000_000
    assert_all_came_back(search)


def test_a_budget_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="deadline or a number"):
        Budget()


def test_roots_are_drawn_by_their_weights() -> None:
    machine = machine_of("tic_tac_toe")
    children = machine.expand(machine.initial()).states[:2]
    search = Search(machine, RoleId(1), UCT, seed=5)
    search.run(roots_at(machine, children, np.array([3.0, 1.0])), Budget.of(simulations=8_000))
    visits = statistics_at(search, roots_at(machine, children[:1])).visits.sum()
    # Four standard errors of a share of 3/4 among 8,000, and some that stood.
    assert visits / 8_000 == pytest.approx(0.75, abs=0.022)


@pytest.mark.parametrize("name", ["uct", "ismcts", "norns", "outcome"])
def test_leaves_may_be_evaluated(name: str) -> None:
    search = searched(
        "number_guessing_8", ALGORITHMS[name], 500, leaves=leaf_evaluation_of("mobility")
    )
    assert_all_came_back(search)
