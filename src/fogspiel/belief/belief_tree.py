"""`tree`: Monte Carlo search in a belief state tree, which learns what is impossible.

Source: Geißer, Keller and Mattmüller (2014), the NORNS algorithm, section 3.2, algorithm 1.
Departures: many searches go down side by side, and the new nodes of a layer are opened together.
Opening a node finds all of its children that fit; those that do not are removed at once, and each
search that stands there fails with the probability that they had. A set of nodes of one layer is
removed at once, which the paper shows to be the same as one after the other; and only part of a
node's probability may go, which stands for children that were found impossible before they became
nodes.

A search that fails has changed the tree, and begins again at the root. One that arrives has drawn
its history from the exact posterior, whatever part of the tree is known: going down by local
probabilities reaches a history h with P(h) / P(all that is not yet removed), which is the same
multiple of its prior for every h. The tree's own weights become the posterior (that of the POMDP)
when all of it up to the last step was opened, as `enumerate` does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.base import contradiction
from fogspiel.belief.protocol import BeliefRequest, Histories
from fogspiel.belief.transitions import (
    Indices,
    PointBelief,
    Points,
    Reals,
    Successors,
    proportions,
    spread,
)
from fogspiel.core.findings import LimitError
from fogspiel.core.kernels.rows import GrowingArray
from fogspiel.core.native import native
from fogspiel.core.terms import Observation
from fogspiel.machine.protocol import State

WIDTH = 512  #: Searches side by side
LITTLE_SECONDS = 0.02
"""Time for what others may have done, however little is left: a search goes to its end."""
FEW_NODES = 1024  #: Nodes of each layer up to which the tree is completed to know its size
ROOT = 0
UNOPENED = -1


class TreeBelief(PointBelief):
    """A belief state tree, kept from step to step. Implements `Belief`."""

    method = "tree"

    def __init__(self, request: BeliefRequest, *, width: int = WIDTH) -> None:
        super().__init__(request)
        self.width = width
        self.tree = BeliefTree(self.transitions.start(), len(self.machine.roles))
        self._complete: Indices | None = np.array([ROOT])
        """The nodes of the last layer, where all of them are known."""

    def advance(self, observation: Observation) -> None:
        """Add a layer, and search until one history is known to fit.

        Where none does the tree is spent: it says so again whatever it is asked.
        """
        self._refuse_spent()
        self.observations.append(observation)
        self._complete = None
        clock, arrived = self.clock(), 0
        rng = np.random.default_rng([self.seed, len(self.observations)])
        while not arrived:
            clock.check(len(self.observations))
            arrived = len(self._search(self.width, rng))
            self._refuse_spent()

    def sample(self, count: int, seed: int) -> Histories:
        """Histories drawn independently from the posterior."""
        self._refuse_spent()
        rng = np.random.default_rng(seed)
        clock = self.clock()
        found = np.zeros(0, np.int64)
        while len(found) < count and not (len(found) and clock.over):
            lanes = max(self.width, count - len(found))
            found = np.concatenate([found, self._search(lanes, rng)])
            if not len(found):
                clock.check(len(self.observations))
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
        """The number of histories, once the tree is complete; a small tree is completed for it."""
        if self._complete is None and not self.tree.is_dead:
            self._opened(FEW_NODES)
        return None if self._complete is None else len(self._complete)

    def probability(self, state: State) -> float:
        """The probability by the weights of the tree, over those histories that it knows."""
        self._refuse_spent()
        nodes = self._known()
        weights = proportions(self.tree.logs(nodes, len(self.observations)))
        return self.share_of(state, self.tree.points.rows[nodes], weights)

    def _search(self, lanes: int, rng: np.random.Generator) -> Indices:
        """Run algorithm 1 for many searches: the nodes of the last layer at which some arrive."""
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
        """Open nodes of one layer. (n,) the probability in each that a step fits."""
        if not len(nodes):
            return np.zeros(0)
        room = self.transitions.affordable(self.limits, self.tree.bytes)
        room = min(room, self.limits.histories - len(self.tree))
        points = self.tree.points.rows[nodes]
        seconds = self.expansion_seconds(points, observation)
        if room <= 0 or seconds > max(LITTLE_SECONDS, self.limits.seconds):
            raise self.gave_up()
        try:
            following, which = self.transitions.successors(points, observation, room)
        except LimitError:
            raise self.gave_up() from None
        self.tree.open(nodes, following, which)
        return following.masses[which]

    def _opened(self, most: int | None = None) -> Indices:
        """The nodes of the last layer after opening all before, or as many as limits allow.

        most: nodes of a layer beyond which no more are opened.
        """
        if self._complete is not None:
            return self._complete
        clock, layer = self.clock(), np.array([ROOT])
        for observation in self.observations:
            new = layer[self.tree.unopened(layer)]
            for first in range(0, len(new), self.width):
                if clock.over or (most is not None and len(layer) > most):
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
        joints = self.tree.histories(nodes, len(self.observations))
        return self.histories(joints, self.tree.points.rows[nodes], weights, complete=complete)

    def _refuse_spent(self) -> None:
        if self.tree.is_dead:
            raise contradiction(len(self.observations))


class BeliefTree:
    """Nodes with local probabilities; those of the children of a node sum to 1."""

    def __init__(self, start: Points, roles: int) -> None:
        self.points: GrowingArray[np.uint64] = GrowingArray(np.uint64, start.shape[1])
        self._joints: GrowingArray[np.int32] = GrowingArray(np.int32, roles)
        self.local: GrowingArray[np.float64] = GrowingArray(np.float64)
        """The probability of each node, given its parent; 0 for a removed one."""
        self.parent: GrowingArray[np.int64] = GrowingArray(np.int64)
        self._first: GrowingArray[np.int64] = GrowingArray(np.int64)
        self._size: GrowingArray[np.int64] = GrowingArray(np.int64)
        self._kept: GrowingArray[np.float64] = GrowingArray(np.float64)
        """Scratch: what is left of each node in a removal, 1 in between."""
        self._add(start, np.zeros((1, roles), np.int32), np.ones(1), np.full(1, ROOT))

    def __len__(self) -> int:
        """The number of nodes, removed ones included."""
        return len(self.local)

    @property
    def is_dead(self) -> bool:
        """Whether nothing is possible any more."""
        return bool(self.local.rows[ROOT] == 0.0)

    @property
    def bytes(self) -> int:
        """Memory in use."""
        pools = (self.points, self._joints, self.local, self.parent)
        return sum(pool.bytes for pool in pools) + 3 * self._first.bytes

    def unopened(self, nodes: Indices) -> NDArray[np.bool_]:
        """(n,) whether the children of each node are not yet known."""
        unopened: NDArray[np.bool_] = self._first.rows[nodes] == UNOPENED
        return unopened

    def open(self, nodes: Indices, following: Successors, which: Indices) -> None:
        """Give nodes of one layer their children: those of the points `which`.

        These are steps that fit, with their shares. What is missing in the shares are impossible
        children: their probability is removed.
        """
        sizes = following.starts[which + 1] - following.starts[which]
        owners, rows = following.spread(which)
        masses = following.masses[which]
        self._first.rows[nodes] = len(self) + np.cumsum(sizes) - sizes
        self._size.rows[nodes] = sizes
        scale = np.where(masses > 0.0, masses, 1.0)[owners]
        self._add(
            following.points[rows],
            following.joints[rows],
            following.shares[rows] / scale,
            nodes[owners],
        )
        self.remove(nodes, masses)

    def remove(self, nodes: Indices, left: Reals) -> None:
        """Bayes' rule after part of what lies under different nodes of one layer proved impossible.

        left: (n,) how much of each node's probability stays: 1 - P(c | h), 0 for all gone.
        Upwards, each child h of a parent e gets P'_e(h) = (1 - P(c|h)) / (1 - P(c|e)) P_e(h); a
        parent of which nothing is left is impossible too.
        """
        kept = self._kept.rows
        kept[nodes] = left
        layer = nodes
        while len(layer) and layer[0] != ROOT:
            parents = np.unique(self.parent.rows[layer])
            _bayes(parents, self._first.rows, self._size.rows, self.local.rows, kept)
            kept[layer] = 1.0
            layer = parents
        if kept[ROOT] == 0.0:
            self.local.rows[ROOT] = 0.0
        kept[ROOT] = 1.0

    def descend(self, nodes: Indices, rng: np.random.Generator) -> Indices:
        """(n,) a child of each node, by local probabilities."""
        aims = rng.random(len(nodes))
        return _drawn(nodes, aims, self._first.rows, self._size.rows, self.local.rows)

    def children(self, nodes: Indices) -> Indices:
        """All children of opened nodes that are possible."""
        _, rows = spread(self._first.rows[nodes], self._size.rows[nodes])
        return rows[self.local.rows[rows] > 0.0]

    def histories(self, nodes: Indices, depth: int) -> NDArray[np.int32]:
        """(n, depth, roles) the joint moves that lead to nodes of one layer."""
        joints = np.empty((len(nodes), depth, self._joints.rows.shape[1]), np.int32)
        for step in range(depth - 1, -1, -1):
            joints[:, step] = self._joints.rows[nodes]
            nodes = self.parent.rows[nodes]
        return joints

    def logs(self, nodes: Indices, depth: int) -> Reals:
        """(n,) logarithm of the probability of nodes of one layer: local ones along the way."""
        total = np.zeros(len(nodes))
        for _ in range(depth):
            with np.errstate(divide="ignore"):
                total += np.log(self.local.rows[nodes])
            nodes = self.parent.rows[nodes]
        return total

    def _add(
        self, points: Points, joints: NDArray[np.int32], local: Reals, parent: Indices
    ) -> None:
        count = len(points)
        self.points.add(points)
        self._joints.add(joints)
        self.local.add(local)
        self.parent.add(parent)
        self._first.add(np.full(count, UNOPENED))
        self._size.add(np.zeros(count, np.int64))
        self._kept.add(np.ones(count))


@native
def _bayes(parents: Indices, first: Indices, size: Indices, local: Reals, kept: Reals) -> None:
    """Local probabilities of all children of some nodes, and what is left of these nodes."""
    for parent in parents:
        begin, end = first[parent], first[parent] + size[parent]
        total = 0.0
        for child in range(begin, end):
            total += local[child] * kept[child]
        kept[parent] = total
        for child in range(begin, end):
            local[child] = local[child] * kept[child] / total if total > 0.0 else 0.0


@native
def _drawn(nodes: Indices, aims: Reals, first: Indices, size: Indices, local: Reals) -> Indices:
    """A child of each node: the first at which the probabilities reach the aim."""
    chosen = np.empty(len(nodes), np.int64)
    for row in range(len(nodes)):
        begin, end = first[nodes[row]], first[nodes[row]] + size[nodes[row]]
        passed, pick = 0.0, -1
        for child in range(begin, end):
            if local[child] > 0.0:
                pick = child
                passed += local[child]
                if passed > aims[row]:
                    break
        chosen[row] = pick
    return chosen
