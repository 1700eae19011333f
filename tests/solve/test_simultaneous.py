"""One matrix game a state: known games, and agreement with the linear program of the tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fogspiel.core.findings import UsageError
from fogspiel.games.load import load
from fogspiel.solve.induction.simultaneous import on_tree, solve_states
from fogspiel.solve.lp.linear import solve_linear
from fogspiel.tree.build.build import build
from fogspiel.tree.state_graph import build_state_graph


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("biased_rps", 50.0),  # Shafiei (2010), section 3.6.1
        ("repeated_rps_9", 50.0),  # symmetry
        ("goofspiel_5", 50.0),  # symmetry
        ("simultaneous_tic_tac_toe", 50.0),  # symmetry
        ("tic_tac_toe", 50.0),  # a draw; one player at a time is a matrix with one row
        ("nim", 0.0),  # Bouton (1902): the second player wins 1-3-5-7
    ],
)
def test_known_values(name: str, value: float) -> None:
    solution = solve_states(build_state_graph(load(name).machine))
    assert solution.values == pytest.approx((value, 100.0 - value))
    assert solution.exploitability < 1e-9


@pytest.mark.parametrize("name", ["biased_rps", "goofspiel_4"])
def test_states_and_sequences_agree(name: str) -> None:
    machine = load(name).machine
    tree = build(machine)
    graph = build_state_graph(machine)
    solution = solve_states(graph)
    result = on_tree(graph, solution, tree)
    assert result.values == pytest.approx(solution.values)
    assert result.values == pytest.approx(solve_linear(tree).values, abs=1e-6)
    # The sweep over the tree knows nothing of states.
    assert result.exploitability == pytest.approx(0.0, abs=1e-9)


def test_biased_rock_paper_scissors_is_mixed_as_published() -> None:
    graph = build_state_graph(load("biased_rps").machine)
    solution = solve_states(graph)
    # Shafiei (2010), section 3.6.1 and table 3.4.
    published = {"rock": 1 / 16, "paper": 10 / 16, "scissors": 5 / 16}
    for player in (1, 2):
        expected = [published[action] for action in graph.actions(0, player)]
        assert solution.strategy.at(graph.decision(0, player)) == pytest.approx(expected)


def test_every_state_has_its_own_equilibrium() -> None:
    graph = build_state_graph(load("goofspiel_4").machine)
    solution = solve_states(graph)
    values = solution.state_values
    assert values is not None
    np.testing.assert_allclose(values.sum(axis=1), 100)
    for state in np.flatnonzero(graph.state_payoffs < 0).tolist():
        matrix = graph.joint_values(state, values)[:, :, 0]
        first, second = (solution.strategy.at(graph.decision(state, own)) for own in (1, 2))
        assert (first @ matrix).min() == pytest.approx(values[state, 0], abs=1e-9)
        assert (matrix @ second).max() == pytest.approx(values[state, 0], abs=1e-9)


def test_general_sums_are_refused() -> None:
    with pytest.raises(UsageError) as caught:
        solve_states(build_state_graph(load("prisoners_dilemma").machine))
    assert caught.value.findings[0].code == "SOL002"


def test_a_third_player_is_refused() -> None:
    graph = build_state_graph(load("biased_rps").machine)
    with pytest.raises(UsageError) as caught:
        solve_states(replace(graph, players=(*graph.players, "third")))
    assert caught.value.findings[0].code == "SOL003"
