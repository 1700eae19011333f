"""`tree`: Monte Carlo search in a belief state tree, which learns what is impossible.

Source: Geißer, Keller and Mattmüller (2014), the NORNS algorithm, section 3.2, algorithm 1.
Departures: many searches go down side by side, and the new nodes of a layer are opened together.
Opening a node finds all of its children that fit; those that do not are removed at once, and each
search that stands there fails with the probability that they had.

A search that fails has changed the tree, and begins again at the root. One that arrives has drawn
its history from the exact posterior, whatever part of the tree is known: going down by local
probabilities reaches a history h with P(h) / P(all that is not yet removed), which is the same
multiple of its prior for every h. The tree's own weights become the posterior (that of the POMDP)
when all of it up to the last step was opened, as `enumerate` does.
"""

from __future__ import annotations

import time

import numpy as np

from fogspiel.belief.base import BeliefBase
from fogspiel.belief.belief_tree.tree import ROOT, BeliefTree
from fogspiel.belief.findings import contradiction, gave_up
from fogspiel.belief.protocol import BeliefLimits, Histories, OpponentModel, same_state
from fogspiel.belief.successors import Indices, Reals, fan_from, proportions
from fogspiel.belief.transitions import Transitions
from fogspiel.core.findings import LimitError
from fogspiel.core.ids import RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.analysis.cost import expansion_seconds
from fogspiel.machine.protocol import Machine, State

WIDTH = 512
"""Searches side by side."""
LITTLE_SECONDS = 0.02
"""For what others may have done, however little time there is: a search goes to its end."""


class TreeBelief(BeliefBase):
    """A belief state tree, kept from step to step. Implements `Belief`."""

    method = "tree"

    def __init__(
        self,
        machine: Machine,
        role: RoleId,
        limits: BeliefLimits | None = None,
        *,
        model: OpponentModel | None = None,
        seed: int = 0,
        width: int = WIDTH,
    ) -> None:
        super().__init__(machine, role, limits)
        self.transitions = Transitions(machine, role, model)
        self.seed = seed
        self.width = width
        self.tree = BeliefTree(self.transitions.start(), len(machine.roles))
        self._complete: Indices | None = np.array([ROOT])
        """The nodes of the last layer, where all of them are known."""

    def advance(self, observation: Observation) -> None:
        """One more layer, searched until one history is known to fit.

        Where none does the tree is spent: it says so again whatever it is asked.
        """
        self._refuse_spent()
        self.observations.append(observation)
        self._complete = None
        deadline = time.monotonic() + self.limits.seconds
        rng = np.random.default_rng([self.seed, len(self.observations)])
        arrived = 0
        while not arrived:
            if time.monotonic() > deadline:
                raise gave_up(self.method, len(self.observations), self.limits)
            arrived = len(self._search(self.width, rng))
            self._refuse_spent()

    def sample(self, count: int, seed: int) -> Histories:
        """Histories drawn independently from the posterior."""
        self._refuse_spent()
        rng = np.random.default_rng(seed)
        deadline = time.monotonic() + self.limits.seconds
        found = np.zeros(0, np.int64)
        while len(found) < count and not (len(found) and time.monotonic() > deadline):
            lanes = max(self.width, count - len(found))
            found = np.concatenate([found, self._search(lanes, rng)])
            if not len(found) and time.monotonic() > deadline:
                raise gave_up(self.method, len(self.observations), self.limits)
        found = found[:count]
        return self._given(found, np.ones(len(found)), complete=False)

    def enumerate(self, limit: int) -> Histories:
        """Open the whole tree up to the last step, or as much as the limits allow."""
        self._refuse_spent()
        nodes = self._opened()
        complete = self._complete is not None and len(nodes) <= limit
        nodes = nodes[:limit]
        weights = proportions(self.tree.logs(nodes, len(self.observations)))
        return self._given(nodes, weights, complete=complete)

    def size(self) -> int | None:
        """How many histories fit, once the tree is complete."""
        return None if self._complete is None else len(self._complete)

    def probability(self, state: State) -> float:
        """By the weights of the tree, over those histories that it knows."""
        self._refuse_spent()
        nodes = self._known()
        here = same_state(self.transitions.states(self.tree.points[nodes]), state)
        weights = proportions(self.tree.logs(nodes, len(self.observations)))
        return float(weights[here].sum() / weights.sum())

    def _search(self, lanes: int, rng: np.random.Generator) -> Indices:
        """Algorithm 1, for many searches: the nodes of the last layer at which some arrive."""
        at = np.full(lanes, ROOT)
        for observation in self.observations:
            if not len(at):
                break
            nodes, which = np.unique(at, return_inverse=True)
            new = self.tree.unopened(nodes)
            fits = np.ones(len(nodes))
            fits[new] = self._open(nodes[new], observation)
            passed = rng.random(len(at)) < fits[which]
            at = self.tree.descend(at[passed], rng)
        return at

    def _open(self, nodes: Indices, observation: Observation) -> Reals:
        """Open nodes of one layer. (n,) how probable it was in each that a step fits."""
        if not len(nodes):
            return np.zeros(0)
        room = self.transitions.affordable(self.limits, self.tree.bytes)
        room = min(room, self.limits.histories - len(self.tree))
        if room <= 0 or self._is_too_wide(nodes, observation):
            raise gave_up(self.method, len(self.observations), self.limits)
        try:
            fan, which = fan_from(self.transitions, self.tree.points[nodes], observation, room)
        except LimitError:
            raise gave_up(self.method, len(self.observations), self.limits) from None
        self.tree.open(nodes, fan, which)
        return fan.masses[which]

    def _is_too_wide(self, nodes: Indices, observation: Observation) -> bool:
        """Whether others may have done so much that trying all of it takes too long."""
        states = self.transitions.states(self.tree.points[nodes])
        seconds = expansion_seconds(self.machine, states, self.role, observation.percepts)
        return seconds > max(LITTLE_SECONDS, self.limits.seconds)

    def _opened(self) -> Indices:
        """The nodes of the last layer after opening all before, or as many as limits allow."""
        if self._complete is not None:
            return self._complete
        deadline = time.monotonic() + self.limits.seconds
        layer = np.array([ROOT])
        for observation in self.observations:
            new = layer[self.tree.unopened(layer)]
            for first in range(0, len(new), self.width):
                if time.monotonic() > deadline:
                    return self._known()
                try:
                    self._open(new[first : first + self.width], observation)
                except LimitError:
                    return self._known()
            layer = self.tree.children(layer)
        self._complete = layer
        return layer

    def _known(self) -> Indices:
        """The possible nodes of the last layer."""
        layer = np.array([ROOT])
        for _ in self.observations:
            layer = self.tree.children(layer[~self.tree.unopened(layer)])
        return layer

    def _given(self, nodes: Indices, weights: Reals, *, complete: bool) -> Histories:
        return Histories(
            joints=self.tree.histories(nodes, len(self.observations)),
            states=self.transitions.states(self.tree.points[nodes]),
            weights=weights,
            complete=complete,
        )

    def _refuse_spent(self) -> None:
        if self.tree.is_dead:
            raise contradiction(len(self.observations))
