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
proposed with probability (product of share / mass), mass being the shares of all steps that fit
there; its weight (product of masses) removes that bias exactly. Where not enough come through in
`tries` rounds, the sample is drawn from an enumeration, if one of moderate effort is complete. If
not, it consists of those that came through. If none did, bundles are searched in random order with
backtracking. Which branches such a search enters depends on all that lie before them, so the
weights it gives, a history's own probability, only correct what the histories found have among
themselves: such a sample is not marked as unbiased.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.base import BeliefBase
from fogspiel.belief.findings import contradiction, gave_up
from fogspiel.belief.protocol import BeliefLimits, Histories, OpponentModel
from fogspiel.belief.successors import Indices, Reals, fan_from, proportions
from fogspiel.belief.transitions import Points, Transitions, stacked
from fogspiel.core.findings import LimitError
from fogspiel.core.ids import RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.protocol import Continuations, Joints, Machine, State

WIDTH = 512
TRIES = 32
"""Rounds of random descents before backtracking is used."""
ORDERS = 8
"""Random orders in which backtracking searches."""
EXPANSIONS = 512
"""Bundles expanded in one such order at most."""
ALL_EXPANSIONS = 20_000
"""Bundles expanded to enumerate all for a sample."""
KEPT = 1 << 18
"""Histories of a complete enumeration that are kept until the next step."""
MOST_LANES = 4096
"""Random descents side by side at most."""
PROBED = 4096
"""Histories drawn to estimate a probability where they cannot all be found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Histories of equal length that are carried on together."""

    depth: int
    points: Points
    logs: Reals
    """(n,) logarithm of the probability of each."""
    origin: Bundle | None
    rows: Indices
    """(n,) in the origin."""
    joints: Joints
    """(n, roles) the last step."""

    def __len__(self) -> int:
        """How many there are."""
        return len(self.points)

    def part(self, first: int, last: int) -> Bundle:
        """Some of them."""
        return Bundle(
            depth=self.depth,
            points=self.points[first:last],
            logs=self.logs[first:last],
            origin=self.origin,
            rows=self.rows[first:last],
            joints=self.joints[first:last],
        )

    def parts(self, width: int) -> list[Bundle]:
        """In bundles of a width, last first: as a stack takes them."""
        return [self.part(at, at + width) for at in reversed(range(0, len(self), width))]

    def carried_on(self, found: Continuations, order: Indices) -> Bundle:
        """One step later, by some of the steps that were found, in an order."""
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


class DfsBelief(BeliefBase):
    """Depth-first search on lanes. Implements `Belief`."""

    method = "dfs"

    def __init__(
        self,
        machine: Machine,
        role: RoleId,
        limits: BeliefLimits | None = None,
        *,
        model: OpponentModel | None = None,
        width: int = WIDTH,
        tries: int = TRIES,
    ) -> None:
        super().__init__(machine, role, limits)
        self.transitions = Transitions(machine, role, model)
        self.width = width
        self.tries = tries
        self._stack = [self._root()]
        """Every history that fits descends from one of these, until the last step: the topmost
        bundle has arrived there, so it is known that something fits."""
        self._size: int | None = 1
        self._whole: Histories | None = None

    def advance(self, observation: Observation) -> None:
        """Search until one history fits, or it is certain that none does."""
        observations = [*self.observations, observation]
        stack = list(self._stack)
        deadline = time.monotonic() + self.limits.seconds
        while stack and stack[-1].depth < len(observations):
            if time.monotonic() > deadline or self._overfull(stack):
                raise gave_up(self.method, len(observations), self.limits)
            self._expand(stack, observations)
        if not stack:
            raise contradiction(len(observations))
        self.observations, self._stack = observations, stack
        self._size = self._whole = None

    def sample(self, count: int, seed: int) -> Histories:
        """Histories from random descents, with the weights that make them unbiased."""
        rng = np.random.default_rng(seed)
        deadline = time.monotonic() + self.limits.seconds
        found = self._descents(count, rng, deadline)
        if len(found) >= count:
            return _some(found, np.arange(count))
        whole = self._enumerated(self.limits.histories, deadline, ALL_EXPANSIONS)
        if whole.complete and whole.weights.any():
            shares = whole.weights / whole.weights.sum()
            drawn = _some(whole, rng.choice(len(whole), count, p=shares))
            return replace(drawn, weights=np.ones(count))
        if len(found):
            return found
        some = self._backtracked(count, rng, deadline)
        return replace(_some(some, np.arange(min(count, len(some)))), unbiased=False)

    def enumerate(self, limit: int) -> Histories:
        """All histories in depth-first order, or as many as the limits allow."""
        deadline = time.monotonic() + self.limits.seconds
        return self._enumerated(min(limit, self.limits.histories), deadline)

    def size(self) -> int | None:
        """How many histories fit, once all were enumerated."""
        return self._size

    def probability(self, state: State) -> float:
        """Exact if all histories can be enumerated within the limits, else from a sample."""
        found = self.enumerate(self.limits.histories)
        if not found.complete:
            found = self.sample(PROBED, seed=0)
        return found.share(state)

    def _enumerated(self, limit: int, deadline: float, expansions: int | None = None) -> Histories:
        """From the stack on, at most so many histories, with at most so many bundles expanded."""
        if self._whole is not None and len(self._whole) <= limit:
            return self._whole
        stack, bundles, found, left = list(self._stack), [], 0, expansions
        while stack and found < limit:
            if stack[-1].depth == len(self.observations):
                bundle = stack.pop()
                if found + len(bundle) > limit:
                    stack.append(bundle)
                    bundle = bundle.part(0, limit - found)
                bundles.append(bundle)
                found += len(bundle)
                continue
            if left == 0 or time.monotonic() > deadline or self._overfull(stack):
                break
            left = None if left is None else left - 1
            if not self._expands(stack):
                break
        collected = self._collected(bundles, complete=not stack)
        if not stack:
            self._size = found
            self._whole = collected if found <= KEPT else None
        return collected

    def _root(self) -> Bundle:
        roles = len(self.machine.roles)
        return Bundle(
            depth=0,
            points=self.transitions.start(),
            logs=np.zeros(1),
            origin=None,
            rows=np.zeros(1, np.int64),
            joints=np.zeros((1, roles), np.int32),
        )

    def _expand(
        self,
        stack: list[Bundle],
        observations: Sequence[Observation],
        rng: np.random.Generator | None = None,
    ) -> None:
        """Carry the topmost bundle one step on; in the order of the rules, or in a random one."""
        whole = stack.pop()
        if len(whole) > self.width:
            stack.append(whole.part(self.width, len(whole)))
        bundle = whole.part(0, self.width)
        try:
            most = self.transitions.affordable(self.limits)
            found = self.transitions.after(bundle.points, observations[bundle.depth], limit=most)
        except LimitError:
            if len(bundle) == 1:
                raise gave_up(self.method, bundle.depth + 1, self.limits) from None
            half = len(bundle) // 2
            stack += [bundle.part(half, len(bundle)), bundle.part(0, half)]
            return
        order = np.argsort(found.parents, kind="stable")
        if rng is not None:
            order = rng.permutation(order)
        stack += bundle.carried_on(found, order).parts(self.width)

    def _expands(self, stack: list[Bundle], rng: np.random.Generator | None = None) -> bool:
        """As `_expand`, but says whether limits allowed it."""
        try:
            self._expand(stack, self.observations, rng)
        except LimitError:
            return False
        return True

    def _overfull(self, stack: Sequence[Bundle]) -> bool:
        held = sum(len(bundle) for bundle in stack)
        return held > self.transitions.affordable(self.limits)

    def _collected(self, bundles: Sequence[Bundle], *, complete: bool) -> Histories:
        if not bundles:
            bundles = [self._root().part(0, 0)]
        joints = [bundle.histories() for bundle in bundles]
        points = stacked([bundle.points for bundle in bundles])
        return Histories(
            joints=np.concatenate(joints),
            states=self.transitions.states(points),
            weights=proportions(np.concatenate([bundle.logs for bundle in bundles])),
            complete=complete,
        )

    def _descents(self, count: int, rng: np.random.Generator, deadline: float) -> Histories:
        """Rounds of random descents, until there are enough or all tries are used up."""
        joints: list[NDArray[np.int32]] = []
        points: list[Points] = []
        logs: list[Reals] = []
        rounds = self.tries + count // MOST_LANES
        for _ in range(rounds):
            missing = count - sum(map(len, points))
            if missing <= 0 or time.monotonic() > deadline:
                break
            lanes = min(max(self.width, missing), MOST_LANES)
            self._descend(lanes, rng, joints, points, logs)
        if not points:
            return self._collected([], complete=False)
        return Histories(
            joints=np.concatenate(joints),
            states=self.transitions.states(stacked(points)),
            weights=proportions(np.concatenate(logs)),
            complete=False,
        )

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
            fan, which = fan_from(self.transitions, at, observation)
            alive = np.flatnonzero(fan.masses[which] > 0.0)
            if not len(alive):
                return
            which, made = which[alive], made[alive]
            masses = masses[alive] + np.log(fan.masses[which])
            picks = fan.draw(which, rng)
            made[:, step] = fan.joints[picks]
            at = fan.points[picks]
        joints.append(made)
        points.append(at)
        logs.append(masses)

    def _backtracked(self, count: int, rng: np.random.Generator, deadline: float) -> Histories:
        """Bundles searched in random orders; failing that, the first in the order of the rules."""
        bundles: list[Bundle] = []
        wanted = -(-count // ORDERS)
        for _ in range(ORDERS):
            stack, found = [self._root()], 0
            for _ in range(EXPANSIONS):
                if not stack or found >= wanted or time.monotonic() > deadline:
                    break
                if stack[-1].depth == len(self.observations):
                    bundle = stack.pop().part(0, wanted - found)
                    bundles.append(bundle)
                    found += len(bundle)
                elif self._overfull(stack) or not self._expands(stack, rng):
                    break
        return self._collected(bundles, complete=False) if bundles else self.enumerate(count)


def _some(histories: Histories, rows: Indices) -> Histories:
    """A sample of histories that were found."""
    return Histories(
        joints=histories.joints[rows],
        states=histories.states[rows],
        weights=histories.weights[rows],
        complete=False,
    )
