"""Roots: small beliefs as they are, large ones drawn anew, and bets on what is hidden."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from searches import after_chance, by_name, machine_of, player, searched, statistics_at

from fogspiel.belief.methods import make_belief
from fogspiel.belief.positions import position_after, random_history
from fogspiel.belief.protocol import Belief
from fogspiel.core.budget import Budget
from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId, format_term
from fogspiel.games.load import load_source
from fogspiel.machine.knowledge import observation_of
from fogspiel.machine.protocol import player_roles
from fogspiel.players.catalogue import make_player
from fogspiel.players.protocol import Seat
from fogspiel.search.mcts.algorithms import ISMCTS, NORNS_BELIEF
from fogspiel.search.mcts.belief_keys import BeliefKeys
from fogspiel.search.mcts.roots import Roots, belief_roots, with_key
from fogspiel.search.mcts.search import Search

COIN = """
; A hidden fair coin pays 51 for a right guess of heads and 50 for tails.
(role random) (role guesser)
(side heads) (side tails)
(init (turn toss))
(<= (next (turn guess)) (true (turn toss)))
(<= (next (turn over)) (true (turn guess)))
(<= (legal random (toss ?s)) (true (turn toss)) (side ?s))
(<= (legal random wait) (not (true (turn toss))))
(<= (legal guesser wait) (true (turn toss)))
(<= (legal guesser (guess ?s)) (true (turn guess)) (side ?s))
(<= (next (coin ?s)) (does random (toss ?s)))
(<= (next (coin ?s)) (true (coin ?s)))
(<= (next (guessed ?s)) (does guesser (guess ?s)))
(<= (sees guesser tossed) (true (turn toss)))
(<= terminal (true (turn over)))
(<= (goal guesser 51) (true (coin heads)) (true (guessed heads)))
(<= (goal guesser 50) (true (coin tails)) (true (guessed tails)))
(<= right (true (coin ?s)) (true (guessed ?s)))
(<= (goal guesser 0) (not right))
"""


@pytest.mark.parametrize("name", ["norns", "norns-belief", "auto"])
def test_a_hidden_coin_is_bet_on_by_the_better_payoff(name: str) -> None:
    """The luck of the draw of coins is more than the hundredth that the bets differ by."""
    machine = load_source(Source("coin.gdl", COIN)).machine
    role, budget = player(machine), Budget.of(simulations=10_000)
    state = machine.initial()
    joint = [machine.legal(state, RoleId(each))[0] for each in range(2)]
    told = observation_of(machine, state, joint, role)
    bets = []
    for seed in range(100):
        guesser = make_player(name)
        guesser.start(Seat(machine, role, seed), budget)
        guesser.observe(told)
        bets.append(format_term(machine.move_term(role, guesser.choose(budget))))
    assert bets == ["(guess heads)"] * 100


def belief_after(game: str, steps: int, method: str, seed: int = 1) -> Belief:
    """The belief of a player after some steps of random play."""
    machine = machine_of(game)
    role = player_roles(machine)[-1]
    belief = make_belief(method, machine, role)
    course = random_history(machine, steps, seed=seed)
    for observation in position_after(machine, course, role).observations:
        belief.advance(observation)
    return belief


def test_a_small_belief_is_searched_as_it_is() -> None:
    belief = belief_after("leduc_poker", 2, "exact")
    roots = belief_roots(belief, 3, with_knowledge=True)
    assert roots.redrawn is None
    assert len(roots.states) == belief.size() == 5
    assert roots.shares == pytest.approx([0.2] * 5)
    again = belief_roots(belief, 4, with_knowledge=True)
    assert np.array_equal(again.states, roots.states)


def test_equal_roots_are_one() -> None:
    machine = machine_of("kuhn_poker")
    roots = after_chance(machine)
    twice = Roots(
        states=roots.states.repeat(2, axis=0),
        knowledge=roots.knowledge.repeat(2, axis=0),
        weights=np.ones(2 * len(roots.states)),
    )
    search = Search(machine, player(machine), ISMCTS, seed=0)
    order = search._order(twice, None)
    assert len(order.roots) == len(roots.states) == 3
    assert np.diff(order.bounds, prepend=0.0) == pytest.approx([2.0] * 3)
    states, shares = twice.distinct()
    assert len(states) == 3
    assert shares == pytest.approx([1 / 3] * 3)


def test_a_large_belief_is_drawn_anew_while_simulations_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fogspiel.search.mcts.roots.MOST_ROOTS", 100)
    belief = belief_after("battleship_4", 2, "exact")
    roots = belief_roots(belief, 3, with_knowledge=True)
    drawn: list[int] = []
    assert roots.redrawn is not None
    assert len(roots.states) == 100
    redrawn = roots.redrawn

    def noted(again: int) -> Roots:
        drawn.append(again)
        other = redrawn(again)
        assert not np.array_equal(other.states, roots.states)
        return replace(other, redrawn=noted)

    sampled = replace(roots, redrawn=noted)
    search = Search(belief.machine, belief.role, ISMCTS, seed=0)
    assert search.run(sampled, Budget.of(simulations=10_000)) == 10_000
    assert drawn == list(range(1, len(drawn) + 1))
    # As many simulations as there are roots, and less than a first batch more, between two draws.
    assert 10_000 // 116 - 1 <= len(drawn) <= 99


def test_the_tree_belief_knows_its_size_where_it_is_small() -> None:
    exact, tree = (belief_after("leduc_poker", 3, method) for method in ("exact", "tree"))
    assert tree.size() == exact.size() == 5
    assert belief_roots(tree, 1, with_knowledge=False).redrawn is None


def by_belief(simulations: int) -> tuple[Search, Roots]:
    machine = machine_of("number_guessing_8")
    keys = BeliefKeys(machine, player(machine))
    keys.budget = Budget.of(simulations=simulations)
    roots = after_chance(machine)
    keyed = with_key(roots, player(machine), keys.key_of(*roots.distinct()))
    return searched(machine, NORNS_BELIEF, simulations, keyed, follow=keys), keyed


def test_pasts_that_leave_the_same_belief_are_one_decision() -> None:
    search, _ = by_belief(3_000)
    machine = search.machine
    # The answers leave one of 36 ranges, after each number of questions asked; to guess is told
    # apart from to ask. Pasts make a new decision with nearly every simulation.
    pasts = searched(machine, replace(NORNS_BELIEF, keys="past"), 3_000, after_chance(machine))
    assert search.tree.decision_count < 1_000 < pasts.tree.decision_count


def test_a_belief_is_the_same_in_whatever_order() -> None:
    machine = machine_of("number_guessing_8")
    states = after_chance(machine).states
    keys = BeliefKeys(machine, player(machine))
    shares = np.arange(1.0, len(states) + 1) / np.arange(1.0, len(states) + 1).sum()
    even = np.full(len(states) - 1, 1.0 / (len(states) - 1))
    assert keys.key_of(states, shares) == keys.key_of(states[::-1], shares[::-1])
    assert keys.key_of(states, shares) != keys.key_of(states, shares[::-1])
    assert keys.key_of(states, shares) != keys.key_of(states[:-1], even)


def test_beliefs_take_no_more_memory_than_they_may() -> None:
    machine = machine_of("number_guessing_8")
    roots = after_chance(machine)
    sizes = {}
    for limit in (8_192, 1 << 30):
        keys = BeliefKeys(machine, player(machine), limit)
        keys.budget = Budget.of(simulations=3_000)
        keyed = with_key(roots, player(machine), keys.key_of(*roots.distinct()))
        search = searched(machine, NORNS_BELIEF, 3_000, keyed, follow=keys)
        sizes[limit] = keys.bytes
        assert statistics_at(search, keyed).visits.sum() > 2_000
    assert 8_192 < sizes[8_192] < 2 * 8_192 < sizes[1 << 30]
    # The next turn begins with the belief that is held then, and nothing else.
    full = BeliefKeys(machine, player(machine), 0)
    first = full.key_of(*roots.distinct())
    size = full.bytes
    assert (full.key_of(*roots.distinct()), full.bytes) == (first, size)


def test_what_is_learnt_of_a_belief_is_what_it_is_worth() -> None:
    machine = machine_of("exploding_bomb")
    keys = BeliefKeys(machine, player(machine))
    keys.budget = Budget.of(simulations=20_000)
    roots = after_chance(machine)
    keyed = with_key(roots, player(machine), keys.key_of(*roots.distinct()))
    search = searched(machine, NORNS_BELIEF, 20_000, keyed, follow=keys)
    own = statistics_at(search, keyed)
    found = by_name(search, own, own.means)
    # Geisser et al. (2014), section 5: 90 and 50; bandits that still try come near it from below.
    assert found["ask"] == pytest.approx(0.9, abs=0.1)
    assert found["wait"] == pytest.approx(0.5, abs=0.1)
