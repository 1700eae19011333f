"""What a search has learned about choices: for each layer of points, which lead nowhere.

Whether a point can be continued to the last step does not depend on how it was reached, so what is
learned there holds for every history through it. A point is a node; its steps that fit are edges.
Edges know where they lead only once they were taken: most never are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.transitions import Indices, Points, Reals, Successors, spread
from fogspiel.core.growing_array import GrowingArray
from fogspiel.core.kernels.distinct_rows import distinct_rows
from fogspiel.machine.protocol import Joints

UNOPENED = -1
UNTAKEN = -1


class DeadEnds:
    """The points of one layer that were met, with the steps from them that fit."""

    def __init__(self, width: int, roles: int) -> None:
        self._points: GrowingArray[np.uint64] = GrowingArray(np.uint64, width)
        self._first: GrowingArray[np.int64] = GrowingArray(np.int64)
        self._size: GrowingArray[np.int64] = GrowingArray(np.int64)
        self._dead: GrowingArray[np.bool_] = GrowingArray(np.bool_)
        self._reach: GrowingArray[np.int64] = GrowingArray(np.int64)
        self._child: GrowingArray[np.int64] = GrowingArray(np.int64)
        self._joints: GrowingArray[np.int32] = GrowingArray(np.int32, roles)
        self._shares: GrowingArray[np.float64] = GrowingArray(np.float64)
        self._numbers: dict[bytes, int] = {}

    def __len__(self) -> int:
        """Nodes and edges."""
        return len(self._points) + len(self._child)

    @property
    def bytes(self) -> int:
        """Memory in use."""
        pools = (self._first, self._size, self._reach, self._child, self._joints, self._shares)
        # Each point is also a key.
        return 2 * self._points.bytes + sum(pool.bytes for pool in pools)

    @property
    def points(self) -> Points:
        """(n, …)"""
        return self._points.rows

    @property
    def dead(self) -> NDArray[np.bool_]:
        """(n,) known to lead nowhere. That never changes again."""
        return self._dead.rows

    @property
    def reach(self) -> Indices:
        """(n,) the last layer to which each is known to lead."""
        return self._reach.rows

    @property
    def child(self) -> Indices:
        """(edges,) in the next layer; `UNTAKEN` where the edge was never taken."""
        return self._child.rows

    @property
    def joints(self) -> Joints:
        """(edges, roles)"""
        return self._joints.rows

    @property
    def shares(self) -> Reals:
        """(edges,)"""
        return self._shares.rows

    def numbers(self, points: Points) -> Indices:
        """(n,) the nodes of points, made where they are new."""
        firsts, inverse = distinct_rows(points)
        found = np.empty(len(firsts), np.int64)
        new: list[int] = []
        for at, first in enumerate(firsts):
            # Rows may become longer as a machine meets fluents: zeros at the end do not count.
            key = points[first].tobytes().rstrip(b"\0")
            number = self._numbers.setdefault(key, len(self._numbers))
            if number == len(self._points) + len(new):
                new.append(int(first))
            found[at] = number
        self._add(points[new])
        return found[inverse]

    def unopened(self, nodes: Indices) -> Indices:
        """Those, each once, of which the steps are not known."""
        return np.unique(nodes[self._first.rows[nodes] == UNOPENED])

    def open(self, nodes: Indices, following: Successors, which: Indices) -> None:
        """Note the steps from nodes: those of the points `which`."""
        sizes = following.starts[which + 1] - following.starts[which]
        _, rows = following.spread(which)
        self._first.rows[nodes] = len(self._child) + np.cumsum(sizes) - sizes
        self._size.rows[nodes] = sizes
        self._joints.add(following.joints[rows])
        self._shares.add(following.shares[rows])
        self._child.add(np.full(len(rows), UNTAKEN))

    def edges(self, nodes: Indices, below: DeadEnds) -> tuple[Indices, Indices]:
        """The edges of opened nodes not known to lead nowhere: whose each is, and which."""
        owners, rows = spread(self._first.rows[nodes], self._size.rows[nodes])
        alive = self.shares[rows] > 0.0
        taken = np.flatnonzero(self.child[rows] != UNTAKEN)
        alive[taken] &= ~below.dead[self.child[rows[taken]]]
        return owners[alive], rows[alive]

    def unsure(self, rows: Indices, below: DeadEnds, last: int) -> NDArray[np.bool_]:
        """(n,) of which edges it is not known that they lead to the last layer."""
        unsure = np.ones(len(rows), np.bool_)
        taken = np.flatnonzero(self.child[rows] != UNTAKEN)
        unsure[taken] = below.reach[self.child[rows[taken]]] < last
        return unsure

    def _add(self, points: Points) -> None:
        count = len(points)
        self._points.add(points)
        self._first.add(np.full(count, UNOPENED))
        self._size.add(np.zeros(count, np.int64))
        self._dead.add(np.zeros(count, np.bool_))
        self._reach.add(np.full(count, -1))


def drawn(owners: Indices, shares: Reals, count: int, rng: np.random.Generator) -> Indices:
    """(count,) a place for each owner, by share; -1 for one that has none. Owners ascend."""
    flow = np.concatenate([[0.0], np.cumsum(shares)])
    low = np.searchsorted(owners, np.arange(count), side="left")
    high = np.searchsorted(owners, np.arange(count), side="right")
    aims = flow[low] + rng.random(count) * (flow[high] - flow[low])
    picks = np.clip(np.searchsorted(flow, aims, side="right") - 1, low, high - 1)
    places: Indices = np.where(high > low, picks, -1)
    return places
