"""Outcome sampling and EXP3 on information sets: averages come near equilibria, led or not."""

from __future__ import annotations

import numpy as np
import pytest
from searches import assert_all_came_back, machine_of

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.positions import position_after, random_history
from fogspiel.belief.protocol import BeliefRequest
from fogspiel.belief.verify import log_probabilities
from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId, Observation, PerceptId, RoleId
from fogspiel.machine.knowledge import knowledge_of
from fogspiel.machine.protocol import Machine
from fogspiel.rules.sexpr import exact_text
from fogspiel.search.mcts.algorithms import OUTCOME_SAMPLING, SHODAN
from fogspiel.search.mcts.roots import Targets, first_roots
from fogspiel.search.mcts.search import Search
from fogspiel.search.mcts.statistics import average_strategy, decision_visits
from fogspiel.solve.result import Strategy, action_starts
from fogspiel.solve.strategy_value import exploitability
from fogspiel.tree.build.build import build


def average_exploitability(search: Search) -> float:
    """Exploitability, in goals, of the average strategies; uniform where there are none."""
    machine = search.machine
    tree = build(machine)
    starts = action_starts(tree.infosets)
    shares = np.empty(int(starts[-1]))
    for infoset in range(len(tree.infosets)):
        role = RoleId(machine.roles.index(tree.players[int(tree.infosets.players[infoset]) - 1]))
        sights = tree.infosets.names.observations(infoset)
        assert sights is not None
        moves = {exact_text(machine.move_term(role, m)): m for m in moves_of(machine, role)}
        percepts = {
            exact_text(machine.percept_term(role, PerceptId(p))): PerceptId(p)
            for p in range(machine.percept_count(role))
        }
        past = [
            Observation(moves[s.move], tuple(percepts[seen] for seen in s.percepts)) for s in sights
        ]
        own = slice(int(starts[infoset]), int(starts[infoset + 1]))
        legal = np.zeros(machine.move_count(role), np.bool_)
        legal[[moves[text] for text in tree.infosets.names.actions(infoset)]] = True
        known = np.array([knowledge_of(machine, role, past)])
        # Moves of an infoset stand in the same order in both.
        shares[own] = average_strategy(search, role, known, legal[None, :])[0][legal]
    return exploitability(tree, Strategy(starts=starts, probabilities=shares))


def moves_of(machine: Machine, role: RoleId) -> list[MoveId]:
    return [MoveId(move) for move in range(machine.move_count(role))]


def target(game: str, steps: int, seed: int) -> Targets:
    """A state where the second player holds a card, after some steps."""
    machine = machine_of(game)
    role = RoleId(machine.roles.index("second"))
    belief = ExactBelief(BeliefRequest(machine, role))
    course = random_history(machine, steps, seed=seed)
    belief.follow(position_after(machine, course, role).observations)
    return Targets(belief, seed=0)


def test_exploitability_falls_as_simulations_are_added() -> None:
    machine = machine_of("kuhn_poker")
    search = Search(machine, RoleId(0), OUTCOME_SAMPLING, seed=1)
    found = []
    for more in (1_000, 9_000, 90_000):
        assert search.run(first_roots(machine), Budget.of(simulations=more)) == more
        found.append(average_exploitability(search))
    assert_all_came_back(search)
    # In goals, of which 25 are a chip. Even play has 11.5.
    assert found[0] > found[1] > found[2]
    assert found[2] < 1.0


def test_simulations_that_are_led_still_learn_the_whole_game() -> None:
    machine = machine_of("kuhn_poker")
    role = RoleId(machine.roles.index("second"))
    found = []
    for seed in range(8):
        search = Search(machine, role, OUTCOME_SAMPLING, seed=seed)
        search.run(first_roots(machine), Budget.of(simulations=100_000), target("kuhn_poker", 2, 2))
        assert_all_came_back(search)
        found.append(average_exploitability(search))
    # Weights that ignore the leading leave 7.0.
    assert np.mean(found) < 1.2


def test_simulations_are_led_to_their_target() -> None:
    machine = machine_of("leduc_poker")
    role = RoleId(machine.roles.index("second"))
    targets = target("leduc_poker", 3, 4)
    assert targets.complete
    search = Search(machine, role, OUTCOME_SAMPLING, seed=0)
    search.run(first_roots(machine), Budget.of(simulations=2_000), targets)
    belief = ExactBelief(BeliefRequest(machine, role))
    course = random_history(machine, 3, seed=4)
    belief.follow(position_after(machine, course, role).observations)
    states = belief.sample(1, 0).states
    legal = machine.legal_batch(states, role)[0]
    assert decision_visits(search, targets.key, role, legal) > 1_600


def test_the_probability_of_an_infoset_is_that_of_its_histories() -> None:
    targets = target("kuhn_poker", 2, 1)
    _, logs = log_probabilities(machine_of("kuhn_poker"), RoleId(2), targets.joints)
    # Six deals, all as probable; the second player knows its own card and no more.
    assert np.exp(logs) == pytest.approx([1 / 6, 1 / 6])
    assert np.exp(targets.log_total) == pytest.approx(1 / 3)


def test_exp3_on_infosets_comes_near_the_equilibrium() -> None:
    machine = machine_of("kuhn_poker")
    search = Search(machine, RoleId(0), SHODAN, seed=1)
    found = []
    for more in (1_000, 99_000):
        search.run(first_roots(machine), Budget.of(simulations=more))
        found.append(average_exploitability(search))
    assert found[1] < 2.0 < found[0]
