"""Histories that a stage graph leaves open: followed from the start, or settled step by step.

Source: Richards (2012), figure 4.2, CSP-InfosetSample. `SettlingSearch` is that search, with
propagation after each step. The next step to settle is drawn at random (line 7) or the most
constrained one (footnote 3); a conflict starts the search again, as in the figure, or leads back to
the last choice. Iterating over all moves at line 9 gives all histories (footnote 2).
Departures: a step with a single plausible move is settled by propagation and never chosen. Where
steps are drawn at random, the order is drawn before the search; the probability of a history given
the order is then known.

`Forward` settles the steps of a graph at its fixpoint in the order of play: what is known of a
history's past is then a state, and propagation of a settled move is the step itself, exact and 512
to an evaluation. What lies ahead is known from the graph: only plausible moves are tried, and
states are dropped that contradict a later observation as far as propagation or `demands` can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.base import CallClock
from fogspiel.belief.csp.demands import Demands, Wanted
from fogspiel.belief.csp.stage_graph import Marks, Propagator, StageGraph
from fogspiel.belief.dfs import Bundle, BundleStack
from fogspiel.belief.protocol import BeliefLimits, Histories
from fogspiel.belief.transitions import Indices, Reals, Successors, proportions, successors_of
from fogspiel.core.findings import LimitError
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.terms import RoleId
from fogspiel.machine.layers import selected
from fogspiel.machine.protocol import Continuations, Machine, States

WIDTH = 512
LEAST_DOUBT = 0.02  #: Probability left for moves that meet no demand where some do
ROW_BYTES = 24


@dataclass(frozen=True, slots=True)
class Filter:
    """The plausible moves of a step."""

    among: tuple[Marks, ...]
    """(moves,) the moves of each role that occur in a plausible joint move."""
    keys: Indices | None
    """Numbers of the joint moves, ascending; None if all combinations are plausible."""


@dataclass(frozen=True, slots=True)
class DrawnHistories:
    """Histories that were drawn."""

    joints: NDArray[np.int32]  #: (n, steps, roles)
    states: States
    logs: Reals  #: (n,) logarithms of their weights

    def __len__(self) -> int:
        """The number of histories."""
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
        """Random histories side by side; those that get to the end, with their weights.

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
            following = successors_of(found, len(firsts))
            alive = np.flatnonzero(following.masses[which] > 0.0)
            which, made, logs = which[alive], made[alive], logs[alive]
            if not len(alive):
                break
            chances = self._chances(states[firsts], following, step)
            picks = replace(following, shares=chances).draw(which, rng)
            made[:, step - 1] = following.joints[picks]
            logs += np.log(following.shares[picks]) - np.log(chances[picks])
            states = following.points[picks]
        return DrawnHistories(made, states[: len(made)], logs)

    def enumerate(self, limit: int, clock: CallClock) -> Histories:
        """All histories, depth first, or as many as the limits allow."""
        stack = BundleStack.of_start(self.machine.initial()[None, :], len(self.machine.roles))

        def expand(stack: BundleStack, found: int) -> bool:
            return not clock.over and not self._is_overfull(stack, found) and self._expands(stack)

        bundles = stack.arrivals(len(self.graph), limit, expand)
        joints = [bundle.histories() for bundle in bundles]
        joints.append(np.zeros((0, len(self.graph), len(self.machine.roles)), np.int32))
        states = [bundle.points for bundle in bundles]
        logs = [bundle.logs for bundle in bundles]
        return Histories(
            joints=np.concatenate(joints),
            states=np.concatenate([*states, self.machine.initial()[None, :][:0]]),
            weights=proportions(np.concatenate([*logs, np.zeros(0)])),
            complete=not len(stack),
        )

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
        return selected(found, good)

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

    def _chances(self, states: States, following: Successors, step: int) -> Reals:
        """(m,) the probability with which each step is proposed: by share, and as demands ask."""
        owners = np.repeat(np.arange(len(states)), np.diff(following.starts))
        by_share = following.shares / following.masses[owners]
        wanted = self.demands.wanted[step - 1]
        if not len(wanted.fluents) or len(following.shares) == len(states):
            return by_share
        asked = _asked(states, following, owners, by_share, wanted)
        if not asked.any():
            return by_share
        total = np.bincount(owners, asked, len(states))
        rest = np.bincount(owners, np.where(asked > 0.0, 0.0, by_share), len(states))
        share = np.where(rest > 0.0, np.minimum(total, 1.0 - LEAST_DOUBT), 1.0)
        share = np.where(total > 0.0, share, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            met = asked / total[owners] * share[owners]
            other = by_share / rest[owners] * (1.0 - share[owners])
        return np.where(asked > 0.0, met, other)

    def _expands(self, stack: BundleStack) -> bool:
        """Carry the topmost bundle one step on; False if the limits forbid it."""
        bundle = stack.pop(WIDTH)
        try:
            found = self.steps_from(bundle.points, bundle.depth + 1, self.limits.histories)
        except LimitError:
            return stack.halve(bundle)
        stack.push(bundle.carried_on(found, self._order(bundle, found)), WIDTH)
        return True

    def _order(self, bundle: Bundle, found: Continuations) -> Indices:
        """Steps that meet demands come first: they are the likelier to lead to the end."""
        order = np.argsort(found.parents, kind="stable")
        wanted = self.demands.wanted[bundle.depth]
        if not len(wanted.fluents) or not len(order):
            return order
        following = successors_of(found, len(bundle))
        owners = np.repeat(np.arange(len(bundle)), np.diff(following.starts))
        by_share = following.shares / following.masses[owners]
        asked = _asked(bundle.points, following, owners, by_share, wanted)
        return order[np.argsort(-asked, kind="stable")]

    def _is_overfull(self, stack: BundleStack, found: int) -> bool:
        """Whether the histories found and those on the way are more than the limits allow."""
        step = 4 * len(self.machine.roles)
        each = 8 * len(self.machine.initial()) + step + ROW_BYTES
        used = len(stack) * each + found * (each + step * len(self.graph))
        return len(stack) > self.limits.histories or used > self.limits.bytes


def _asked(
    states: States, following: Successors, owners: Indices, by_share: Reals, wanted: Wanted
) -> Reals:
    """(m,) the probability that demands ask for each step; 0 if it meets none of them."""
    asked = np.zeros(len(owners))
    for fluent, value, odds in zip(wanted.fluents, wanted.values, wanted.odds, strict=True):
        word, bit = fluent // 64, np.uint64(fluent % 64)
        before = (states[:, word] >> bit) & np.uint64(1) == np.uint64(value)
        after = (following.points[:, word] >> bit) & np.uint64(1) == np.uint64(value)
        met = np.flatnonzero(after & ~before[owners])
        if len(met):
            mass = np.bincount(owners[met], by_share[met], len(states))[owners[met]]
            asked[met] = np.maximum(asked[met], np.maximum(odds, mass) * by_share[met] / mass)
    return asked


StepChoice: TypeAlias = Literal["forward", "random", "constrained"]
"""`forward`: in the order of play, many histories at a time."""
AfterConflict: TypeAlias = Literal["restart", "backtrack"]


@dataclass(frozen=True, slots=True)
class SettledHistory:
    """A history in which every step has but one plausible move."""

    joints: NDArray[np.int32]  #: (steps, roles)
    log_proposal: float  #: Logarithm of the probability with which it was proposed


class SettlingSearch:
    """One search: an order of steps and a source of randomness.

    A sample is proposed with probability (product of 1 / plausible moves over the choices made).
    Its own probability over that is the weight that removes the bias, exactly where conflicts start
    the search again. With backtracking, moves found impossible are no longer counted among the
    plausible ones, which is close, but how many of those not tried are impossible remains unknown.
    """

    def __init__(
        self,
        propagator: Propagator,
        step_choice: StepChoice,
        clock: CallClock,
        rng: np.random.Generator,
        steps: int,
    ) -> None:
        self._propagator = propagator
        self._clock = clock
        self._rng = rng
        shuffled = step_choice == "random"
        self._ranks = rng.permutation(steps) if shuffled else np.zeros(steps, np.int64)

    def attempt(self, graph: StageGraph) -> SettledHistory | None:
        """Settle all steps at random; None on a conflict."""
        log_proposal = 0.0
        while (step := self._next_step(graph)) is not None:
            moves = np.flatnonzero(graph.plausible[step - 1])
            move = int(self._rng.choice(moves))
            log_proposal -= float(np.log(len(moves)))
            narrower = self._propagator.fixed(graph, step, move, self._clock)
            if narrower is None:
                return None
            graph = narrower
        return SettledHistory(_history(graph), log_proposal)

    def all(self, graph: StageGraph, log_proposal: float = 0.0) -> Iterator[SettledHistory]:
        """Every history, in random order; the first is what backtracking finds."""
        step = self._next_step(graph)
        if step is None:
            yield SettledHistory(_history(graph), log_proposal)
            return
        moves = self._rng.permutation(np.flatnonzero(graph.plausible[step - 1]))
        for tried, move in enumerate(moves):
            narrower = self._propagator.fixed(graph, step, int(move), self._clock)
            if narrower is not None:
                chance = float(np.log(len(moves) - tried))
                yield from self.all(narrower, log_proposal - chance)

    def _next_step(self, graph: StageGraph) -> int | None:
        """The step to settle next, counted from 1; None if all are settled."""
        counts = graph.counts()
        open_steps = np.flatnonzero(counts > 1)
        if not len(open_steps):
            return None
        if self._ranks.any():
            return int(open_steps[np.argmin(self._ranks[open_steps])]) + 1
        return int(open_steps[np.argmin(counts[open_steps])]) + 1


def _history(graph: StageGraph) -> NDArray[np.int32]:
    joints = [graph.candidates(step)[0] for step in range(1, len(graph) + 1)]
    return np.array(joints, np.int32)
