"""Regrets on the sequence form: many iterations of one family of algorithms in one native call.

Sources: Zinkevich et al. (2007) for counterfactual regrets; Brown and Sandholm (2019), AAAI 33,
section 3, for the discounts that make CFR, CFR+ and linear CFR members of one family; Tammelin
(2014) for alternating updates; Farina, Kroer and Sandholm (2021), AAAI 35, section 5, for
predictions, each infoset expecting the regrets it just had; Meng et al. (2025), arXiv:2503.12770,
for expecting only a part of them.

A player's turn is one sweep over its infosets, last ones first. The value of a sequence is one row
of the payoffs times the other's plan, plus the values of the infosets after it; the sweep needs
both at once, so product, regrets and new behaviour are one loop. A second loop, first infosets
first, turns behaviour into a plan and adds the plan to the average.

All indices are unsigned: Numba then need not test each for being negative, which doubles the speed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.solve.sequence_form import SequenceGame

ONE = np.uint64(1)
CHECK_STEP = 4
CHECK_SHARE = 8
"""The average is evaluated after an eighth more iterations, at least 4: a target is overshot by
one in sixteen on average, for a tenth of the time."""


class PlayerSequences(NamedTuple):
    """The treeplex, the payoffs and the regrets of one player, by its sequences."""

    parents: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    starts: NDArray[np.uint64]
    others: NDArray[np.uint32]
    entries: NDArray[np.float64]
    regrets: NDArray[np.float64]
    behaviour: NDArray[np.float64]
    plan: NDArray[np.float64]
    sums: NDArray[np.float64]
    """The weighted sum of the plans so far; for the empty sequence, the sum of the weights."""
    values: NDArray[np.float64]
    """Scratch, zero between calls: the values of the infosets after each sequence."""
    found: NDArray[np.float64]
    """(2,) the player's value of the averages, and of a best response to the other's average, both
    less the offset."""


class Family(NamedTuple):
    """The parameters of an algorithm of the family.

    After iteration t, positive regrets are multiplied by t^alpha / (t^alpha + 1), negative ones
    likewise with beta; plan t has the weight t^gamma. Behaviour matches the regrets with
    `prediction` times the latest ones added once more.
    """

    alpha: float
    beta: float
    gamma: float
    prediction: float
    alternating: bool


def side(game: SequenceGame, player: int) -> PlayerSequences:
    """A player, counted from 0, before the first iteration, with uniform behaviour."""
    treeplex, payoffs = game.treeplexes[player], game.payoffs[player]
    count = treeplex.sequence_count
    new = PlayerSequences(
        parents=treeplex.parents.view(np.uint32),
        counts=treeplex.counts.view(np.uint32),
        starts=payoffs.starts.view(np.uint64),
        others=payoffs.others.view(np.uint32),
        entries=payoffs.entries,
        regrets=np.zeros(count),
        behaviour=np.empty(count),
        plan=np.empty(count),
        sums=np.zeros(count),
        values=np.zeros(count),
        found=np.zeros(2),
    )
    _begin(new)
    return new


@native
def iterate(
    first: PlayerSequences,
    second: PlayerSequences,
    family: Family,
    clock: NDArray[np.int64],
    pause: int,
    target: float,
) -> float:
    """Iterate up to `pause`, or until an evaluation on the way finds exploitability at the target.

    clock: (2,) iterations done, and when the average is evaluated next; both go on.
    Returns the exploitability of the average, which is evaluated at the pause in any case.
    """
    # Passing records costs too much in every iteration: the four steps are called from here.
    alpha, beta, gamma, prediction, alternating = family
    while True:
        clock[0] += 1
        iteration = clock[0]
        kept, kept_below = _kept(float(iteration), alpha), _kept(float(iteration), beta)
        weight = _power(float(iteration), gamma)
        if alternating:
            _learn(first, second.plan, kept, kept_below, prediction)
            _unfold(first, weight)
            _learn(second, first.plan, kept, kept_below, prediction)
            _unfold(second, weight)
        else:
            # Both respond to the plans of the iteration before, which are those that count.
            _add(first, weight)
            _add(second, weight)
            _learn(first, second.plan, kept, kept_below, prediction)
            _learn(second, first.plan, kept, kept_below, prediction)
            _unfold(first, 0.0)
            _unfold(second, 0.0)
        due = iteration >= clock[1]
        if due:
            clock[1] = iteration + max(CHECK_STEP, iteration // CHECK_SHARE)
        if iteration >= pause or (due and target >= 0.0):
            exploitability = 0.5 * (_evaluate(first, second) + _evaluate(second, first))
            if iteration >= pause or exploitability <= target:
                return float(exploitability)


@native
def _begin(side: PlayerSequences) -> None:
    """Fill in uniform behaviour."""
    side.behaviour[0] = 1.0
    sequence = ONE
    for infoset in range(np.uint64(len(side.parents))):
        count = side.counts[infoset]
        for _ in range(count):
            side.behaviour[sequence] = 1.0 / count
            sequence += ONE
    _unfold(side, 0.0)


@native
def _kept(iteration: float, exponent: float) -> float:
    """The factor t^e / (t^e + 1), also at its limits: 1 for plain sums, 0 for CFR+ below 0."""
    if exponent == np.inf:
        return 1.0
    if exponent == -np.inf:
        return 0.0
    # The same as in the docstring, without a quotient of two infinities.
    return float(1.0 / (1.0 + 1.0 / _power(iteration, exponent)))


@native
def _power(base: float, exponent: float) -> float:
    """A power; general ones take a third of an iteration in a game as small as Kuhn poker."""
    if exponent == 0.0:
        return 1.0
    if exponent == 1.0:
        return base
    if exponent == 1.5:
        return float(base * np.sqrt(base))
    if exponent == 2.0:
        return base * base
    if exponent == 3.0:
        return base * base * base
    return float(base**exponent)


@native
def _learn(
    side: PlayerSequences,
    plan: NDArray[np.float64],
    kept: float,
    kept_below: float,
    prediction: float,
) -> None:
    """Update regrets by the other's plan, and the behaviour that matches them."""
    regrets, behaviour, values = side.regrets, side.behaviour, side.values
    starts, others, entries = side.starts, side.others, side.entries
    parents, counts = side.parents, side.counts
    infoset, end = np.uint64(len(parents)), np.uint64(len(regrets))
    while infoset > 0:
        infoset -= ONE
        first = end - np.uint64(counts[infoset])
        mean = 0.0
        for sequence in range(first, end):
            value = values[sequence]
            for entry in range(starts[sequence], starts[sequence + ONE]):
                value += entries[entry] * plan[others[entry]]
            values[sequence] = value
            mean += behaviour[sequence] * value
        values[parents[infoset]] += mean
        total = 0.0
        for sequence in range(first, end):
            gain = values[sequence] - mean
            values[sequence] = 0.0
            regret = regrets[sequence] + gain
            regret *= kept if regret > 0.0 else kept_below
            regrets[sequence] = regret
            regret = max(regret + prediction * gain, 0.0)
            behaviour[sequence] = regret
            total += regret
        if total > 0.0:
            scale = 1.0 / total
            for sequence in range(first, end):
                behaviour[sequence] *= scale
        else:
            # No action has beaten the mixture so far, and the proof then allows any choice.
            for sequence in range(first, end):
                behaviour[sequence] = 1.0 / (end - first)
        end = first
    values[0] = 0.0


@native
def _unfold(side: PlayerSequences, weight: float) -> None:
    """Compute the plan of the behaviour, and add it to the average with a weight."""
    plan, sums, behaviour = side.plan, side.sums, side.behaviour
    parents, counts = side.parents, side.counts
    plan[0] = 1.0
    sums[0] += weight
    sequence = ONE
    for infoset in range(np.uint64(len(parents))):
        before = plan[parents[infoset]]
        for _ in range(counts[infoset]):
            probability = before * behaviour[sequence]
            plan[sequence] = probability
            sums[sequence] += weight * probability
            sequence += ONE


@native
def _add(side: PlayerSequences, weight: float) -> None:
    plan, sums = side.plan, side.sums
    for sequence in range(len(plan)):
        sums[sequence] += weight * plan[sequence]


@native
def _evaluate(side: PlayerSequences, other: PlayerSequences) -> float:
    """The player's gain by a best response to the other's average; fills in `found`."""
    values, starts, others, entries = side.values, side.starts, side.others, side.entries
    parents, counts, own, plan = side.parents, side.counts, side.sums, other.sums
    infoset, end = np.uint64(len(parents)), np.uint64(len(own))
    mean = 0.0
    while infoset > 0:
        infoset -= ONE
        first = end - np.uint64(counts[infoset])
        best = -np.inf
        for sequence in range(first, end):
            value = 0.0
            for entry in range(starts[sequence], starts[sequence + ONE]):
                value += entries[entry] * plan[others[entry]]
            mean += own[sequence] * value
            best = max(best, values[sequence] + value)
            values[sequence] = 0.0
        values[parents[infoset]] += best
        end = first
    # Leaves that depend on no action of the player.
    forced = 0.0
    for entry in range(starts[0], starts[1]):
        forced += entries[entry] * plan[others[entry]]
    side.found[0] = (mean / own[0] + forced) / plan[0]
    side.found[1] = (values[0] + forced) / plan[0]
    values[0] = 0.0
    return float(side.found[1] - side.found[0])
