"""The model of perfect-information Monte Carlo: by layers, and by following all histories."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from math import prod

import numpy as np
import pytest

from fogspiel.belief.positions import random_history
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.games.load import load
from fogspiel.machine.protocol import State
from fogspiel.machine.wrappers.wrapper import ObservationMultiset
from fogspiel.solve.response.pimc_opponent import LEAST_PROBABILITY, SLIPS, SPREAD, PimcOpponent

Key = tuple[int, int]
"""A role, and what it remembers."""


class ByHistories:
    """The same for a small game, one history after the other."""

    def __init__(self, machine: ObservationMultiset) -> None:
        self.machine = machine
        chance = machine.chance_role
        self.players = [RoleId(role) for role in range(len(machine.roles)) if role != chance]
        self.values: dict[Key, np.ndarray] = {}
        self.mass: dict[Key, float] = defaultdict(float)
        self.goals: set[int] = set()
        self._values: dict[tuple[bytes, int], np.ndarray] = {}
        self._follow(machine.initial(), 1.0)

    def _follow(self, state: State, mass: float) -> None:
        if self.machine.terminal(state):
            self.goals.update(self.machine.goals(state)[role] for role in self.players)
            return
        for role in self.players:
            if len(self.machine.legal(state, role)) > 1:
                key = role, int(self.machine.memories(state[None, :], role)[0])
                self.values[key] = self.values.get(key, 0.0) + mass * self._moves(state, role, 0)
                self.mass[key] += mass
        for joint, share in self._joints(state).items():
            self._follow(self.machine.step(state, joint), mass * share)

    def shares(self, key: Key) -> np.ndarray:
        """The probability of each legal move, by its distance from the best one."""
        width = SPREAD * (max(self.goals) - min(self.goals))
        values = self.values[key] / self.mass[key]
        shares = np.exp((values - values.max()) / width)
        shares /= shares.sum()
        shares[shares < LEAST_PROBABILITY] = 0.0
        found: np.ndarray = shares / shares.sum()
        return found

    def _joints(self, state: State) -> dict[tuple[MoveId, ...], float]:
        """Joint moves, and their probabilities under uniform random play."""
        options = []
        for role in map(RoleId, range(len(self.machine.roles))):
            legal = self.machine.legal(state, role)
            shares = [1.0 / len(legal)] * len(legal)
            if role == self.machine.chance_role:
                shares = self.machine.chance_weights(state).tolist()
            options.append(list(zip(legal, shares, strict=True)))
        return {
            tuple(move for move, _ in joint): prod(share for _, share in joint)
            for joint in product(*options)
        }

    def _moves(self, state: State, role: RoleId, depth: int) -> np.ndarray:
        """The value of each legal move of a role."""
        legal = self.machine.legal(state, role)
        values = np.zeros(len(legal))
        for joint, share in self._joints(state).items():
            after = self._value(self.machine.step(state, joint), depth)[role]
            values[legal.index(joint[role])] += share * len(legal) * after
        return values

    def _value(self, state: State, depth: int) -> np.ndarray:
        """The value of a state for all, so many steps after the first."""
        if self.machine.terminal(state):
            return np.array(self.machine.goals(state), float)
        key = state.tobytes(), min(depth, len(SLIPS) - 1)
        if key in self._values:
            return self._values[key]
        slip = SLIPS[key[1]]
        best = {role: int(self._moves(state, role, depth + 1).argmax()) for role in self.players}
        value = np.zeros(len(self.machine.roles))
        for joint, share in self._joints(state).items():
            weight = share
            for role in self.players:
                legal = self.machine.legal(state, role)
                taken = 1.0 - slip if legal[best[role]] == joint[role] else 0.0
                weight *= len(legal) * taken + slip
            value += weight * self._value(self.machine.step(state, joint), depth + 1)
        self._values[key] = value
        return value


@pytest.mark.parametrize("name", ["kuhn_poker", "hidden_goofspiel(3)"])
def test_layers_and_histories_agree(name: str) -> None:
    plain = load(name).machine
    machine = ObservationMultiset(plain)
    found, expected = PimcOpponent(machine, max_rows=100_000), ByHistories(machine)
    compared = set[Key]()
    for seed in range(40):
        state = machine.initial()
        for joint in random_history(plain, 30, seed=seed):
            for role in expected.players:
                key = role, int(machine.memories(state[None, :], role)[0])
                legal = machine.legal_batch(state[None, :], role)
                if legal.sum() > 1:
                    shares = found(role, state[None, :], legal)[0]
                    assert shares[legal[0]] == pytest.approx(expected.shares(key))
                    assert not shares[~legal[0]].any()
                    compared.add(key)
            state = machine.step(state, joint)
    assert len(compared) >= 10


def test_they_open_in_the_middle_and_go_on_at_an_edge() -> None:
    """TIIGR with 20,000 simulations took the middle in 59 of 60 games, and then an edge in 43."""
    machine = ObservationMultiset(load("latent_tic_tac_toe").machine)
    found = PimcOpponent(machine, max_rows=300_000)
    x, o = RoleId(0), RoleId(1)
    state, middle, corner, noop = machine.initial(), MoveId(4), MoveId(0), MoveId(9)
    (opening,) = found(x, state[None, :], machine.legal_batch(state[None, :], x))
    assert opening[middle] > 0.9
    state = machine.step(machine.step(state, (middle, noop)), (noop, corner))
    (second,) = found(x, state[None, :], machine.legal_batch(state[None, :], x))
    assert second[[1, 3, 5, 7]].sum() == pytest.approx(0.73, abs=0.1)
    # They do not see the corner that is taken: all are alike to them.
    assert second[[0, 2, 6, 8]] == pytest.approx(second[0])
    # Where there is no choice, there is nothing to foresee.
    (forced,) = found(o, machine.initial()[None, :], machine.legal_batch(state[None, :], o))
    assert forced[noop] == 1.0


def test_too_many_states_are_refused() -> None:
    machine = ObservationMultiset(load("latent_tic_tac_toe").machine)
    with pytest.raises(LimitError, match="TRE001"):
        PimcOpponent(machine, max_rows=10_000)
