"""Online outcome sampling: regrets from whole walks, most of them led to where the role is.

Source: Lisy, Lanctot & Bowling (2015), "Online Monte Carlo counterfactual regret minimization for
search in imperfect information games", algorithm 1 with information set targeting.
Walks begin where play began, so that strategies before the present decision, which say what others
may hold, are learnt as well. One role learns in each walk; it explores, the others follow their
strategies. Outside what is kept, moves are random.

All that leading changes is how often a walk z comes up. Without it the probability is s(z). A walk
through the target is led to it along the history h with probability w(h), so that z comes up with
s(z) m(z), m(z) = delta w(h) / s(h) + 1 - delta; other walks have m = 1 - delta. What a walk
teaches is divided by m, and else as in outcome sampling.
Departures: walks of a batch go side by side, with the strategies from before it. Others slip with
a small probability, or what follows from moves that they never make would not be learnt. Where
histories are too many to list, only led walks are made, along some of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.transitions import stacked
from fogspiel.core.budget import Budget
from fogspiel.core.ids import RoleId
from fogspiel.machine.analysis.random_walks import draw_chance
from fogspiel.machine.knowledge_keys import Keys, first_knowledge, knowledge_after
from fogspiel.machine.protocol import Joints, Machine, States
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.evaluation.value_scale import value_scale
from fogspiel.search.mcts.decision_table import CROWDED_SHARE, DecisionTable
from fogspiel.search.mcts.kernels.nodes import NO_NODE
from fogspiel.search.outcome_sampling.kernels import (
    FREE,
    WalkSteps,
    add_regrets,
    add_to_average,
    walk_on,
)
from fogspiel.search.outcome_sampling.targets import Targets

DELTA = 0.9
"""Of the walks, those that are led. Lisy et al. (2015), section 5.2; so is EXPLORATION."""
EXPLORATION = 0.4
SLIP = 0.01
LARGEST_BATCH = 1024
"""As in `lockstep`."""
MAX_DEPTH = 512
MIDDLE = 0.5
"""Taken from values, which are between 0 and 1: regrets then vary less and mean the same."""

Indices = NDArray[np.int64]
Reals = NDArray[np.float64]


@dataclass(slots=True)
class _Walks:
    """Some walks side by side. Arrays are by walk."""

    learners: Indices
    """Whose regrets each is for."""
    led: Indices
    """The history that each is led along; -1 for none."""
    sampled: Reals
    """How probable the learner's moves are, exploration included."""
    log_ratios: Reals
    """log w(h) / s(h), where h is the walk up to the target."""
    on_target: NDArray[np.bool_]
    goals: Reals
    """(n, roles)"""


@dataclass(frozen=True, slots=True)
class _Moment:
    """Where walks are that go on."""

    rows: Indices
    states: States
    known: Keys
    """(n, roles)"""
    forced: Indices
    """(n, roles) moves that led walks must make, `FREE` for others."""


@dataclass(slots=True)
class _Trail:
    """Decisions of one role in one step."""

    role: RoleId
    rows: Indices
    steps: WalkSteps
    sampled: Reals
    """As in `_Walks`, before the decision."""


class OutcomeSampling:
    """A search that can go on as long as it is let."""

    def __init__(
        self,
        machine: Machine,
        observer: RoleId,
        *,
        seed: int,
        ending: LeafEvaluation = RANDOM_PLAYOUTS,
    ) -> None:
        self.machine = machine
        self.observer = observer
        self.forest = DecisionTable()
        self.simulations = 0
        self._seeds = np.random.SeedSequence(seed)
        roles = [RoleId(role) for role in range(len(machine.roles))]
        self._players = [role for role in roles if role != machine.chance_role]
        self._first = np.array([first_knowledge(role) for role in roles])
        self._scale = value_scale(machine)
        self._ends = ending.ends(machine)

    def is_crowded(self, budget: Budget) -> bool:
        """Whether there is no room for more decisions, and too little time to make it."""
        return not self._is_in_time(LARGEST_BATCH, CROWDED_SHARE * budget.seconds_left)

    def _is_in_time(self, walks: int, seconds: float) -> bool:
        """Whether so many can add their decisions: no more than one for each role."""
        return self.forest.is_in_time(len(self._players) * walks, seconds)

    def run(self, targets: Targets | None, budget: Budget) -> int:
        """Walk until the budget is used up; how many walks there were.

        targets: where the role is now; None where play begins.
        """
        before = self.simulations
        for count in budget.batches(before, LARGEST_BATCH):
            if not self._is_in_time(count, budget.seconds_left):
                break
            self._walk(targets, count)
            self.simulations += count
        return self.simulations - before

    def _walk(self, targets: Targets | None, count: int) -> None:
        seed, end_seed = (int(child.generate_state(1)[0]) for child in self._seeds.spawn(2))
        rng = np.random.default_rng(seed)
        walks = self._begun(targets, count, rng)
        trails: list[_Trail] = []
        rows, leaving = np.arange(count), list[tuple[Indices, States]]()
        states = np.repeat(self.machine.initial()[None, :], count, axis=0)
        known = np.repeat(self._first[None, :], count, axis=0)
        for depth in range(MAX_DEPTH + (targets.steps if targets else 0)):
            if targets is not None and depth == targets.steps:
                walks.on_target[rows] = known[:, self.observer] == targets.key
            ended = self.machine.terminal_batch(states)
            walks.goals[rows[ended]] = self.machine.goals_batch(states[ended])
            rows, states, known = rows[~ended], states[~ended], known[~ended]
            if not len(rows):
                break
            moment = _Moment(rows, states, known, self._forced(targets, walks.led[rows], depth))
            before_target = targets is not None and depth < targets.steps
            joints, leaves = self._step(walks, moment, rng, trails, before_target=before_target)
            after = self.machine.step_batch(states, joints)
            leaving.append((rows[leaves], after[leaves]))
            known = self._learnt(known[~leaves], states[~leaves], joints[~leaves])
            rows, states = rows[~leaves], after[~leaves]
        leaving.append((rows, states))
        self._finish(walks, leaving, end_seed)
        self._learn(walks, trails, targets)

    def _begun(self, targets: Targets | None, count: int, rng: np.random.Generator) -> _Walks:
        turns = (self.simulations + np.arange(count)) % len(self._players)
        led = np.full(count, -1)
        if targets is not None:
            leads = rng.random(count) < _led_share(targets)
            led[leads] = targets.drawn(int(leads.sum()), rng)
        return _Walks(
            learners=np.array(self._players)[turns],
            led=led,
            sampled=np.ones(count),
            log_ratios=np.zeros(count),
            on_target=np.zeros(count, np.bool_),
            goals=np.zeros((count, len(self.machine.roles))),
        )

    def _forced(self, targets: Targets | None, led: Indices, depth: int) -> Indices:
        """(n, roles) moves that walks must make."""
        if targets is None or depth >= targets.steps:
            return np.full((len(led), len(self.machine.roles)), FREE)
        return np.where(led[:, None] < 0, FREE, targets.joints[led, depth].astype(np.int64))

    def _step(
        self,
        walks: _Walks,
        moment: _Moment,
        rng: np.random.Generator,
        trails: list[_Trail],
        *,
        before_target: bool,
    ) -> tuple[Joints, NDArray[np.bool_]]:
        """Joint moves, and which walks leave what is kept after them."""
        rows, forced = moment.rows, moment.forced
        joints = np.empty((len(rows), len(self.machine.roles)), np.int32)
        leaves = np.zeros(len(rows), np.bool_)
        chance = self.machine.chance_role
        if chance is not None:
            drawn = draw_chance(self.machine, moment.states, rng)
            joints[:, chance] = np.where(forced[:, chance] == FREE, drawn, forced[:, chance])
        for role in self._players:
            learns = walks.learners[rows] == role
            steps = self._choices(role, moment, learns, leaves, rng)
            joints[:, role] = steps.moves
            if not (steps.nodes != NO_NODE).any():
                continue
            trails.append(_Trail(role, rows, steps, walks.sampled[rows]))
            walks.sampled[rows] *= np.where(learns, steps.probabilities, 1.0)
            if before_target:
                own = role == self.observer
                proposed = np.zeros(len(rows)) if own else -np.log(steps.options)
                walks.log_ratios[rows] += proposed - np.log(steps.probabilities)
        return joints, leaves

    def _choices(
        self,
        role: RoleId,
        moment: _Moment,
        learns: NDArray[np.bool_],
        leaves: NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> WalkSteps:
        count = len(moment.rows)
        legal = self.machine.legal_batch(moment.states, role)
        self.forest.make_room(count, int(legal.sum()))
        steps = WalkSteps(
            np.empty(count, np.int32),
            np.empty(count, np.int64),
            np.zeros(count, np.int64),
            np.empty(count),
            np.empty(count),
            np.empty(count, np.int64),
            leaves,
        )
        walk_on(
            self.forest.arrays,
            np.ascontiguousarray(moment.known[:, role]),
            legal,
            np.ascontiguousarray(moment.forced[:, role]),
            np.where(learns, EXPLORATION, SLIP),
            rng.random(count),
            steps,
        )
        return steps

    def _learnt(self, known: Keys, states: States, joints: Joints) -> Keys:
        """(n, roles) what roles know after a step."""
        after = known.copy()
        if len(known):
            for role in self._players:
                before = np.ascontiguousarray(known[:, role])
                after[:, role] = knowledge_after(self.machine, role, before, states, joints)
        return after

    def _finish(self, walks: _Walks, leaving: list[tuple[Indices, States]], seed: int) -> None:
        """Say how walks end that have left what is kept."""
        rows = np.concatenate([rows for rows, _ in leaving])
        if len(rows):
            states = stacked([states for _, states in leaving])
            walks.goals[rows] = self._ends(states, seed)

    def _learn(self, walks: _Walks, trails: list[_Trail], targets: Targets | None) -> None:
        arrays = self.forest.arrays
        weights = 1.0 / _led_factors(walks, targets)
        alone = len(self._players) == 1
        # All averages first: strategies must still be those that were followed.
        for trail in trails:
            counts = alone | (walks.learners[trail.rows] != trail.role)
            shares = np.where(counts, weights[trail.rows] / trail.sampled, 0.0)
            add_to_average(arrays, trail.steps.nodes, shares)
        goals = walks.goals[np.arange(len(weights)), walks.learners]
        values = self._scale.values(goals) - MIDDLE
        worth = values * weights / walks.sampled
        tails = np.ones(len(weights))
        for trail in reversed(trails):
            learns = walks.learners[trail.rows] == trail.role
            own_tails = tails[trail.rows]
            own_worth = np.where(learns, worth[trail.rows], np.nan)
            steps = trail.steps
            add_regrets(arrays, steps.nodes, steps.arms, steps.shares, own_tails, own_worth)
            tails[trail.rows] = own_tails


def _led_share(targets: Targets) -> float:
    return DELTA if targets.complete else 1.0


def _led_factors(walks: _Walks, targets: Targets | None) -> Reals:
    """(n,) m(z): how much more often walks come up for being led."""
    if targets is None:
        return np.ones(len(walks.led))
    share = _led_share(targets)
    ratios = np.exp(walks.log_ratios - targets.log_total)
    return np.where(walks.on_target, share * ratios, 0.0) + (1.0 - share)
