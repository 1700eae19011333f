"""Histories followed from the start, many at a time, along what the stage graph leaves open.

Once the graph is at its fixpoint, the steps can be settled in the order of play: what is known of
a history's past is then a state, and propagation of a settled move is the step itself, exact and
512 to an evaluation. What lies ahead is known from the graph: only plausible moves are tried, and
states are dropped that contradict a later sighting as far as propagation or `demands` can tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.csp.demands import Demands, Wanted
from fogspiel.belief.csp.stages import CallClock, Marks, StageGraph
from fogspiel.belief.dfs import Bundle
from fogspiel.belief.protocol import BeliefLimits, Histories
from fogspiel.belief.successors import Indices, Reals, Successors, fan_of, proportions
from fogspiel.core.findings import LimitError
from fogspiel.core.ids import RoleId
from fogspiel.core.kernels.distinct_rows import distinct_rows
from fogspiel.machine.protocol import Continuations, Machine, States

WIDTH = 512
LEAST_DOUBT = 0.02
"""Probability left for moves that meet no demand where some do."""
ROW_BYTES = 24


@dataclass(frozen=True, slots=True)
class Filter:
    """The plausible moves of a step."""

    among: tuple[Marks, ...]
    """Of each role."""
    keys: Indices | None
    """Numbers of the joint moves, ascending; None if all combinations are plausible."""


@dataclass(frozen=True, slots=True)
class DrawnHistories:
    """Histories that were drawn."""

    joints: NDArray[np.int32]
    """(n, steps, roles)"""
    states: States
    logs: Reals
    """(n,) logarithms of their weights."""

    def __len__(self) -> int:
        """How many there are."""
        return len(self.logs)


class Forward:
    """Histories that a stage graph leaves open."""

    def __init__(
        self,
        machine: Machine,
        role: RoleId,
        graph: StageGraph,
        demands: Demands,
        limits: BeliefLimits,
    ) -> None:
        self.machine = machine
        self.role = role
        self.graph = graph
        self.demands = demands
        self.limits = limits
        counts = [machine.move_count(RoleId(r)) for r in range(len(machine.roles))]
        self._counts = counts
        self._places = np.concatenate([[1], np.cumprod(np.array(counts[:-1], np.int64))])
        self._filters: dict[int, Filter] = {}

    def descend(self, lanes: int, rng: np.random.Generator, clock: CallClock) -> DrawnHistories:
        """Random courses of play side by side; those that get to the end, with their weights.

        A move is proposed with a probability that is known, so the weight, the product of the
        moves' probabilities over those of the proposals, removes the bias exactly.
        """
        states = np.repeat(self.machine.initial()[None, :], lanes, axis=0)
        logs = np.zeros(lanes)
        made = np.zeros((lanes, len(self.graph), len(self.machine.roles)), np.int32)
        for step in range(1, len(self.graph) + 1):
            clock.check(step)
            firsts, which = distinct_rows(states)
            found = self.steps_from(states[firsts], step)
            fan = fan_of(found, len(firsts))
            alive = np.flatnonzero(fan.masses[which] > 0.0)
            which, made, logs = which[alive], made[alive], logs[alive]
            if not len(alive):
                break
            chances = self._chances(states[firsts], fan, step)
            picks = replace(fan, shares=chances).draw(which, rng)
            made[:, step - 1] = fan.joints[picks]
            logs += np.log(fan.shares[picks]) - np.log(chances[picks])
            states = fan.points[picks]
        return DrawnHistories(made, states[: len(made)], logs)

    def enumerate(self, limit: int, clock: CallClock) -> Histories:
        """All histories, depth first, or as many as the limits allow."""
        stack = [self._root()]
        bundles: list[Bundle] = []
        joints: list[NDArray[np.int32]] = []
        found = 0
        while stack and found < limit and not clock.over:
            if stack[-1].depth == len(self.graph):
                bundle = stack.pop()
                if found + len(bundle) > limit:
                    stack.append(bundle)
                    bundle = bundle.part(0, limit - found)
                bundles.append(bundle)
                joints.append(bundle.histories())
                found += len(bundle)
            elif self._overfull(stack, found) or not self._expanded(stack):
                break
        return self._collected(bundles, joints, complete=not stack)

    def steps_from(self, states: States, step: int, limit: int | None = None) -> Continuations:
        """The steps from some states that nothing in the graph speaks against."""
        if not len(states):
            return self._nowhere(states)
        observation, rule = self.graph.observations[step - 1], self._filter(step)
        found = self.machine.continuations(
            states, self.role, observation, limit=limit, among=rule.among
        )
        can_hold, can_fail = self.graph.can_hold[step], self.graph.can_fail[step]
        good = ~((found.states & ~can_hold) | (~found.states & ~can_fail & can_hold)).any(axis=1)
        if rule.keys is not None:
            good &= np.isin(found.joints @ self._places, rule.keys)
        for bound in self.demands.bounds[step - 1]:
            good &= bound.allows(found.states)
        if good.all():
            return found
        return Continuations(
            parents=found.parents[good],
            joints=found.joints[good],
            states=found.states[good],
            shares=found.shares[good],
        )

    def _nowhere(self, states: States) -> Continuations:
        joints = np.zeros((0, len(self.machine.roles)), np.int32)
        nothing = np.zeros(0, np.int64)
        return Continuations(parents=nothing, joints=joints, states=states, shares=np.zeros(0))

    def _filter(self, step: int) -> Filter:
        if step in self._filters:
            return self._filters[step]
        joints = self.graph.candidates(step)
        among = []
        for role, count in enumerate(self._counts):
            marks = np.zeros(count, np.bool_)
            marks[joints[:, role]] = True
            among.append(marks)
        combinations = int(np.prod([marks.sum() for marks in among]))
        keys = np.sort(joints @ self._places) if combinations > len(joints) else None
        self._filters[step] = Filter(tuple(among), keys)
        return self._filters[step]

    def _chances(self, states: States, fan: Successors, step: int) -> Reals:
        """(m,) with which probability each step is proposed: by share, and as demands ask."""
        owners = np.repeat(np.arange(len(states)), np.diff(fan.starts))
        even = fan.shares / fan.masses[owners]
        wanted = self.demands.wanted[step - 1]
        if not len(wanted.fluents) or len(fan.shares) == len(states):
            return even
        asked = _asked(states, fan, owners, even, wanted)
        if not asked.any():
            return even
        total = np.bincount(owners, asked, len(states))
        rest = np.bincount(owners, np.where(asked > 0.0, 0.0, even), len(states))
        share = np.where(rest > 0.0, np.minimum(total, 1.0 - LEAST_DOUBT), 1.0)
        share = np.where(total > 0.0, share, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            met = asked / total[owners] * share[owners]
            other = even / rest[owners] * (1.0 - share[owners])
        return np.where(asked > 0.0, met, other)

    def _expanded(self, stack: list[Bundle]) -> bool:
        """Carry the topmost bundle one step on; False if the limits forbid it."""
        whole = stack.pop()
        if len(whole) > WIDTH:
            stack.append(whole.part(WIDTH, len(whole)))
        bundle = whole.part(0, WIDTH)
        try:
            found = self.steps_from(bundle.points, bundle.depth + 1, self.limits.histories)
        except LimitError:
            half = len(bundle) // 2
            stack += [bundle.part(half, len(bundle)), bundle.part(0, half)]
            return half > 0
        order = self._order(bundle, found)
        stack += bundle.carried_on(found, order).parts(WIDTH)
        return True

    def _order(self, bundle: Bundle, found: Continuations) -> Indices:
        """Steps that meet demands come first: they are the likelier to lead to the end."""
        order = np.argsort(found.parents, kind="stable")
        wanted = self.demands.wanted[bundle.depth]
        if not len(wanted.fluents) or not len(order):
            return order
        fan = fan_of(found, len(bundle))
        owners = np.repeat(np.arange(len(bundle)), np.diff(fan.starts))
        even = fan.shares / fan.masses[owners]
        asked = _asked(bundle.points, fan, owners, even, wanted)
        return order[np.argsort(-asked, kind="stable")]

    def _root(self) -> Bundle:
        return Bundle(
            depth=0,
            points=self.machine.initial()[None, :],
            logs=np.zeros(1),
            origin=None,
            rows=np.zeros(1, np.int64),
            joints=np.zeros((1, len(self.machine.roles)), np.int32),
        )

    def _collected(
        self, bundles: Sequence[Bundle], joints: Sequence[NDArray[np.int32]], *, complete: bool
    ) -> Histories:
        if not bundles:
            shape = 0, len(self.graph), len(self.machine.roles)
            states = self.machine.initial()[None, :][:0]
            return Histories(
                joints=np.zeros(shape, np.int32),
                states=states,
                weights=np.zeros(0),
                complete=complete,
            )
        return Histories(
            joints=np.concatenate(joints),
            states=np.concatenate([bundle.points for bundle in bundles]),
            weights=proportions(np.concatenate([bundle.logs for bundle in bundles])),
            complete=complete,
        )

    def _overfull(self, stack: Sequence[Bundle], found: int) -> bool:
        """Whether the histories found and those on the way are more than the limits allow."""
        held = sum(len(bundle) for bundle in stack)
        step = 4 * len(self.machine.roles)
        each = 8 * stack[-1].points.shape[1] + step + ROW_BYTES
        used = held * each + found * (each + step * len(self.graph))
        return held > self.limits.histories or used > self.limits.bytes


def _asked(states: States, fan: Successors, owners: Indices, even: Reals, wanted: Wanted) -> Reals:
    """(m,) how probable each step should be for the demands that it meets; 0 if it meets none."""
    asked = np.zeros(len(owners))
    for fluent, value, odds in zip(wanted.fluents, wanted.values, wanted.odds, strict=True):
        word, bit = fluent // 64, np.uint64(fluent % 64)
        before = (states[:, word] >> bit) & np.uint64(1) == np.uint64(value)
        after = (fan.points[:, word] >> bit) & np.uint64(1) == np.uint64(value)
        met = np.flatnonzero(after & ~before[owners])
        if len(met):
            mass = np.bincount(owners[met], even[met], len(states))[owners[met]]
            asked[met] = np.maximum(asked[met], np.maximum(odds, mass) * even[met] / mass)
    return asked
