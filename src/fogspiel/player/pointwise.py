"""Decisions one at a time, from the histories that are possible: Richards' SDPOG and DOMIS.

Source: Richards (2012), chapter 5, algorithm SDPOG: the move with the largest sum over the
information set of what a heuristic says, times the probability of the history. DOMIS (section
5.4) takes these probabilities from a model of the opponents: that each decides by SDPOG itself.
Departures: large information sets are sampled. SDPOG counts opponents' past moves as even choices.
A model that is wrong once would rule out the truth for good; DOMIS therefore leaves each opponent
some chance to do anything else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.methods import make_belief
from fogspiel.belief.protocol import Belief, BeliefLimits, Histories, Sighting
from fogspiel.core.findings import FogspielError
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.machine.protocol import Machine
from fogspiel.player.heuristics import Heuristic
from fogspiel.player.protocol import Seat
from fogspiel.player.tracking import Tracking
from fogspiel.search.budget import Budget

MOST_HISTORIES = 512
LEAST_HISTORIES = 8
"""However few simulations are allowed."""
CHUNK = 16
"""Histories that are evaluated before the clock is looked at."""
RESERVE_SECONDS = 0.03
OPPONENT_HISTORIES = 8
"""That an opponent is thought to look at."""
MODELLED_HISTORIES = 32
"""That are weighed by what opponents would have done."""
MODEL_SHARE = 0.5
"""Of the time, for the model."""
DOUBT = 0.1
"""How probable it is that an opponent chose evenly instead."""
OPPONENT_SECONDS = 0.5


class SdpogPlayer(Tracking):
    """The best move on average over what is possible."""

    most_histories = MOST_HISTORIES

    def __init__(self, heuristic: Heuristic) -> None:
        self.heuristic = heuristic

    def choose(self, budget: Budget) -> MoveId:
        """The largest sum; the first of equals."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return legal[0]
        count = self.most_histories
        if budget.simulations is not None:
            wanted = budget.simulations // self.heuristic.simulations
            count = max(LEAST_HISTORIES, min(count, wanted))
        histories = some_histories(self.belief, count, self.turn_seed)
        weights = self.weights(histories, budget)
        return legal[int(self._sums(histories, weights, legal, budget).argmax())]

    def weights(self, histories: Histories, budget: Budget) -> NDArray[np.float64]:
        """(histories,) how probable each is."""
        return histories.weights

    def _sums(
        self,
        histories: Histories,
        weights: NDArray[np.float64],
        legal: tuple[MoveId, ...],
        budget: Budget,
    ) -> NDArray[np.float64]:
        """(moves,) lines 4 to 8 of the algorithm, for as many histories as there is time for."""
        sums = np.zeros(len(legal))
        # Any order would do; at random, those that there is time for stand for all.
        order = np.random.default_rng(self.turn_seed).permutation(len(histories))
        chunk = CHUNK if budget.deadline is not None else len(order)
        for first in range(0, len(order), chunk):
            some = order[first : first + chunk]
            states = np.ascontiguousarray(histories.states[some])
            seed = self.turn_seed + first
            values = self.heuristic.values(self.machine, self.role, states, legal, seed)
            sums += weights[some] @ values
            if budget.seconds_left <= RESERVE_SECONDS:
                break
        return sums


@dataclass(frozen=True, slots=True)
class _Point:
    """A decision of an opponent, as it saw it."""

    role: RoleId
    sightings: tuple[Sighting, ...]


class DomisPlayer(SdpogPlayer):
    """The same, with histories as probable as opponents that decide likewise make them."""

    most_histories = MODELLED_HISTORIES

    def start(self, seat: Seat, budget: Budget) -> None:
        """Nothing is known of the opponents so far."""
        super().start(seat, budget)
        self._decisions: dict[_Point, NDArray[np.float64]] = {}

    def weights(self, histories: Histories, budget: Budget) -> NDArray[np.float64]:
        """(histories,) by the model; as for even choices where there was no time for it."""
        stop = RESERVE_SECONDS
        if budget.deadline is not None:
            stop += (1.0 - MODEL_SHARE) * budget.seconds_left
        weights = histories.weights.copy()
        for row, joints in enumerate(histories.joints):
            if budget.seconds_left <= stop:
                break
            weights[row] *= self._likelihood(joints)
        weights /= weights.sum()
        return weights

    def _likelihood(self, joints: NDArray[np.int32]) -> float:
        """How probable the model makes what opponents did, against even choices."""
        machine, state, ratio = self.machine, self.machine.initial(), 1.0
        opponents = [
            RoleId(role)
            for role in range(len(machine.roles))
            if role not in (self.role, machine.chance_role)
        ]
        seen: dict[RoleId, tuple[Sighting, ...]] = dict.fromkeys(opponents, ())
        for row in joints.tolist():
            joint = [MoveId(move) for move in row]
            for role in opponents:
                legal = machine.legal(state, role)
                if len(legal) > 1:
                    shares = self._decision(_Point(role, seen[role]), legal)
                    ratio *= float(shares[legal.index(joint[role])]) * len(legal)
                sighting = Sighting(joint[role], machine.percepts(state, joint, role))
                seen[role] = (*seen[role], sighting)
            state = machine.step(state, joint)
        return ratio

    def _decision(self, point: _Point, legal: tuple[MoveId, ...]) -> NDArray[np.float64]:
        """(moves,) how probable each was: SDPOG one step deep, in the opponent's place."""
        if point not in self._decisions:
            even = np.full(len(legal), 1.0 / len(legal))
            best = _sdpog_choice(self.machine, point, legal, self.heuristic, self.seed)
            self._decisions[point] = even if best is None else DOUBT * even + (1.0 - DOUBT) * best
        return self._decisions[point]


def some_histories(belief: Belief, count: int, seed: int) -> Histories:
    """All that are possible if they are few, else a sample."""
    size = belief.size()
    if size is not None and size <= count:
        found = belief.enumerate(count)
        if found.complete and len(found):
            return found
    return belief.sample(count, seed)


def _sdpog_choice(
    machine: Machine, point: _Point, legal: tuple[MoveId, ...], heuristic: Heuristic, seed: int
) -> NDArray[np.float64] | None:
    """(moves,) even among the best; None where the opponent's belief could not be found."""
    limits = BeliefLimits(histories=20_000, seconds=OPPONENT_SECONDS)
    belief = make_belief("auto", machine, point.role, limits)
    try:
        for sighting in point.sightings:
            belief.advance(sighting.move, sighting.percepts)
        histories = some_histories(belief, OPPONENT_HISTORIES, seed)
    except FogspielError:
        return None
    values = heuristic.values(machine, point.role, histories.states, legal, seed)
    sums = histories.weights @ values
    best = np.isclose(sums, sums.max(), rtol=1e-9, atol=1e-12)
    shares: NDArray[np.float64] = best / best.sum()
    return shares
