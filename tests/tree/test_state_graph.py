"""State graphs of games without secrets have the known sizes, and the worth of their trees."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.source import Source
from fogspiel.games.load import load, load_source
from fogspiel.machine.protocol import States
from fogspiel.tree.build.build import build
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.state_graph import StateGraph, build_state_graph, infoset_states

# States and terminal states: Shafiei Khadem (2010), table 5.1; goofspiel_4 as the index of games.
SIZES = {
    "biased_rps": (10, 9),
    "repeated_rps_9": (220, 55),
    "goofspiel_4": (403, 46),
    "goofspiel_5": (2936, 138),
    "tic_tac_toe": (5478, 958),
}

WEATHER = """
    (role a) (role b) (role random) (init (step 1))
    (<= (legal random (sky ?s)) (sky ?s)) (sky sun) (sky rain) (sky snow)
    (<= (legal a ?m) (true (step 1)) (way ?m)) (<= (legal b ?m) (true (step 1)) (way ?m))
    (way l) (way r)
    (<= (next (went a ?m)) (does a ?m)) (<= (next (went b ?m)) (does b ?m))
    (<= (next (was ?s)) (does random (sky ?s)))
    (<= (next (step 2)) (true (step 1))) (<= terminal (true (step 2)))
    (<= met (true (went a ?m)) (true (went b ?m)))
    (<= (goal a 90) met (true (was sun))) (<= (goal a 30) met (not (true (was sun))))
    (<= (goal a 0) (not met)) (goal b 10)
"""


@pytest.mark.parametrize("name", SIZES)
def test_there_are_as_many_states_as_are_known(name: str) -> None:
    graph = build_state_graph(load(name).machine)
    assert (len(graph), int((graph.state_payoffs >= 0).sum())) == SIZES[name]


@pytest.mark.parametrize("name", ["biased_rps", "repeated_rps_9", "goofspiel_4"])
def test_edges_lead_to_the_next_step(name: str) -> None:
    graph = build_state_graph(load(name).machine)
    step = np.searchsorted(graph.level_starts, np.arange(len(graph)), side="right")
    sources = np.repeat(np.arange(len(graph)), np.diff(graph.first_edges))
    assert (step[graph.targets] == step[sources] + 1).all()
    assert set(graph.targets.tolist()) == set(range(1, len(graph)))
    assert (np.diff(graph.first_edges) == graph.counts.prod(axis=1)).all()


def uniform_worth(graph: StateGraph) -> NDArray[np.float64]:
    """(states, players) the worth of every state if all play uniformly."""
    values = np.zeros((len(graph), len(graph.players)))
    for state in reversed(range(len(graph))):
        row = graph.state_payoffs[state]
        if row >= 0:
            values[state] = graph.payoffs[row]
        else:
            values[state] = (
                graph.joint_values(state, values).reshape(-1, values.shape[1]).mean(axis=0)
            )
    return values


def uniform_tree_worth(tree: GameTree) -> NDArray[np.float64]:
    values = np.zeros((len(tree), len(tree.players)))
    for node in reversed(range(len(tree))):
        edges = slice(*tree.first_edges[node : node + 2])
        if tree.movers[node] < 0:
            values[node] = tree.payoffs[tree.node_payoffs[node]]
        elif tree.movers[node] == 0:
            values[node] = tree.probabilities[edges] @ values[tree.targets[edges]]
        else:
            values[node] = values[tree.targets[edges]].mean(axis=0)
    return values


@pytest.mark.parametrize("name", ["biased_rps", "goofspiel_4"])
def test_infosets_of_the_tree_are_states(name: str) -> None:
    machine = load(name).machine
    graph, tree = build_state_graph(machine), build(machine)
    states = infoset_states(graph, tree)
    assert set(states.tolist()) <= set(np.flatnonzero(graph.state_payoffs < 0).tolist())
    for infoset in range(len(tree.infosets)):
        player = int(tree.infosets.players[infoset])
        actions = graph.actions(int(states[infoset]), player)
        assert actions == tree.infosets.names.actions(infoset)
    # The first player's nodes begin a step: there the worth must be that of the state.
    nodes = np.flatnonzero(tree.movers == 1)
    found = uniform_worth(graph)[states[tree.node_infosets[nodes]]]
    assert np.allclose(found, uniform_tree_worth(tree)[nodes])


def test_chance_is_averaged() -> None:
    graph = build_state_graph(load_source(Source("weather.gdl", WEATHER)).machine)
    assert graph.players == ("a", "b")
    assert graph.counts[0].tolist() == [3, 2, 2]
    values = np.zeros((len(graph), 2))
    ends = graph.state_payoffs >= 0
    values[ends] = graph.payoffs[graph.state_payoffs[ends]]
    worth = graph.joint_values(0, values)
    # Meeting is worth 90 in the sun, a third of the time, and 30 otherwise.
    assert np.allclose(worth[..., 0], [[50, 0], [0, 50]])
    assert np.allclose(worth[..., 1], 10)
    assert graph.actions(0, 1) == ("l", "r")
    assert graph.fluents(0) == (("step", "1"),)


def test_a_game_with_secrets_is_refused() -> None:
    for name in ("kuhn_poker", "hidden_goofspiel_4"):
        with pytest.raises(PlayError, match="TRE005"):
            build_state_graph(load(name).machine)


def nothing(states: States) -> NDArray[np.float64]:
    """(n, players) what states are worth where that does not matter."""
    return np.zeros((len(states), 3))


def test_nobody_is_asked_what_all_see_anyway(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load("smallest").machine
    with monkeypatch.context() as patch:
        patch.setattr("fogspiel.tree.state_graph.roles_seeing_all_moves", lambda _: ())
        asked = build_state_graph(machine, depth=2, evaluate=nothing)
    monkeypatch.setattr(type(machine), "percepts_batch", None)
    unasked = build_state_graph(machine, depth=2, evaluate=nothing)
    np.testing.assert_array_equal(unasked.targets, asked.targets)
    np.testing.assert_array_equal(unasked.states, asked.states)
    np.testing.assert_array_equal(unasked.first_edges, asked.first_edges)


def test_a_limit_on_states_is_kept() -> None:
    seen: list[int] = []
    with pytest.raises(LimitError, match="TRE001"):
        build_state_graph(load("goofspiel_5").machine, max_states=1000, progress=seen.append)
    assert 0 < seen[-1] <= 1000


def test_a_tree_of_other_players_is_refused() -> None:
    graph = build_state_graph(load("biased_rps").machine)
    with pytest.raises(ValueError, match="tree"):
        infoset_states(graph, build(load("monty_hall").machine))


def test_a_graph_may_begin_later_and_be_cut() -> None:
    machine = load("goofspiel_4").machine
    whole = build_state_graph(machine)
    later = int(whole.level_starts[1])
    rest = build_state_graph(machine, start=whole.states[later])
    assert len(rest.level_starts) == len(whole.level_starts) - 1
    assert rest.actions(0, 1) == whole.actions(later, 1)
    asked: list[int] = []

    def even(states: NDArray[np.uint64]) -> NDArray[np.float64]:
        asked.append(len(states))
        return np.full((len(states), 2), 50.0)

    cut = build_state_graph(machine, depth=1, evaluate=even)
    assert len(cut) == 17  # the start, and 4 x 4 pairs of cards
    assert asked == [16]
    assert (cut.state_payoffs[1:] == 0).all()
    with pytest.raises(ValueError, match="evaluate"):
        build_state_graph(machine, depth=1)
