"""Dead ends: what a search has learned about the choices of one layer that lead nowhere.

Whether a point can be continued to the last step does not depend on how it was reached, so what is
learned there holds for every history through it. A point is a node; its steps that fit are edges.
Edges know where they lead only once they were taken: most never are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.transitions import Indices, Points, Reals, Successors, spread
from fogspiel.core.kernels.rows import GrowingArray, distinct_rows

UNOPENED = -1
UNTAKEN = -1


class DeadEnds:
    """The points of one layer that were met, with the steps from them that fit."""

    def __init__(self, width: int, roles: int) -> None:
        self.points: GrowingArray[np.uint64] = GrowingArray(np.uint64, width)
        self._first: GrowingArray[np.int64] = GrowingArray(np.int64)
        self._size: GrowingArray[np.int64] = GrowingArray(np.int64)
        self.dead: GrowingArray[np.bool_] = GrowingArray(np.bool_)
        """Whether each node is known to lead nowhere. That never changes again."""
        self.reach: GrowingArray[np.int64] = GrowingArray(np.int64)
        """The last layer to which each node is known to lead."""
        self.child: GrowingArray[np.int64] = GrowingArray(np.int64)
        """The node of the next layer that each edge leads to; `UNTAKEN` if it was never taken."""
        self.joints: GrowingArray[np.int32] = GrowingArray(np.int32, roles)
        self.shares: GrowingArray[np.float64] = GrowingArray(np.float64)
        self._numbers: dict[bytes, int] = {}

    def __len__(self) -> int:
        """Nodes and edges."""
        return len(self.points) + len(self.child)

    @property
    def bytes(self) -> int:
        """Memory in use."""
        pools = (self._first, self._size, self.reach, self.child, self.joints, self.shares)
        # Each point is also a key.
        return 2 * self.points.bytes + sum(pool.bytes for pool in pools)

    def numbers(self, points: Points) -> Indices:
        """(n,) the nodes of points, made where they are new."""
        firsts, inverse = distinct_rows(points)
        found = np.empty(len(firsts), np.int64)
        new: list[int] = []
        for at, first in enumerate(firsts):
            # Rows may become longer as a machine meets fluents: zeros at the end do not count.
            key = points[first].tobytes().rstrip(b"\0")
            number = self._numbers.setdefault(key, len(self._numbers))
            if number == len(self.points) + len(new):
                new.append(int(first))
            found[at] = number
        self._add(points[new])
        return found[inverse]

    def unopened(self, nodes: Indices) -> Indices:
        """Nodes, each once, whose steps are not known."""
        return np.unique(nodes[self._first.rows[nodes] == UNOPENED])

    def open(self, nodes: Indices, following: Successors, which: Indices) -> None:
        """Note the steps from nodes: those of the points `which`."""
        sizes = following.starts[which + 1] - following.starts[which]
        _, rows = following.spread(which)
        self._first.rows[nodes] = len(self.child) + np.cumsum(sizes) - sizes
        self._size.rows[nodes] = sizes
        self.joints.add(following.joints[rows])
        self.shares.add(following.shares[rows])
        self.child.add(np.full(len(rows), UNTAKEN))

    def edges(self, nodes: Indices, below: DeadEnds) -> tuple[Indices, Indices]:
        """The edges of opened nodes not known to lead nowhere: whose each is, and which."""
        owners, rows = spread(self._first.rows[nodes], self._size.rows[nodes])
        alive = self.shares.rows[rows] > 0.0
        taken = np.flatnonzero(self.child.rows[rows] != UNTAKEN)
        alive[taken] &= ~below.dead.rows[self.child.rows[rows[taken]]]
        return owners[alive], rows[alive]

    def unsure(self, rows: Indices, below: DeadEnds, last: int) -> NDArray[np.bool_]:
        """(n,) whether it is unknown if edges lead to the last layer."""
        unsure = np.ones(len(rows), np.bool_)
        taken = np.flatnonzero(self.child.rows[rows] != UNTAKEN)
        unsure[taken] = below.reach.rows[self.child.rows[rows[taken]]] < last
        return unsure

    def _add(self, points: Points) -> None:
        count = len(points)
        self.points.add(points)
        self._first.add(np.full(count, UNOPENED))
        self._size.add(np.zeros(count, np.int64))
        self.dead.add(np.zeros(count, np.bool_))
        self.reach.add(np.full(count, -1))


def drawn(owners: Indices, shares: Reals, count: int, rng: np.random.Generator) -> Indices:
    """(count,) a place for each owner, by share; -1 for one that has none. Owners ascend."""
    flow = np.concatenate([[0.0], np.cumsum(shares)])
    low = np.searchsorted(owners, np.arange(count), side="left")
    high = np.searchsorted(owners, np.arange(count), side="right")
    aims = flow[low] + rng.random(count) * (flow[high] - flow[low])
    picks = np.clip(np.searchsorted(flow, aims, side="right") - 1, low, high - 1)
    places: Indices = np.where(high > low, picks, -1)
    return places
