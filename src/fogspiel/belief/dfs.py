"""`dfs`: depth-first search for histories, a bundle of them at a time.

Source: Richards (2012), figure 4.1; Parker, Nau and Subrahmanian (2005).
Departures: up to 512 histories are carried one step further together; children that fit are put
back on the stack as bundles, the last first. Only steps that fit what the role saw are made, so the
test of line 7 is done inside `Machine.continuations`. The stack is kept from step to step: what
was found to lead nowhere is never entered again.

Memory: a bundle's children wait on the stack, so at most depth x branching x 512 histories are
held, each as a link to its parent.

Sampling goes down in a random order of branches: at each step one of those that fit, by its share.
A history that cannot go on is dropped and another one started. What comes through has been
proposed with probability (product of share / mass), mass being the sum of the shares of all steps
that fit there; its weight (product of masses) removes that bias exactly. Where not enough come
through in `tries` rounds, the sample is drawn from an enumeration, if one of moderate effort is
complete. If not, it consists of those that came through. If none did, bundles are searched in
random order with backtracking. Which branches such a search enters depends on all that lie before
them, so the weights it gives, a history's own probability, only correct what the histories found
have among themselves: such a sample is not marked as unbiased.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.base import CallClock, contradiction
from fogspiel.belief.protocol import BeliefRequest, Histories
from fogspiel.belief.transitions import Indices, PointBelief, Points, Reals, proportions
from fogspiel.core.findings import LimitError
from fogspiel.core.kernels.rows import stacked
from fogspiel.core.terms import Observation
from fogspiel.machine.protocol import Continuations, Joints

WIDTH = 512
TRIES = 32  #: Rounds of random descents before backtracking is used
ORDERS = 8  #: Random orders in which backtracking searches
EXPANSIONS = 512  #: Bundles expanded in one such order at most
ALL_EXPANSIONS = 20_000  #: Bundles expanded to enumerate all for a sample
KEPT = 1 << 18  #: Histories of a complete enumeration that are kept until the next step
MOST_LANES = 4096  #: Random descents side by side at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Histories of equal length that are carried on together."""

    depth: int
    points: Points
    logs: Reals  #: (n,) logarithm of the probability of each
    origin: Bundle | None
    rows: Indices  #: (n,) the history of the origin that each continues
    joints: Joints  #: (n, roles) the last step

    def __len__(self) -> int:
        """The number of histories."""
        return len(self.points)

    def part(self, first: int, last: int) -> Bundle:
        """Some of the histories."""
        return replace(
            self,
            points=self.points[first:last],
            logs=self.logs[first:last],
            rows=self.rows[first:last],
            joints=self.joints[first:last],
        )

    def carried_on(self, found: Continuations, order: Indices) -> Bundle:
        """The histories one step later, by some of the steps that were found, in an order."""
        with np.errstate(divide="ignore"):
            logs = self.logs[found.parents] + np.log(found.shares)
        return Bundle(
            depth=self.depth + 1,
            points=found.states[order],
            logs=logs[order],
            origin=self,
            rows=found.parents[order],
            joints=found.joints[order],
        )

    def histories(self) -> NDArray[np.int32]:
        """(n, depth, roles)"""
        joints = np.empty((len(self), self.depth, self.joints.shape[1]), np.int32)
        bundle, at = self, np.arange(len(self))
        for step in range(self.depth - 1, -1, -1):
            joints[:, step] = bundle.joints[at]
            at = bundle.rows[at]
            assert bundle.origin is not None
            bundle = bundle.origin
        return joints


class BundleStack:
    """Bundles to be searched depth first."""

    def __init__(self, bundles: Sequence[Bundle]) -> None:
        """bundles: the last one comes next."""
        self._bundles = list(bundles)

    @staticmethod
    def of_start(start: Points, roles: int) -> BundleStack:
        """A stack with the empty history."""
        nothing = np.zeros((1, roles), np.int32)
        rows = np.zeros(1, np.int64)
        return BundleStack(
            [
                Bundle(
                    depth=0, points=start, logs=np.zeros(1), origin=None, rows=rows, joints=nothing
                )
            ]
        )

    def copy(self) -> BundleStack:
        """The same bundles, on a stack of its own."""
        return BundleStack(self._bundles)

    def __len__(self) -> int:
        """The number of histories in all bundles."""
        return sum(map(len, self._bundles))

    @property
    def next_depth(self) -> int:
        """The length of the histories that come next."""
        return self._bundles[-1].depth

    def pop(self, width: int) -> Bundle:
        """The next bundle, at most so wide; the rest of it stays."""
        whole = self._bundles.pop()
        if len(whole) > width:
            self._bundles.append(whole.part(width, len(whole)))
        return whole.part(0, width)

    def push(self, bundle: Bundle, width: int) -> None:
        """Put the parts of a bundle on the stack, its beginning on top."""
        parts = reversed(range(0, len(bundle), width))
        self._bundles += [bundle.part(first, first + width) for first in parts]

    def halve(self, bundle: Bundle) -> bool:
        """Put a bundle that was too large back in halves; False for a single history."""
        if len(bundle) > 1:
            self.push(bundle, -(-len(bundle) // 2))
        return len(bundle) > 1

    def arrivals(
        self, depth: int, limit: int, expand: Callable[[BundleStack, int], bool]
    ) -> list[Bundle]:
        """Bundles of histories that have a length, until they are enough or the stack is empty.

        expand: carries the next bundle on, given how many histories were found; False to stop.
        """
        bundles: list[Bundle] = []
        found = 0
        while len(self) and found < limit:
            if self.next_depth == depth:
                bundles.append(self.pop(limit - found))
                found += len(bundles[-1])
            elif not expand(self, found):
                break
        return bundles


class DfsBelief(PointBelief):
    """Depth-first search on lanes. Implements `Belief`."""

    method = "dfs"

    def __init__(self, request: BeliefRequest, *, width: int = WIDTH, tries: int = TRIES) -> None:
        super().__init__(request)
        self.width = width
        self.tries = tries
        self._stack = self._start()
        """Every possible history descends from one of these, until the last step: the topmost
        bundle has arrived there, so it is known that something fits."""
        self._size: int | None = 1
        self._whole: Histories | None = None

    def advance(self, observation: Observation) -> None:
        """Search until one history fits, or it is certain that none does."""
        observations = [*self.observations, observation]
        stack, clock = self._stack.copy(), self.clock()
        while len(stack) and stack.next_depth < len(observations):
            clock.check(len(observations))
            if self._is_overfull(stack):
                raise self.gave_up(len(observations))
            self._expand(stack, observations)
        if not len(stack):
            raise contradiction(len(observations))
        self.observations, self._stack = observations, stack
        self._size = self._whole = None

    def sample(self, count: int, seed: int) -> Histories:
        """Histories from random descents, with the weights that make them unbiased."""
        rng, clock = np.random.default_rng(seed), self.clock()
        found = self._descents(count, rng, clock)
        if len(found) >= count:
            return found.take(slice(count))
        whole = self._enumerated(self.limits.histories, clock, ALL_EXPANSIONS)
        if whole.complete and whole.weights.any():
            return whole.draw(count, rng)
        if len(found):
            return found
        return replace(self._backtracked(count, rng, clock).take(slice(count)), unbiased=False)

    def enumerate(self, limit: int) -> Histories:
        """All histories in depth-first order, or as many as the limits allow."""
        return self._enumerated(min(limit, self.limits.histories), self.clock())

    def size(self) -> int | None:
        """The number of histories, once all were enumerated."""
        return self._size

    def _enumerated(self, limit: int, clock: CallClock, expansions: int | None = None) -> Histories:
        """Histories from the stack on, with a limit on them and on the bundles expanded."""
        if self._whole is not None and len(self._whole) <= limit:
            return self._whole
        stack, left = self._stack.copy(), expansions

        def expand(stack: BundleStack, _: int) -> bool:
            nonlocal left
            if left == 0 or clock.over or self._is_overfull(stack):
                return False
            left = None if left is None else left - 1
            return self._expands(stack)

        bundles = stack.arrivals(len(self.observations), limit, expand)
        collected = self._collected(bundles, complete=not len(stack))
        if collected.complete:
            self._size = len(collected)
            self._whole = collected if len(collected) <= KEPT else None
        return collected

    def _start(self) -> BundleStack:
        return BundleStack.of_start(self.transitions.start(), len(self.machine.roles))

    def _expand(
        self,
        stack: BundleStack,
        observations: Sequence[Observation],
        rng: np.random.Generator | None = None,
    ) -> None:
        """Carry the topmost bundle one step on; in the order of the rules, or in a random one."""
        bundle = stack.pop(self.width)
        try:
            most = self.transitions.affordable(self.limits)
            found = self.transitions.after(bundle.points, observations[bundle.depth], limit=most)
        except LimitError:
            if not stack.halve(bundle):
                raise self.gave_up(bundle.depth + 1) from None
            return
        order = np.argsort(found.parents, kind="stable")
        if rng is not None:
            order = rng.permutation(order)
        stack.push(bundle.carried_on(found, order), self.width)

    def _expands(self, stack: BundleStack, rng: np.random.Generator | None = None) -> bool:
        """Carry the topmost bundle one step on; False if limits forbid it."""
        try:
            self._expand(stack, self.observations, rng)
        except LimitError:
            return False
        return True

    def _is_overfull(self, stack: BundleStack) -> bool:
        return len(stack) > self.transitions.affordable(self.limits)

    def _collected(self, bundles: Sequence[Bundle], *, complete: bool) -> Histories:
        if not bundles:
            return self._nothing(complete=complete)
        return self.histories(
            np.concatenate([bundle.histories() for bundle in bundles]),
            stacked([bundle.points for bundle in bundles]),
            proportions(np.concatenate([bundle.logs for bundle in bundles])),
            complete=complete,
        )

    def _nothing(self, *, complete: bool = False) -> Histories:
        joints = np.zeros((0, len(self.observations), len(self.machine.roles)), np.int32)
        return self.histories(joints, self.transitions.start()[:0], np.zeros(0), complete=complete)

    def _descents(self, count: int, rng: np.random.Generator, clock: CallClock) -> Histories:
        """Rounds of random descents, until there are enough or all tries are used up."""
        joints: list[NDArray[np.int32]] = []
        points: list[Points] = []
        logs: list[Reals] = []
        for _ in range(self.tries + count // MOST_LANES):
            missing = count - sum(map(len, points))
            if missing <= 0 or clock.over:
                break
            lanes = min(max(self.width, missing), MOST_LANES)
            self._descend(lanes, rng, joints, points, logs)
        if not points:
            return self._nothing()
        weights = proportions(np.concatenate(logs))
        return self.histories(np.concatenate(joints), stacked(points), weights)

    def _descend(
        self,
        lanes: int,
        rng: np.random.Generator,
        joints: list[NDArray[np.int32]],
        points: list[Points],
        logs: list[Reals],
    ) -> None:
        """Random descents side by side; those that arrive are added to the lists."""
        at = np.repeat(self.transitions.start(), lanes, axis=0)
        masses = np.zeros(lanes)
        made = np.zeros((lanes, len(self.observations), len(self.machine.roles)), np.int32)
        for step, observation in enumerate(self.observations):
            following, which = self.transitions.successors(at, observation)
            alive = np.flatnonzero(following.masses[which] > 0.0)
            if not len(alive):
                return
            which, made = which[alive], made[alive]
            masses = masses[alive] + np.log(following.masses[which])
            picks = following.draw(which, rng)
            made[:, step] = following.joints[picks]
            at = following.points[picks]
        joints.append(made)
        points.append(at)
        logs.append(masses)

    def _backtracked(self, count: int, rng: np.random.Generator, clock: CallClock) -> Histories:
        """Bundles searched in random orders; failing that, the first in the order of the rules."""
        bundles: list[Bundle] = []
        wanted = -(-count // ORDERS)
        for _ in range(ORDERS):
            stack, found = self._start(), 0
            for _ in range(EXPANSIONS):
                if not len(stack) or found >= wanted or clock.over:
                    break
                if stack.next_depth == len(self.observations):
                    bundles.append(stack.pop(wanted - found))
                    found += len(bundles[-1])
                elif self._is_overfull(stack) or not self._expands(stack, rng):
                    break
        return self._collected(bundles, complete=False) if bundles else self.enumerate(count)
