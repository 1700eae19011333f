"""Known answers: best moves, values, equilibria and numbers of decisions that others published."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from searches import after_chance, by_name, machine_of, player, searched, statistics_at

from fogspiel.core.budget import Budget
from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId, format_term
from fogspiel.games.families.number_guessing import rules
from fogspiel.games.load import load_source
from fogspiel.machine.protocol import player_roles
from fogspiel.search.mcts.algorithms import (
    ISMCTS,
    NORNS,
    SHODAN,
    SIMULTANEOUS_EXP3,
    SIMULTANEOUS_MATCHING,
    SIMULTANEOUS_UCT,
    UCT,
    Algorithm,
)
from fogspiel.search.mcts.kernels.graph import BLOCK, DECISION, HEAD, NUMBERS
from fogspiel.search.mcts.kernels.selection import Ucb
from fogspiel.search.mcts.keys import KeyName
from fogspiel.search.mcts.roots import state_roots
from fogspiel.search.mcts.search import Search
from fogspiel.search.mcts.statistics import root_statistics
from fogspiel.solve.induction.simultaneous import solve_states
from fogspiel.tree.state_graph import build_state_graph


@pytest.mark.parametrize("algorithm", [UCT, ISMCTS], ids=["state", "knowledge"])
def test_uct_takes_the_centre_of_tic_tac_toe(algorithm: Algorithm) -> None:
    search = searched("tic_tac_toe", algorithm, 20_000)
    found = statistics_at(search)
    visits = by_name(search, found, found.visits)
    assert max(visits, key=lambda move: visits[move]) == "(mark 2 2)"


def test_a_corner_answers_the_centre() -> None:
    # Tic-tac-toe is a draw; after the centre a corner holds it, and a side loses.
    machine = machine_of("tic_tac_toe")
    first, second = player_roles(machine)
    centre = next(
        state
        for state in machine.expand(machine.initial()).states
        if "(cell 2 2 x)" in map(format_term, machine.fluent_terms(state))
    )
    roots = state_roots(machine, centre[None, :])
    search = Search(machine, second, UCT, seed=1)
    search.run(roots, Budget.of(simulations=40_000))
    found = statistics_at(search, roots)
    means = by_name(search, found, found.means)
    best = max(means, key=lambda move: means[move])
    assert best in ("(mark 1 1)", "(mark 1 3)", "(mark 3 1)", "(mark 3 3)")
    assert means[best] == pytest.approx(0.5, abs=0.06)
    assert first != second


def test_equal_states_are_one_node() -> None:
    # Tic-tac-toe has 5,478 states; a search that explores much meets most of them, and no more.
    search = searched("tic_tac_toe", UCT.with_constant(5.0), 60_000)
    assert 3_000 < search.tree.node_count <= 5_478


@pytest.mark.parametrize("keys", ["state", "knowledge"])
@pytest.mark.parametrize("algorithm", [SIMULTANEOUS_EXP3, SIMULTANEOUS_MATCHING])
def test_averages_come_near_the_equilibrium(algorithm: Algorithm, keys: KeyName) -> None:
    search = searched("biased_rps", replace(algorithm, keys=keys), 200_000)
    found = statistics_at(search)
    average = by_name(search, found, found.average)
    # Shafiei (2010), section 3.6.1: 1/16, 10/16, 5/16. Bandits come near it, no nearer.
    assert average["paper"] > average["scissors"] > average["rock"]
    assert average["paper"] == pytest.approx(10 / 16, abs=0.15)
    assert average["rock"] == pytest.approx(1 / 16, abs=0.1)


def test_one_by_one_averages_come_nearer_to_the_equilibrium() -> None:
    for algorithm in (SIMULTANEOUS_EXP3, SIMULTANEOUS_MATCHING):
        search = searched("biased_rps", replace(algorithm, together=1), 200_000)
        found = statistics_at(search)
        average = by_name(search, found, found.average)
        # Nothing is learnt late here.
        assert average["paper"] == pytest.approx(10 / 16, abs=0.08)
        assert average["rock"] == pytest.approx(1 / 16, abs=0.05)


def test_decisions_by_knowledge_are_the_infosets() -> None:
    # Kuhn (1950): twelve infosets, six a player; 58 nodes, of which the machine makes two at once.
    search = searched("kuhn_poker", SHODAN.with_constant(0.2), 4_000)
    assert search.tree.decision_count == 12
    nodes = search.tree.node_count
    again = searched("kuhn_poker", SHODAN.with_constant(0.2), 20_000)
    assert (again.tree.decision_count, again.tree.node_count) == (12, nodes)


def test_decisions_by_state_tell_deals_apart() -> None:
    # Thirty courses of Kuhn have 24 decisions: six deals, four decisions each.
    search = searched("kuhn_poker", SIMULTANEOUS_EXP3.with_constant(0.2), 4_000)
    tree, roles = search.tree, player_roles(search.machine)
    heads = tree.graph.heads[: tree.node_count]
    assert sum(int((heads[:, HEAD + NUMBERS * r + DECISION] > 0).sum()) for r in roles) == 24


def test_chance_draws_by_its_weights() -> None:
    # As if nothing were hidden, the car is found: whoever sees it behind a door takes that door.
    search = searched("monty_hall", UCT, 30_000)
    machine, tree = search.machine, search.tree
    best = 0.0
    for node in range(tree.node_count):
        state = tree.states_of(np.array([node]))
        if not machine.terminal(state[0]):
            for _, found in root_statistics(search, state_roots(machine, state), search.observer):
                best = max(best, float(found.means.max()))
    assert best == 1.0


def test_an_answer_is_worth_what_its_best_use_is() -> None:
    # Geisser et al. (2014), section 5: asking is worth 90, waiting 50. Means count wires cut at
    # random, too.
    machine = machine_of("exploding_bomb")
    roots = after_chance(machine)
    best = searched(machine, NORNS, 2_000, roots)
    means = searched(machine, replace(NORNS, rule=Ucb(2.0**0.5), plays_on=False), 2_000, roots)
    found, mean = (
        by_name(search, own := statistics_at(search, roots), own.means) for search in (best, means)
    )
    assert found["ask"] == pytest.approx(0.9, abs=0.02)
    assert found["wait"] == pytest.approx(0.5, abs=0.1)
    assert mean["ask"] < found["ask"] - 0.01


def test_questions_are_worth_what_they_lead_to() -> None:
    # Of four numbers, binary search finds each with two questions: 100. Asking for 1 first: with
    # it 100; else 3 is asked for, after which 4 is known and 2 and 3 need one more, for 70 each:
    # (100 + 100 + 70 + 70) / 4. A guess at once is right in one of four cases; the best of four
    # means lies a little above that.
    machine = load_source(Source("four.gdl", rules(4))).machine
    roots = after_chance(machine)
    search = searched(machine, NORNS, 100_000, roots)
    own = statistics_at(search, roots)
    found = by_name(search, own, own.means)
    assert found["(ask 2)"] == pytest.approx(1.0, abs=0.03)
    assert found["(ask 1)"] == pytest.approx(0.85, abs=0.05)
    assert found["(ask 3)"] == pytest.approx(0.85, abs=0.05)
    assert found["ready"] == pytest.approx(0.25, abs=0.05)


def test_states_are_kept_apart_from_what_is_known() -> None:
    # A secret, the questions asked and whether one asks or guesses: 16 * 14 * 2, and 16 * 14 * 2
    # ends. Pasts are many more.
    machine = machine_of("number_guessing_16")
    search = searched(machine, NORNS, 20_000, after_chance(machine))
    assert search.tree.node_count <= 16 * 14 * 4 < 10_000 < search.tree.decision_count


def test_others_choose_evenly() -> None:
    machine = machine_of("biased_rps")
    role = player(machine)
    search = searched(machine, NORNS, 20_000)
    own = statistics_at(search)
    after = machine.expand(machine.initial())
    goals = machine.goals_batch(after.states)[:, role].astype(float)
    values = (goals - goals.min()) / (goals.max() - goals.min())
    for move, mean in zip(own.moves.tolist(), own.means.tolist(), strict=True):
        assert mean == pytest.approx(values[after.joints[:, role] == move].mean(), abs=0.03)


def test_algorithm_1_of_shafiei_goes_as_his_table_says() -> None:
    """Table 3.4: all nine joint moves of biased rock-paper-scissors first, then the best bounds."""
    machine = machine_of("biased_rps")
    for seed in range(3):
        search = Search(machine, RoleId(0), SIMULTANEOUS_UCT, seed=seed)
        roots = state_roots(machine, machine.initial()[None, :])
        counts: dict[int, dict[str, float]] = {}
        for step in range(1, 27):
            search.run(roots, Budget.of(simulations=1))
            for role in player_roles(machine):
                found = statistics_at(search, roots, role)
                counts[step] = by_name(search, found, found.visits)
                if step == 9:
                    means = by_name(search, found, found.means)
                    assert means["rock"] == pytest.approx(0.5833, abs=1e-4)
                    assert means["paper"] == pytest.approx(0.5667, abs=1e-4)
                    assert means["scissors"] == pytest.approx(0.35)
        assert counts[9] == {"rock": 3, "paper": 3, "scissors": 3}
        assert counts[10] == {"rock": 4, "paper": 3, "scissors": 3}
        assert counts[23] == {"rock": 10, "paper": 10, "scissors": 3}
        assert counts[26] == {"rock": 11, "paper": 11, "scissors": 4}


@pytest.mark.parametrize("game", ["smallest", "battleship_4"])
def test_all_joint_moves_are_tried_before_any_is_made_twice(game: str) -> None:
    """Three players choose at once in smallest; Battleship begins with 24 * 24 joint moves, more
    than have places of their own."""
    machine = machine_of(game)
    roles = player_roles(machine)
    joints = int(np.prod([len(machine.legal(machine.initial(), role)) for role in roles]))
    roots = state_roots(machine, machine.initial()[None, :])
    orders = []
    for seed in range(2):
        search = Search(machine, roles[0], replace(SIMULTANEOUS_UCT, together=1), seed=seed)
        search.run(roots, Budget.of(simulations=joints))
        for role in roles:
            found = statistics_at(search, roots, role)
            assert (found.visits == joints / len(found.moves)).all()
        graph = search.tree.graph
        owners = graph.joint_table[graph.joint_table >= 0] >> 32
        made = int(np.count_nonzero(owners == 0))
        if graph.heads[0, BLOCK] >= 0:
            made = int(np.count_nonzero(graph.children[graph.heads[0, BLOCK] :][:joints]))
        assert made == joints
        orders.append(graph.rows[1:5].tolist())
    assert orders[0] != orders[1]


def test_regret_matching_forgets_how_it_began() -> None:
    """Play at the root of goofspiel with four cards loses little, other play being optimal."""
    machine = machine_of("goofspiel_4")
    graph = build_state_graph(machine)
    values = solve_states(graph).state_values
    assert values is not None
    after_moves = graph.joint_values(0, values)[..., 0]
    # By symmetry the game is worth 50 goals of 100.
    value, losses = 50.0, []
    for seed in range(60):
        search = searched(machine, SIMULTANEOUS_MATCHING, 10_000, seed=seed)
        losses.append(value - (statistics_at(search).average @ after_moves).min())
    # One simulation at a time: 3.9. With an eighth of those made under way it was 6.2.
    assert np.mean(losses) < 5.0
