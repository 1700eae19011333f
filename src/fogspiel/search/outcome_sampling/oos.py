"""Online outcome sampling: regrets from whole walks, most of them led to the role's infoset.

Source: Lisy, Lanctot & Bowling (2015), "Online Monte Carlo counterfactual regret minimization for
search in imperfect information games", algorithm 1 with information set targeting.
Walks begin at the initial state, so that strategies before the present decision, which say what
others may hold, are learnt as well. One role learns in each walk; it explores, the others follow
their strategies. Outside the tree, moves are random.

Leading changes only the probability of a walk z. Without it that is s(z). A walk through the target
is led to it along the history h with probability w(h), so that z has the probability s(z) m(z),
m(z) = delta w(h) / s(h) + 1 - delta; other walks have m = 1 - delta. Updates are divided by m, and
else as in outcome sampling.
Departures: walks of a batch go side by side, with the strategies from before it. Others slip with
a small probability, or what follows from moves that they never make would not be learnt. Where
histories are too many to list, only led walks are made, along some of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.terms import RoleId
from fogspiel.machine.analysis.random_walks import draw_chance
from fogspiel.machine.knowledge import Keys, first_knowledge
from fogspiel.machine.protocol import Joints, States
from fogspiel.search.mcts.kernels.bandits import NO_NODE
from fogspiel.search.mcts.lockstep import MAX_DEPTH, BatchedSearch, Leaving
from fogspiel.search.mcts.roots import Targets
from fogspiel.search.outcome_sampling.kernels import (
    FREE,
    WalkSteps,
    add_regrets,
    add_to_average,
    walk_on,
)

DELTA = 0.9  #: Share of the walks that are led. Lisy et al. (2015), section 5.2; so is EXPLORATION.
EXPLORATION = 0.4
SLIP = 0.01
MIDDLE = 0.5
"""Subtracted from values, which are between 0 and 1: regrets then vary less and mean the same."""

Indices = NDArray[np.int64]
Reals = NDArray[np.float64]


@dataclass(slots=True)
class _Walks:
    """Some walks side by side. Arrays are by walk."""

    learners: Indices  #: The role that learns
    led: Indices  #: The history along which it is led; -1 for none
    sampled: Reals  #: The probability of the learner's moves, exploration included
    log_ratios: Reals  #: log w(h) / s(h), where h is the walk up to the target
    on_target: NDArray[np.bool_]
    goals: Reals  #: (n, roles)


@dataclass(frozen=True, slots=True)
class _Moment:
    """The states of walks that go on."""

    rows: Indices
    states: States
    known: Keys  #: (n, roles)
    forced: Indices  #: (n, roles) moves that led walks must make, `FREE` for others


@dataclass(slots=True)
class _Trail:
    """Decisions of one role in one step."""

    role: RoleId
    rows: Indices
    steps: WalkSteps
    sampled: Reals  #: Probability of the learner's moves before the decision, as in `_Walks`


class OutcomeSampling(BatchedSearch[Targets | None]):
    """A search that begins with the target of its walks; None at the beginning of play."""

    def _simulate(self, targets: Targets | None, count: int) -> None:
        seed, end_seed = (int(child.generate_state(1)[0]) for child in self._seeds.spawn(2))
        rng = np.random.default_rng(seed)
        walks = self._begun(targets, count, rng)
        trails: list[_Trail] = []
        rows, leaving = np.arange(count), Leaving()
        states = np.repeat(self.machine.initial()[None, :], count, axis=0)
        known = np.tile(np.array([first_knowledge(role) for role in self._roles]), (count, 1))
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
            known = self._knowledge_after(known[~leaves], states[~leaves], joints[~leaves])
            rows, states = rows[~leaves], after[~leaves]
        leaving.append((rows, states))
        self._evaluate_leaves(leaving, walks.goals, end_seed, None)
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
        """Joint moves, and which walks leave the tree after them."""
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
        self.decisions.make_room(count, int(legal.sum()))
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
            self.decisions.arrays,
            np.ascontiguousarray(moment.known[:, role]),
            legal,
            np.ascontiguousarray(moment.forced[:, role]),
            np.where(learns, EXPLORATION, SLIP),
            rng.random(count),
            steps,
        )
        return steps

    def _learn(self, walks: _Walks, trails: list[_Trail], targets: Targets | None) -> None:
        arrays = self.decisions.arrays
        weights = 1.0 / _led_factors(walks, targets)
        alone = len(self._players) == 1
        # All averages first: strategies must still be those that were followed.
        for trail in trails:
            counts = alone | (walks.learners[trail.rows] != trail.role)
            own = np.where(counts, weights[trail.rows] / trail.sampled, 0.0)
            add_to_average(arrays, trail.steps.nodes, own)
        goals = walks.goals[np.arange(len(weights)), walks.learners]
        values = self._scale.values(goals) - MIDDLE
        weighted = values * weights / walks.sampled
        tails = np.ones(len(weights))
        for trail in reversed(trails):
            learns = walks.learners[trail.rows] == trail.role
            own_tails = tails[trail.rows]
            own = np.where(learns, weighted[trail.rows], np.nan)
            steps = trail.steps
            add_regrets(arrays, steps.nodes, steps.arms, steps.strategy, own_tails, own)
            tails[trail.rows] = own_tails


def _led_share(targets: Targets) -> float:
    return DELTA if targets.complete else 1.0


def _led_factors(walks: _Walks, targets: Targets | None) -> Reals:
    """The factors m(z) by which leading makes walks more probable, (n,)."""
    if targets is None:
        return np.ones(len(walks.led))
    share = _led_share(targets)
    ratios = np.exp(walks.log_ratios - targets.log_total)
    return np.where(walks.on_target, share * ratios, 0.0) + (1.0 - share)
