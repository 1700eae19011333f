"""Opponents of a hidden type: the probabilities of types decide the value against them."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.machine.wrappers.fixed_opponents import BayesianGame
from fogspiel.machine.wrappers.wrapper import ObservationMultiset
from fogspiel.solve.response.belief_mdp import solve_belief_mdp
from fogspiel.solve.response.pimc_opponent import PimcOpponent


def value(
    machine: ObservationMultiset, searchers: PimcOpponent, role: RoleId, even: float
) -> float:
    """The value of the best response to opponents of which so many choose uniformly at random."""
    typed = BayesianGame(machine, searchers)
    weights = np.array([[even, 1.0 - even]])
    start = typed.typed(machine.initial()[None, :], weights, 1e-9)
    return solve_belief_mdp(typed, role, typed.behaviour, start=start).value


@pytest.mark.parametrize("role", ["first", "second"])
def test_to_know_the_type_is_worth_something(role: str) -> None:
    plain = load("kuhn_poker").machine
    machine = ObservationMultiset(plain)
    searchers = PimcOpponent(machine, max_rows=10_000)
    own = RoleId(machine.roles.index(role))
    even, other = (
        solve_belief_mdp(plain, own).value,
        solve_belief_mdp(machine, own, searchers).value,
    )
    # Whoever is sure of the type answers it alone.
    assert value(machine, searchers, own, 1.0) == pytest.approx(even)
    assert value(machine, searchers, own, 0.0) == pytest.approx(other)
    # Else one answer must do for both: never better than an answer for each.
    assert value(machine, searchers, own, 0.5) <= (even + other) / 2 + 1e-9


def test_a_type_stays_what_it_is() -> None:
    machine = ObservationMultiset(load("kuhn_poker").machine)
    typed = BayesianGame(machine, PimcOpponent(machine, max_rows=10_000))
    states, shares = typed.typed(machine.initial()[None, :], np.array([[0.25, 0.75]]), 1e-9)
    assert shares.tolist() == [0.25, 0.75]
    joint = [typed.legal_batch(states, RoleId(role))[0].argmax() for role in range(3)]
    after = typed.step_batch(states, np.array([joint, joint], np.int32))
    assert after[:, -1].tolist() == states[:, -1].tolist() == [0, 1]
    assert np.array_equal(after[0, :-1], machine.step(machine.initial(), joint))
