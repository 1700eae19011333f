"""Decisions one at a time, from the histories that are possible: Richards' SDPOG and DOMIS.

Source: Richards (2012), chapter 5, algorithm SDPOG: the move with the largest sum over the
information set of what a heuristic says, times the probability of the history. DOMIS (section
5.4) takes these probabilities from a model of the opponents: that each decides by SDPOG itself.
Departures: large information sets are sampled. SDPOG counts opponents' past moves as even choices;
so does DOMIS where an opponent's information set was too large to be found.
A model that is wrong once would rule out the truth for good; DOMIS therefore leaves each opponent
some chance to do anything else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.base import gave_up
from fogspiel.belief.methods import make_belief
from fogspiel.belief.protocol import Belief, BeliefLimits, Histories
from fogspiel.belief.within_budget import WORDS_A_SECOND
from fogspiel.core.budget import Budget
from fogspiel.core.findings import FogspielError
from fogspiel.core.terms import MoveId, Observation, RoleId
from fogspiel.machine.knowledge import observation_of
from fogspiel.machine.protocol import Machine
from fogspiel.players.base import BeliefPlayer
from fogspiel.players.protocol import Seat
from fogspiel.players.solving.heuristics import Heuristic
from fogspiel.search.evaluation.value_scale import look_at_goals

MOST_HISTORIES = 512
LEAST_HISTORIES = 8  #: However few simulations are allowed
RESERVE_SECONDS = 0.03
OPPONENT_HISTORIES = 8  #: That an opponent is thought to look at
MODELLED_HISTORIES = 32  #: That are weighed by what opponents would have done
MODEL_SHARE = 0.5  #: Of the time, for the model
DOUBT = 0.1  #: How probable it is that an opponent chose evenly instead
OPPONENT_LIMIT = 20_000  #: Histories that an opponent's belief may hold
CALL_SHARE = 0.25  #: Of the time left, for a step of an opponent's belief, and for its decision


class SdpogPlayer(BeliefPlayer):
    """The best move on average over what is possible."""

    most_histories = MOST_HISTORIES

    def __init__(self, heuristic: Heuristic) -> None:
        self.heuristic = heuristic

    def start(self, seat: Seat, budget: Budget) -> None:
        """Find out before the first choice how far apart goals are."""
        super().start(seat, budget)
        look_at_goals(self.machine, budget)

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
        clock = budget.without(RESERVE_SECONDS)
        # With a clock, one comes first, to see how long it takes.
        done, count = 0, len(order) if budget.deadline is None else 1
        while done < len(order) and (done == 0 or count > 0):
            some = order[done : done + count]
            states = np.ascontiguousarray(histories.states[some])
            began, seed = clock.clock(), self.turn_seed + done
            values = self.heuristic.values(self.machine, self.role, states, legal, seed, clock)
            sums += weights[some] @ values
            done += len(some)
            count = clock.fitting(len(some), clock.clock() - began)
        return sums


@dataclass(frozen=True, slots=True)
class _Point:
    """A decision of an opponent, as it saw it."""

    role: RoleId
    observations: tuple[Observation, ...]


class DomisPlayer(SdpogPlayer):
    """The same, with histories as probable as opponents that decide likewise make them."""

    most_histories = MODELLED_HISTORIES

    def start(self, seat: Seat, budget: Budget) -> None:
        """Nothing is known of the opponents so far."""
        super().start(seat, budget)
        self._decisions: dict[tuple[_Point, tuple[MoveId, ...]], NDArray[np.float64]] = {}

    def weights(self, histories: Histories, budget: Budget) -> NDArray[np.float64]:
        """(histories,) by the model; as for even choices where there was no time for it."""
        clock = budget.part(MODEL_SHARE)
        weights = histories.weights.copy()
        for row, joints in enumerate(histories.joints):
            ratio = self._likelihood(joints, clock)
            if ratio is None:
                break
            weights[row] *= ratio
        weights /= weights.sum()
        return weights

    def _likelihood(self, joints: NDArray[np.int32], clock: Budget) -> float | None:
        """How probable the model makes what opponents did, against even choices.

        None where time is over before that is known.
        """
        machine, state, ratio = self.machine, self.machine.initial(), 1.0
        opponents = [
            RoleId(role)
            for role in range(len(machine.roles))
            if role not in (self.role, machine.chance_role)
        ]
        seen: dict[RoleId, tuple[Observation, ...]] = dict.fromkeys(opponents, ())
        for row in joints.tolist():
            joint = [MoveId(move) for move in row]
            for role in opponents:
                legal = machine.legal(state, role)
                if clock.is_over:
                    return None
                if len(legal) > 1:
                    shares = self._decision(_Point(role, seen[role]), legal, clock)
                    ratio *= float(shares[legal.index(joint[role])]) * len(legal)
                observation = observation_of(machine, state, joint, role)
                seen[role] = (*seen[role], observation)
            state = machine.step(state, joint)
        return ratio

    def _decision(
        self, point: _Point, legal: tuple[MoveId, ...], clock: Budget
    ) -> NDArray[np.float64]:
        """(moves,) how probable each was: SDPOG one step deep, in the opponent's place."""
        # Moves belong to it: rules may leave a role in doubt about them.
        if (point, legal) not in self._decisions:
            even = np.full(len(legal), 1.0 / len(legal))
            best = _sdpog_choice(self.machine, point, legal, self.heuristic, self.seed, clock)
            shares = even if best is None else DOUBT * even + (1.0 - DOUBT) * best
            self._decisions[point, legal] = shares
        return self._decisions[point, legal]


def some_histories(belief: Belief, count: int, seed: int) -> Histories:
    """All that are possible if they are few, else a sample."""
    size = belief.size()
    if size is not None and size <= count:
        found = belief.enumerate(count)
        if found.complete and len(found):
            return found
    return belief.sample(count, seed)


def _sdpog_choice(
    machine: Machine,
    point: _Point,
    legal: tuple[MoveId, ...],
    heuristic: Heuristic,
    seed: int,
    clock: Budget,
) -> NDArray[np.float64] | None:
    """(moves,) even among the best; None where the opponent's belief could not be found."""
    try:
        belief = _opponents_belief(machine, point, clock)
        histories = some_histories(belief, OPPONENT_HISTORIES, seed)
    except FogspielError:
        return None
    values = heuristic.values(
        machine, point.role, histories.states, legal, seed, clock.part(CALL_SHARE)
    )
    sums = histories.weights @ values
    best = np.isclose(sums, sums.max(), rtol=1e-9, atol=1e-12)
    shares: NDArray[np.float64] = best / best.sum()
    return shares


def _opponents_belief(machine: Machine, point: _Point, clock: Budget) -> Belief:
    """What an opponent held possible. Raises `LimitError` where that takes too long to find out."""
    limits = BeliefLimits(histories=OPPONENT_LIMIT)
    if clock.deadline is not None:
        seconds = CALL_SHARE * max(clock.seconds_left, 0.0)
        fitting = int(WORDS_A_SECOND * seconds / len(machine.initial()))
        limits = BeliefLimits(histories=min(OPPONENT_LIMIT, fitting), seconds=seconds)
    # Other methods cannot be stopped so soon, and without a clock they would stop at another place
    # on another machine.
    belief = make_belief("exact", machine, point.role, limits)
    for observation in point.observations:
        if clock.is_over:
            raise gave_up(belief.method, len(belief.observations), limits)
        belief.advance(observation)
    return belief
