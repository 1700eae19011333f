"""Opponents of two types, weighed by their priors and by what was observed.

In a simulation every opponent is of one type throughout; the searching role does not know which, so
its own decisions, found by what it knows, answer both together. Types:
- `EVEN` plays uniformly at random;
- `SIGHTED` sees the whole state and gets better at the game as the search goes on, as players do
  that search possible states as if nothing were hidden.
The moves of an opponent are evidence about its type as well as about the state: histories and types
are weighed together, by how often the search saw bandits of the type choose so.

Sources: Harsanyi (1967) for types; Southey et al. (2005), "Bayes' bluff: opponent modelling in
poker", for the weighing; Cerny (2014), equation 5.5, for visits as probabilities.
Own decisions are found by memory (`machine/wrappers/observation_multiset`): what the role did and
saw, in any order, and the moves it has. Fewer decisions are met more often.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import Belief
from fogspiel.belief.verify import carried_along
from fogspiel.core.budget import Budget, bytes_within, in_time
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.machine.protocol import Joints, Machine, States, player_roles
from fogspiel.search.mcts.keys import memory_of
from fogspiel.search.mcts.roots import Roots, histories_of
from fogspiel.search.mcts.search import Search
from fogspiel.search.mcts.statistics import visited_strategy
from fogspiel.solve.response.belief_mdp import solve_belief_mdp

EVEN, SIGHTED = 0, 1
TYPES = 2
DOUBT = 24.0
"""Visits that the uniform strategy counts for, beside those of a bandit: few visits say little."""
SLIP = 0.05
"""Probability that an opponent of any type plays at random: no move refutes a type for good."""

Reals = NDArray[np.float64]


def typed_roots(belief: Belief, even: float, search: Search, seed: int) -> Roots:
    """Histories of an information set with each type of opponents, by their joint probability.

    even: prior probability of the type that plays at random. search: the search so far, which tells
    how the other type chooses.
    """
    histories = histories_of(belief, seed)
    ratios = _ratios(belief.machine, belief.role, histories.joints, search)
    likelihoods = np.column_stack([np.full(len(ratios), even), (1.0 - even) * ratios])
    weights = histories.weights[:, None] * likelihoods
    known = np.zeros((TYPES * len(ratios), len(belief.machine.roles)), np.uint64)
    known[:, belief.role] = memory_of(belief.machine, belief.role, belief.observations)
    return Roots(
        states=np.repeat(histories.states, TYPES, axis=0),
        knowledge=known,
        weights=(weights / weights.sum()).ravel(),
        tags=np.tile(np.arange(TYPES), len(ratios)),
    )


def typed_answer(
    machine: Machine,
    role: RoleId,
    roots: Roots,
    search: Search,
    *,
    max_rows: int,
    budget: Budget,
) -> MoveId | None:
    """The best response to opponents of unknown type, while all beliefs that may follow fit.

    Looking ahead, opponents draw their type anew at every move, with its present probability. They
    then depend on the state, which the solver needs, and beliefs that differ in nothing but the
    type are one. None where there are more rows than allowed, or time is over.
    """
    even = float(roots.shares[roots.tags == EVEN].sum())

    def behaviour(other: RoleId, states: States, legal: NDArray[np.bool_]) -> Reals:
        uniform: Reals = legal / legal.sum(axis=1, keepdims=True)
        return even * uniform + (1.0 - even) * sighted_strategy(search, other, states, legal)

    try:
        return solve_belief_mdp(
            machine,
            role,
            behaviour,
            start=roots.distinct(),
            max_rows=max_rows,
            max_bytes=bytes_within(budget),
            progress=in_time(budget),
        ).move
    except LimitError:
        return None


def _ratios(machine: Machine, role: RoleId, joints: NDArray[np.int32], search: Search) -> Reals:
    """(n,) likelihood ratios of histories: sighted opponents against uniform random ones.

    joints: (n, steps, roles)
    """
    others = player_roles(machine)
    others.remove(role)

    def after(ratios: Reals, states: States, origins: NDArray[np.int64], made: Joints) -> Reals:
        ratios = ratios[origins]
        for other in others:
            legal = machine.legal_batch(states, other)
            found = sighted_strategy(search, other, states, legal)
            ratios *= found[origins, made[:, other]] * legal.sum(axis=1)[origins]
        return ratios

    return carried_along(machine, joints, np.ones(1), after)[1]


def sighted_strategy(
    search: Search, role: RoleId, states: States, legal: NDArray[np.bool_]
) -> Reals:
    """(n, moves) probabilities of the moves of an opponent that sees everything, by its visits."""
    return visited_strategy(search, role, states, legal, doubt=DOUBT, slip=SLIP)
